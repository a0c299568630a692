package viewlog

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/internal/test/sqltest"
	"vitrine/report"
)

// meanwhile is a context that calls a function once, during a call of Err after
// the start.
type meanwhile struct {
	context.Context
	after int // number of calls to skip
	do    func()
}

func (c *meanwhile) Err() error {
	if c.after--; c.after < 0 && c.do != nil {
		do := c.do
		c.do = nil
		do()
	}
	return nil
}

// coldLog returns a log whose account reads a whole day of views before its
// running days.
func coldLog(t *testing.T) (*ViewLog, *facts) {
	t.Helper()
	const d = firstTestDay
	l, h := openTestLog(t), newFacts()
	var views []vitrine.ViewRecord
	for i := range int64(checkEvery + 10) {
		views = append(views, on(d, i, 1, uint64(100+i%50)))
	}
	last := on(d, 86_000_000, 2, 103)
	views = append(views, last, on(d, 86_000_001, 3, 104))
	for _, v := range views {
		h.add(v, true)
	}
	if err := l.Import(t.Context(), vitrine.ImportReceipt{Lines: 1, At: (d + 9).Time()}, views); err != nil {
		t.Fatal(err)
	}
	rollUp(t, l, d+5)
	addViews(t, h, l, on(d+5, 0, 1, 1), on(d+5, 1, 2, 2))
	both(t, h, l, vitrine.Batch{Downloads: []vitrine.Download{{ID: vitrine.ViewID(last.ID) + 1, Link: 2,
		View: vitrine.ViewID(on(d+5, 1, 2, 2).ID)},
		{ID: vitrine.ViewID(views[0].ID) + 1, Link: 1, View: vitrine.ViewID(on(d+5, 0, 1, 1).ID)}}})
	return l, h
}

// TestLiveFollowsFromItsSnapshot checks that a view that arrives while the
// running days are first read, before the feed follows their account, is
// included.
func TestLiveFollowsFromItsSnapshot(t *testing.T) {
	const d = firstTestDay
	l, h := coldLog(t)
	ctx := &meanwhile{Context: t.Context(), after: 1, do: func() { addViews(t, h, l, on(d+5, 5, 1, 7)) }}
	if _, _, err := l.Tally(ctx, vitrine.TallyQuery{Scope: account1, From: d, To: d + 9}); err != nil {
		t.Fatal(err)
	}
	if ctx.do != nil {
		t.Fatal("the function was not called")
	}
	h.check(t, l, account1, d, d+9)
	addViews(t, h, l, on(d+5, 6, 1, 8))
	h.check(t, l, account1, d, d+9)
}

// TestLiveIsOfOneMoment checks that an answer reflects one moment, even if the
// running days in memory are newer than its snapshot.
func TestLiveIsOfOneMoment(t *testing.T) {
	const d = firstTestDay
	l, h := coldLog(t)
	before := naivelyOf(h, d, d+9)
	ctx := &meanwhile{Context: t.Context(), after: 1, do: func() {
		h.deleteLink(2)
		if err := l.DeleteLink(t.Context(), 2); err != nil {
			t.Error(err)
		}
		h.check(t, l, account1, d, d+9)
	}}
	got, _, err := l.Tally(ctx, vitrine.TallyQuery{Scope: account1, From: d, To: d + 9})
	if err != nil {
		t.Fatal(err)
	}
	if v, after := got.Views(), naivelyOf(h, d, d+9); v != before.Views && v != after.Views {
		t.Errorf("%d views, want %d as before the deletion of a link, or %d as after it", v, before.Views, after.Views)
	}
}

func naivelyOf(h *facts, from, to report.Day) plainCounts {
	views, downloads := h.of(account1, from, to)
	return countPlainly(views, downloads, from, to)
}

// TestLiveOfDeletedLink checks that late events of a link whose deletion was
// interrupted do not count for its account.
func TestLiveOfDeletedLink(t *testing.T) {
	const d = firstTestDay
	l, h := openTestLog(t), newFacts()
	addViews(t, h, l, on(d, 0, 1, 1), on(d, 1, 2, 2))
	h.deleteLink(2)
	err := l.update(t.Context(), func(t logTx, c *tables.Changes) error { // the first step of the deletion
		_, err := deleteStep(t, c, 2)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.check(t, l, account1, d, d+2)
	appendViews(t, l, on(d, 2, 2, 5)) // its page was still open
	h.check(t, l, account1, d, d+2)
	view := vitrine.ViewID(on(d, 2, 2, 5).ID)
	if _, err := l.Append(t.Context(), vitrine.Batch{Downloads: []vitrine.Download{{ID: view, Link: 2, View: view}},
		Snapshots: []vitrine.Snapshot{{Link: 2, View: view, At: view.Ms() + 5000,
			Session: report.Session{EngagedMs: 4000, PresentMs: 5000}}}}); err != nil {
		t.Fatal(err)
	}
	h.check(t, l, account1, d, d+2)
}

// TestLiveLittleRoom checks that running days that are dropped from memory and
// read again give the same answers.
func TestLiveLittleRoom(t *testing.T) {
	for seed := range uint64(3) {
		r := randomHistory{rand.New(rand.NewPCG(seed, 12)), firstTestDay, 12, 6, 10}
		l, h := openTestLog(t), newFacts()
		l.lives.most = 20_000 // bytes, enough for some of eight scopes
		kept := map[int]bool{}
		for step := range 120 {
			b := r.batch(h, r.IntN(4), 5)
			both(t, h, l, b)
			if step%30 == 29 {
				rollUp(t, l, firstTestDay+report.Day(r.IntN(12)))
			}
			r.windows(t, h, l, 3)
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
			if step >= 8 { // all have views
				kept[len(l.lives.byScope)] = true
			}
		}
		if kept[8] || !kept[2] && !kept[3] {
			t.Fatalf("seed %d: the running days of too many scopes are in memory: %v", seed, kept)
		}
		clean(t, l)
	}
}

// TestAtOnce runs all operations concurrently in two processes. In the end
// every answer equals one fold.
func TestAtOnce(t *testing.T) {
	const d = firstTestDay
	path := sqltest.NewPlace(t)
	var logs []*ViewLog
	for range 2 {
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		l.least = minViews{1, 2, 3}
		logs = append(logs, l)
		defer func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	h := newFacts()
	var mu sync.Mutex // guards h; each goroutine has its own links, so that their order does not matter
	var all sync.WaitGroup
	writing, done := context.WithCancel(context.Background())
	for w := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 5))
			l := logs[w%2]
			link := int64(1 + w)
			for i := range 24 {
				var b vitrine.Batch
				var imported []vitrine.ViewRecord
				for range 5 {
					v := on(d+report.Day(r.IntN(80)), r.Int64N(86_400_000), link, uint64(r.IntN(20)))
					if i%8 == 7 {
						v.Viewer += 1000
						imported = append(imported, v)
						continue
					}
					b.Views = append(b.Views, v)
					b.Snapshots = append(b.Snapshots,
						vitrine.Snapshot{Link: vitrine.LinkID(link), View: vitrine.ViewID(v.ID), At: v.At + 9000,
							Session: report.Session{EngagedMs: r.Int64N(9000), PresentMs: 9000}})
				}
				mu.Lock()
				h.batch(b)
				for _, v := range imported {
					h.add(v, true)
				}
				mu.Unlock()
				if _, err := l.Append(context.Background(), b); err != nil {
					t.Error(err)
				}
				receipt := vitrine.ImportReceipt{File: [32]byte{byte(w)}, Lines: int64(i),
					At: (d + report.Day(r.IntN(90))).Time()}
				if err := l.Import(context.Background(), receipt, imported); err != nil {
					t.Error(err)
				}
				if i == 12 {
					mu.Lock()
					h.deleteLink(vitrine.LinkID(link))
					mu.Unlock()
					if err := l.DeleteLink(context.Background(), vitrine.LinkID(link)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	var others sync.WaitGroup
	for i, l := range logs {
		others.Go(func() {
			for n := report.Day(0); n < 25 && writing.Err() == nil; n++ {
				if err := l.RollUp(writing, d+(n*7)%85); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("RollUp = %v", err)
				}
			}
		})
		others.Go(func() {
			for n := int64(0); writing.Err() == nil; n++ {
				_, _, err := l.Tally(writing, vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1,
					Link: vitrine.LinkID(n % 5)}, From: d, To: d + 90, Brief: i == 0})
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("Tally = %v", err)
				}
			}
		})
	}
	all.Wait()
	done()
	others.Wait()
	for _, before := range []report.Day{0, d + 60, d + 90} {
		rollUp(t, logs[0], before)
		for _, l := range logs {
			for _, days := range []span{{d, d + 90}, {d + 3, d + 71}, {d + 40, d + 50}} {
				h.check(t, l, account1, days.from, days.to)
				for link := range vitrine.LinkID(4) {
					h.check(t, l, vitrine.Scope{Account: 1, Link: link + 1}, days.from, days.to)
				}
			}
		}
	}
	clean(t, logs[0])
}

// TestFeedGaps checks that the feed reports gaps for events that it has
// dropped, and for those of another process.
func TestFeedGaps(t *testing.T) {
	var f *tables.Feed = tables.NewFeed()
	f.Follow(1)
	for seq := int64(1); seq < tables.FeedTransactions+20; seq++ {
		c := f.Begin()
		c.Seq = seq
		c.Add(tables.Event{Account: 1, Link: 1, Downloads: seq})
		f.Publish(c)
	}
	last := int64(tables.FeedTransactions + 19)
	for _, c := range []struct {
		after, upTo int64
		events      int
		known       bool
	}{
		{last, last, 0, true}, {last - 5, last, 5, true},
		{last - tables.FeedTransactions, last, tables.FeedTransactions, true},
		{last - tables.FeedTransactions - 1, last, 0, false}, {last, last + 1, 0, false}, {last - 2, last - 1, 1, true},
	} {
		events, known := f.Since(1, c.after, c.upTo)
		if len(events) != c.events || known != c.known {
			t.Errorf("since %d up to %d: %d events, %v, want %d, %v", c.after, c.upTo, len(events), known, c.events,
				c.known)
		}
	}
	c := f.Begin()
	c.Seq = last + 2
	f.Publish(c)
	if _, known := f.Since(1, last, last+2); known {
		t.Error("a transaction of another process is skipped")
	}
	if _, known := f.Since(1, last+1, last+2); !known {
		t.Error("later events are not known")
	}
}
