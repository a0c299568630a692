package reportpage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/country"
)

// statsBars is a breakdown card.
type statsBars struct {
	ID, Name, Of string           // what the rows are, and what they count
	Dimension    report.Dimension // by which the rows filter; "": they do not
	Rows         []statsBar
	All          int            // how many rows there are; Rows has the first of them
	Rest         *statsBar      // the views that are in no row; nil if there are none
	Missing      string         // shown instead of rows if there is only Rest
	Training     []statsProgram // of assistants: crawlers that train models
}

// statsBar is a row of a card.
type statsBar struct {
	Name, Note string
	Full       string // of a name that is shortened; "": it is not
	Key        string // of the bucket
	Only       string // address of the report of these views alone; "": it is it, or has none
	Tip        string
	Count      ui.Figure
	Pct        report.Tenths
	Width      string // of the bar, the first one's being all there is
	At         string // address of what makes its count
}

// statsBarsOf makes rows from buckets, which are sorted by size. name, if set,
// returns the label of a key; dress adds the rest.
func statsBarsOf(buckets []report.Bucket, of string, name func(key string) string,
	dress func(key string, b *statsBar)) []statsBar {
	var rows []statsBar
	for _, bucket := range buckets[:min(len(buckets), maxCardRows)] {
		b := statsBar{Name: bucket.Key, Key: bucket.Key, Count: ui.Figure(bucket.Count), Pct: bucket.Pct,
			Width: chart.Percent(bucket.Count, buckets[0].Count)}
		if name != nil {
			b.Name = name(bucket.Key)
		}
		if dress != nil {
			dress(bucket.Key, &b)
		}
		b.Tip = chart.Tip(strings.TrimSpace(b.Name+" "+b.Note), [3]string{"", of, b.Count.String()},
			[3]string{"", "Share", ui.Percent(b.Pct)})
		rows = append(rows, b)
	}
	return rows
}

// rests maps cards to the name of the views in none of their rows, and to what
// is said of them if there are no rows. Of other cards they have none.
var rests = map[report.Dimension][2]string{
	report.OnCountry: {"Unknown", "The country of %s is not known."},
	report.OnCity:    {"Unknown", "The city of %s is not known."},
	report.OnDevice:  {"Unknown", "The device of %s is not known."},
	report.OnBrowser: {"Unknown", "The browser of %s is not known."},
	report.OnOS:      {"Unknown", "The system of %s is not known."},
	report.OnScreen:  {"Not measured", "The window width of %s was not measured."},
}

// setRest adds the views that are in no bucket, so that the card adds up to all
// views. Of more buckets than the page has, the sum is not known.
func (c *statsBars) setRest(buckets []report.Bucket, views int64, words seriesWords) {
	rest := views
	for _, b := range buckets {
		rest -= b.Count
	}
	if rest <= 0 || len(buckets) >= pageBuckets {
		return
	}
	names := rests[c.Dimension]
	c.Rest = &statsBar{Name: cmp.Or(names[0], "None"), Count: ui.Figure(rest)}
	if names[1] != "" {
		c.Missing = fmt.Sprintf(names[1], ui.Counted(rest, words.One, strings.ToLower(words.Views)))
	}
}

func statsBreakdowns(b *report.Breakdowns, views int64, words seriesWords) []statsBars {
	dress := map[report.Dimension]func(label string, row *statsBar){
		report.OnCity: func(label string, row *statsBar) { row.Name, row.Note = ui.CityName(label) },
		report.OnReferrer: func(address string, row *statsBar) {
			if row.Name = shortAddress(address); row.Name != address {
				row.Full = address
			}
		},
	}
	name := map[report.Dimension]func(string) string{report.OnCountry: country.Name,
		report.OnScreen: ui.ScreenName}
	var all []statsBars
	for _, d := range report.Cards() {
		buckets := d.Buckets(b)
		if d.Extra && len(buckets) == 0 {
			continue
		}
		c := statsBars{ID: d.Card, Dimension: d.Dimension, Name: d.Title, Of: words.Views,
			Rows: statsBarsOf(buckets, words.Views, name[d.Dimension], dress[d.Dimension]), All: len(buckets)}
		c.setRest(buckets, views, words)
		all = append(all, c)
	}
	return all
}

// setBare takes the cards without rows out of Bars.
func (p *reportPage) setBare() {
	var full []statsBars
	for _, c := range p.Bars {
		if len(c.Rows) > 0 || len(c.Training) > 0 {
			full = append(full, c)
		} else {
			p.Bare = append(p.Bare, c)
		}
	}
	p.Bars = full
}

// BareTitle says why cards have no rows.
func (p *reportPage) BareTitle() string {
	for _, c := range p.Bare {
		if c.Missing == "" && (c.ID != "cities" || p.CityFile.Loaded) {
			return "Nothing to show"
		}
	}
	return "Not known"
}

// Threes reports whether the cards are in rows of three, so that fewer places
// stay empty than in rows of four.
func (p *reportPage) Threes() bool {
	n := len(p.Bars) + min(len(p.Bare), 1)
	return n%4 == 1 || n%3 == 0 && n%4 != 0
}

// shortAddress leaves out what all addresses have.
func shortAddress(address string) string {
	_, short, ok := strings.Cut(address, "://")
	if !ok {
		short = address
	}
	return strings.TrimSuffix(strings.TrimPrefix(short, "www."), "/")
}

// More returns how many rows a card hides at first, in words, or "".
func (c statsBars) More() string {
	if len(c.Rows) <= shownBuckets {
		return ""
	}
	return fmt.Sprintf("Show %s %s", c.Range(), strings.ToLower(c.Name))
}

// Range returns which of its rows a card has, in words.
func (c statsBars) Range() string {
	if c.All > len(c.Rows) && c.All >= pageBuckets {
		return fmt.Sprintf("%s of at least %s", ui.Figure(len(c.Rows)), ui.Figure(pageBuckets))
	}
	return listed(len(c.Rows), c.All)
}

// listed returns how many of all rows a list has, in words.
func listed(rows, all int) string {
	if all <= rows {
		return "all " + ui.Figure(rows).String()
	}
	return fmt.Sprintf("%s of %s", ui.Figure(rows), ui.Figure(all))
}

// Listed returns how many of all rows a list of the page has, in words.
func (p *reportPage) Listed(rows, all int) string { return listed(rows, all) }

// Cut reports whether the card has more rows than the page.
func (c statsBars) Cut() bool { return c.All > len(c.Rows) }

// shownBuckets is how many rows a card shows at first.
const shownBuckets = 8

// statsHeat shows when people come: a row for each weekday, from Monday, and a
// cell for each hour.
type statsHeat struct {
	Hours []string
	Rows  []statsHeatRow
	Most  ui.Figure // views of the fullest cell
	// BusyDay and BusyHour are the busiest day, and the busiest hour of all
	// days; "" below busyViews.
	BusyDay, BusyHour string
}

type statsHeatRow struct {
	Day   string
	Total ui.Figure
	// Figure is the pointer to the total.
	Figure string
	Cells  []statsHeatCell
}

// statsHeatCell has a step of colour from 0, for nothing, to heatSteps.
type statsHeatCell struct {
	Count ui.Figure
	Step  int64
	Tip   string
}

const heatSteps = 5

func newStatsHeat(t *report.Timing, views int64, zone string, words seriesWords) statsHeat {
	var h statsHeat
	var most int64
	for _, hours := range t.Heat {
		most = max(most, slices.Max(hours[:]))
	}
	for hour := range t.Heat[0] {
		h.Hours = append(h.Hours, ui.HourName(hour)[:2])
	}
	for i := range t.Heat {
		day := (i + 1) % 7
		row := statsHeatRow{Day: ui.WeekdayNames[day], Total: ui.Figure(t.ByWeekday[day]),
			Figure: fmt.Sprintf("/timing/byWeekday/%d", day)}
		for hour, n := range t.Heat[day] {
			cell := statsHeatCell{Count: ui.Figure(n),
				Tip: chart.Tip(row.Day+", "+ui.HourName(hour)+"–"+ui.HourName(hour+1)+" "+zone,
					[3]string{"", words.Views, ui.Figure(n).String()})}
			if n > 0 {
				cell.Step = (n*heatSteps + most - 1) / most
			}
			row.Cells = append(row.Cells, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	h.Most = ui.Figure(most)
	if views >= busyViews && t.PeakWeekday != nil && t.PeakHour != nil {
		h.BusyDay = ui.WeekdayNames[*t.PeakWeekday]
		h.BusyHour = ui.HourName(*t.PeakHour) + "–" + ui.HourName((*t.PeakHour+1)%24)
	}
	return h
}
