package reportpage

import (
	"testing"

	"vitrine/report"
)

// A change is shown where it is more than chance, and its colour where it is
// more than little. Two numbers that look alike have not changed.
func TestStatsDelta(t *testing.T) {
	pct := func(n int64) *int64 { return &n }
	for _, test := range []struct {
		before  int64 // views
		d       report.Delta
		is, was string
		want    string // direction of the colour and text; "" for none
	}{
		{29, report.Delta{Pct: pct(300), Dir: report.Up}, "4", "1", ""},
		{30, report.Delta{Pct: pct(20), Dir: report.Up}, "36", "30", "up ↑ 20% from 30"},
		{900, report.Delta{Pct: pct(-1), Dir: report.Down}, "46 s", "46 s", "flat  no change "},
		{900, report.Delta{Pct: pct(-4), Dir: report.Down}, "864", "900", "flat ↓ 4% from 900"},
		{900, report.Delta{Pct: pct(-5), Dir: report.Down}, "855", "900", "down ↓ 5% from 900"},
		{900, report.Delta{Pct: pct(0), Dir: report.Flat}, "900", "900", "flat  no change "},
		{900, report.Delta{Dir: report.Up}, "5", "0", "flat  none before "},
	} {
		r := &report.Summary{Previous: report.Previous{Views: test.before}}
		got := ""
		if s := newStatsDelta(r, test.d, test.is, test.was); s != nil {
			got = string(s.Dir) + " " + s.Sign + " " + s.Short + " " + s.From
		}
		if got != test.want {
			t.Errorf("%+v is %q, want %q", test, got, test.want)
		}
	}
}

// Insights write numbers as the rest of the page does, and do not repeat the
// zone.
func TestStatsTips(t *testing.T) {
	tips := statsTips([]report.Insight{
		{ID: "best_time", Value: "13:00–14:00 Europe/Berlin", Detail: "272 of 2597 views"},
		{ID: "top_source", Value: "Direct", Detail: "1004 views, 38.7% of all views"},
	}, "Europe/Berlin")
	for i, want := range [][2]string{{"13:00–14:00", "272 of 2,597 views"},
		{"Direct", "1,004 views, 38.7% of all views"}} {
		if got := [2]string{tips[i].Value, tips[i].Detail}; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestShortAddress(t *testing.T) {
	for address, want := range map[string]string{"https://www.linkedin.com/feed/": "linkedin.com/feed",
		"http://a.example": "a.example", "android-app://com.slack/": "com.slack", "linkedin.com": "linkedin.com"} {
		if got := shortAddress(address); got != want {
			t.Errorf("%q is shown as %q, want %q", address, got, want)
		}
	}
}
