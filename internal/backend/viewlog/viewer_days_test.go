package viewlog

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// TestIndexOfViewerDays checks that the index finds what was added, with any
// number and order of runs, merged or not, and nothing that was removed.
func TestIndexOfViewerDays(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 3))
		l := openTestLog(t)
		all := map[segment.ViewerDay]bool{}
		viewer := func() int64 {
			switch r.IntN(3) {
			case 0:
				return int64(r.IntN(5)) - 2
			case 1:
				return math.MinInt64 + int64(r.IntN(3))
			}
			return int64(r.Uint64()) >> r.IntN(60)
		}
		for range 12 {
			var list []segment.ViewerDay
			for range r.IntN(600) {
				list = append(list, segment.ViewerDay{Viewer: viewer(), Link: 1 + r.Int64N(4), Day: report.Day(r.IntN(50))})
			}
			list = segment.SortViewerDays(list)
			err := l.transact(t.Context(), func(tx logTx) error { return tx.AddRun(7, list) })
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				all[e] = true
			}
			var gone []segment.ViewerDay
			for e := range all {
				if r.IntN(4) == 0 {
					gone = append(gone, e)
					delete(all, e)
				}
			}
			gone = append(gone, segment.ViewerDay{Viewer: viewer(), Link: 9, Day: 9})
			if err := l.transact(t.Context(), func(tx logTx) error {
				return tx.RemoveViewerDays(7,
					segment.SortViewerDays(gone))
			}); err != nil {
				t.Fatal(err)
			}
			if r.IntN(3) == 0 {
				if err := l.mergeRuns(&dyingContext{Context: t.Context(), lives: r.IntN(9)}, 7, true); err != nil &&
					err != context.Canceled {
					t.Fatal(err)
				}
			}
			by := map[int64][]segment.ViewerDay{}
			for e := range all {
				by[e.Viewer] = append(by[e.Viewer], e)
			}
			for range 20 {
				v := viewer()
				by[v] = by[v][:len(by[v]):len(by[v])]
			}
			var viewers []int64
			for v := range by {
				viewers = append(viewers, v)
				slices.SortFunc(by[v], segment.ViewerDay.Compare)
			}
			slices.Sort(viewers)
			err = l.read(t.Context(), func(tx logTx) error {
				for _, many := range []int{0, 1 << 30} {
					h, err := tx.History(7)
					if err != nil {
						return err
					}
					h.Expect(many)
					for _, v := range viewers {
						found, err := h.Of(v)
						if err != nil || !slices.Equal(found, by[v]) {
							t.Fatalf("seed %d: viewer %d: %v, %v, want %v", seed, v, found, err, by[v])
						}
					}
					for range 50 {
						v := viewers[r.IntN(len(viewers))]
						if found, err := h.LookUp(v); err != nil || !slices.Equal(found, by[v]) {
							t.Fatalf("seed %d: lookUp of viewer %d = %v, %v, want %v", seed, v, found, err, by[v])
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestMergeAtOnce checks that concurrent merges, as of a server that rolls up
// and an import, complete.
func TestMergeAtOnce(t *testing.T) {
	l := openTestLog(t)
	const runs, entries = 8, tables.MergeBatch * 3 / 4
	for n := range int64(runs) {
		var list []segment.ViewerDay
		for i := range int64(entries) {
			list = append(list, segment.ViewerDay{Viewer: i*runs + n, Link: 1, Day: 20_000})
		}
		if err := l.transact(t.Context(), func(tx logTx) error { return tx.AddRun(1, list) }); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun, limit := firstRuns(t, l), int64(60)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := l.mergeRuns(ctx, 1, true); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	for {
		select {
		case <-ended:
			if left := runsOf(t, l); len(left) > segment.FewRuns {
				t.Errorf("%d runs are left", len(left))
			}
			return
		case <-time.After(50 * time.Millisecond): // checks the progress
			if n := firstRuns(t, l) - begun; n > limit {
				cancel()
				<-ended
				t.Fatalf("%d merges have begun and none has completed, because each drops the other's", n)
			}
		}
	}
}

// TestMergeDroppedByAnother checks that a merge whose run another process has
// dropped and started again stops, and that the index loses nothing.
func TestMergeDroppedByAnother(t *testing.T) {
	l := openTestLog(t)
	var want int64
	for n := range int64(4) {
		var list []segment.ViewerDay
		for i := range int64(tables.MergeBatch / 2) {
			list = append(list, segment.ViewerDay{Viewer: i*4 + n, Link: 1, Day: 20_000})
		}
		want += int64(len(list))
		if err := l.transact(t.Context(), func(tx logTx) error { return tx.AddRun(1, list) }); err != nil {
			t.Fatal(err)
		}
	}
	var one, other *tables.Merge
	update := func(f func(logTx) error) {
		t.Helper()
		if err := l.transact(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx logTx) (err error) { one, err = tx.BeginMerge(1, 0, true); return err })
	update(func(tx logTx) error { _, err := one.Step(tx.Index, 0); return err })
	update(func(tx logTx) error { _, err := tx.Exec("UPDATE runs SET merging = 1 WHERE merging <> 0"); return err }) // as after a minute
	update(func(tx logTx) error { _, err := tx.DropInvalidRun(1); return err })
	update(func(tx logTx) (err error) { other, err = tx.BeginMerge(1, 0, true); return err })
	for more := true; more; {
		update(func(tx logTx) (err error) { more, err = one.Step(tx.Index, 0); return err })
	}
	if other == nil {
		t.Fatal("the other process has nothing to merge")
	}
	var got int64
	err := l.read(t.Context(), func(tx logTx) error {
		runs, err := tx.Runs(1)
		if err != nil {
			return err
		}
		for _, r := range runs {
			err := tx.DayRows(1, r.Number, math.MinInt64, 1<<30, func(first int64, data []byte) error {
				list, err := segment.ReadViewerDays(nil, first, data)
				got += int64(len(list))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || got != want {
		t.Errorf("%d entries are left, want %d, %v", got, want, err)
	}
}

// firstRuns returns the highest number of a run so far.
func firstRuns(t *testing.T, l *ViewLog) (n int64) {
	t.Helper()
	err := l.read(context.Background(), func(tx logTx) error {
		return tx.Get([]any{&n},
			"SELECT coalesce(max(run), 0) FROM runs")
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func runsOf(t *testing.T, l *ViewLog) (list []tables.Run) {
	t.Helper()
	err := l.read(context.Background(), func(tx logTx) (err error) { list, err = tx.Runs(1); return err })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestViewerDaysDamaged checks that a damaged row of viewer days is an error
// for the report that needs it, not a panic.
func TestViewerDaysDamaged(t *testing.T) {
	const d = firstTestDay
	for _, data := range [][]byte{{}, {0}, {0x80}, {0, 0xff, 0xff}} {
		l := openTestLog(t)
		v := on(d, 0, 1, 5)
		appendViews(t, l, v, on(d+1, 0, 1, 5), on(d+4, 0, 1, 6))
		rollUp(t, l, d+3)
		tamper(t, l, "UPDATE viewer_days SET data = $1", data)
		for name, f := range map[string]func() error{
			"Append": func() error {
				_, err := l.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{on(d, 5, 1, 5)}})
				return err
			},
			"Audit": func() error { return l.Audit(t.Context(), true, func(string, bool) {}) },
			"Tally": func() error {
				_, _, err := l.Tally(t.Context(), vitrine.TallyQuery{Scope: account1, From: d, To: d + 5})
				return err
			},
			"Delete": func() error { return l.DeleteLink(t.Context(), 1) },
		} {
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s with the row of viewerDays %x panics: %v", name, data, p)
					}
				}()
				_ = f()
			}()
		}
	}
}

// TestViewerDayFacts compares facts of viewer days with those computed from
// sets, for any part of the history.
func TestViewerDayFacts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for range 200 {
		var old, asked []segment.ViewerDay
		for range r.IntN(60) {
			e := segment.ViewerDay{Viewer: int64(r.IntN(4)), Link: 1 + r.Int64N(3), Day: report.Day(r.IntN(20))}
			if old = append(old, e); e.Day >= 5 && e.Day < 15 || r.IntN(9) == 0 {
				asked = append(asked, e)
			}
		}
		l := openTestLog(t)
		if err := l.transact(t.Context(), func(tx logTx) error {
			return tx.AddRun(1,
				segment.SortViewerDays(slices.Clone(old)))
		}); err != nil {
			t.Fatal(err)
		}
		for _, link := range []vitrine.LinkID{0, 2} {
			asked := slices.DeleteFunc(segment.SortViewerDays(slices.Clone(asked)),
				func(e segment.ViewerDay) bool { return link != 0 && e.Link != int64(link) })
			want := map[segment.Fact]int{}
			of := func(scope int64, e segment.ViewerDay) {
				prev := report.NoDay
				for _, o := range old {
					if o.Viewer == e.Viewer && o.Day < e.Day &&
						(scope == 0 && (link == 0 || o.Link == int64(link)) || o.Link == scope) {
						prev = max(prev, o.Day)
					}
				}
				want[segment.Fact{Link: scope, Day: e.Day, Prev: prev}]++
			}
			seen := map[segment.ViewerDay]bool{}
			for _, e := range asked {
				of(e.Link, e)
				if whole := (segment.ViewerDay{Viewer: e.Viewer, Link: 0, Day: e.Day}); !seen[whole] {
					seen[whole] = true
					of(0, e)
				}
			}
			err := l.read(t.Context(), func(tx logTx) error {
				h, err := tx.History(1)
				if err != nil {
					return err
				}
				return eachViewerDay(h, link, asked, func(f segment.Fact) { want[f]-- })
			})
			if err != nil {
				t.Fatal(err)
			}
			for f, n := range want {
				if n != 0 {
					t.Errorf("link %d, fact %+v: %+d", link, f, -n)
				}
			}
		}
		if t.Failed() {
			slices.SortFunc(old, func(a, b segment.ViewerDay) int { return cmp.Or(a.Compare(b)) })
			t.Fatalf("history = %v", old)
		}
	}
}
