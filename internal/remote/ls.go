package remote

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/internal/terminal"

	"github.com/dustin/go-humanize"
	"github.com/rivo/uniseg"
)

type LsCmd struct {
	Words  []string `arg:"" optional:"" name:"word" help:"List only links whose title, file name or address contains all these words."`
	Kind   string   `predictor:"kind" help:"Only links of this kind: pdf, image, video, audio, document, text, html or archive." placeholder:"KIND"`
	Status string   `predictor:"status" help:"Only links in this status: live, review, processing or disabled." placeholder:"STATUS"`
	terminal.LimitFlags
	Flags
}

func (*LsCmd) Help() string {
	return `On a terminal, a table with the views of the last 30 days. Otherwise a line for each link, its columns
separated by tabs: slug, status, kind, bytes, creation time, title, address, views in 30 days.`
}

// Validate returns an error for an invalid limit.
func (c *LsCmd) Validate() error { return c.Check() }

// Run lists links. On a terminal it prints a table that fits its width, with
// titles first. Otherwise columns are separated by tabs: slug, status, kind,
// bytes, creation time, title, address, views in 30 days.
func (c *LsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	api, err := c.reader(t)
	if err != nil {
		return err
	}
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
	case n == 0 && t.OutTTY && (len(c.Words) > 0 || c.Kind != "" || c.Status != ""):
		t.Say("No matching links.")
		return nil
	case n == 0 && t.OutTTY:
		t.Say("No links yet. Publish a file: %s put FILE", terminal.Self())
		return nil
	case t.OutTTY:
		_, err := t.Out.Write([]byte(listing(t, links, time.Now())))
		return err
	}
	return t.Table(nil, rows)
}

// links reads the links with their views.
func (c *LsCmd) links(ctx context.Context, api *client.Client, limit int) iter.Seq2[client.ListedLink, error] {
	q := client.Query{Text: strings.Join(c.Words, " "), Kind: c.Kind, Status: c.Status, Limit: 100, Views: true}
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
	if l.Reason != "" {
		return l.Status + " (" + terminal.Plain(l.Reason) + ")"
	}
	return l.Status
}

// minTitleWidth is the minimum width of titles. Below it, other columns are
// omitted.
const minTitleWidth = 20

// listColumn is a column beside the title.
type listColumn struct {
	head  string
	right bool // right-aligned, for numbers
	cell  func(client.ListedLink) string
}

// listing formats links as a table that fits the terminal. Titles get the
// remaining width. If it is too small, columns are omitted from the last on.
func listing(t *terminal.Terminal, links []client.ListedLink, now time.Time) string {
	columns := []listColumn{
		{"SLUG", false, func(l client.ListedLink) string { return terminal.Plain(l.Slug) }},
		{"STATUS", false, listStatus},
		{"CREATED", false, func(l client.ListedLink) string {
			return humanize.RelTime(l.CreatedAt, now, "ago", "from now")
		}},
		{"SIZE", true, func(l client.ListedLink) string { return terminal.FormatSize(l.SizeBytes) }},
		{"KIND", false, func(l client.ListedLink) string { return terminal.Plain(l.Kind) }},
	}
	if len(links) > 0 && links[0].Views != nil {
		views := listColumn{"VIEWS 30D", true, func(l client.ListedLink) string {
			if l.Views == nil {
				return ""
			}
			return terminal.Count(*l.Views)
		}}
		columns = slices.Insert(columns, 1, views)
	}
	room := func(columns []listColumn) int {
		left := t.Width
		for _, c := range columns {
			left -= c.width(links) + 2
		}
		return left
	}
	title := uniseg.StringWidth("TITLE")
	for _, l := range links {
		title = max(title, uniseg.StringWidth(terminal.Plain(l.Title)))
	}
	for len(columns) > 1 && room(columns) < min(title, minTitleWidth) {
		columns = columns[:len(columns)-1]
	}
	title = min(title, max(room(columns), 1))
	var b strings.Builder
	line := func(name string, cell func(listColumn) string) string {
		s := terminal.Pad(terminal.Truncate(name, title), title)
		for _, c := range columns {
			text, width := cell(c), c.width(links)
			if c.right {
				s += "  " + terminal.PadLeft(text, width)
			} else {
				s += "  " + terminal.Pad(text, width)
			}
		}
		return terminal.Truncate(strings.TrimRight(s, " "), max(t.Width, 1))
	}
	b.WriteString(t.Paint(terminal.Dim, line("TITLE", func(c listColumn) string { return c.head })) + "\n")
	for _, l := range links {
		b.WriteString(line(terminal.Plain(l.Title), func(c listColumn) string { return c.cell(l) }) + "\n")
	}
	return b.String()
}

func (c listColumn) width(links []client.ListedLink) int {
	w := uniseg.StringWidth(c.head)
	for _, l := range links {
		w = max(w, uniseg.StringWidth(c.cell(l)))
	}
	return w
}
