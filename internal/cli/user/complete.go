package user

import (
	"cmp"
	"context"
	"io"
	"os"
	"strconv"
	"time"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
	"vitrine/report"

	"github.com/spf13/cobra"
)

// completionTime is how long a completion waits for the server.
const completionTime = 2 * time.Second

// ranges completes the ranges of reports.
func ranges() cobra.CompletionFunc {
	var all []string
	for _, r := range report.Ranges() {
		all = append(all, string(r))
	}
	return command.Words(all...)
}

// links completes the slugs of the newest links of the account.
func links(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return completed(cmd, func(ctx context.Context, api *client.Client) (slugs []string, err error) {
		page, err := api.Links(ctx, "", client.Query{Text: typed, Limit: 100})
		for _, l := range page.Links {
			slugs = append(slugs, cobra.CompletionWithDesc(l.Slug, terminal.Plain(l.Title)))
		}
		return slugs, err
	})
}

// websites completes the slugs of the websites of the account.
func websites(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return completed(cmd, func(ctx context.Context, api *client.Client) (slugs []string, err error) {
		all, err := api.Websites(ctx)
		for _, w := range all {
			slugs = append(slugs, cobra.CompletionWithDesc(w.Slug, terminal.Plain(w.Title)))
		}
		return slugs, err
	})
}

// keys completes the IDs of the keys of the account.
func keys(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return completed(cmd, func(ctx context.Context, api *client.Client) (ids []string, err error) {
		all, err := api.Keys(ctx)
		for _, k := range all {
			ids = append(ids, cobra.CompletionWithDesc(strconv.FormatInt(k.ID, 10), terminal.Plain(k.Name)))
		}
		return ids, err
	})
}

// completed returns words that the server knows. Without a key or a fast answer
// it returns none.
func completed(cmd *cobra.Command,
	words func(context.Context, *client.Client) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	key, _ := keyVariable()
	from := Connection{Server: cmp.Or(cmd.Flag("server").Value.String(), os.Getenv("VITRINE_SERVER")),
		APIKey: cmp.Or(cmd.Flag("api-key").Value.String(), key)}
	api, err := from.Client(&terminal.Terminal{Out: io.Discard, Err: io.Discard}, client.WithAttempts(1))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	found, err := words(ctx, api)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
