package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/backend/spool"
	"vitrine/report"
)

// at is close to the time at which synctest's clock begins.
const at = 946_684_800_000

// frailLog stores what Views writes like a ViewLog, and can wait or fail first.
type frailLog struct {
	vitrine.ViewLog // Views uses only Append
	t               *testing.T
	before          func(call int) error // may wait; its error is Append's result
	shared          bool                 // other servers write to it, too
	lost            bool                 // a failing call takes effect nevertheless
	forgotten       vitrine.ViewID       // views before it are refused

	mu        sync.Mutex
	calls     int
	views     map[vitrine.ViewID]vitrine.ViewRecord
	order     []vitrine.ViewID
	engaged   map[vitrine.ViewID]int64
	downloads map[vitrine.ViewID]bool
}

func newFrailLog(t *testing.T, before func(call int) error) *frailLog {
	return &frailLog{t: t, before: before, views: map[vitrine.ViewID]vitrine.ViewRecord{},
		engaged:   map[vitrine.ViewID]int64{},
		downloads: map[vitrine.ViewID]bool{}}
}

func (l *frailLog) Append(_ context.Context, b vitrine.Batch) (o vitrine.Outcome, _ error) {
	l.mu.Lock()
	l.calls++
	call := l.calls
	l.mu.Unlock()
	err := l.before(call)
	if err != nil && !l.lost {
		return o, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	o.Refused = make([]error, len(b.Views))
	for i, view := range b.Views {
		id := vitrine.ViewID(view.ID)
		if there, ok := l.views[id]; id < l.forgotten {
			o.Refused[i] = vitrine.ErrDayExpired
		} else if !ok {
			l.views[id] = view
			l.order = append(l.order, id)
		} else if there != view {
			o.Refused[i] = vitrine.ErrExists
		}
	}
	known := func(id vitrine.ViewID) bool {
		_, ok := l.views[id]
		if !ok && !l.shared {
			l.t.Errorf("an event of view %d arrived before the view", id)
		}
		return ok
	}
	for _, s := range b.Snapshots {
		if known(s.View) {
			l.engaged[s.View] = max(l.engaged[s.View], s.Session.EngagedMs)
		} else {
			o.Early.Snapshots = append(o.Early.Snapshots, s)
		}
	}
	for _, d := range b.Downloads {
		if known(d.View) {
			l.downloads[d.ID] = true
		} else {
			o.Early.Downloads = append(o.Early.Downloads, d)
		}
	}
	return o, err
}

// ids returns the views in the order in which the log stored them.
func (l *frailLog) ids() []vitrine.ViewID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.order)
}

func (l *frailLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}

var errDown = vitrine.Unavailable(errors.New("the log is down"))

func sound(int) error { return nil }

// down returns a hook that fails the first calls.
func down(times int) func(int) error {
	return func(call int) error {
		if call <= times {
			return errDown
		}
		return nil
	}
}

func openSpool(t *testing.T, dir string) *spool.Spool {
	t.Helper()
	s, err := spool.Open(dir, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// notices are the errors that Views has reported.
type notices struct {
	mu  sync.Mutex
	all []error
}

func (n *notices) add(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, err)
}

// startViews starts Views with a spool in a directory.
func startViews(t *testing.T, log vitrine.ViewLog, dir string) (*ingest.Views, *spool.Spool, *notices) {
	s, n := openSpool(t, dir), &notices{}
	v := &ingest.Views{Log: log, Spool: s, Notice: n.add}
	v.Start()
	return v, s, n
}

func newView(n int) *vitrine.ViewRecord {
	return &vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(vitrine.ViewIDAt(at, n)), At: at, Link: 1,
		Viewer: uint64(n)}}
}

func write(t *testing.T, v *ingest.Views, n int) {
	t.Helper()
	if err := v.Add(t.Context(), newView(n)); err != nil {
		t.Errorf("Add of view %d = %v, want nil", n, err)
	}
}

func wantViews(t *testing.T, log *frailLog, n int) {
	t.Helper()
	var want []vitrine.ViewID
	for i := range n {
		want = append(want, vitrine.ViewIDAt(at, i))
	}
	if got := log.ids(); !slices.Equal(got, want) {
		t.Errorf("views in the log = %v, want %v", got, want)
	}
}

// drained waits until nothing happens for an hour, and checks that the spool is
// empty.
func drained(t *testing.T, s vitrine.Spool) {
	t.Helper()
	<-time.After(time.Hour)
	synctest.Wait()
	if !s.Empty() {
		t.Error("the spool is not empty")
	}
}

// TestViewsLogFails checks that callers do not notice a log that fails several
// times, that it gets everything once and in order, and that it is written
// directly afterwards.
func TestViewsLogFails(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("lost=%v", lost), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				log := newFrailLog(t, down(5))
				log.lost = lost
				v, s, notices := startViews(t, log, dir)
				defer v.Close()
				for i := range 10 {
					write(t, v, i)
				}
				if s.Empty() {
					t.Error("the spool is empty")
				}
				drained(t, s)
				calls := log.count()
				write(t, v, 10)
				if log.count() != calls+1 || !s.Empty() {
					t.Error("the log is not written directly again")
				}
				wantViews(t, log, 11)
				if n := len(notices.all); n != 6 || notices.all[n-1] != nil || slices.Contains(notices.all[:n-1], nil) {
					t.Errorf("notices = %v, want five failures and the end", notices.all)
				}
			})
		})
	}
}

// TestViewsOfDeleted checks that spooled views of a link that was deleted, or
// belongs to another account by now, are dropped when the log is back, and no
// others.
func TestViewsOfDeleted(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, down(3))
		s := openSpool(t, dir)
		asked := 0
		v := &ingest.Views{Log: log, Spool: s, Owner: func(_ context.Context, id vitrine.LinkID) (vitrine.AccountID,
			error) {
			if asked++; asked == 1 {
				return 0, vitrine.Unavailable(errors.New("the store is down"))
			}
			return map[vitrine.LinkID]vitrine.AccountID{1: 1, 3: 7}[id], nil
		}}
		v.Start()
		defer v.Close()
		write(t, v, 0)
		for _, link := range []int64{2, 3} {
			gone := newView(1)
			gone.Link = link
			if err := v.Add(t.Context(), gone); err != nil {
				t.Error(err)
			}
		}
		drained(t, s)
		wantViews(t, log, 1)
	})
}

// TestViewsPauses checks that the pauses between attempts double up to half a
// minute, and start again with the next failure.
func TestViewsPauses(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var times []time.Time
		log := newFrailLog(t, func(call int) error {
			times = append(times, time.Now())
			return down(12)(call)
		})
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		write(t, v, 0)
		drained(t, s)
		var pauses []time.Duration
		for i := range times[1:] {
			pauses = append(pauses, times[i+1].Sub(times[i]))
		}
		ms := time.Millisecond
		want := []time.Duration{250 * ms, 500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms, 16000 * ms, 30000 * ms,
			30000 * ms, 30000 * ms, 30000 * ms, 30000 * ms}
		if !slices.Equal(pauses, want) {
			t.Errorf("pauses = %v, want %v", pauses, want)
		}
	})
}

// TestViewsPausesAnew checks that an attempt with some progress does not
// lengthen the pauses.
func TestViewsPausesAnew(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var v *ingest.Views
		log := newFrailLog(t, func(call int) error {
			if call == 4 { // the replay; what arrives during it goes to the hand-over, which fails
				if err := v.Add(context.Background(), newView(1)); err != nil {
					t.Error(err)
				}
			}
			if call == 6 && time.Since(began) != 2*time.Second {
				t.Errorf("next attempt after %v, want 2s", time.Since(began))
			}
			return map[int]error{1: errDown, 2: errDown, 3: errDown, 5: errDown}[call]
		})
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		write(t, v, 0)
		drained(t, s)
		wantViews(t, log, 2)
	})
}

// TestViewsLogHangs checks that while the log hangs, the first callers wait up
// to the limit, and the next ones not at all.
func TestViewsLogHangs(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		log := newFrailLog(t, func(int) error { <-release; return nil })
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		took := func(n int) time.Duration {
			began := time.Now()
			write(t, v, n)
			return time.Since(began)
		}
		if d := took(0); d != 2*time.Second {
			t.Errorf("the first view took %v, want 2s", d)
		}
		for i := 1; i < 100; i++ {
			if d := took(i); d != 0 {
				t.Errorf("view %d took %v, want 0", i, d)
			}
		}
		<-time.After(time.Minute)
		if n := log.count(); n != 1 {
			t.Errorf("%d calls in progress in the log, want 1", n)
		}
		close(release)
		drained(t, s)
		wantViews(t, log, 100)
	})
}

// TestViewsHandOverHangs checks that a log that hangs during the hand-over
// delays callers no longer than otherwise.
func TestViewsHandOverHangs(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var v *ingest.Views
		log := newFrailLog(t, func(call int) error {
			switch call {
			case 1:
				return errDown
			case 2: // the replay; what arrives during it goes to the hand-over
				if err := v.Add(context.Background(), newView(1)); err != nil {
					t.Error(err)
				}
			case 3:
				<-release
			}
			return nil
		})
		v, s, _ := startViews(t, log, dir)
		defer v.Close()
		write(t, v, 0)
		<-time.After(251 * time.Millisecond)
		began := time.Now()
		write(t, v, 2)
		if d := time.Since(began); d > 2*time.Second || d == 0 {
			t.Errorf("a view took %v, want at most 2s", d)
		}
		close(release)
		drained(t, s)
		wantViews(t, log, 3)
	})
}

// TestViewsRestart checks that the next process writes a stopped process's
// spool to the log, before its own views.
func TestViewsRestart(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, down(1000))
		for i := range 3 {
			v, s, _ := startViews(t, log, dir)
			write(t, v, 2*i)
			write(t, v, 2*i+1)
			v.Close()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		log.before = sound
		v, s, notices := startViews(t, log, dir)
		defer v.Close()
		write(t, v, 6)
		drained(t, s)
		wantViews(t, log, 7)
		if len(notices.all) != 1 || notices.all[0] != nil {
			t.Errorf("notices = %v, want only the end", notices.all)
		}
	})
}

// TestViewsForgotten checks that a spooled view of a day that expired in the
// meantime is dropped, and does not block later ones.
func TestViewsForgotten(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, down(1))
		log.forgotten = vitrine.ViewID(newView(3).ID)
		v, s, _ := startViews(t, log, dir)
		write(t, v, 2)
		write(t, v, 3)
		drained(t, s)
		v.Close()
		if got := log.ids(); !slices.Equal(got, []vitrine.ViewID{log.forgotten}) {
			t.Errorf("views in the log = %d", got)
		}
	})
}

// TestViewsMovesOn checks that a spooled view whose ID is taken, although its
// page was answered long ago, gets the next free ID.
func TestViewsMovesOn(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := newFrailLog(t, down(1))
		for _, n := range []int{1<<21 - 2, 1<<21 - 1, 0} {
			view := newView(n)
			view.Viewer = 99
			log.views[vitrine.ViewID(view.ID)] = *view
		}
		v, s, _ := startViews(t, log, dir)
		write(t, v, 1<<21-2)
		drained(t, s)
		if err := v.Add(t.Context(), newView(1<<21-1)); !errors.Is(err, vitrine.ErrExists) {
			t.Errorf("Add with a taken ID = %v, want ErrExists", err)
		}
		v.Close()
		if view := log.views[vitrine.ViewIDAt(at, 1)]; view.Viewer != 1<<21-2 || view.At != at || len(log.views) != 4 {
			t.Errorf("moved view = %+v, of %d views", view, len(log.views))
		}
	})
}

// brokenSpool is a spool that cannot be written.
type brokenSpool struct{ vitrine.Spool }

func (brokenSpool) Append(vitrine.Batch) error { return errors.New("no space left on device") }
