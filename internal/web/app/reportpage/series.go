package reportpage

import (
	"fmt"
	"strings"
	"time"

	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsSeries shows views and unique viewers over time, and those of the
// previous time: a chart, and a table with the same numbers.
type statsSeries struct {
	chart.Chart
	Points []statsPoint
	Before bool   // there is a time before
	Weekly bool   // a point is a week
	Hourly bool   // a point is an hour
	Was    string // what Before is
	Open   string // label of the last point while it is not over
}

// statsPoint is a day or a week, with the corresponding point of the previous
// time.
type statsPoint struct {
	Date, Label          string
	Day                  string // of an hour
	SoFar                string // "today so far" for the current day, which is the last
	Views, Uniques       ui.Figure
	WasLabel             string // "" before the link existed
	WasViews, WasUniques ui.Figure
	Engaged              string
	Figure               string // the pointer to it
}

// seriesWords are the labels of a series.
type seriesWords struct{ Views, Label, One string }

var (
	linkWords    = seriesWords{"Views", "Views and unique viewers", "view"}
	websiteWords = seriesWords{"Page loads", "Page loads and unique viewers", "page load"}
)

// newStatsSeries draws a summary from its first day on, or from a later one.
func newStatsSeries(r *report.Summary, from report.Day, words seriesWords, now time.Time) statsSeries {
	series, left := r.Series, 0
	for from != 0 && len(series) > 1 && series[1].Date <= from {
		series, left = series[1:], left+1
	}
	c := statsSeries{Weekly: r.Granularity == "week", Hourly: r.Granularity == "hour",
		Before: r.Range.Key != report.RangeAll && r.Range.Compare != report.CompareNone &&
			len(r.PreviousSeries) == len(series) && r.Previous.Views > 0 &&
			r.Absent+1 < len(series)} // a line has two points
	c.Was = ui.Capital(before(&r.Range, c.Hourly))
	if r.Range.To.After(now) {
		c.Open = map[string]string{"day": "today so far", "week": "this week so far",
			"hour": "this hour so far"}[r.Granularity]
	}
	views, uniques, was := make([]int64, len(series)), make([]int64, len(series)), make([]int64, len(series))
	labels, tips := make([]string, len(series)), make([]string, len(series))
	var most int64
	for i, p := range series {
		point := statsPoint{Date: p.Date.Time().Format("2006-01-02"), Label: p.Label, Views: ui.Figure(p.Views),
			Uniques: ui.Figure(p.Uniques), Engaged: ui.TimeOf(1000*p.AvgEngagedS, p.Sessions),
			Figure: fmt.Sprintf("/series/%d", i+left)}
		if c.Before && i >= r.Absent {
			b := r.PreviousSeries[i]
			point.WasLabel, point.WasViews, point.WasUniques = b.Label, ui.Figure(b.Views), ui.Figure(b.Uniques)
			was[i] = b.Views
		}
		if i == len(series)-1 {
			point.SoFar = c.Open
		}
		if c.Hourly {
			point.Date, point.Day = p.At, p.Date.Time().Format("2 Jan")
		}
		views[i], uniques[i], labels[i] = p.Views, p.Uniques, p.Label
		tips[i] = c.tip(point, p.Sessions, words)
		most = max(most, views[i], uniques[i], was[i])
		c.Points = append(c.Points, point)
	}
	top, ticks := chart.Scale(most)
	// Views are drawn last: they are never fewer than viewers, and on many days
	// as many. The filled area then shows the viewers.
	lines := []chart.Series{{Class: "uniques", Values: uniques, Filled: true, Open: c.Open != ""},
		{Class: "views", Values: views, Open: c.Open != ""}}
	if c.Before {
		lines = append([]chart.Series{{Class: "was", Values: was, First: r.Absent}}, lines...)
	}
	if len(labels) == 1 && c.Open != "" {
		labels[0] += ", " + c.Open
	}
	c.Chart = chart.New(words.Label+". Arrow keys go from point to point", top, ticks, chart.Labels(labels), lines,
		tips)
	if len(series) == 1 {
		c.Beside = []string{ui.Counted(series[0].Views, words.One, strings.ToLower(words.Views)),
			ui.Counted(series[0].Uniques, "unique viewer", "unique viewers")}
	}
	return c
}

// tip returns the text that the chart shows for a point.
func (c *statsSeries) tip(p statsPoint, sessions int64, words seriesWords) string {
	title := p.Label
	switch {
	case c.Weekly:
		title = "Week of " + title
	case c.Hourly:
		title = p.Day + ", " + title
	}
	if p.SoFar != "" {
		title += ", " + p.SoFar
	}
	rows := [][3]string{{"views", words.Views, p.Views.String()}, {"uniques", "Unique viewers", p.Uniques.String()}}
	if p.WasLabel != "" {
		rows = append(rows, [3]string{"was", words.Views + ", " + p.WasLabel, p.WasViews.String()})
	}
	if sessions > 0 {
		rows = append(rows, [3]string{"", "Average time", p.Engaged})
	}
	return chart.Tip(title, rows...)
}

// Now returns the label of the last step while it is not over and drawn apart.
func (c statsSeries) Now() string {
	if len(c.Points) == 1 {
		return ""
	}
	return ui.Capital(c.Open)
}
