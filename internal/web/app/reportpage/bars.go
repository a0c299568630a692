package reportpage

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsBars is a breakdown card.
type statsBars struct {
	ID, Name, Of string // what the rows are, and what they count
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
}

// statsBarsOf makes rows from buckets, which are sorted by size. name, if set,
// returns the label of a key; dress adds the rest.
func statsBarsOf(buckets []report.Bucket, of string, name func(key string) string,
	dress func(key string, b *statsBar)) []statsBar {
	var rows []statsBar
	for _, bucket := range buckets[:min(len(buckets), maxBuckets)] {
		b := statsBar{Name: bucket.Key, Key: bucket.Key, Count: ui.Figure(bucket.Count), Pct: bucket.Pct,
			Width: chart.Percent(bucket.Count, buckets[0].Count)}
		if name != nil {
			b.Name = name(bucket.Key)
		}
		if dress != nil {
			dress(bucket.Key, &b)
		}
		b.Tip = chart.Tip(strings.TrimSpace(b.Name+" "+b.Note), [3]string{"", of, b.Count.String()},
			[3]string{"", "Share", b.Pct.Fixed() + "%"})
		rows = append(rows, b)
	}
	return rows
}

// filteredBy maps cards to the dimension by which their rows filter.
var filteredBy = map[string]report.Dimension{
	"mix": report.OnKind, "countries": report.OnCountry, "cities": report.OnCity, "sources": report.OnSource,
	"referrers": report.OnReferrer, "devices": report.OnDevice,
	"browsers": report.OnBrowser, "campaigns": report.OnCampaign, "mediums": report.OnMedium,
	"contents": report.OnContent, "terms": report.OnTerm,
	"os": report.OnOS, "screens": report.OnScreen,
}

// rests maps cards to the name of the views in none of their rows, and to what
// is said of them if there are no rows.
var rests = map[string][2]string{
	"countries": {"Unknown", "The country of %s is not known."},
	"cities":    {"Unknown", "The city of %s is not known."},
	"referrers": {"None"},
	"devices":   {"Unknown", "The device of %s is not known."},
	"browsers":  {"Unknown", "The browser of %s is not known."},
	"os":        {"Unknown", "The system of %s is not known."},
	"screens":   {"Not measured", "The window width of %s was not measured."},
	"campaigns": {"None"}, "mediums": {"None"}, "contents": {"None"}, "terms": {"None"},
}

// setRest adds the views that are in no bucket, so that the card adds up to all
// views. Of more buckets than the page has, the sum is not known.
func (c *statsBars) setRest(buckets []report.Bucket, views int64, words seriesWords) {
	rest := views
	for _, b := range buckets {
		rest -= b.Count
	}
	names, some := rests[c.ID]
	if !some || rest <= 0 || len(buckets) >= pageBuckets {
		return
	}
	c.Rest = &statsBar{Name: names[0], Count: ui.Figure(rest)}
	if names[1] != "" {
		c.Missing = fmt.Sprintf(names[1], ui.Counted(rest, words.One, strings.ToLower(words.Views)))
	}
}

func statsBreakdowns(b *report.Breakdowns, views int64, words seriesWords) []statsBars {
	city := func(label string, row *statsBar) {
		row.Name, row.Note = ui.CityName(label)
	}
	referrer := func(address string, row *statsBar) {
		if row.Name = shortAddress(address); row.Name != address {
			row.Full = address
		}
	}
	card := func(id, name, of string, buckets []report.Bucket, label func(string) string,
		dress func(string, *statsBar)) statsBars {
		c := statsBars{ID: id, Name: name, Of: of, Rows: statsBarsOf(buckets, of, label, dress), All: len(buckets)}
		c.setRest(buckets, views, words)
		return c
	}
	all := []statsBars{
		card("countries", "Countries", words.Views, b.Countries, report.CountryName, nil),
		card("cities", "Cities", words.Views, b.Cities, nil, city),
		card("sources", "Sources", words.Views, b.Sources, nil, nil),
		card("referrers", "Referrers", words.Views, b.Referrers, nil, referrer),
		card("devices", "Devices", words.Views, b.Devices, nil, nil),
		card("browsers", "Browsers", words.Views, b.Browsers, nil, nil),
		card("os", "Systems", words.Views, b.OS, nil, nil),
		card("campaigns", "Campaigns", words.Views, b.Campaigns, nil, nil),
		card("mediums", "Campaign mediums", words.Views, b.Mediums, nil, nil),
		card("contents", "Campaign contents", words.Views, b.Contents, nil, nil),
		card("terms", "Campaign terms", words.Views, b.Terms, nil, nil),
		card("screens", "Window widths", words.Views, b.Screens, ui.ScreenName, nil),
	}
	return slices.DeleteFunc(all, func(c statsBars) bool { return len(c.Rows) == 0 && utmCards[c.ID] })
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

// utmCards lists the cards that are shown only if links have campaigns.
var utmCards = map[string]bool{"campaigns": true, "mediums": true, "contents": true, "terms": true}

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
	Cells []statsHeatCell
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
		row := statsHeatRow{Day: ui.WeekdayNames[day], Total: ui.Figure(t.ByWeekday[day])}
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
