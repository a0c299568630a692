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
	for _, bucket := range buckets {
		b := statsBar{Name: bucket.Key, Key: bucket.Key, Count: ui.Figure(bucket.Count), Pct: bucket.Pct,
			Width: chart.Percent(bucket.Count, buckets[0].Count)}
		if name != nil {
			b.Name = name(bucket.Key)
		}
		if dress != nil {
			dress(bucket.Key, &b)
		}
		b.Tip = chart.Tip(strings.TrimSpace(b.Name+" "+b.Note), [3]string{"", of, b.Count.String()},
			[3]string{"", "Share", b.Pct.String() + "%"})
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

func statsBreakdowns(b *report.Breakdowns) []statsBars {
	city := func(label string, row *statsBar) {
		row.Name, row.Note = ui.CityName(label)
	}
	referrer := func(address string, row *statsBar) {
		if row.Name = shortAddress(address); row.Name != address {
			row.Full = address
		}
	}
	all := []statsBars{
		{"countries", "Countries", "Views", statsBarsOf(b.Countries, "Views", report.CountryName, nil), nil},
		{"cities", "Cities", "Views", statsBarsOf(b.Cities, "Views", nil, city), nil},
		{"sources", "Sources", "Views", statsBarsOf(b.Sources, "Views", nil, nil), nil},
		{"referrers", "Referrers", "Views", statsBarsOf(b.Referrers, "Views", nil, referrer), nil},
		{"devices", "Devices", "Views", statsBarsOf(b.Devices, "Views", nil, nil), nil},
		{"browsers", "Browsers", "Views", statsBarsOf(b.Browsers, "Views", nil, nil), nil},
		{"os", "Systems", "Views", statsBarsOf(b.OS, "Views", nil, nil), nil},
		{"campaigns", "Campaigns", "Views", statsBarsOf(b.Campaigns, "Views", nil, nil), nil},
		{"mediums", "Campaign mediums", "Views", statsBarsOf(b.Mediums, "Views", nil, nil), nil},
		{"contents", "Campaign contents", "Views", statsBarsOf(b.Contents, "Views", nil, nil), nil},
		{"terms", "Campaign terms", "Views", statsBarsOf(b.Terms, "Views", nil, nil), nil},
		{"screens", "Window widths", "Sessions", statsBarsOf(b.Screens, "Sessions", ui.ScreenName, nil), nil},
	}
	return slices.DeleteFunc(all, func(c statsBars) bool { return len(c.Rows) == 0 && utmCards[c.ID] })
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
	switch n := len(c.Rows); {
	case n <= shownBuckets:
		return ""
	case n < maxBuckets:
		return fmt.Sprintf("All %d %s", n, strings.ToLower(c.Name))
	}
	return fmt.Sprintf("The first %d %s", maxBuckets, strings.ToLower(c.Name))
}

// shownBuckets is how many rows a card shows at first.
const shownBuckets = 8

// statsHeat shows when people come: a row for each weekday, from Monday, and a
// cell for each hour.
type statsHeat struct {
	Hours []string
	Rows  []statsHeatRow
	Busy  string // the busiest day and hour; "" below busyViews
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

func newStatsHeat(t *report.Timing, views int64, zone string) statsHeat {
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
					[3]string{"", "Views", ui.Figure(n).String()})}
			if n > 0 {
				cell.Step = (n*heatSteps + most - 1) / most
			}
			row.Cells = append(row.Cells, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	if views >= busyViews && t.PeakWeekday != nil && t.PeakHour != nil {
		h.Busy = ui.WeekdayNames[*t.PeakWeekday] + "s, " + ui.HourName(*t.PeakHour) + "–" +
			ui.HourName((*t.PeakHour+1)%24)
	}
	return h
}
