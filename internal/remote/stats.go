package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vitrine/client"
	"vitrine/internal/terminal"
	"vitrine/report"
)

type StatsCmd struct {
	Link     string   `arg:"" optional:"" predictor:"link" help:"Slug or address of the link. Without it: all your links together."`
	Range    string   `predictor:"range" help:"Days, today included: 7d, 14d, 30d, 90d or all. Default: 30d." placeholder:"RANGE"`
	From     string   `help:"First date, such as 2026-11-01, instead of a range. Needs --to." placeholder:"DATE"`
	To       string   `help:"Last date, itself included. Needs --from." placeholder:"DATE"`
	Hours    bool     `help:"By the hour: the last 24 hours, or the dates of --from and --to, at most 7 days."`
	Timezone string   `help:"Time zone of days, hours and today, such as Europe/Berlin. Default: UTC." placeholder:"ZONE"`
	Compare  string   `predictor:"compare" help:"What changes are compared with: previous (the time before, the default) or year (the same dates a year earlier)." placeholder:"WITH"`
	Filter   []string `sep:"none" help:"Only views that meet a condition, such as country:is:DE or source:is_not:Google; with no value, as in country:is:, those where it is unknown. May be repeated: of the same kind with \"is\" one has to hold, otherwise all. Kinds: link, kind (without LINK), country, city, referrer, source, device, browser, os, screen, campaign, medium, content, term, version, qr, returning." placeholder:"CONDITION"`
	Limit    *int     `help:"The most rows of each list: 1 to 1000. Default: 5, and 8 in JSON." placeholder:"N"`
	Include  []string `predictor:"include" help:"Parts that the JSON has on request: utm (the campaigns of views), curves (how far people read, point by point) and excluded (the views that do not count, by reason and program). Several with commas, such as utm,curves. Needs --json." placeholder:"WHAT"`
	Version  *int     `help:"The version of the file whose pages, playback or scrolling are shown. Default: the current one." placeholder:"N"`
	Flags
}

// maxRows is the maximum of --limit.
const maxRows = 1000

// Validate checks the combination of arguments. The instance checks the values.
func (c *StatsCmd) Validate() error {
	dates := c.From != "" || c.To != ""
	switch {
	case (c.From == "") != (c.To == ""):
		return errors.New("--from and --to must be set together")
	case c.Range != "" && (dates || c.Hours):
		return errors.New("--range cannot be combined with --from, --to or --hours")
	case c.Version != nil && c.Link == "":
		return errors.New("--version needs a link")
	case c.Version != nil && *c.Version < 1:
		return errors.New("--version must be the number of a version, 1 or more")
	case c.Limit != nil && (*c.Limit < 1 || *c.Limit > maxRows):
		return fmt.Errorf("--limit must be a number from 1 to %d", maxRows)
	case len(c.Include) > 0 && !c.JSON:
		return errors.New("--include needs --json: it adds to the JSON only")
	}
	for _, part := range c.Include {
		if !slices.Contains([]string{"utm", "curves", "excluded"}, part) {
			return fmt.Errorf("--include: %q is not one of utm, curves, excluded; combine them with commas", part)
		}
	}
	if strings.HasSuffix(c.Range, "h") {
		return fmt.Errorf("--range counts days, not hours: for the last 24 hours, use --hours instead of --range %s", c.Range)
	}
	if c.Range != "" {
		if _, err := report.ParseRange(c.Range); err != nil {
			return fmt.Errorf("--range must be 7d, 14d, 30d, 90d or all, not %q; for other dates, use --from and --to", c.Range)
		}
	}
	return nil
}

// query returns the query for the flags. On a terminal it includes the excluded
// views.
func (c *StatsCmd) query() client.ReportQuery {
	q := client.ReportQuery{Range: report.Range(c.Range), From: c.From, To: c.To, Hourly: c.Hours,
		Timezone: c.Timezone, Compare: report.Compare(c.Compare), Filter: c.Filter, Include: c.Include}
	if c.Limit != nil {
		q.Rows = *c.Limit
	}
	if c.Version != nil {
		q.Version = *c.Version
	}
	if !c.JSON {
		q.Include = append(slices.Clone(q.Include), "excluded")
	}
	return q
}

func (c *StatsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	var text string
	q := c.query()
	slug, err := c.slug(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	if slug != "" {
		rep, err := api.LinkAnalytics(ctx, slug, q)
		if err != nil {
			return orWebsite(ctx, t, api, c.Link, err)
		}
		if c.JSON {
			return t.JSON(rep)
		}
		sayRenamed(t, slug, rep.Link.Slug)
		if rep.Younger, err = younger(ctx, api, slug, rep); err != nil {
			return err
		}
		text = terminal.RenderLink(t, rep, q.Rows)
	} else {
		rep, err := api.Analytics(ctx, q)
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(rep)
		}
		// Without views before the compared time, the links may be younger.
		rep.Younger = rep.AllTime.Views <= rep.Totals.Views+rep.Previous.Views
		text = terminal.RenderAccount(t, rep, q.Rows)
	}
	_, err = io.WriteString(t.Out, text)
	return err
}

// younger reports whether the link was created after the time began that the
// report is compared with, so that changes have no meaning.
func younger(ctx context.Context, api *client.Client, slug string, rep *report.LinkReport) (bool, error) {
	l, err := api.Link(ctx, slug)
	if err != nil {
		return false, err
	}
	before := rep.Range.From.Add(rep.Range.From.Sub(rep.Range.To))
	if rep.Range.Compare == report.CompareYear {
		before = rep.Range.From.AddDate(-1, 0, 0)
	}
	return l.CreatedAt.After(before), nil
}
