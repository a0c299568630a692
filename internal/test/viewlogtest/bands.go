package viewlogtest

import (
	"math/rand/v2"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// bands compares the quarters of pages in reports with a naive recount, in ten
// random worlds: over all days and some, and with a filter. Snapshots grow, and
// some are lost or come twice.
func (t logTest) bands() {
	const pages = 5
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 9))
	for world := range 10 {
		link := vitrine.LinkID(1 + world)
		var b vitrine.Batch
		var views []report.View
		var last [][pages + 1][4]int64 // of each view, what its last stored snapshot says
		for n := range 1 + r.IntN(60) {
			v := view(link, time.Duration(r.IntN(20*24))*time.Hour+time.Duration(n)*time.Millisecond, r.Uint64N(9))
			v.Device = []string{"Desktop", "Phone"}[r.IntN(2)]
			if r.IntN(5) == 0 {
				v = bot(v)
			}
			b.Views, views = append(b.Views, v), append(views, v.View)
			var now, stored [pages + 1][4]int64
			for i := range r.IntN(5) {
				s := report.Session{EngagedMs: 60_000, PresentMs: 60_000}
				for p := 1; p <= pages; p++ {
					if p%2 == world%2 { // the others stay unmeasured
						now[p][r.IntN(4)] += r.Int64N(1000)
					}
					of := report.PageTime{Page: p, Bands: now[p]}
					of.Ms = of.Bands.Sum() + 1
					s.Pages = append(s.Pages, of)
				}
				if r.IntN(4) == 0 {
					continue // lost
				}
				stored = now
				for range 1 + r.IntN(2) {
					b.Snapshots = append(b.Snapshots, snapshot(v, time.Duration(70+i)*time.Second, s))
				}
			}
			last = append(last, stored)
		}
		t.append(b)
		for i, f := range []report.Filter{nil, nil, {{Dimension: report.OnDevice, Value: "Phone"}}} {
			q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1, Link: link}, From: firstDay, To: lastDay,
				Lens: report.Lens{Filter: f}}
			if i == 1 {
				q.From, q.To = day+3, day+9
			}
			got, _, err := t.log.Tally(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			var sums [pages + 1][4]int64
			for n, v := range views {
				d := report.DayOf(v.At)
				if v.Bot != "" || d < q.From || d >= q.To || f != nil && v.Device != "Phone" {
					continue
				}
				for p := range sums {
					for quarter := range 4 {
						sums[p][quarter] += last[n][p][quarter]
					}
				}
			}
			rows := report.ContentOfTally(&report.Link{Content: report.ContentPages, Pages: pages}, got).Pages.Pages
			for p := 1; p <= pages; p++ {
				var want []report.Tenths
				if all := sums[p][0] + sums[p][1] + sums[p][2] + sums[p][3]; all > 0 {
					for _, ms := range sums[p] {
						want = append(want, report.Tenths((2000*ms+all)/(2*all)))
					}
				}
				if row := rows[p-1]; !slices.Equal(row.BandsPct, want) {
					t.Errorf("world %d, %d: page %d has the quarters %v, want %v", world, i, p, row.BandsPct, want)
				}
			}
		}
	}
}
