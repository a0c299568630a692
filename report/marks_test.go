package report_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"vitrine/report"
)

// TestNotes checks that numbers of notes are not given twice, and that notes
// keep their texts.
func TestNotes(t *testing.T) {
	var n report.Notes
	day := report.DayOf(time.Date(2026, 11, 12, 0, 0, 0, 0, time.UTC).UnixMilli())
	n, one := n.Add(day, "Talk in Oslo")
	n, two := n.Add(day-9, "Sent to the board")
	n, known := n.Put(report.Note{ID: two, Day: day - 8, Text: "Sent to all"})
	if !known {
		t.Fatal("the second note is unknown")
	}
	if got, want := n.All(), []report.Note{{two, day - 8, "Sent to all"}, {one, day, "Talk in Oslo"}}; !reflect.DeepEqual(
		got, want) {
		t.Errorf("notes are %v, want %v", got, want)
	}
	n, _ = n.Put(report.Note{ID: two})
	if _, known := n.Put(report.Note{ID: two, Day: day, Text: "x"}); known || len(n.All()) != 1 {
		t.Errorf("a deleted note is there: %q", n)
	}
	if _, three := n.Add(day, "x"); three == two {
		t.Errorf("number %d is given twice", three)
	}
}

// TestMarks checks which notes and versions a window has, on its own clocks,
// and at which points of the series they are.
func TestMarks(t *testing.T) {
	now := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	created := now.AddDate(-1, 0, 0)
	at := func(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, time.UTC) }
	day := func(d int) report.Day { return report.DayOf(at(d, 0).UnixMilli()) }
	n, _ := report.Notes("").Add(day(20), "today")
	n, _ = n.Add(day(14), "first")
	n, _ = n.Add(day(13), "before")
	shown := []report.ShownVersion{{at(18, 9), 1, true}, {at(16, 23), 2, false}, {at(13, 9), 2, false}}
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		p    report.Period
		want string // day, text and point of each mark
	}{
		{"7 days in UTC", report.Period{Range: report.Range7d},
			"14 first 0, 16 Version 2 2, 18 Version 1 restored 4, 20 today 6"},
		{"7 days in Oslo", report.Period{Range: report.Range7d, Zone: oslo},
			"14 first 0, 17 Version 2 3, 18 Version 1 restored 4, 20 today 6"},
		{"weeks", report.Period{Range: report.RangeAll},
			"13 Version 2 51, 13 before 51, 14 first 51, 16 Version 2 52, 18 Version 1 restored 52, 20 today 52"},
		{"hours", report.Period{Dates: &report.Dates{First: day(18), Last: day(20)}, Hourly: true},
			"18 Version 1 restored 9, 20 today 48"},
	} {
		w, err := report.WindowOf(c.p, now, created)
		if err != nil {
			t.Fatal(err)
		}
		series := report.Series(w, new(report.Tally))
		var got []string
		for _, m := range report.Marks(w, n, shown) {
			got = append(got, fmt.Sprintf("%d %s %d", m.Day.Time().Day(), m.Text, report.MarkedPoint(series, m)))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: marks are %q, want %q", c.name, got, c.want)
		}
	}
}
