package analytics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/links"
	"vitrine/report"
)

// TestMarks checks which notes and versions a window has, on its own clocks.
func TestMarks(t *testing.T) {
	now := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	created := now.AddDate(-1, 0, 0)
	at := func(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, time.UTC) }
	day := func(d int) report.Day { return report.DayOf(at(d, 0).UnixMilli()) }
	notes := []links.Note{{ID: 3, Day: day(13), Text: "before"}, {ID: 2, Day: day(14), Text: "first"},
		{ID: 1, Day: day(20), Text: "today"}, {ID: 4, Day: day(21), Text: "after"}}
	shown := []shownVersion{{at(13, 9), 2, false}, {at(16, 23), 2, false}, {at(18, 9), 1, true}}
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		p    report.Period
		want string // day and text of each mark
	}{
		{"7 days in UTC", report.Period{Range: report.Range7d},
			"14 first, 16 Version 2, 18 Version 1 restored, 20 today"},
		{"7 days in Oslo", report.Period{Range: report.Range7d, Zone: oslo},
			"14 first, 17 Version 2, 18 Version 1 restored, 20 today"},
		{"weeks", report.Period{Range: report.RangeAll},
			"13 Version 2, 13 before, 14 first, 16 Version 2, 18 Version 1 restored, 20 today"},
		{"hours", report.Period{Dates: &report.Dates{First: day(18), Last: day(20)}, Hourly: true},
			"18 Version 1 restored, 20 today"},
	} {
		w, err := report.WindowOf(c.p, now, created)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range marksIn(w, notes, shown) {
			got = append(got, fmt.Sprintf("%d %s", m.Day.Time().Day(), m.Text))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: marks are %q, want %q", c.name, got, c.want)
		}
	}
	many := make([]shownVersion, maxMarks+1)
	for i := range many {
		many[i] = shownVersion{at(16, 0).Add(time.Duration(i) * time.Minute), i + 1, false}
	}
	w, err := report.WindowOf(report.Period{Range: report.Range7d}, now, created)
	if err != nil {
		t.Fatal(err)
	}
	if got := marksIn(w, nil, many); len(got) != maxMarks || got[0].Text != "Version 2" {
		t.Errorf("of %d versions %d are marked, from %q on, want the newest %d", len(many), len(got), got[0].Text, maxMarks)
	}
}
