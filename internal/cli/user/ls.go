package user

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"

	"github.com/dustin/go-humanize"
)

type lsCmd struct {
	Words  []string
	Kind   string
	Status string
	Label  string
	command.LimitFlags
	Flags
}

func newLs() *command.Command {
	c := new(lsCmd)
	cmd := withAPI("ls", "List your links, newest first.", &c.Connection, c.Run)
	cmd.SuggestFor = []string{"links", "search"}
	cmd.Long = `On a terminal, a table with the views of the last 30 days. Otherwise a line for each link, its columns
separated by tabs: slug, status, kind, bytes, creation time, title, address, views in 30 days.`
	cmd.Examples("ls",
		"ls report --kind pdf",
		"ls --all --json | jq -r .slug")
	cmd.Rest(&c.Words, "word", "List only links whose title, file name or address contains all these words.").OrNone()
	cmd.Choice(&c.Kind, "kind", "KIND", "Only links of this kind: pdf, image, video, audio, document, text, html or archive.", "pdf", "image", "video", "audio", "document", "text", "html", "archive").Once()
	cmd.Choice(&c.Status, "status", "STATUS", "Only links in this status: live, review, processing or disabled.", "live", "review", "processing", "disabled").Once()
	cmd.String(&c.Label, "label", "LABEL", "Only links with this label.")
	cmd.Take(&c.LimitFlags, &c.Flags)
	return cmd
}

// Run lists links. On a terminal it prints a table that fits its width, with
// titles first. Otherwise columns are separated by tabs: slug, status, kind,
// bytes, creation time, title, address, views in 30 days.
func (c *lsCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	limit := c.Most(t)
	var rows [][]string
	var links []client.ListedLink
	n := 0
	for l, err := range c.links(ctx, api, limit) {
		if err != nil {
			return err
		}
		if limit > 0 && n == limit {
			defer c.SayMore(t, limit, "links")
			break
		}
		n++
		switch {
		case c.JSON:
			err = t.JSON(l)
		case t.OutTTY:
			links = append(links, l)
		default:
			rows = append(rows, listRow(t, l))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		return nil
	case n == 0 && t.OutTTY && (len(c.Words) > 0 || c.Kind != "" || c.Status != "" || c.Label != ""):
		t.Say("No matching links.")
		return nil
	case n == 0 && t.OutTTY:
		t.Say("No links yet. Publish a file: %s put FILE", terminal.Self())
		return nil
	case t.OutTTY:
		return listing(t, links, time.Now())
	}
	return t.Table(nil, rows)
}

// links reads the links with their views.
func (c *lsCmd) links(ctx context.Context, api *client.Client, limit int) iter.Seq2[client.ListedLink, error] {
	q := client.Query{Text: strings.Join(c.Words, " "), Kind: c.Kind, Status: c.Status, Label: c.Label, Limit: 100,
		Views: true}
	if limit > 0 {
		q.Limit = min(limit+1, q.Limit) // one more shows that there are more
	}
	return api.AllLinks(ctx, q)
}

func listRow(t *terminal.Terminal, l client.ListedLink) []string {
	views := ""
	if l.Views != nil {
		views = strconv.FormatInt(*l.Views, 10)
	}
	return []string{l.Slug, listStatus(l), l.Kind, t.Size(l.SizeBytes), terminal.Stamp(l.CreatedAt), l.Title, l.URL,
		views}
}

func listStatus(l client.ListedLink) string {
	return terminal.StatusText(l.Status, terminal.Plain(l.Reason))
}

// listing prints links as a table that fits the terminal.
func listing(t *terminal.Terminal, links []client.ListedLink, now time.Time) error {
	header := []string{"TITLE", "SLUG", "VIEWS 30D", "STATUS", "CREATED", "SIZE", "KIND"}
	known := len(links) == 0 || links[0].Views != nil
	if !known {
		header = slices.Delete(header, 2, 3)
	}
	rows := make([][]string, len(links))
	for i, l := range links {
		row := []string{l.Title, l.Slug}
		if known {
			views := ""
			if l.Views != nil {
				views = terminal.Count(*l.Views)
			}
			row = append(row, views)
		}
		rows[i] = append(row, listStatus(l), humanize.RelTime(l.CreatedAt, now, "ago", "from now"),
			terminal.FormatSize(l.SizeBytes), l.Kind)
	}
	return t.Table(header, rows)
}
