package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/backend/spool"
	"vitrine/report"
)

// serverLog is a log that may be unavailable to one server only.
type serverLog struct {
	*frailLog
	away  atomic.Bool
	tries atomic.Int64 // includes calls while it was away
}

func (r *serverLog) Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	r.tries.Add(1)
	if r.away.Load() {
		return vitrine.Outcome{}, errDown
	}
	return r.frailLog.Append(ctx, b)
}

// peer is one of several servers over one log.
type peer struct {
	*ingest.Views
	t            *testing.T
	dir          string
	log          *serverLog
	spool, early *spool.Spool
	full         atomic.Bool // there is no space for early events
	dropped      int
}

// limitedSpool is the spool of early events, which fails while it is full.
type limitedSpool struct {
	*spool.Spool
	full *atomic.Bool
}

func (n limitedSpool) Append(b vitrine.Batch) error {
	if n.full.Load() {
		return spool.ErrFull
	}
	return n.Spool.Append(b)
}

func newPeer(t *testing.T, dir string, log *frailLog) *peer {
	s := &peer{t: t, dir: dir, log: &serverLog{frailLog: log}}
	s.start(nil)
	return s
}

func (s *peer) start(owner func(context.Context, vitrine.LinkID) (vitrine.AccountID, error)) {
	s.t.Helper()
	s.spool, s.early = openSpool(s.t, filepath.Join(s.dir, "spool")), openSpool(s.t, filepath.Join(s.dir, "early"))
	s.Views = &ingest.Views{Log: s.log, Spool: s.spool, Early: limitedSpool{s.early, &s.full}, Owner: owner,
		EarlyNotice: func(_, dropped int, _ error) { s.dropped += dropped }}
	s.Start()
}

// restart stops the server and starts another one on its directory.
func (s *peer) restart() {
	s.t.Helper()
	s.Close()
	if err := errors.Join(s.spool.Close(), s.early.Close()); err != nil {
		s.t.Error(err)
	}
	s.start(s.Owner)
}

// sendEvents sends a beacon and a download of the view with number n.
func (s *peer) sendEvents(n int, engaged int64) {
	s.t.Helper()
	id := vitrine.ViewID(newView(n).ID)
	err := s.Snapshot(s.t.Context(), &vitrine.Snapshot{Link: 1, View: id, Session: report.Session{EngagedMs: engaged}})
	if err := errors.Join(err, s.Download(s.t.Context(), &vitrine.Download{ID: id, Link: 1, View: id})); err != nil {
		s.t.Errorf("events of view %d: %v", n, err)
	}
}

// sharedLog returns a log to which several servers write.
func sharedLog(t *testing.T) *frailLog {
	log := newFrailLog(t, sound)
	log.shared = true
	return log
}

// wantEvents checks that a log has n views with their last beacon and download.
func (l *frailLog) wantEvents(n int, engaged int64) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.views) != n {
		l.t.Errorf("%d views, want %d", len(l.views), n)
	}
	for i := range n {
		if id := vitrine.ViewID(newView(i).ID); l.engaged[id] != engaged || !l.downloads[id] {
			l.t.Errorf("view %d: %d ms, downloaded = %v, want %d ms and a download", i, l.engaged[id],
				l.downloads[id], engaged)
		}
	}
}

// TestEarly makes the log unavailable to two servers. Views arrive at one of
// them, their beacons at the other, and some at both. Whichever reaches the log
// first, and whichever stops in between, the log has everything in the end.
func TestEarly(t *testing.T) {
	for _, first := range []string{"pages", "what they say", "both"} {
		for _, ends := range []string{"none", "pages", "what they say", "both"} {
			t.Run(first+" first, "+ends+" restarted", func(t *testing.T) {
				dirs := [2]string{t.TempDir(), t.TempDir()}
				synctest.Test(t, func(t *testing.T) {
					log := sharedLog(t)
					a, b := newPeer(t, dirs[0], log), newPeer(t, dirs[1], log)
					a.log.away.Store(true)
					b.log.away.Store(true)
					restart := func() {
						if ends == "pages" || ends == "both" {
							a.restart()
						}
						if ends == "what they say" || ends == "both" {
							b.restart()
						}
					}
					const n = 5
					for i := range n {
						write(t, a.Views, i)
						b.sendEvents(i, 2000)
						b.sendEvents(i, 2000)
					}
					restart()
					if first != "what they say" {
						a.log.away.Store(false)
					}
					if first != "pages" {
						b.log.away.Store(false)
					}
					if first != "both" {
						drained(t, map[string]*peer{"pages": a, "what they say": b}[first].spool)
					}
					if first == "what they say" && (b.early.Empty() || len(log.engaged) > 0) {
						t.Errorf("the log has no view, but engagement %v; the early spool has %d bytes", log.engaged,
							b.early.Size())
					}
					for i := range n { // one event goes to the log directly or is an early event at once
						b.sendEvents(i, 3000)
					}
					restart()
					a.log.away.Store(false)
					b.log.away.Store(false)
					drained(t, a.spool)
					drained(t, b.spool)
					drained(t, b.early)
					log.wantEvents(n, 3000)
					if !a.early.Empty() || a.dropped+b.dropped > 0 {
						t.Errorf("the server of the views has %d bytes of early events, and %d events were dropped, want none",
							a.early.Size(), a.dropped+b.dropped)
					}
					calls := log.count()
					write(t, b.Views, n)
					b.sendEvents(n, 3000)
					a.sendEvents(n, 3000)
					if log.count() != calls+5 || !b.early.Empty() || !a.early.Empty() {
						t.Error("the log is not written directly again")
					}
					log.wantEvents(n+1, 3000)
					a.Close()
					b.Close()
				})
			})
		}
	}
}

// TestEarlyIsDurable checks that a server acknowledges an early event only when
// it is on disk, where another server on its directory finds it.
func TestEarlyIsDurable(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := sharedLog(t)
		b := newPeer(t, dir, log)
		b.sendEvents(0, 1000)
		after := openSpool(t, filepath.Join(dir, "early")) // what is there after a crash
		found := 0
		err := after.Replay(t.Context(), func(batch vitrine.Batch) (vitrine.Batch, error) {
			found += len(batch.Snapshots) + len(batch.Downloads)
			return batch, nil
		})
		if err != nil || found != 2 || !b.spool.Empty() {
			t.Errorf("%d entries on disk, %v, want a snapshot and a download", found, err)
		}
		b.Close()
	})
}

// TestEarlyPauses checks that the pauses between attempts double up to half a
// minute, start again after progress, and end with the last event.
func TestEarlyPauses(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var times []time.Duration
		began := time.Now()
		log := sharedLog(t)
		log.before = func(int) error {
			mu.Lock()
			times = append(times, time.Since(began))
			mu.Unlock()
			return nil
		}
		b := newPeer(t, dir, log)
		defer b.Close()
		b.sendEvents(0, 1000)
		b.sendEvents(1, 1000)
		<-time.After(100 * time.Second)
		write(t, b.Views, 0)
		<-time.After(25 * time.Second)
		write(t, b.Views, 1)
		drained(t, b.early)
		var seconds []int
		for _, d := range times {
			seconds = append(seconds, int(d.Seconds()))
		}
		// Four calls add early events; then attempts; the first view at 100 s
		// and its events at 121 s; the second view at 125 s.
		want := []int{0, 0, 0, 0, 1, 3, 7, 15, 31, 61, 91, 100, 121, 122, 124, 125, 128}
		if !slices.Equal(seconds, want) {
			t.Errorf("calls of the log after %v seconds, want %v", seconds, want)
		}
		log.wantEvents(2, 1000)
	})
}

// TestEarlyRests checks that early events take a tenth of the log's time.
func TestEarlyRests(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := sharedLog(t)
		var slow atomic.Bool
		var busy atomic.Int64 // minutes
		log.before = func(int) error {
			if slow.Load() {
				<-time.After(time.Minute)
				busy.Add(1)
			}
			return nil
		}
		b := newPeer(t, dir, log)
		defer b.Close()
		b.sendEvents(0, 1000)
		slow.Store(true)
		<-time.After(10 * time.Hour)
		if share := float64(busy.Load()) / 600; share > 0.101 || share < 0.09 {
			t.Errorf("early events take %.3f of the log's time, want about 0.1", share)
		}
	})
}

// TestEarlyLogFails checks that while the log fails or hangs, early events are
// not tried more often than otherwise, are kept, and delay nothing else.
func TestEarlyLogFails(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		t.Run(fmt.Sprintf("hangs=%v", hangs), func(t *testing.T) {
			dirs := [2]string{t.TempDir(), t.TempDir()}
			synctest.Test(t, func(t *testing.T) {
				log := sharedLog(t)
				var hanging atomic.Bool
				release := make(chan struct{})
				log.before = func(int) error {
					if hanging.Load() {
						<-release
					}
					return nil
				}
				a, b := newPeer(t, dirs[0], log), newPeer(t, dirs[1], log)
				a.log.away.Store(true)
				write(t, a.Views, 0)
				b.sendEvents(0, 1000)
				hanging.Store(hangs)
				b.log.away.Store(!hangs)
				tries := b.log.tries.Load()
				<-time.After(10 * time.Minute)
				if n := b.log.tries.Load() - tries; n < 1 || n > 30 {
					t.Errorf("%d attempts, want 1 to 30", n)
				}
				began := time.Now()
				write(t, b.Views, 1)
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("a view took %v, want at most 2s", took)
				}
				b.sendEvents(1, 1000)
				close(release)
				b.log.away.Store(false)
				a.log.away.Store(false)
				drained(t, a.spool)
				drained(t, b.spool)
				drained(t, b.early)
				log.wantEvents(2, 1000)
				a.Close()
				b.Close()
			})
		})
	}
}

// TestEarlyFull checks that without space for early events only their callers
// get an error, and that they are accepted when there is space again.
func TestEarlyFull(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		hold, entered := make(chan struct{}), make(chan struct{})
		log := sharedLog(t)
		log.before = func(call int) error {
			if call == 2 { // the next batch has everything that arrives during this call
				entered <- struct{}{}
				<-hold
			}
			return nil
		}
		b := newPeer(t, dir, log)
		defer b.Close()
		write(t, b.Views, 0)
		b.full.Store(true)
		outcomes := make([]error, 7)
		var all sync.WaitGroup
		do := func(i int, f func(context.Context) error) { all.Go(func() { outcomes[i] = f(t.Context()) }) }
		known, unknown := vitrine.ViewID(newView(0).ID), vitrine.ViewID(newView(5).ID)
		do(0, func(ctx context.Context) error { return b.Add(ctx, newView(1)) })
		<-entered
		do(1, func(ctx context.Context) error { return b.Add(ctx, newView(2)) })
		do(2, func(ctx context.Context) error { return b.Snapshot(ctx, &vitrine.Snapshot{Link: 1, View: known}) })
		do(3, func(ctx context.Context) error { return b.Snapshot(ctx, &vitrine.Snapshot{Link: 1, View: unknown}) })
		do(4, func(ctx context.Context) error {
			return b.Download(ctx, &vitrine.Download{ID: unknown, Link: 1, View: unknown})
		})
		do(5, func(ctx context.Context) error {
			return b.Download(ctx, &vitrine.Download{ID: known, Link: 1, View: known})
		})
		do(6, func(ctx context.Context) error { return b.Snapshot(ctx, &vitrine.Snapshot{Link: 1, View: known}) })
		synctest.Wait()
		close(hold)
		all.Wait()
		for i, err := range outcomes {
			if i == 3 || i == 4 {
				if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, spool.ErrFull) {
					t.Errorf("entry %d, an early event without space: %v, want unavailable", i, err)
				}
			} else if err != nil {
				t.Errorf("entry %d: %v", i, err)
			}
		}
		if log.count() != 3 || len(log.ids()) != 3 || !b.early.Empty() || !b.spool.Empty() {
			t.Errorf("%d batches, %d views, early spool empty = %v, want 3, 3, true", log.count(), len(log.ids()),
				b.early.Empty())
		}
		b.full.Store(false)
		b.sendEvents(5, 1000)
		for i := 3; i <= 5; i++ {
			write(t, b.Views, i)
		}
		drained(t, b.early)
		if log.engaged[unknown] != 1000 || !log.downloads[unknown] {
			t.Errorf("with space again: %d ms, downloaded = %v", log.engaged[unknown], log.downloads[unknown])
		}
	})
}

// TestEarlyFullReplay checks that early events in the main spool without space
// elsewhere stay there, while views go to the log. With space they continue on
// their own.
func TestEarlyFullReplay(t *testing.T) {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		log := sharedLog(t)
		a, b := newPeer(t, dirs[0], log), newPeer(t, dirs[1], log)
		b.full.Store(true)
		a.log.away.Store(true)
		b.log.away.Store(true)
		write(t, a.Views, 0)
		b.sendEvents(0, 1000)
		write(t, b.Views, 1)
		b.sendEvents(1, 1000)
		b.log.away.Store(false)
		<-time.After(time.Hour)
		write(t, b.Views, 2)
		b.sendEvents(2, 1000)
		<-time.After(time.Hour)
		if got := log.ids(); len(got) != 2 || b.spool.Empty() || !b.early.Empty() || b.spool.Size() > 2000 {
			t.Errorf("views in the log = %v, spool has %d bytes", got, b.spool.Size())
		}
		if n := b.log.tries.Load(); n > 1000 {
			t.Errorf("%d calls of the log in two hours, want at most 1000", n)
		}
		b.full.Store(false)
		drained(t, b.spool)
		if b.early.Empty() {
			t.Error("there are no early events")
		}
		a.log.away.Store(false)
		drained(t, a.spool)
		drained(t, b.early)
		log.wantEvents(3, 1000)
		a.Close()
		b.Close()
	})
}

// TestEarlyDropped checks that events whose view does not arrive are finally
// dropped and counted, and that events of a deleted link are dropped silently
// once the deletion is known.
func TestEarlyDropped(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := sharedLog(t)
		b := newPeer(t, dir, log)
		var deleted, down atomic.Bool
		b.Owner = func(_ context.Context, id vitrine.LinkID) (vitrine.AccountID, error) {
			if down.Load() {
				return 0, vitrine.Unavailable(errors.New("the store is down"))
			}
			if deleted.Load() && id == 2 {
				return 0, nil
			}
			return 1, nil
		}
		b.restart()
		down.Store(true)
		b.sendEvents(0, 1000)
		id := vitrine.ViewID(newView(1).ID)
		if err := b.Snapshot(t.Context(), &vitrine.Snapshot{Link: 2, View: id}); err != nil {
			t.Error(err)
		}
		<-time.After(time.Hour)
		deleted.Store(true)
		<-time.After(time.Hour)
		size := b.early.Size()
		down.Store(false)
		<-time.After(time.Hour)
		if left := b.early.Size(); left >= size || left == 0 || b.dropped != 0 {
			t.Errorf("%[2]d of %[1]d bytes left after the link was deleted; %[3]d events counted as dropped, want 0",
				size, left, b.dropped)
		}
		b.restart()
		<-time.After(44 * time.Hour)
		if b.early.Empty() {
			t.Error("the events were dropped before two days had passed")
		}
		<-time.After(2 * time.Hour)
		if !b.early.Empty() || b.dropped != 2 {
			t.Errorf("after two days: %d bytes, %d dropped, want 0 and 2", b.early.Size(), b.dropped)
		}
		b.Close()
	})
}

// TestEarlyAfterDays checks that early events of one server wait for views in
// another server's spool after all servers were down for days, even if that one
// starts later.
func TestEarlyAfterDays(t *testing.T) {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		log := sharedLog(t)
		a, b := newPeer(t, dirs[0], log), newPeer(t, dirs[1], log)
		a.log.away.Store(true)
		write(t, a.Views, 0)
		b.sendEvents(0, 1000)
		a.Close()
		b.Close()
		if err := errors.Join(a.spool.Close(), a.early.Close(), b.spool.Close(), b.early.Close()); err != nil {
			t.Error(err)
		}
		<-time.After(5 * 24 * time.Hour)
		b.start(nil)
		<-time.After(50 * time.Minute)
		a.start(nil)
		a.log.away.Store(false)
		drained(t, a.spool)
		drained(t, b.early)
		log.wantEvents(1, 1000)
		if b.dropped != 0 {
			t.Errorf("%d events were dropped, want none", b.dropped)
		}
		a.Close()
		b.Close()
	})
}
