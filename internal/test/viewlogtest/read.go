package viewlogtest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// at returns a person's view at a time, with the n-th ID of its millisecond.
func at(link vitrine.LinkID, ms int64, n int, viewer uint64) vitrine.ViewRecord {
	return vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(vitrine.ViewIDAt(ms, n)), At: ms,
		Link: int64(link), Viewer: viewer}}
}

// days tests the boundaries of windows.
func (t logTest) days() {
	start, end := day.StartMs(), (day + 1).StartMs()
	views := []vitrine.ViewRecord{at(1, start-1, 1<<21-1, 1), at(1, start, 0, 2), at(1, end-1, 1<<21-1, 3),
		at(1, end, 0, 4)}
	t.view(views...)
	var batch vitrine.Batch
	for _, v := range views {
		batch.Snapshots = append(batch.Snapshots, snapshot(v, 0, report.Session{EngagedMs: 1}))
		batch.Downloads = append(batch.Downloads, vitrine.Download{ID: id(v), Link: 1, View: id(v)})
	}
	t.append(batch)
	for _, c := range []struct {
		from, to report.Day
		want     []uint64 // expected viewers
	}{
		{day, day + 1, []uint64{2, 3}},
		{day - 1, day, []uint64{1}},
		{day + 1, day + 2, []uint64{4}},
		{day - 1, day + 2, []uint64{1, 2, 3, 4}},
		{day, day, nil},
		{day + 1, day, nil},
		{report.NoDay, day, []uint64{1}},
		{report.NoDay, 1<<31 - 1, []uint64{1, 2, 3, 4}},
		{day + 1, 1<<31 - 1, []uint64{4}},
	} {
		var got []uint64
		for _, v := range t.between(1, c.from, c.to) {
			got = append(got, v.Viewer)
		}
		vitrinetest.Equal(t, "viewers of views", got, c.want)
		recent := t.recents(1, c.from, c.to, 100)
		vitrinetest.Equal(t, "recent", len(recent), len(c.want))
		for _, s := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 1}} {
			for _, cap := range []int{0, 100} {
				tally, truncated := t.tally(s, c.from, c.to, cap)
				vitrinetest.Equal(t, "views", tally.Views(), int64(len(c.want)))
				vitrinetest.Equal(t, "truncated", truncated, false)
				vitrinetest.Equal(t, "download events", events(tally, day-1, day+2), int64(len(c.want)))
			}
		}
	}
}

func (t logTest) scopes() {
	mine, alsoMine, bobs := view(1, 0, 10), view(2, 0, 10), view(3, 0, 10)
	bobs.Account = 2
	t.view(mine, alsoMine, bobs)
	t.append(vitrine.Batch{Downloads: []vitrine.Download{download(mine, 0), download(alsoMine, 0), download(bobs, 0)}})
	for _, c := range []struct {
		scope                     vitrine.Scope
		views, uniques, downloads int64
	}{
		{vitrine.Scope{Account: 1}, 2, 1, 2},
		{vitrine.Scope{Account: 2}, 1, 1, 1},
		{vitrine.Scope{Account: 3}, 0, 0, 0},
		{vitrine.Scope{Account: 1, Link: 2}, 1, 1, 1},
		{vitrine.Scope{Account: 2, Link: 3}, 1, 1, 1},
		{vitrine.Scope{Account: 1, Link: 4}, 0, 0, 0},
	} {
		tally, _ := t.tally(c.scope, day, day+1, 0)
		got := [3]int64{tally.Views(), tally.Uniques(day, day+1), events(tally, day, day+1)}
		vitrinetest.Equal(t, "views, uniques and downloads", got, [3]int64{c.views, c.uniques, c.downloads})
	}
}

func (t logTest) recent() {
	var batch vitrine.Batch
	for i := range 40 {
		v := view(1, time.Duration(i)*time.Minute, uint64(i))
		if i%4 == 0 {
			v.Bot = "crawler"
		}
		batch.Views = append(batch.Views, v)
		if i%2 == 0 {
			batch.Snapshots = append(batch.Snapshots, snapshot(v, time.Minute, report.Session{
				EngagedMs: int64(1000 + i), PresentMs: 50_000, Pages: []report.PageTime{{Page: i + 1, Ms: 1000}},
				Downloaded: i%5 == 0}))
		}
		if i%3 == 0 { // also bots' downloads, which do not count
			batch.Downloads = append(batch.Downloads, download(v, time.Minute))
		}
	}
	t.append(batch)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(batch.Views[6])}}) // its download no longer counts
	batch.Views[6].Bot = report.BotAutomation
	for range 2 {
		for _, n := range []int{0, 1, 5, 25} {
			got := t.recents(1, day, day+1, n)
			vitrinetest.Equal(t, "number of recent views", len(got), min(n, 20))
			for i, v := range got {
				n := 38 - 2*i
				want := batch.Views[n].View
				want.Session = &batch.Snapshots[19-i].Session
				want.Downloaded = n%3 == 0 && want.Bot == ""
				vitrinetest.Equal(t, "recent view", own(v), want)
			}
		}
		if err := t.log.RollUp(ctx, day+1); err != nil { // again for days that are rolled up
			t.Fatal(err)
		}
	}
}

func (t logTest) views() {
	const n = 2500 // more than one page
	var views []vitrine.ViewRecord
	for i := range n {
		views = append(views, view(1, time.Duration((i*7919)%n)*time.Second, uint64(i)))
	}
	t.view(append(views, view(2, 0, 1))...)
	got := t.all(1)
	vitrinetest.Equal(t, "views", len(got), n)
	for i, v := range got {
		if v.At != vitrinetest.Epoch.UnixMilli()+int64(i)*1000 {
			t.Fatalf("view %d is at %d, want all views, oldest first", i, v.At)
		}
	}
	calls := 0
	err := t.log.Views(ctx, 1, firstDay, lastDay, func(*report.View) error {
		if calls++; calls == 3 {
			return vitrinetest.ErrAbandoned
		}
		return nil
	})
	if !errors.Is(err, vitrinetest.ErrAbandoned) || calls != 3 {
		t.Errorf("Views whose function fails at the third call = %v after %d calls", err, calls)
	}
	// The log may be called during the listing.
	listed := 0
	err = t.log.Views(ctx, 1, firstDay, lastDay, func(v *report.View) error {
		if listed++; listed%100 != 1 {
			return nil
		}
		_, err := t.log.Counts(ctx, []vitrine.LinkID{1})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// cap tests which views are read under a cap.
func (t logTest) cap() {
	var views []vitrine.ViewRecord // oldest first
	for i := range 60 {
		views = append(views, at(vitrine.LinkID(1+i%3), (day-report.Day(60-i)).StartMs()+int64(i), 0, uint64(i)))
	}
	// The newest views have the same time.
	for link := range vitrine.LinkID(3) {
		views = append(views, at(link+1, day.StartMs(), 0, 100), at(link+1, day.StartMs(), 1, 200))
	}
	t.view(views...)
	slices.SortStableFunc(views, func(a, b vitrine.ViewRecord) int { return cmp.Compare(a.ID, b.ID) })
	first, to := report.DayOf(views[0].At), day+1
	for _, s := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 2}} {
		var in []vitrine.ViewRecord
		for _, v := range views {
			if s.Link == 0 || v.Link == int64(s.Link) {
				in = append(in, v)
			}
		}
		for cap := 1; cap <= len(in)+1; cap++ {
			newest := in[len(in)-min(cap, len(in)):]
			tally, truncated := t.tally(s, first, to, cap)
			vitrinetest.Equal(t, "views under a cap", tally.Views(), int64(len(newest)))
			vitrinetest.Equal(t, "truncated", truncated, cap < len(in))
			for d := first; d < to; d++ {
				viewers := map[uint64]bool{}
				for _, v := range newest {
					if report.DayOf(v.At) == d {
						viewers[v.Viewer] = true
					}
				}
				vitrinetest.Equal(t, fmt.Sprintf("viewers of %v under a cap of %d", d, cap), tally.Uniques(d, d+1),
					int64(len(viewers)))
			}
		}
		// Views outside the window do not count towards the cap.
		tally, truncated := t.tally(s, first, first+10, 10)
		vitrinetest.Equal(t, "truncated", truncated, false)
		if tally.Views() == 0 {
			t.Error("no views in the first days of the window")
		}
	}
}

func (t logTest) deleteLink() {
	a, b, other := view(1, 0, 10), view(1, time.Minute, 20), view(2, 0, 10)
	t.append(vitrine.Batch{
		Views:     []vitrine.ViewRecord{a, b, other, bot(view(1, time.Hour, 30))},
		Snapshots: []vitrine.Snapshot{snapshot(a, time.Minute, report.Session{EngagedMs: 1000, PresentMs: 1000})},
		Downloads: []vitrine.Download{download(a, 0), download(other, 0)},
	})
	for range 2 {
		if err := t.log.DeleteLink(ctx, 1); err != nil {
			t.Fatalf("DeleteLink = %v, want nil", err)
		}
		counts, err := t.log.Counts(ctx, []vitrine.LinkID{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		vitrinetest.Equal(t, "counts", counts, map[vitrine.LinkID]vitrine.LinkCounts{2: {Views: 1, Downloads: 1}})
		vitrinetest.Equal(t, "views", t.all(1), nil)
		for _, s := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 1}} {
			tally, _ := t.tally(s, day, day+1, 0)
			want := int64(1)
			if s.Link == 1 {
				want = 0
			}
			vitrinetest.Equal(t, "views and downloads", [2]int64{tally.Views(), events(tally, day, day+1)},
				[2]int64{want, want})
		}
	}
	// Nothing is stored: the ID is free, the viewer is new, and a download is
	// an event.
	a.Viewer = 20
	t.append(vitrine.Batch{Views: []vitrine.ViewRecord{a}, Downloads: []vitrine.Download{download(a, 0)}})
	t.counted(1, 1, 1)
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{false})
}
