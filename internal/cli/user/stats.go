package user

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
	"vitrine/report"
)

type statsCmd struct {
	Link     string
	Range    string
	From     string
	To       string
	Hours    bool
	Timezone string
	Compare  string
	Filter   []string
	Limit    *int
	Include  []string
	Version  *int
	Explain  string
	Flags
}

func newStats() *command.Command {
	c := new(statsCmd)
	cmd := withAPI("stats", "Show how a link was read, or all your links together.", &c.Connection, c.Run)
	cmd.SuggestFor = []string{"analytics", "report", "reports", "views"}
	cmd.Examples("stats",
		"stats q3-report --range 7d",
		"stats q3-report --from 2026-11-01 --to 2026-11-10 --timezone Europe/Berlin",
		"stats q3-report --filter country:is:DE --json | jq .totals",
		"stats q3-report --json --include utm,curves",
		"stats q3-report --explain /totals/avgEngagedMs")
	cmd.Check(c.Validate)
	cmd.Arg(&c.Link, "link", "Slug or address of the link. Without it: all your links together.").OrNone().Complete(links)
	cmd.String(&c.Range, "range", "RANGE", "Days, today included: 7d, 14d, 30d, 90d or all. Default: 30d.").Complete(ranges())
	cmd.String(&c.From, "from", "DATE", "First date, such as 2026-11-01, instead of a range. Needs --to.")
	cmd.String(&c.To, "to", "DATE", "Last date, itself included. Needs --from.")
	cmd.Bool(&c.Hours, "hours", "By the hour: the last 24 hours, or the dates of --from and --to, at most 7 days.")
	cmd.String(&c.Timezone, "timezone", "ZONE", "Time zone of days, hours and today, such as Europe/Berlin. Default: UTC.")
	cmd.String(&c.Compare, "compare", "WITH", "What changes are compared with: previous (the time before, the default) year (the same dates a year earlier) or none.").Complete(command.Words("previous", "year", "none"))
	cmd.Repeated(&c.Filter, "filter", "CONDITION", "Only views that meet a condition, such as country:is:DE or source:is_not:Google; with no value, as in country:is:, those where it is unknown. May be repeated: of the same kind with \"is\" one has to hold, otherwise all. Kinds: link, kind (without LINK), country, city, referrer, source, device, browser, os, screen, campaign, medium, content, term, version, recipient, album, qr, returning.")
	cmd.OptionalInt(&c.Limit, "limit", "N", "The most rows of each list: 1 to 1000. Default: 5, and 8 in JSON.")
	cmd.Strings(&c.Include, "include", "WHAT", "Parts that the JSON has on request: utm (the campaigns of views), curves (how far people read, point by point) and excluded (the views that do not count, by reason and program). Several with commas, such as utm,curves. Needs --json.").Complete(command.Words("utm", "curves", "excluded"))
	cmd.OptionalInt(&c.Version, "version", "N", "The version of the file whose pages, playback or scrolling are shown. Default: the current one.")
	cmd.String(&c.Explain, "explain", "FIGURE", "Instead of the report: what makes one number of it, by its rule and its newest visits. A JSON pointer into the report of --json, such as /totals/views.")
	cmd.Take(&c.Flags)
	return cmd
}

// maxRows is the maximum of --limit.
const maxRows = 1000

// Validate checks the combination of arguments. The instance checks the values.
func (c *statsCmd) Validate() error {
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
	case len(c.Include) > 0 && !c.JSON && c.Explain == "":
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
func (c *statsCmd) query() client.ReportQuery {
	q := client.ReportQuery{Range: c.Range, From: c.From, To: c.To, Hourly: c.Hours,
		Timezone: c.Timezone, Compare: c.Compare, Filter: c.Filter, Include: c.Include}
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

func (c *statsCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	var text string
	q := c.query()
	slug, err := c.slug(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	if c.Explain != "" {
		return c.explain(ctx, t, api, slug, q)
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
		young, err := younger(ctx, api, slug, rep)
		if err != nil {
			return err
		}
		to, err := recipientsOf(ctx, api, rep, q)
		if err != nil {
			return err
		}
		text = terminal.RenderLink(t, rep, to, q.Rows, young)
	} else {
		rep, err := api.Analytics(ctx, q)
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(rep)
		}
		// Without views before the compared time, the links may be younger.
		text = terminal.RenderAccount(t, rep, q.Rows, rep.AllTime.Views <= rep.Totals.Views+rep.Previous.Views)
	}
	_, err = io.WriteString(t.Out, text)
	return err
}

// recipientsOf returns the labels of the recipients of a report's recent
// visits, in their order, or nothing if the link has no recipients.
func recipientsOf(ctx context.Context, api *client.Client, rep *client.LinkReport, q client.ReportQuery) (
	[]string, error) {
	if len(rep.Recent) == 0 {
		return nil, nil
	}
	labels := map[string]string{}
	for r, err := range api.Recipients(ctx, rep.Link.Slug) {
		if err != nil {
			return nil, err
		}
		labels[r.ID] = r.Label
	}
	if len(labels) == 0 {
		return nil, nil
	}
	type key struct {
		at      int64
		engaged int64
	}
	opened, last := map[key]string{}, rep.Recent[len(rep.Recent)-1].At
	for v, err := range api.Visits(ctx, rep.Link.Slug, client.VisitQuery{Range: q.Range, From: q.From, To: q.To,
		Timezone: q.Timezone, Filter: q.Filter, Engaged: true}) {
		if err != nil {
			return nil, err
		}
		if v.At.Before(last.Time) {
			break
		}
		opened[key{v.At.UnixMilli(), v.EngagedMs}] = labels[v.Recipient]
	}
	to := make([]string, len(rep.Recent))
	for i, v := range rep.Recent {
		to[i] = opened[key{v.At.UnixMilli(), v.EngagedMs}]
	}
	return to, nil
}

// younger reports whether the link was created after the time began that the
// report is compared with, so that changes have no meaning.
func younger(ctx context.Context, api *client.Client, slug string, rep *client.LinkReport) (bool, error) {
	l, err := api.Link(ctx, slug)
	if err != nil {
		return false, err
	}
	before := rep.Range.From.Add(rep.Range.From.Sub(rep.Range.To.Time))
	if rep.Range.Compare == "year" {
		before = rep.Range.From.AddDate(-1, 0, 0)
	}
	return l.CreatedAt.After(before), nil
}
