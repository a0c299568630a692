package user

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// websitesCmd lists the websites of the account.
type websitesCmd struct {
	Flags
}

func newWebsites() *command.Command {
	c := new(websitesCmd)
	cmd := withAPI("websites", "List your websites.", &c.Connection, c.Run)
	cmd.SuggestFor = []string{"site", "sites", "website"}
	cmd.Lists()
	cmd.Long = `On a terminal, a table. Otherwise a line for each website, its columns separated by tabs: slug, status,
number of versions, bytes of all versions, time of the last deploy, title, address.`
	cmd.Examples("websites",
		"websites --json | jq -r .url")
	cmd.Take(&c.Flags)
	return cmd
}

// Run lists the websites, newest first.
func (c *websitesCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	all, err := api.Websites(ctx)
	if err != nil {
		return err
	}
	none := "No websites yet. Create one in the app: " + t.Asked.Server + "/websites"
	header := []string{"SLUG", "STATUS", "VERSIONS", "SIZE", "DEPLOYED", "TITLE"}
	return command.List(t, c.JSONFlag, none, header, all, command.Itself, func(w client.Website) []string {
		status := w.Status
		if w.Pending {
			status += " (newer version held)"
		}
		row := []string{w.Slug, status, fmt.Sprint(w.Versions), t.Size(w.SizeBytes), t.When(w.DeployedAt), w.Title}
		if !t.OutTTY {
			row = append(row, w.URL)
		}
		return row
	})
}

// findWebsite returns the website with a slug or an address, or the only one of
// the account if name is "".
func findWebsite(ctx context.Context, t *terminal.Terminal, api *client.Client, name string) (client.Website, error) {
	all, err := api.Websites(ctx)
	if err != nil {
		return client.Website{}, err
	}
	var slugs []string
	for _, w := range all {
		if isWebsite(name, w, t.Asked.Server) {
			return w, nil
		}
		slugs = append(slugs, w.Slug)
	}
	create := "Create a website in the app: " + t.Asked.Server + "/websites"
	switch {
	case name == "" && len(all) == 1:
		return all[0], nil
	case name == "" && len(all) == 0:
		err = errors.New("your account has no website to deploy to")
	case name == "":
		return client.Website{}, terminal.Usage("name the website with --to: " + some(slugs))
	default:
		err = vitrine.Errorf(vitrine.CodeNotFound, "Your account has no website %q.", name)
	}
	if len(slugs) > 0 {
		create = "Your websites: " + some(slugs)
	}
	return client.Website{}, &terminal.AdvisedError{Err: err, Lines: []string{create}}
}

// normalAddress returns an address without scheme and final slash.
func normalAddress(address string) string {
	_, host, found := strings.Cut(address, "://")
	if !found {
		host = address
	}
	return strings.ToLower(strings.TrimSuffix(host, "/"))
}

// isWebsite reports whether an argument names a website: its slug, its address,
// or that of its page in the app.
func isWebsite(arg string, w client.Website, server string) bool {
	return strings.EqualFold(arg, w.Slug) || normalAddress(arg) == normalAddress(w.URL) ||
		normalAddress(arg) == normalAddress(websitePage(server, w.Slug))
}

// websitePage returns the address of a website's page in the app.
func websitePage(server, slug string) string {
	return strings.TrimSuffix(server, "/") + "/websites/" + slug
}

// websiteInstead returns the website that an argument names for which there is
// no link, or nil. err is the error about the link.
func websiteInstead(ctx context.Context, t *terminal.Terminal, api *client.Client, arg string,
	err error) *client.Website {
	var e *client.Error
	if arg == "" || !errors.As(err, &e) || e.Code != string(vitrine.CodeNotFound) {
		return nil
	}
	all, failed := api.Websites(ctx)
	if failed != nil { // there is no link all the same
		return nil
	}
	for i, w := range all {
		if isWebsite(arg, w, t.Asked.Server) {
			return &all[i]
		}
	}
	return nil
}

// orWebsite returns the error of a command that needs a link: err, or an error
// that names the website that the argument stands for.
func orWebsite(ctx context.Context, t *terminal.Terminal, api *client.Client, arg string, err error) error {
	w := websiteInstead(ctx, t, api, arg, err)
	if w == nil {
		return err
	}
	return &terminal.AdvisedError{Err: vitrine.Errorf(vitrine.CodeNotFound, "%s is a website, not a link.", w.Slug),
		Lines: []string{"See it in the app: " + websitePage(t.Asked.Server, w.Slug)}}
}
