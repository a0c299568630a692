package reportpage

import (
	"strings"
	"testing"
	"time"

	"vitrine/report"
)

// TestStatsDelta checks that a change is shown if it is significant, with a
// colour if it is large, and not if both numbers look the same.
func TestStatsDelta(t *testing.T) {
	pct := func(n int64) *int64 { return &n }
	for _, test := range []struct {
		before  int64 // in views
		d       report.Delta
		is, was string
		want    string // direction of the colour and text; "" if there is none
	}{
		{29, report.Delta{Pct: pct(300), Dir: report.Up}, "4", "1", ""},
		{30, report.Delta{Pct: pct(20), Dir: report.Up}, "36", "30", "up ↑ 20% from 30"},
		{900, report.Delta{Pct: pct(-1), Dir: report.Down}, "46 s", "46 s", "flat  no change "},
		{900, report.Delta{Pct: pct(-4), Dir: report.Down}, "864", "900", "flat ↓ 4% from 900"},
		{900, report.Delta{Pct: pct(-5), Dir: report.Down}, "855", "900", "down ↓ 5% from 900"},
		{900, report.Delta{Pct: pct(0), Dir: report.Flat}, "900", "900", "flat  no change "},
		{900, report.Delta{Dir: report.Up}, "5", "0", "flat  none before "},
	} {
		r := &report.Summary{Previous: report.Previous{Views: test.before}, Range: report.RangeCard{Days: 30}}
		got := ""
		if s := newStatsDelta(r, test.d, test.is, test.was); s != nil {
			got = string(s.Dir) + " " + s.Sign + " " + s.Short + " " + s.From
		}
		if got != test.want {
			t.Errorf("delta of %+v = %q, want %q", test, got, test.want)
		}
	}
}

// TestCountDelta checks that a count of a week says that today is not over, and
// that less is no decline until then.
func TestCountDelta(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		days int
		to   time.Time
		is   int64
		pct  int64
		dir  report.Dir
		want report.Dir
		from string
	}{
		{7, now, 20, -80, report.Down, report.Down, "from 100"},
		{7, now.Add(time.Hour), 20, -80, report.Down, report.Flat, "so far, from 100"},
		{20, now.Add(time.Hour), 80, -20, report.Down, report.Flat, "so far, from 100"},
		{7, now.Add(time.Hour), 180, 80, report.Up, report.Up, "so far, from 100"},
		{30, now.Add(time.Hour), 20, -80, report.Down, report.Down, "from 100"},
	} {
		r := &report.Summary{Previous: report.Previous{Views: 100}, Range: report.RangeCard{Days: test.days, To: test.to}}
		s := newCountDelta(r, report.Delta{Pct: &test.pct, Dir: test.dir}, test.is, 100, now)
		if s.Dir != test.want || s.From != test.from {
			t.Errorf("%+v: %s %q, want %s %q", test, s.Dir, s.From, test.want, test.from)
		}
	}
}

// TestPartDay checks that a day by the hour, unlike the last 24 hours, says
// that it is not over.
func TestPartDay(t *testing.T) {
	now := time.Now()
	pct := int64(-80)
	for key, want := range map[report.Range]string{report.RangeCustom: "so far, from 100", report.RangeDay: "from 100"} {
		r := &report.Summary{Granularity: "hour", Previous: report.Previous{Views: 100},
			Range: report.RangeCard{Key: key, Days: 1, To: now.Add(time.Hour)}}
		if s := newCountDelta(r, report.Delta{Pct: &pct, Dir: report.Down}, 20, 100, now); s.From != want {
			t.Errorf("%s: %q, want %q", key, s.From, want)
		}
	}
}

// TestPointsDelta checks changes of percentages.
func TestPointsDelta(t *testing.T) {
	share := func(n report.Tenths) *report.Tenths { return &n }
	for _, test := range []struct {
		is, was *report.Tenths
		want    string
	}{
		{nil, share(10), ""},
		{share(10), nil, ""},
		{share(446), share(404), "flat ↑ 4.2 points from 40%"},
		{share(404), share(446), "flat ↓ 4.2 points from 45%"},
		{share(450), share(400), "up ↑ 5 points from 40%"},
		{share(300), share(440), "down ↓ 14 points from 44%"},
		{share(90), share(80), "flat ↑ 1 point from 8%"},
		{share(441), share(439), "flat  no change "},
		{share(0), share(60), "down ↓ 6 points from 6%"},
	} {
		r := &report.Summary{Previous: report.Previous{Views: 30}, Range: report.RangeCard{Days: 30}}
		got := ""
		if s := newPointsDelta(r, test.is, test.was); s != nil {
			got = string(s.Dir) + " " + s.Sign + " " + s.Short + " " + s.From
		}
		if got != test.want {
			t.Errorf("change = %q, want %q", got, test.want)
		}
		r.Previous.Views = 29
		if s := newPointsDelta(r, test.is, test.was); s != nil {
			t.Errorf("change from few views: %+v", s)
		}
	}
}

// TestUncompared checks that a report without changes says why.
func TestUncompared(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		r    report.Summary
		days int
		want string
	}{
		{report.Summary{Previous: report.Previous{Views: 30}}, 90, ""},
		{report.Summary{Previous: report.Previous{Views: 29}}, 90,
			"Not compared: fewer than 30 views in the 30 days before."},
		{report.Summary{}, 90, "Not compared: no views in the 30 days before."},
		{report.Summary{Previous: report.Previous{Views: 500}, Younger: true}, 37,
			"Not compared: the link is 37 days old."},
		{report.Summary{Younger: true}, 0, "Not compared: the link is less than a day old."},
		{report.Summary{Range: report.RangeCard{Compare: report.CompareYear}, Younger: true}, 1,
			"Not compared: the link is 1 day old."},
		{report.Summary{Range: report.RangeCard{Compare: report.CompareNone}}, 90, ""},
		{report.Summary{Range: report.RangeCard{Key: report.RangeAll}}, 90, ""},
	} {
		test.r.Range.Days, test.r.Totals.Views = 30, 40
		created := now.AddDate(0, 0, -test.days)
		if got := whyUncompared(&test.r, "the link", created, now, linkWords); got != test.want {
			t.Errorf("%+v: %q, want %q", test, got, test.want)
		}
	}
}

// TestYoungLink checks that a link is not compared with a time in which it did
// not exist: no change, and the line of that time begins with the link.
func TestYoungLink(t *testing.T) {
	points := []report.Point{{Label: "a", Views: 0}, {Label: "b", Views: 20}, {Label: "c", Views: 40}}
	pct := int64(100)
	r := &report.Summary{Granularity: "day", Range: report.RangeCard{Key: report.Range30d}, Series: points,
		PreviousSeries: points, Previous: report.Previous{Views: 60}, Younger: true, Absent: 1}
	if d := newCountDelta(r, report.Delta{Pct: &pct, Dir: report.Up}, 120, 60, time.Now()); d != nil {
		t.Errorf("change = %+v, want none", d)
	}
	c := newStatsSeries(r, 0, linkWords, time.Now())
	if was := c.Lines[0]; was.Class != "was" || was.Past != "M500,50L1000,0" {
		t.Errorf("line before = %+v, want it to begin with the second point", was)
	}
	for i, want := range []string{"", "b", "c"} {
		if got := c.Points[i].WasLabel; got != want {
			t.Errorf("label before point %d = %q, want %q", i, got, want)
		}
		if got := strings.Contains(c.Chart.Points[i].Tip, "was|"); got != (want != "") {
			t.Errorf("tip of point %d = %q", i, c.Chart.Points[i].Tip)
		}
	}
}

// TestVeryYoungLink checks that a link that existed for one day of the time
// before has no line of that time.
func TestVeryYoungLink(t *testing.T) {
	points := []report.Point{{Label: "a"}, {Label: "b", Views: 20}}
	c := newStatsSeries(&report.Summary{Granularity: "day", Range: report.RangeCard{Key: report.Range7d},
		Series: points, PreviousSeries: points, Previous: report.Previous{Views: 20}, Younger: true, Absent: 1}, 0,
		linkWords, time.Now())
	if c.Before || len(c.Lines) != 2 {
		t.Errorf("%d lines, want 2", len(c.Lines))
	}
}

// TestStatsTips checks that insights format numbers like the rest of the page,
// name the time zone, and speak of the page loads of a website.
func TestStatsTips(t *testing.T) {
	tips := statsTips([]report.Insight{
		{ID: "best_time", Value: "13:00–14:00 America/New_York", Detail: "272 of 2597 views"},
		{ID: "top_source", Value: "Direct", Detail: "1004 views, 39% of all views"},
	})
	for i, want := range [][2]string{{"13:00–14:00 America/New York", "272 of 2,597 views"},
		{"Direct", "1,004 views, 39% of all views"}} {
		if got := [2]string{tips[i].Value, tips[i].Detail}; got != want {
			t.Errorf("tip = %q, want %q", got, want)
		}
	}
	tipsOfLoads(tips)
	if got, want := tips[1].Detail, "1,004 page loads, 39% of all page loads"; got != want {
		t.Errorf("tip of a website = %q, want %q", got, want)
	}
}

func TestShortAddress(t *testing.T) {
	for address, want := range map[string]string{"https://www.linkedin.com/feed/": "linkedin.com/feed",
		"http://a.example": "a.example", "android-app://com.slack/": "com.slack", "linkedin.com": "linkedin.com"} {
		if got := shortAddress(address); got != want {
			t.Errorf("shortAddress(%q) = %q, want %q", address, got, want)
		}
	}
}
