package reportpage

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/country"
)

// A place is the address of a report: its subject and its query.
type place struct {
	root string
	q    analytics.Query
	kept bool // the root keeps the query, so that addresses need no filter
}

// at returns an address below the root, such as "/pulse".
func (p place) at(below string) string {
	if p.kept {
		p.q.Filter = nil
	}
	return p.root + below + "?" + p.q.Values().Encode()
}

// with returns the address with a changed query.
func (p place) with(change func(*analytics.Query)) string {
	p.q.Filter = slices.Clone(p.q.Filter)
	change(&p.q)
	return p.at("")
}

// firstDay is how old a link is at most whose report has hours by default. The
// report of the last 24 hours begins with an hour, so it has at least 23.
const firstDay = 23 * time.Hour

// queryOf parses the query of a report. A sample only has ranges.
func (s *Handler) queryOf(r *http.Request, me *vitrine.Account, of subject) (q analytics.Query, err error) {
	if !me.Plan.Pro() {
		rg, err := httpx.ReportRange(r)
		return inRange(rg), err
	}
	values, err := httpx.Query(r)
	if err != nil {
		return q, err
	}
	if q, err = analytics.ParseQuery(values); err != nil {
		return q, err
	}
	if of.link == nil {
		q.Version = 0 // an account's report has no parameter for it
	}
	switch {
	case q.Range != "" || q.Dates != nil || q.Hourly:
	case of.link != nil && s.Now().Sub(of.link.CreatedAt) < firstDay:
		q.Hourly = true
	default:
		q.Range = report.DefaultRange
	}
	return q, nil
}

// zoneOf returns the time zone of a report: the requested one, or the
// account's; nil means UTC.
func zoneOf(me *vitrine.Account, q analytics.Query) *time.Location {
	if q.Zone != nil || me.TimeZone == "" {
		return q.Zone
	}
	own, err := analytics.ParseZone(me.TimeZone)
	if err != nil {
		return nil // no longer known
	}
	return own
}

// inRange returns a query with only a range.
func inRange(rg report.Range) analytics.Query { return analytics.In(rg) }

// valueName returns the label of a value.
func valueName(d report.Dimension, value string) string {
	switch {
	case value == "" && d == report.OnRecipient:
		return "the plain address"
	case value == "" && d == report.OnAlbum:
		return "no album"
	case value == "":
		return "unknown"
	case d == report.OnCountry:
		return country.Name(value)
	case d == report.OnKind:
		return ui.KindNoun(value)
	case d == report.OnScreen:
		return ui.ScreenName(value)
	}
	return value
}

// statsChip is a condition of the filter, with addresses to invert and remove
// it.
type statsChip struct {
	Name, Value  string
	Not          bool
	Turn, Remove string
}

// statsForm is the form of a report: dates, filter and comparison.
type statsForm struct {
	Chips  []statsChip
	Clear  string // without a filter
	Form   bool   // any dates, hours and comparisons can be asked for
	Action string
	Hidden [][2]string // what the form keeps
	From   string
	To     string
	Today  string // the last date that can be asked for
	Hourly bool
	Wrong  httpx.FieldErrors // of the dates
}

func newStatsForm(p place, s *report.Summary, form bool, now time.Time) statsForm {
	a := statsForm{Form: form, Action: p.root, Hourly: p.q.Hourly}
	for i, c := range p.q.Filter {
		a.Chips = append(a.Chips, statsChip{Name: c.Dimension.Row().Name, Value: valueName(c.Dimension, c.Value),
			Not:    c.Not,
			Turn:   p.with(func(q *analytics.Query) { q.Filter[i].Not = !c.Not }),
			Remove: p.with(func(q *analytics.Query) { q.Filter = slices.Delete(q.Filter, i, i+1) })})
	}
	a.Clear = p.with(func(q *analytics.Query) { q.Filter = nil })
	if !form {
		return a
	}
	for _, c := range p.q.Filter.Texts() {
		a.Hidden = append(a.Hidden, [2]string{"filter", c})
	}
	if p.q.Zone != nil {
		a.Hidden = append(a.Hidden, [2]string{"timezone", p.q.Zone.String()})
	}
	if p.q.Compare != "" {
		a.Hidden = append(a.Hidden, [2]string{"compare", string(p.q.Compare)})
	}
	zone := zoneOfReport(s)
	a.Today = now.In(zone).Format(time.DateOnly)
	a.From, a.To = s.Range.From.In(zone).Format(time.DateOnly),
		s.Range.To.Add(-time.Millisecond).In(zone).Format(time.DateOnly)
	return a
}

// nameChips gives conditions on albums of the report's owner, and on recipients
// of a link, their names instead of their IDs.
func (s *Handler) nameChips(ctx context.Context, owner *vitrine.Account, l *vitrine.Link, f report.Filter,
	chips []statsChip) error {
	if len(f.On(report.OnAlbum)) > 0 {
		albums, err := s.Albums.List(ctx, owner)
		if err != nil {
			return err
		}
		for i, c := range f {
			if c.Dimension != report.OnAlbum || c.Value == "" {
				continue
			}
			chips[i].Value = "a deleted album"
			for _, a := range albums {
				if c.Value == report.IDText(int64(a.ID)) {
					chips[i].Value = a.Title
				}
			}
		}
	}
	if l == nil || len(f.On(report.OnRecipient)) == 0 {
		return nil
	}
	names, err := app.RecipientNames(ctx, s.Recipients, l)
	for i, c := range f {
		if c.Dimension == report.OnRecipient && c.Value != "" {
			chips[i].Value = names(c.Value)
		}
	}
	return err
}

// before returns the period that a report is compared with, in words: "the 30
// days before".
func before(r *report.RangeCard, hourly bool) string {
	switch {
	case r.Compare == report.CompareYear:
		return "the year before"
	case hourly && r.Key == report.RangeDay:
		return "the 24 hours before"
	}
	if r.Days == 1 {
		return "the day before"
	}
	return "the " + ui.Counted(int64(r.Days), "day", "days") + " before"
}

// zoneName returns the name of a report's time zone.
func zoneName(r *report.RangeCard) string {
	if r.Timezone == "" {
		return "UTC"
	}
	return strings.ReplaceAll(r.Timezone, "_", " ")
}
