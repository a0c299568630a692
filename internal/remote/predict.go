package remote

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"time"

	"vitrine/client"
	"vitrine/internal/terminal"
	"vitrine/report"

	"github.com/posener/complete"
)

// predictPatience is how long a completion waits for the server.
const predictPatience = 2 * time.Second

// Predictors returns the predictors of values that the tags of the commands
// name, for shell completion.
func Predictors() map[string]complete.Predictor {
	var ranges []string
	for _, r := range report.Ranges() {
		ranges = append(ranges, string(r))
	}
	expiries := []string{"1d", "7d", "30d", "90d", "1y", "never"}
	return map[string]complete.Predictor{
		"link":    complete.PredictFunc(predictLinks),
		"website": complete.PredictFunc(predictWebsites),
		"kind": complete.PredictSet("pdf", "image", "video", "audio", "document", "text", "html",
			"archive"),
		"status":  complete.PredictSet("live", "review", "processing", "disabled"),
		"scope":   complete.PredictSet("read", "publish", "full"),
		"range":   complete.PredictSet(ranges...),
		"compare": complete.PredictSet("previous", "year"),
		"include": complete.PredictSet("utm", "curves", "excluded"),
		"expires": complete.PredictSet(expiries...),
	}
}

// predictLinks returns the slugs of the newest links of the account.
func predictLinks(args complete.Args) []string {
	return predicted(args, func(ctx context.Context, api *client.Client) (slugs []string, err error) {
		page, err := api.Links(ctx, "", client.Query{Text: args.Last, Limit: 100})
		for _, l := range page.Links {
			slugs = append(slugs, l.Slug)
		}
		return slugs, err
	})
}

// predictWebsites returns the slugs of the websites of the account.
func predictWebsites(args complete.Args) []string {
	return predicted(args, func(ctx context.Context, api *client.Client) (slugs []string, err error) {
		all, err := api.Websites(ctx)
		for _, w := range all {
			slugs = append(slugs, w.Slug)
		}
		return slugs, err
	})
}

// predicted returns words that the server knows. Without a key or a fast answer
// it returns none.
func predicted(args complete.Args, words func(context.Context, *client.Client) ([]string, error)) []string {
	given := func(flag string) string {
		if i := slices.Index(args.All, flag); i >= 0 && i+1 < len(args.All) {
			return args.All[i+1]
		}
		return ""
	}
	from := Connection{Server: cmp.Or(given("--server"), os.Getenv("VITRINE_SERVER")),
		APIKey: cmp.Or(given("--api-key"), os.Getenv("VITRINE_API_KEY"))}
	api, err := from.Client(&terminal.Terminal{Out: io.Discard, Err: io.Discard}, client.WithAttempts(1))
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), predictPatience)
	defer cancel()
	found, err := words(ctx, api)
	if err != nil {
		return nil
	}
	return found
}
