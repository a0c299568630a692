package reportpage

import (
	"slices"

	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsBars is one breakdown.
type statsBars struct {
	ID, Name, Of string // what its rows are, and what is counted
	Rows         []statsBar
}

// statsBar is one row.
type statsBar struct {
	Name, Note string
	Count      ui.Figure
	Pct        report.Tenths
	Width      string // of the bar, the first one's being all there is
}

// statsBarsOf makes rows of buckets, the largest of which comes first. name, if
// given, is what a key is called, and dress adds the rest.
func statsBarsOf(buckets []report.Bucket, name func(key string) string, dress func(key string, b *statsBar)) []statsBar {
	var rows []statsBar
	for _, bucket := range buckets {
		b := statsBar{Name: bucket.Key, Count: ui.Figure(bucket.Count), Pct: bucket.Pct, Width: percentOf(bucket.Count, buckets[0].Count)}
		if name != nil {
			b.Name = name(bucket.Key)
		}
		if dress != nil {
			dress(bucket.Key, &b)
		}
		rows = append(rows, b)
	}
	return rows
}

func statsBreakdowns(b *report.Breakdowns) []statsBars {
	city := func(label string, row *statsBar) {
		row.Name, row.Note = ui.CityName(label)
	}
	return []statsBars{
		{"countries", "Countries", "Views", statsBarsOf(b.Countries, report.CountryName, nil)},
		{"cities", "Cities", "Views", statsBarsOf(b.Cities, nil, city)},
		{"sources", "Sources", "Views", statsBarsOf(b.Sources, nil, nil)},
		{"referrers", "Referrers", "Views", statsBarsOf(b.Referrers, nil, nil)},
		{"devices", "Devices", "Views", statsBarsOf(b.Devices, nil, nil)},
		{"browsers", "Browsers", "Views", statsBarsOf(b.Browsers, nil, nil)},
		{"os", "Systems", "Views", statsBarsOf(b.OS, nil, nil)},
		{"screens", "Window widths", "Sessions", statsBarsOf(b.Screens, ui.ScreenName, nil)},
	}
}

// statsHeat is when people come: a row a weekday, from Monday, a cell an hour.
type statsHeat struct {
	Rows []statsHeatRow
	Busy string // the busiest day and hour; "" below busyViews
}

type statsHeatRow struct {
	Day   string
	Total ui.Figure
	Cells []statsHeatCell
}

// statsHeatCell has a step of colour from 0, for nothing, to heatSteps.
type statsHeatCell struct {
	Hour  string
	Count ui.Figure
	Step  int64
}

const heatSteps = 5

func newStatsHeat(t *report.Timing, views int64) statsHeat {
	var h statsHeat
	var most int64
	for _, hours := range t.Heat {
		most = max(most, slices.Max(hours[:]))
	}
	for i := range t.Heat {
		day := (i + 1) % 7
		row := statsHeatRow{Day: ui.WeekdayNames[day], Total: ui.Figure(t.ByWeekday[day])}
		for hour, n := range t.Heat[day] {
			cell := statsHeatCell{Hour: ui.HourName(hour), Count: ui.Figure(n)}
			if n > 0 {
				cell.Step = (n*heatSteps + most - 1) / most
			}
			row.Cells = append(row.Cells, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	if views >= busyViews && t.PeakWeekday != nil && t.PeakHour != nil {
		h.Busy = ui.WeekdayNames[*t.PeakWeekday] + "s and the hour from " + ui.HourName(*t.PeakHour) + " UTC"
	}
	return h
}
