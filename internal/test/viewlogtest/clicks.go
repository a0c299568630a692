package viewlogtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
	"vitrine/report/part"
)

// clicks compares the clicks in reports with a naive recount, in ten random
// worlds: over all days and some, and with a filter.
func (t logTest) clicks() {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 5))
	for world := range 10 {
		link := vitrine.LinkID(1 + world)
		var b vitrine.Batch
		var views []report.View // with all that was sent of each
		for n := range 1 + r.IntN(60) {
			v := view(link, time.Duration(r.IntN(20*24))*time.Hour+time.Duration(n)*time.Millisecond, r.Uint64N(9))
			v.Device = []string{"Desktop", "Phone"}[r.IntN(2)]
			if r.IntN(5) == 0 {
				v = bot(v)
			}
			b.Views = append(b.Views, v)
			all := v.View
			for i := range r.IntN(4) {
				s := report.Session{EngagedMs: 6000, PresentMs: 6000, Clicks: random{r}.clicks()}
				b.Snapshots = append(b.Snapshots, snapshot(v, time.Duration(7+i)*time.Second, s))
				if all.Session == nil {
					all.Session = &report.Session{}
				}
				all.Session.Clicks = append(all.Session.Clicks, s.Clicks...)
			}
			views = append(views, all)
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
			of := func(v *report.View) bool {
				d := report.DayOf(v.At)
				return v.Bot == "" && q.From <= d && d < q.To && (f == nil || v.Device == "Phone")
			}
			content := report.ContentOfTally(&report.Link{Content: report.ContentPages}, got)
			vitrinetest.Equal(t, fmt.Sprintf("clicks of world %d, %d", world, i), content.Clicks, recount(views, of))
		}
	}
}

// recount counts the clicks of some views: of each view, the most that a
// snapshot had on a link.
func recount(views []report.View, of func(*report.View) bool) (rows []part.Click) {
	for i := range views {
		if !of(&views[i]) || views[i].Session == nil {
			continue
		}
		most := map[part.Click]int64{}
		for _, c := range views[i].Session.Clicks {
			link := part.Click{Part: c.Part, Target: c.Target}
			most[link] = max(most[link], c.Count)
		}
		for link, n := range most {
			at := slices.IndexFunc(rows, func(r part.Click) bool {
				return r.Part == link.Part && r.Target == link.Target
			})
			if at < 0 {
				at, rows = len(rows), append(rows, link)
			}
			rows[at].Count += n
		}
	}
	slices.SortFunc(rows, func(a, b part.Click) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Target, b.Target))
	})
	return rows
}
