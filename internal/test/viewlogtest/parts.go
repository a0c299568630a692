package viewlogtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
	"vitrine/report/part"
)

// parts compares the parts in reports with a naive recount, in ten random
// worlds: over all days and some, with a filter, and before and after half of
// the days are rolled up.
func (t logTest) parts() {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 6))
	var worlds [][]report.View // with all that was sent of each
	outlines := make([]part.Outline, 10)
	for world := range outlines {
		outlines[world] = part.Unnamed(part.Section, 1+r.IntN(part.MaxSections))
		var b vitrine.Batch
		var views []report.View
		for n := range 1 + r.IntN(60) {
			v := view(vitrine.LinkID(1+world), time.Duration(r.IntN(20*24))*time.Hour+time.Duration(n)*time.Millisecond,
				r.Uint64N(9))
			v.Device = []string{"Desktop", "Phone"}[r.IntN(2)]
			if r.IntN(5) == 0 {
				v = bot(v)
			}
			b.Views = append(b.Views, v)
			all := v.View
			for i := range r.IntN(3) {
				s := report.Session{EngagedMs: 600_000, PresentMs: 600_000, Outlined: r.IntN(5) > 0}
				for p := 1; s.Outlined && p <= outlines[world].Len(); p += 1 + r.IntN(9) {
					s.Pages = append(s.Pages, report.PageTime{Page: p, Ms: 1000 + r.Int64N(4000)})
				}
				b.Snapshots = append(b.Snapshots, snapshot(v, time.Duration(601+i)*time.Second, s))
				if all.Session == nil {
					all.Session = &report.Session{}
				}
				all.Session.Outlined = all.Session.Outlined || s.Outlined
				all.Session.Pages = append(all.Session.Pages, s.Pages...)
			}
			views = append(views, all)
		}
		t.append(b)
		worlds = append(worlds, views)
	}
	t.sameParts("as they came", worlds, outlines)
	if err := t.log.RollUp(ctx, day+10); err != nil {
		t.Fatal(err)
	}
	t.sameParts("rolled up", worlds, outlines)
}

// sameParts compares the parts of each world.
func (t logTest) sameParts(when string, worlds [][]report.View, outlines []part.Outline) {
	t.Helper()
	for world, views := range worlds {
		for i, f := range []report.Filter{nil, nil, {{Dimension: report.OnDevice, Value: "Phone"}}} {
			q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1, Link: vitrine.LinkID(1 + world)}, From: firstDay,
				To: lastDay, Lens: report.Lens{Filter: f}}
			if i == 1 {
				q.From, q.To = day+3, day+9
			}
			got, _, err := t.log.Tally(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			var read []map[int]int64 // of each view with parts, the most time that a snapshot had on each
			for _, v := range views {
				d := report.DayOf(v.At)
				if v.Bot != "" || d < q.From || d >= q.To || f != nil && v.Device != "Phone" || v.Session == nil ||
					!v.Session.Outlined {
					continue
				}
				most := map[int]int64{}
				for _, p := range v.Session.Pages {
					most[p.Page] = max(most[p.Page], p.Ms)
				}
				read = append(read, most)
			}
			c := report.ContentOfTally(&report.Link{Content: report.ContentScroll, Outline: outlines[world]}, got)
			what := fmt.Sprintf("world %d, %d, %s: ", world, i, when)
			vitrinetest.Equal(t, what+"sessions", *c.PartSessions, int64(len(read)))
			rows, lost := recountParts(outlines[world].Len(), read)
			vitrinetest.Equal(t, what+"parts", c.Parts, rows)
			vitrinetest.Equal(t, what+"drop-off", c.PartDropoff, lost)
		}
	}
}

// recountParts counts the time on each of n parts, part by part.
func recountParts(n int, read []map[int]int64) ([]report.PartRow, *report.PartDropoff) {
	if len(read) == 0 {
		return nil, nil
	}
	tenths := func(a, b int64) report.Tenths {
		if b == 0 {
			return 0
		}
		return report.Tenths((2000*a + b) / (2 * b))
	}
	sessions, all, most := int64(len(read)), int64(0), int64(0)
	reached := make([]int64, n+2) // sessions that read this part or a later one
	for _, times := range read {
		last := 0
		for p, ms := range times {
			all, last = all+ms, max(last, p)
		}
		for p := range last {
			reached[p+1]++
		}
	}
	rows, lost := make([]report.PartRow, n), &report.PartDropoff{}
	for i := range rows {
		row := &rows[i]
		row.Part, row.ReachPct = i+1, tenths(reached[i+1], sessions)
		var sum int64
		for _, times := range read {
			if ms := times[row.Part]; ms > 0 {
				row.Views, sum = row.Views+1, sum+ms
			}
		}
		if row.Views > 0 {
			row.AvgMs = (2*sum + row.Views) / (2 * row.Views)
		}
		row.AttentionPct = tenths(sum, all)
		if gone := reached[i+1] - reached[i+2]; row.Part < n && gone > most {
			if most = gone; sessions >= 3 && 10*gone >= sessions {
				after, pct := row.Part, tenths(gone, sessions)
				lost = &report.PartDropoff{AfterPart: &after, LostPct: &pct}
			}
		}
	}
	return rows, lost
}
