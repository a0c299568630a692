package remote

import (
	"context"
	"io"
	"strings"

	"vitrine/internal/terminal"
	"vitrine/report"
)

type StatsCmd struct {
	Slug  string `arg:"" optional:"" help:"The part of the link's address after /p/, or the address. Without it: all your links together."`
	Range string `help:"Days, today included: 7d, 14d, 30d, 90d or all." default:"30d" enum:"7d,14d,30d,90d,all"`
	Flags
}

func (c *StatsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	var text string
	if slug := slugOf(c.Slug); slug != "" {
		rep, err := api.LinkAnalytics(ctx, slug, report.Range(c.Range))
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(rep)
		}
		text = terminal.RenderLink(t, rep)
	} else {
		rep, err := api.Analytics(ctx, report.Range(c.Range))
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(rep)
		}
		text = terminal.RenderAccount(t, rep)
	}
	_, err = io.WriteString(t.Out, text)
	return err
}

// slugOf is the slug of what may also be a link's whole address, as put prints
// it.
func slugOf(s string) string {
	if _, after, ok := strings.Cut(s, "/p/"); ok {
		s = after
	}
	s, _, _ = strings.Cut(s, "?")
	return strings.Trim(s, "/")
}
