package reportpage

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsTools is the bar above a report: its days, what they are compared with,
// filters, files and addresses.
type statsTools struct {
	Range    string // name of the chosen days
	Ranges   []statsRange
	Compare  string // "" if there is nothing to choose
	Compares []statsRange
	Picks    []statsPick
	// Cards, CSV and NDJSON are addresses of files; "" for none.
	Cards, CSV, NDJSON string
}

// statsPick is a dimension to filter by, with the values that views have.
type statsPick struct {
	Name   string
	Values []statsPicked
}

// statsPicked is a value, with the addresses of the reports with and without
// it.
type statsPicked struct{ Name, Count, Is, Not string }

// maxPicked is the most values of a dimension in the bar.
const maxPicked = 12

func newStatsTools(p place, s *report.Summary, form bool, now time.Time) statsTools {
	t := statsTools{Ranges: ranges(p, s, form, now)}
	if t.Range = s.Range.Label; p.q.Hourly && p.q.Dates == nil {
		t.Range = "Last 24 hours"
	}
	for _, r := range t.Ranges {
		if r.Chosen {
			t.Range = r.Name
		}
	}
	if !form {
		return t
	}
	if s.Range.Key == report.RangeAll {
		return t
	}
	for _, c := range []struct {
		name string
		is   report.Compare
	}{{"Previous period", ""}, {"Same period last year", report.CompareYear}, {"No comparison", report.CompareNone}} {
		chosen := c.is == p.q.Compare || c.is == "" && p.q.Compare == report.ComparePrevious
		if chosen {
			t.Compare = c.name
		}
		t.Compares = append(t.Compares, statsRange{Name: c.name, Chosen: chosen,
			Address: p.with(func(q *analytics.Query) { q.Compare = c.is })})
	}
	return t
}

// zoneOfReport returns the time zone of a report's days.
func zoneOfReport(s *report.Summary) *time.Location {
	if zone, err := time.LoadLocation(s.Range.Timezone); err == nil {
		return zone
	}
	return time.UTC
}

// ranges returns the choices of days: the ranges of the API and, if any dates
// can be asked for, others that are dates.
func ranges(p place, s *report.Summary, form bool, now time.Time) (all []statsRange) {
	dates := func(name string, first, last time.Time, hourly bool) {
		day := func(t time.Time) report.Day { d, _ := report.ParseDate(t.Format(time.DateOnly)); return d }
		of := report.Dates{First: day(first), Last: day(last)}
		all = append(all, statsRange{Name: name, Chosen: p.q.Dates != nil && *p.q.Dates == of && p.q.Hourly == hourly,
			Address: p.with(func(q *analytics.Query) { q.Range, q.Dates, q.Hourly = "", &of, hourly })})
	}
	key := func(rg report.Range) {
		all = append(all, statsRange{Name: ui.RangeNames[rg], Chosen: rg == p.q.Range,
			Key:     slices.Index(report.Ranges(), rg) + 1,
			Address: p.with(func(q *analytics.Query) { q.Range, q.Dates, q.Hourly = rg, nil, false })})
	}
	today := now.In(zoneOfReport(s))
	month := today.AddDate(0, 0, 1-today.Day())
	if form {
		all = append(all, statsRange{Name: "24 hours", Chosen: p.q.Hourly && p.q.Dates == nil,
			Address: p.with(func(q *analytics.Query) { q.Range, q.Dates, q.Hourly = "", nil, true })})
		dates("Today", today, today, true)
		dates("Yesterday", today.AddDate(0, 0, -1), today.AddDate(0, 0, -1), true)
	}
	for _, rg := range report.Ranges() {
		if rg == report.RangeAll && form {
			dates("This month", month, today, false)
			dates("Last month", month.AddDate(0, -1, 0), month.AddDate(0, 0, -1), false)
			dates("This year", month.AddDate(0, 1-int(today.Month()), 0), today, false)
		}
		key(rg)
	}
	return all
}

// addFiles sets the addresses of files, and the values to filter by.
func (p *reportPage) addFiles(of place, visits string) {
	if !p.Ask.Form {
		return
	}
	p.Tools.Cards = of.at("") + "&format=zip"
	if visits != "" {
		p.Tools.CSV, p.Tools.NDJSON = visits+"&format=csv", visits+"&format=ndjson"
	}
	add := func(d report.Dimension, values []statsPicked, keys []string) {
		for i := range values {
			values[i].Is, values[i].Not = of.only(d, keys[i]), of.without(d, keys[i])
		}
		if len(values) > 0 {
			p.Tools.Picks = append(p.Tools.Picks, statsPick{d.Row().Name, values})
		}
	}
	for _, card := range p.Bars {
		if card.Dimension == "" {
			continue
		}
		var values []statsPicked
		var keys []string
		for _, row := range card.Rows[:min(len(card.Rows), maxPicked)] {
			name := row.Name
			if row.Note != "" {
				name += ", " + row.Note
			}
			values, keys = append(values, statsPicked{Name: name, Count: row.Count.String()}), append(keys, row.Key)
		}
		if card.Rest != nil {
			values = append(values, statsPicked{Name: card.Rest.Name, Count: card.Rest.Count.String()})
			keys = append(keys, "")
		}
		add(card.Dimension, values, keys)
	}
	people, ids := p.Recipients.choices()
	add(report.OnRecipient, people, ids)
	var links []statsPicked
	var slugs []string
	for _, l := range p.Top[:min(len(p.Top), maxPicked)] {
		links, slugs = append(links, statsPicked{Name: l.Title, Count: l.Seen.String()}), append(slugs, l.Slug)
	}
	if p.Website == nil {
		add(report.OnLink, links, slugs)
	}
	var versions []statsPicked
	var numbers []string
	if p.Link != nil && p.Link.Versions > 1 {
		for n := p.Link.Versions; n > max(0, p.Link.Versions-maxPicked); n-- {
			versions = append(versions, statsPicked{Name: "Version " + strconv.Itoa(n)})
			numbers = append(numbers, strconv.Itoa(n))
		}
	}
	add(report.OnVersion, versions, numbers)
	yes := func() []statsPicked { return []statsPicked{{Name: "Yes"}, {Name: "No"}} }
	add(report.OnReturning, yes(), []string{report.Yes, report.No})
	if p.Website == nil {
		add(report.OnQR, yes(), []string{report.Yes, report.No})
	}
}

// without is like only for the views without a value.
func (p place) without(d report.Dimension, value string) string {
	return p.condition(report.Condition{Dimension: d, Not: true, Value: value})
}

// condition returns the address of the report with one more condition, or "" if
// it has that.
func (p place) condition(c report.Condition) string {
	if slices.Contains(p.q.Filter, c) {
		return ""
	}
	return p.with(func(q *analytics.Query) {
		q.Filter = append(q.Filter, c)
		if f, err := report.ParseFilter(q.Filter.Texts()); err == nil {
			q.Filter = f
		}
	})
}

// only returns the address of the report of views with a value, or "" if it is
// this one.
func (p place) only(d report.Dimension, value string) string {
	return p.condition(report.Condition{Dimension: d, Value: value})
}

// withoutDates returns the parameters of a report without its days.
func withoutDates(values url.Values) url.Values {
	rest := url.Values{}
	for name, v := range values {
		if name != "from" && name != "to" && name != "range" && name != "granularity" {
			rest[name] = v
		}
	}
	return rest
}

// visitsAt returns the address of the visits of a report, or "".
func (p *reportPage) visitsAt(n *numbers) string {
	if p.Link == nil || p.Reader || n.sample {
		return ""
	}
	return place{root: app.VisitsRoot(p.Link.Link), q: n.q}.at("")
}
