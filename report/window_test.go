package report_test

import (
	"testing"
	"time"

	"vitrine/report"
)

func date(s string) time.Time {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	panic(s)
}

func TestNewWindow(t *testing.T) {
	for _, c := range []struct {
		r            report.Range
		now, created string // "" is the zero time
		from, to     string
		days         int
		weekly       bool
		label        string
	}{
		{"7d", "2026-03-10T00:00:00Z", "", "2026-03-04", "2026-03-11", 7, false, "Last 7 days"},
		{"7d", "2026-03-10T23:59:59.999Z", "2026-03-10", "2026-03-04", "2026-03-11", 7, false, "Last 7 days"},
		{"7d", "2026-03-11T00:00:00+02:00", "", "2026-03-04", "2026-03-11", 7, false, "Last 7 days"},
		{"14d", "2026-03-10T12:00:00Z", "", "2026-02-25", "2026-03-11", 14, false, "Last 14 days"},
		{"30d", "2024-03-01T12:00:00Z", "", "2024-02-01", "2024-03-02", 30, false, "Last 30 days"},
		{"90d", "2026-01-01T12:00:00Z", "", "2025-10-04", "2026-01-02", 90, false, "Last 90 days"},
		{"all", "2026-03-10T12:00:00Z", "", "2026-03-10", "2026-03-11", 1, false, "All time"},
		{"all", "2026-03-10T12:00:00Z", "2026-03-10T23:59:59Z", "2026-03-10", "2026-03-11", 1, false, "All time"},
		{"all", "2026-03-10T12:00:00Z", "2027-01-01", "2026-03-10", "2026-03-11", 1, false, "All time"},
		{"all", "2026-03-10T12:00:00Z", "2026-03-09T23:59:59.999Z", "2026-03-09", "2026-03-11", 2, false, "All time"},
		{"all", "2026-03-10T12:00:00Z", "2026-03-10T00:30:00+01:00", "2026-03-09", "2026-03-11", 2, false, "All time"},
		{"all", "2026-05-08T12:00:00Z", "2026-01-09T00:00:00Z", "2026-01-09", "2026-05-09", 120, false, "All time"},
		{"all", "2026-05-08T12:00:00Z", "2026-01-08T23:59:59.999Z", "2026-01-08", "2026-05-09", 121, true, "All time"},
		{"all", "1970-01-02T12:00:00Z", "1969-12-30T23:59:59.999Z", "1969-12-30", "1970-01-03", 4, false, "All time"},
	} {
		var created time.Time
		if c.created != "" {
			created = date(c.created)
		}
		w := report.NewWindow(c.r, date(c.now), created)
		if w.Key != c.r || !w.From.Time().Equal(date(c.from)) || !w.To.Time().Equal(date(c.to)) ||
			w.Days() != c.days || w.Weekly() != c.weekly || w.Label() != c.label {
			t.Errorf("NewWindow(%s, %s, %s) = %v to %v, %d days, weekly %v, %q", c.r, c.now, c.created, w.From, w.To,
				w.Days(), w.Weekly(), w.Label())
		}
		p := w.Previous()
		if p.To != w.From || p.Days() != w.Days() {
			t.Errorf("previous window %v to %v of %v to %v", p.From, p.To, w.From, w.To)
		}
	}
}

func TestParseRange(t *testing.T) {
	for s, want := range map[string]report.Range{"": "30d", "7d": "7d", "14d": "14d", "30d": "30d", "90d": "90d",
		"all": "all"} {
		if got, err := report.ParseRange(s); err != nil || got != want {
			t.Errorf("ParseRange(%q) = %q, %v, want %q", s, got, err, want)
		}
	}
	for _, s := range []string{"30", "30D", " 30d", "ALL", "365d", "7d,14d", "\x00"} {
		if got, err := report.ParseRange(s); err == nil {
			t.Errorf("ParseRange(%q) = %q, want an error", s, got)
		}
	}
}

func FuzzParseRange(f *testing.F) {
	f.Add("30d")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := report.ParseRange(s)
		if err != nil {
			return
		}
		if s != "" && string(r) != s {
			t.Errorf("ParseRange(%q) = %q", s, r)
		}
		if w := report.NewWindow(r, today, today); w.Days() < 1 {
			t.Errorf("range %q has %d days", s, w.Days())
		}
	})
}

func TestDay(t *testing.T) {
	for s, weekday := range map[string]int{
		"1969-12-31T23:59:59.999Z": 3, "1970-01-01T00:00:00Z": 4, "1969-12-28T00:00:00Z": 0,
		"2026-11-21T14:09:00Z": 6, "2024-02-29T23:59:59.999Z": 4, "0001-01-01T00:00:00Z": 1,
		"9999-12-31T23:59:59.999Z": 5,
	} {
		at := date(s)
		d := report.DayOf(at.UnixMilli())
		if d.Weekday() != weekday || d.Weekday() != int(at.Weekday()) || d.String() != at.Format(time.DateOnly) {
			t.Errorf("day of %s = %v, weekday %d", s, d, d.Weekday())
		}
		if start := d.Time(); start.After(at) || at.Sub(start) >= 24*time.Hour || start.UnixMilli() != d.StartMs() {
			t.Errorf("day of %s begins at %v", s, start)
		}
	}
	if report.NoDay >= report.DayOf(date("0001-01-01").UnixMilli()) {
		t.Error("NoDay is not before every day")
	}
}

func FuzzDay(f *testing.F) {
	f.Add("2026-02-28")
	f.Add("0000-01-01")
	f.Add("2026-2-3")
	f.Fuzz(func(t *testing.T, s string) {
		var d report.Day
		if err := d.UnmarshalText([]byte(s)); err != nil {
			return
		}
		if b, err := d.MarshalText(); err != nil || string(b) != s {
			t.Errorf("%q reads back as %q, %v", s, b, err)
		}
	})
}
