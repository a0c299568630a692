package porttest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// Spool checks a spool. open opens the spool in a directory, which may exist
// already, and closes it with the test.
func Spool(t *testing.T, open func(t *testing.T, dir string) vitrine.Spool) {
	for name, run := range map[string]func(spoolTest){
		"Replay":   spoolTest.replayed,
		"Reopen":   spoolTest.reopened,
		"Fails":    spoolTest.fails,
		"Context":  spoolTest.ended,
		"Left":     spoolTest.left,
		"During":   spoolTest.during,
		"Together": spoolTest.together,
	} {
		t.Run(name, func(t *testing.T) {
			s := spoolTest{T: t, dir: t.TempDir(), open: open}
			run(s.again())
		})
	}
}

type spoolTest struct {
	*testing.T
	vitrine.Spool
	dir  string
	open func(t *testing.T, dir string) vitrine.Spool
}

// again opens the directory like the next process.
func (t spoolTest) again() spoolTest {
	t.Spool = t.open(t.T, t.dir)
	return t
}

// SpoolBatch returns a view, its snapshot and its download, with all their
// fields.
func SpoolBatch(id int) vitrine.Batch {
	view := report.View{ID: int64(id), At: 5, Link: 1 << 60, Viewer: 1<<64 - 1, Country: "FR", City: "Orléans",
		Referrer: "<script>&\u2028", Device: "mobile", Bot: "crawler", QR: true}
	session := report.Session{EngagedMs: 1 << 40, Screen: "0-575", Downloaded: true,
		Pages: []report.PageTime{{Page: 3, Ms: 4}}, Played: 1, Reached: 2, Depth: 3}
	return vitrine.Batch{
		Views: []vitrine.ViewRecord{{Account: 7, View: view}},
		Snapshots: []vitrine.Snapshot{{Link: 1 << 60, View: vitrine.ViewID(id), At: 6, Bot: report.BotAutomation,
			Session: session}},
		Downloads: []vitrine.Download{{ID: 9, Link: 1 << 60, View: vitrine.ViewID(id)}},
	}
}

// SpoolAdd appends the batches with some IDs.
func SpoolAdd(t testing.TB, s vitrine.Spool, ids ...int) {
	t.Helper()
	for _, id := range ids {
		if err := s.Append(SpoolBatch(id)); err != nil {
			t.Fatal(err)
		}
	}
}

// SpoolReplay accepts everything except the events of some views, and returns
// the IDs in the order of the replay.
func SpoolReplay(t testing.TB, s vitrine.Spool, leave ...int) (ids []int) {
	t.Helper()
	err := s.Replay(context.Background(), func(b vitrine.Batch) (left vitrine.Batch, err error) {
		for i, s := range b.Snapshots {
			id := int(s.View)
			one := vitrine.Batch{Views: b.Views[i : i+1], Snapshots: b.Snapshots[i : i+1],
				Downloads: b.Downloads[i : i+1]}
			if !reflect.DeepEqual(one, SpoolBatch(id)) {
				t.Errorf("replayed %+v, want %+v", one, SpoolBatch(id))
			}
			if ids = append(ids, id); slices.Contains(leave, id) {
				left.Add(one)
			}
		}
		return left, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// SpoolWant checks the replayed IDs.
func SpoolWant(t testing.TB, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("replayed %v, want %v", got, want)
	}
}

// holds checks the content with a replay that accepts nothing.
func (t spoolTest) holds(ids ...int) {
	t.Helper()
	SpoolWant(t, SpoolReplay(t, t, ids...), ids...)
	if t.Empty() != (len(ids) == 0) {
		t.Errorf("with %v in the spool, Empty = %v", ids, t.Empty())
	}
}

// replayed checks that each appended record is replayed once, in order.
func (t spoolTest) replayed() {
	t.holds()
	SpoolAdd(t, t, 1, 2, 3)
	if t.Empty() {
		t.Error("Empty = true with three batches")
	}
	SpoolWant(t, SpoolReplay(t, t), 1, 2, 3)
	t.holds()
}

// reopened checks that the next process gets everything, however the last one
// ended.
func (t spoolTest) reopened() {
	for i := range 3 {
		if t.Empty() != (i == 0) {
			t.Errorf("opened %d times, Empty = %v", i, t.Empty())
		}
		SpoolAdd(t, t, 2*i, 2*i+1)
		t = t.again()
	}
	SpoolWant(t, SpoolReplay(t, t), 0, 1, 2, 3, 4, 5)
	t.again().holds()
}

// fails checks that a replay returns the first error of its function, and that
// only records that the function did not accept are replayed again.
func (t spoolTest) fails() {
	failed := errors.New("the log is away")
	for range 3 {
		SpoolAdd(t, t, 1, 2)
		calls := 0
		err := t.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) { calls++; return b, failed })
		if !errors.Is(err, failed) || calls != 1 {
			t.Errorf("%d calls, %v, want 1 call and its error", calls, err)
		}
		t.holds(1, 2)
		SpoolWant(t, SpoolReplay(t, t), 1, 2)
	}
}

// ended checks that a replay whose context has ended replays nothing.
func (t spoolTest) ended() {
	SpoolAdd(t, t, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := t.Replay(ended, func(b vitrine.Batch) (vitrine.Batch, error) {
		t.Error("the function was called")
		return b,
			nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Replay after the end of its context = %v, want %v", err, context.Canceled)
	}
	t.holds(1)
}

// left checks that records that a replay leaves, and no others, are replayed by
// the next replay and the next process.
func (t spoolTest) left() {
	SpoolAdd(t, t, 1, 2, 3, 4)
	for _, left := range [][]int{{1, 2, 3, 4}, {2, 4}, {2, 4}, {4}} {
		SpoolReplay(t, t, left...)
		t.holds(left...)
		t = t.again()
		t.holds(left...)
	}
	SpoolWant(t, SpoolReplay(t, t), 4)
	t.holds()
}

// during checks that records that are appended during a replay are part of the
// next one.
func (t spoolTest) during() {
	SpoolAdd(t, t, 1)
	err := t.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) {
		if id := b.Views[0].ID; id != 1 || len(b.Views) != 1 {
			t.Errorf("%d views replayed, the first with ID %d", len(b.Views), id)
		}
		SpoolAdd(t, t, 2)
		return vitrine.Batch{}, nil
	})
	if err != nil {
		t.Error(err)
	}
	t.holds(2)
}

// together appends from several goroutines during a replay. Everything must be
// replayed once, and each goroutine's records in order.
func (t spoolTest) together() {
	const n, writers = 250, 2
	var adding sync.WaitGroup
	for w := range writers {
		adding.Go(func() {
			for i := range n {
				if err := t.Append(SpoolBatch(w*n + i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	added := make(chan struct{})
	go func() { adding.Wait(); close(added) }()
	var got []int
	for last := false; !last; {
		select {
		case <-added:
			last = true
		default:
		}
		got = append(got, SpoolReplay(t, t)...)
	}
	next := [writers]int{0, n}
	for _, id := range got {
		w := id / n
		if id != next[w] {
			t.Fatalf("%d is followed by %d", next[w]-1, id)
		}
		next[w]++
	}
	vitrinetest.Equal(t, "number of batches", len(got), n*writers)
	t.holds()
}
