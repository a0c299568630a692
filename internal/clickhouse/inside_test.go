package clickhouse

import (
	"fmt"
	"testing"

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
		o.Returning = i%7 == 0
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
			l.c.insideFrom = -1
			folded, _, err := l.Tally(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			l.c.insideFrom = 0
			inside, _, err := l.Tally(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			if !inside.Equal(folded) {
				t.Errorf("%+v: the database counts %d views, want %d; bots %v, want %v", q, inside.Views(),
					folded.Views(), inside.Bots(), folded.Bots())
			}
			if s.Account == 1 && days[0] == first && days[1] > last && s.Link != 77 &&
				fmt.Sprint(folded.Views()) == "0" {
				t.Errorf("%+v counts nothing", q)
			}
		}
	}
}
