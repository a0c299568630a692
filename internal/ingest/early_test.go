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
	"vitrine/internal/ingest"
	"vitrine/internal/spool"
	"vitrine/report"
)

// reach is a log as one server has it: for that one it may be away.
type reach struct {
	*frailLog
	away  atomic.Bool
	tries atomic.Int64 // while it was away, too
}

func (r *reach) Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
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
	log          *reach
	spool, early *spool.Spool
	full         atomic.Bool // there is no room for what is early
	letGo        int
}

// narrow is the spool of what is early, as long as there is room.
type narrow struct {
	*spool.Spool
	full *atomic.Bool
}

func (n narrow) Append(b vitrine.Batch) error {
	if n.full.Load() {
		return spool.ErrFull
	}
	return n.Spool.Append(b)
}

func newPeer(t *testing.T, dir string, log *frailLog) *peer {
	s := &peer{t: t, dir: dir, log: &reach{frailLog: log}}
	s.start(nil)
	return s
}

func (s *peer) start(owner func(context.Context, vitrine.LinkID) (vitrine.AccountID, error)) {
	s.t.Helper()
	s.spool, s.early = openSpool(s.t, filepath.Join(s.dir, "spool")), openSpool(s.t, filepath.Join(s.dir, "early"))
	s.Views = &ingest.Views{Log: s.log, Spool: s.spool, Early: narrow{s.early, &s.full}, Owner: owner,
		EarlyNotice: func(_, letGo int, _ error) { s.letGo += letGo }}
	s.Start()
}

// restart ends the server and starts another one on what it has left.
func (s *peer) restart() {
	s.t.Helper()
	s.Close()
	if err := errors.Join(s.spool.Close(), s.early.Close()); err != nil {
		s.t.Error(err)
	}
	s.start(s.Owner)
}

// tell hands in what the page of a view says, and a download.
func (s *peer) tell(n int, engaged int64) {
	s.t.Helper()
	id := vitrine.ViewID(newView(n).ID)
	err := s.Snapshot(s.t.Context(), &vitrine.Snapshot{Link: 1, View: id, Session: report.Session{EngagedMs: engaged}})
	if err := errors.Join(err, s.Download(s.t.Context(), &vitrine.Download{ID: id, Link: 1, View: id})); err != nil {
		s.t.Errorf("what the page of open %d says: %v", n, err)
	}
}

// others returns a log that several servers write to.
func others(t *testing.T) *frailLog {
	log := newFrailLog(t, sound)
	log.others = true
	return log
}

// holds checks that a log has the first n views, of each what its page said
// last, and its download.
func (l *frailLog) holds(n int, engaged int64) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.views) != n {
		l.t.Errorf("%d opens, want %d", len(l.views), n)
	}
	for i := range n {
		if id := vitrine.ViewID(newView(i).ID); l.engaged[id] != engaged || !l.downloads[id] {
			l.t.Errorf("of open %d: %d ms, downloaded: %v; want %d ms and a download", i, l.engaged[id],
				l.downloads[id], engaged)
		}
	}
}

// The log is away from two servers. Pages come from one, what they say goes to
// the other, and some of it to both. Whichever is the first to have the log
// again, and whichever ends meanwhile: everything is in the log.
func TestEarly(t *testing.T) {
	for _, first := range []string{"pages", "what they say", "both"} {
		for _, ends := range []string{"none", "pages", "what they say", "both"} {
			t.Run(first+" first, "+ends+" restarted", func(t *testing.T) {
				dirs := [2]string{t.TempDir(), t.TempDir()}
				synctest.Test(t, func(t *testing.T) {
					log := others(t)
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
						b.tell(i, 2000)
						b.tell(i, 2000)
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
						t.Errorf("the log has no open, and of what was said %v; early is %d bytes", log.engaged,
							b.early.Size())
					}
					for i := range n { // one goes the ordinary way, or is early as soon as it comes
						b.tell(i, 3000)
					}
					restart()
					a.log.away.Store(false)
					b.log.away.Store(false)
					drained(t, a.spool)
					drained(t, b.spool)
					drained(t, b.early)
					log.holds(n, 3000)
					if !a.early.Empty() || a.letGo+b.letGo > 0 {
						t.Errorf("the server of the pages has %d bytes that are early, and %d were let go",
							a.early.Size(), a.letGo+b.letGo)
					}
					calls := log.count()
					write(t, b.Views, n)
					b.tell(n, 3000)
					a.tell(n, 3000)
					if log.count() != calls+5 || !b.early.Empty() || !a.early.Empty() {
						t.Error("the log is not written directly again")
					}
					log.holds(n+1, 3000)
					a.Close()
					b.Close()
				})
			})
		}
	}
}

// A server with a log in order acknowledges what is early once it is on its
// disk: another one on its directory has it.
func TestEarlyIsDurable(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := others(t)
		b := newPeer(t, dir, log)
		b.tell(0, 1000)
		after := openSpool(t, filepath.Join(dir, "early")) // as it would be after a crash right now
		found := 0
		err := after.Replay(t.Context(), func(batch vitrine.Batch) (vitrine.Batch, error) {
			found += len(batch.Snapshots) + len(batch.Downloads)
			return batch, nil
		})
		if err != nil || found != 2 || !b.spool.Empty() {
			t.Errorf("%d entries are on the disk, %v; want a snapshot and a download", found, err)
		}
		b.Close()
	})
}

// The pauses between tries double, to half a minute, begin anew with one that
// gets something done, and end with the last.
func TestEarlyPauses(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var times []time.Duration
		began := time.Now()
		log := others(t)
		log.before = func(int) error {
			mu.Lock()
			times = append(times, time.Since(began))
			mu.Unlock()
			return nil
		}
		b := newPeer(t, dir, log)
		defer b.Close()
		b.tell(0, 1000)
		b.tell(1, 1000)
		<-time.After(100 * time.Second)
		write(t, b.Views, 0)
		<-time.After(25 * time.Second)
		write(t, b.Views, 1)
		drained(t, b.early)
		var seconds []int
		for _, d := range times {
			seconds = append(seconds, int(d.Seconds()))
		}
		// Four come and are early; tries; the first view at 100 and what waits
		// for it at 121; the second at 125.
		want := []int{0, 0, 0, 0, 1, 3, 7, 15, 31, 61, 91, 100, 121, 122, 124, 125, 128}
		if !slices.Equal(seconds, want) {
			t.Errorf("the log was written to at %v, want %v", seconds, want)
		}
		log.holds(2, 1000)
	})
}

// A log that has much to do with what is early has nine tenths of its time for
// the rest.
func TestEarlyRests(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := others(t)
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
		b.tell(0, 1000)
		slow.Store(true)
		<-time.After(10 * time.Hour)
		if share := float64(busy.Load()) / 600; share > 0.101 || share < 0.09 {
			t.Errorf("the log is busy with it for %.3f of the time", share)
		}
	})
}

// While the log fails, what is early is tried no more often than at other
// times, stays, and holds up nobody; and so while it hangs.
func TestEarlyLogFails(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		t.Run(fmt.Sprintf("hangs=%v", hangs), func(t *testing.T) {
			dirs := [2]string{t.TempDir(), t.TempDir()}
			synctest.Test(t, func(t *testing.T) {
				log := others(t)
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
				b.tell(0, 1000)
				hanging.Store(hangs)
				b.log.away.Store(!hangs)
				tries := b.log.tries.Load()
				<-time.After(10 * time.Minute)
				if n := b.log.tries.Load() - tries; n < 1 || n > 30 {
					t.Errorf("it was tried %d times", n)
				}
				began := time.Now()
				write(t, b.Views, 1)
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("an open took %v", took)
				}
				b.tell(1, 1000)
				close(release)
				b.log.away.Store(false)
				a.log.away.Store(false)
				drained(t, a.spool)
				drained(t, b.spool)
				drained(t, b.early)
				log.holds(2, 1000)
				a.Close()
				b.Close()
			})
		})
	}
}

// With no room for what is early its callers are told, and they alone; with
// room again it is taken.
func TestEarlyFull(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		hold, entered := make(chan struct{}), make(chan struct{})
		log := others(t)
		log.before = func(call int) error {
			if call == 2 { // the next batch is of all that comes meanwhile
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
					t.Errorf("entry %d is early, and there is no room for it: %v", i, err)
				}
			} else if err != nil {
				t.Errorf("entry %d: %v", i, err)
			}
		}
		if log.count() != 3 || len(log.ids()) != 3 || !b.early.Empty() || !b.spool.Empty() {
			t.Errorf("%d batches, %d opens; early is empty: %v", log.count(), len(log.ids()), b.early.Empty())
		}
		b.full.Store(false)
		b.tell(5, 1000)
		for i := 3; i <= 5; i++ {
			write(t, b.Views, i)
		}
		drained(t, b.early)
		if log.engaged[unknown] != 1000 || !log.downloads[unknown] {
			t.Errorf("with room again: %d ms, downloaded: %v", log.engaged[unknown], log.downloads[unknown])
		}
	})
}

// What is early in the spool of all, and finds no room elsewhere, stays there
// alone: views go into the log meanwhile. With room it goes on by itself.
func TestEarlyFullReplay(t *testing.T) {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		log := others(t)
		a, b := newPeer(t, dirs[0], log), newPeer(t, dirs[1], log)
		b.full.Store(true)
		a.log.away.Store(true)
		b.log.away.Store(true)
		write(t, a.Views, 0)
		b.tell(0, 1000)
		write(t, b.Views, 1)
		b.tell(1, 1000)
		b.log.away.Store(false)
		<-time.After(time.Hour)
		write(t, b.Views, 2)
		b.tell(2, 1000)
		<-time.After(time.Hour)
		if got := log.ids(); len(got) != 2 || b.spool.Empty() || !b.early.Empty() || b.spool.Size() > 2000 {
			t.Errorf("the log has the opens %v, the spool %d bytes", got, b.spool.Size())
		}
		if n := b.log.tries.Load(); n > 1000 {
			t.Errorf("the log was asked %d times in two hours", n)
		}
		b.full.Store(false)
		drained(t, b.spool)
		if b.early.Empty() {
			t.Error("nothing is early")
		}
		a.log.away.Store(false)
		drained(t, a.spool)
		drained(t, b.early)
		log.holds(3, 1000)
		a.Close()
		b.Close()
	})
}

// What waits for a view that does not come is dropped in the end, and it is
// said of how much; what is of a link that was deleted goes without a word,
// once it is known that it was.
func TestEarlyLetGo(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := others(t)
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
		b.tell(0, 1000)
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
		if left := b.early.Size(); left >= size || left == 0 || b.letGo != 0 {
			t.Errorf("of %d bytes %d are left once a link is known to be deleted; %d were let go", size, left, b.letGo)
		}
		b.restart()
		<-time.After(44 * time.Hour)
		if b.early.Empty() {
			t.Error("it was let go before two days had passed")
		}
		<-time.After(2 * time.Hour)
		if !b.early.Empty() || b.letGo != 2 {
			t.Errorf("after two days: %d bytes, %d let go", b.early.Size(), b.letGo)
		}
		b.Close()
	})
}

// When all servers were down for days, what one has early waits for what
// another has in its spool, though that one starts later.
func TestEarlyAfterDays(t *testing.T) {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		log := others(t)
		a, b := newPeer(t, dirs[0], log), newPeer(t, dirs[1], log)
		a.log.away.Store(true)
		write(t, a.Views, 0)
		b.tell(0, 1000)
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
		log.holds(1, 1000)
		if b.letGo != 0 {
			t.Errorf("%d were let go", b.letGo)
		}
		a.Close()
		b.Close()
	})
}
