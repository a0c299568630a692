package clickhouse

import (
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

// TestInside compares every value of tallies that the database counts with
// those made from the views in Go.
func TestInside(t *testing.T) {
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	g := vitrinetest.NewTraffic(5, 20*60_000)
	var views []vitrine.ViewRecord
	for i := range 3000 {
		o := g.Imported()
		if s := o.Session; s != nil && i%3 == 0 { // sessions of every kind, and some that must not count
			s.Pages, s.Played, s.Reached, s.Depth = nil, g.Rand.Int64N(1_000_001), g.Rand.Int64N(1_000_001),
				g.Rand.Int64N(1_000_001)
			s.EngagedMs = g.Rand.Int64N(8000)
			s.PresentMs = s.EngagedMs + g.Rand.Int64N(2000)
			s.Screen = []string{"", "0-575"}[i%2]
		}
		if i%50 == 0 {
			o.Country, o.City, o.Source, o.Referrer = "", []string{"", "Bonn"}[i%4/2], "", ""
		}
		o.Returning, o.Version = i%7 == 0, i%4
		if o.Bot != "" && i%2 == 0 {
			o.Session = &report.Session{EngagedMs: 2000, PresentMs: 3000, Downloaded: true}
		}
		views = append(views, o)
	}
	odd := g.Imported()
	odd.Bot, odd.Session = "", &report.Session{EngagedMs: 1 << 40, PresentMs: 1 << 40, Played: 2_000_000, Depth: -5,
		Pages: []report.PageTime{{Page: -1, Ms: 9}, {Page: 3, Ms: -9}, {Page: 4, Ms: 1 << 40}}}
	views = append(views, odd)
	if err := l.Import(ctx, vitrine.ImportReceipt{File: [32]byte{1}, Lines: 1}, views); err != nil {
		t.Fatal(err)
	}
	first, last := report.DayOf(views[0].At), report.DayOf(odd.At)
	for _, s := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 2}, {Account: 1, Link: 77}, {Account: 2}} {
		for _, days := range [][2]report.Day{{first, last + 1}, {first + 10, first + 17}, {first + 3, first + 4},
			{report.NoDay, 1<<31 - 1}, {last + 5, last + 9}} {
			q := vitrine.TallyQuery{Scope: s, From: days[0], To: days[1]}
			views := sameInside(t, l, q)
			if s.Account == 1 && days[0] == first && days[1] > last && s.Link != 77 && views == 0 {
				t.Errorf("%+v counts nothing", q)
			}
			if days[1] > last+1 || days[1] < first+10 || s.Link == 77 || s.Account == 2 {
				continue
			}
			for _, lens := range insideLenses(t, days[0], days[1]) {
				q.Lens, q.From, q.To = lens, days[0], days[1]
				if lens.Steps.Hourly() {
					q.From, q.To = 0, report.Day(lens.Steps.Count())
				}
				q.Cap, q.Brief = 0, false
				sameInside(t, l, q)
				q.Brief = true
				sameInside(t, l, q)
				q.Cap, q.Brief, q.Filter, q.Versions = 100, false, nil, nil
				sameInside(t, l, q)
			}
		}
	}
}

// insideLenses returns lenses of days with steps, filters and links of all
// kinds.
func insideLenses(t *testing.T, from, to report.Day) (lenses []report.Lens) {
	t.Helper()
	steps := func(zone string, hourly bool) *report.Steps {
		z, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		dates := &report.Dates{First: from, Last: to - 1}
		if hourly {
			dates.Last = min(dates.Last, from+2)
		}
		w, err := report.WindowOf(report.Period{Dates: dates, Zone: z, Hourly: hourly}, to.Time().AddDate(0, 0, 3),
			time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return w.Steps
	}
	filter := func(texts ...string) report.Filter {
		f, err := report.ParseFilter(texts)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return []report.Lens{{Single: true}, {Links: []int64{2, 4}}, {Filter: filter("country:is:C7")},
		{Filter: filter("country:is_not:C7", "source:is_not:Direct")}, {Filter: filter("city:is:Bonn")},
		{Versions: map[int64][]int{1: {1, 3}, 2: {2}}},
		{Steps: steps("Asia/Kolkata", false), Single: true}, {Steps: steps("Europe/Berlin", true)},
		{Steps: steps("Australia/Lord_Howe", true), Filter: filter("qr:is:no"), Single: true},
	}
}

// sameInside compares the tallies of a query that the database counts and that
// the fold counts. It returns the number of views.
func sameInside(t *testing.T, l *ViewLog, q vitrine.TallyQuery) int64 {
	t.Helper()
	var tallies [2]*report.Tally
	for i, from := range []int{-1, 0} {
		l.c.insideFrom = from
		tally, _, err := l.Tally(ctx, q)
		if err == nil && q.Link == 0 && !q.Brief {
			tally, err = asStored(tally, window{TallyQuery: vitrine.TallyQuery{From: max(q.From, 0)}})
		}
		if err != nil {
			t.Fatal(err)
		}
		tallies[i] = tally
	}
	folded, inside := tallies[0], tallies[1]
	if q.Brief {
		if folded.Views() != inside.Views() || folded.Uniques(q.From, q.To) != inside.Uniques(q.From, q.To) ||
			folded.Downloads() != inside.Downloads() {
			t.Errorf("%+v, brief: the database and the fold count differently", q)
		}
	} else if !inside.Equal(folded) {
		t.Errorf("%+v: the database counts %d views, want %d; bots %v, want %v; downloads %d, want %d", q,
			inside.Views(), folded.Views(), inside.Bots(), folded.Bots(), inside.Downloads(), folded.Downloads())
	}
	return folded.Views()
}
