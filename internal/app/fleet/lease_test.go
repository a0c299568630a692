package fleet_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/fixture"
)

// process is one of several processes on a store. Its clock is ahead by the
// given time.
type process struct {
	*fleet.Leases
	t     *testing.T
	store *fixture.FailingStore
}

func newProcess(t *testing.T, store vitrine.Store, ahead time.Duration) *process {
	p := &process{t: t, store: &fixture.FailingStore{Store: store}}
	p.Leases = &fleet.Leases{Store: p.store, Holder: fleet.NewHolder(),
		Now: func() time.Time { return time.Now().Add(ahead) }}
	return p
}

func openStore(t *testing.T) vitrine.Store {
	t.Helper()
	store, err := sqlstore.Open(filepath.Join(fixture.Databases(t), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// acquires reports whether a process gets the lease of some work that does
// nothing.
func (p *process) acquires(name string) bool {
	p.t.Helper()
	worked := false
	held, err := p.Hold(context.Background(), name, nil, func(context.Context) error { worked = true; return nil })
	if err != nil || held != worked {
		p.t.Errorf("held %v, worked %v: %v", held, worked, err)
	}
	return held
}

// crashed leaves a lease like a process that crashes right after renewing it.
func (p *process) crashed(name string) {
	p.t.Helper()
	err := p.Store.Update(context.Background(), func(tx vitrine.Tx) error {
		return tx.PutLease(&vitrine.Lease{Name: name, Holder: p.Holder, Until: p.Now().Add(30 * time.Second)})
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestLeaseOfTwoClocks checks that a lease never has two holders, whatever
// their clocks, however long the work takes, and that after a crash another
// process that tries as often as a server gets it within a minute.
func TestLeaseOfTwoClocks(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Minute, -time.Minute, 3 * time.Hour, -3 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			store := openStore(t)
			one, other := newProcess(t, store, 0), newProcess(t, store, ahead)
			held, err := one.Hold(t.Context(), "work", nil, func(ctx context.Context) error {
				for range 20 { // longer than a lease lasts without renewal
					time.Sleep(10 * time.Second)
					if other.acquires("work") || ctx.Err() != nil {
						t.Errorf("ahead by %s: the lease was taken from its holder", ahead)
					}
				}
				return nil
			})
			if !held || err != nil {
				t.Fatal(held, err)
			}
			if !other.acquires("work") {
				t.Errorf("ahead by %s: the lease was not released", ahead)
			}
			one.crashed("work")
			crash := time.Now()
			time.Sleep(9 * time.Second)
			for !other.acquires("work") {
				time.Sleep(11 * time.Second)
			}
			if took := time.Since(crash); took < 30*time.Second || took > time.Minute {
				t.Errorf("ahead by %s: lease acquired %s after a crash, want 30s to 1m", ahead, took)
			}
		})
	}
}

// TestLeaseSeenAnew checks that a process must observe a lease again after a
// long break, as if it saw it for the first time, and also after it was renewed
// in the meantime.
func TestLeaseSeenAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		one, other := newProcess(t, store, 0), newProcess(t, store, 0)
		one.crashed("work")
		if time.Sleep(time.Hour); other.acquires("work") {
			t.Error("the lease was taken when first seen")
		}
		for range 10 { // one process holds it, and others try just before each renewal
			time.Sleep(29 * time.Second)
			if other.acquires("work") {
				t.Error("the lease was taken while it is renewed")
			}
			one.crashed("work")
		}
	})
}

// TestLeaseLost checks that work ends when another process has its lease, and
// when the lease could not be renewed in time, but not after one failure.
func TestLeaseLost(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(one, other *process)
		lost      time.Duration // 0 if it is not lost
	}{
		"taken":          {func(one, other *process) { other.crashed("work") }, 10 * time.Second},
		"gone":           {func(one, _ *process) { remove(one, "work") }, 10 * time.Second},
		"store fails":    {func(one, _ *process) { one.store.Next.Store(1000) }, 30 * time.Second},
		"store stumbles": {func(one, _ *process) { one.store.Next.Store(1) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := openStore(t)
				one, other := newProcess(t, store, 0), newProcess(t, store, 0)
				began := time.Now()
				held, err := one.Hold(t.Context(), "work", nil, func(ctx context.Context) error {
					c.meanwhile(one, other)
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(5 * time.Minute):
						return nil
					}
				})
				took := time.Since(began)
				if !held || (c.lost > 0) != errors.Is(err, fleet.ErrLost) || c.lost > 0 &&
					took.Round(time.Second) != c.lost {
					t.Errorf("held = %v, %v after %s", held, err, took)
				}
			})
		})
	}
}

func remove(p *process, name string) {
	p.t.Helper()
	if err := p.Store.Update(context.Background(),
		func(tx vitrine.Tx) error { return tx.DeleteLease(name) }); err != nil {
		p.t.Fatal(err)
	}
}

// TestLeaseEnds checks that work that is not due is not done and takes no
// lease, that a panic releases the lease, and that leases of crashed processes
// expire.
func TestLeaseEnds(t *testing.T) {
	store := openStore(t)
	one, other := newProcess(t, store, 0), newProcess(t, store, 0)
	no := func(vitrine.Tx) (bool, error) { return false, nil }
	if held, err := one.Hold(t.Context(), "work", no,
		func(context.Context) error { t.Error("the work ran although it was not due"); return nil }); held || err != nil {
		t.Error(held, err)
	}
	if !other.acquires("work") {
		t.Error("the lease was taken for work that was not due")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = one.Hold(t.Context(), "work", nil, func(context.Context) error { panic("oh") })
	}()
	if !other.acquires("work") {
		t.Error("a panic did not release the lease")
	}
	one.crashed("work")
	if err := newProcess(t, store, 29*24*time.Hour).Expire(t.Context()); err != nil || other.acquires("work") {
		t.Error("the lease was deleted while it may still count:", err)
	}
	if err := newProcess(t, store, 31*24*time.Hour).Expire(t.Context()); err != nil || !other.acquires("work") {
		t.Error("the lease was not deleted:", err)
	}
}

// TestLeaseAlone checks that the only process on a store gets every lease
// without writing.
func TestLeaseAlone(t *testing.T) {
	store := openStore(t)
	before, err := store.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t}
	if !p.acquires("work") || p.Expire(t.Context()) != nil {
		t.Error("no lease")
	}
	if after, err := store.Version(t.Context()); err != nil || after != before {
		t.Error("the store was written:", err)
	}
}

// meeting makes two processes wait until both are at work.
type meeting struct {
	once [2]sync.Once
	here [2]chan struct{}
}

func newMeeting() *meeting {
	return &meeting{here: [2]chan struct{}{make(chan struct{}), make(chan struct{})}}
}

func (m *meeting) come(who int) {
	m.once[who].Do(func() { close(m.here[who]) })
	select {
	case <-m.here[1-who]:
	case <-time.After(2 * time.Minute): // the test fails if they share no work
	}
}

// TestScansShared checks that two processes share the pending scans, and that
// neither scans what the other does.
func TestScansShared(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Known = "1"
	var here, there atomic.Int64
	var links []*vitrine.Link
	for range 6 {
		links = append(links, s.Clip())
	}
	both := newMeeting()
	scans := func(who int, n *atomic.Int64) *publish.Scans {
		m := &fixture.Scanner{Known: "1", Verdict: fixture.Clean}
		m.During = func() { n.Add(1); both.come(who) }
		return &publish.Scans{Store: s.Store, Blobs: s.Blobs, Scanner: m, Now: s.Clock.Now, Concurrency: 2,
			Leases: &fleet.Leases{Store: s.Store, Now: s.Clock.Now, Holder: fleet.NewHolder()}}
	}
	one, other := scans(0, &here), scans(1, &there)
	done := make(chan error)
	go func() { done <- other.Pending(t.Context()) }()
	err := one.Pending(t.Context())
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if here.Load()+there.Load() != 6 || here.Load() == 0 || there.Load() == 0 {
		t.Errorf("%d scans by one and %d by the other process, want 6 in total", here.Load(), there.Load())
	}
	for _, l := range links {
		s.WantState(l, vitrine.StateLive, "", "")
	}
}

// TestScanOvertaken checks that a scan that ends long after its lease was lost,
// when another process has scanned the link, changes nothing.
func TestScanOvertaken(t *testing.T) {
	s := fixture.New(t)
	l := s.Clip()
	leases := func() *fleet.Leases {
		return &fleet.Leases{Store: s.Store, Now: s.Clock.Now, Holder: fleet.NewHolder()}
	}
	s.Scans.Leases = leases()
	s.Scanner.Verdict = fixture.Malware // the result of the overtaken scan
	s.Scanner.During = func() {         // pauses the scan
		m := &fixture.Scanner{Known: "2", Verdict: fixture.Clean}
		other := &publish.Scans{Store: s.Store, Blobs: s.Blobs, Scanner: m, Now: s.Clock.Now, Leases: leases()}
		for want := range 2 {
			if err := other.Pending(t.Context()); err != nil || m.Scanned != want {
				t.Errorf("the other process scanned %d, want %d: %v", m.Scanned, want, err)
			}
			s.Clock.Advance(time.Minute)
		}
	}
	if err := s.Scans.Pending(t.Context()); err != nil {
		t.Error(err)
	}
	if l = s.WantState(l, vitrine.StateLive, "", ""); l.Scanned != "2" || !l.HasBytes {
		t.Errorf("link = %+v", l)
	}
}

// TestPreviewsShared checks that two processes share the links that need a
// preview, and that an overtaken process does not damage the link's parts.
func TestPreviewsShared(t *testing.T) {
	p := fixture.NewPreviewed(t)
	lease := func() *fleet.Leases {
		return &fleet.Leases{Store: p.Store, Now: p.Clock.Now, Holder: fleet.NewHolder()}
	}
	p.Leases = lease()
	m := &fixture.Previewer{}
	other := &publish.Previews{Store: p.Store, Blobs: p.Blobs, Previewer: m, Now: p.Clock.Now, Leases: lease()}
	var links []*vitrine.Link
	for _, name := range []string{"a.png", "b.png", "c.png", "d.png", "e.png", "f.png", "g.png", "h.png"} {
		links = append(links, p.Add(name))
	}
	both := newMeeting()
	p.Maker.Hook, m.Hook = func(string) { both.come(0) }, func(string) { both.come(1) }
	done := make(chan error)
	go func() { done <- other.Make(t.Context()) }()
	p.MakeAll()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	here, there := p.Maker.Took(), m.Took()
	if len(here)+len(there) != len(links) || len(here) == 0 || len(there) == 0 {
		t.Errorf("%v were made by one and %v by the other process", here, there)
	}
	for _, l := range links {
		if l = p.Now(l); l.Preview != vitrine.PreviewDone || l.Parts != "picture" {
			t.Errorf("%s: preview %q, parts %q", l.Name, l.Preview, l.Parts)
		}
	}

	late := p.Add("late.png")
	p.Maker.Hook = func(string) { // pauses the maker
		m.Hook = nil
		for want := range 2 {
			if err := other.Make(t.Context()); err != nil || len(m.Took()) != want {
				t.Errorf("the other process did not make %d previews: %v", want, err)
			}
			p.Clock.Advance(time.Minute)
		}
	}
	p.MakeAll()
	if l := p.Now(late); l.Preview != vitrine.PreviewDone || l.Parts != "picture" {
		t.Errorf("preview %q, parts %q", l.Preview, l.Parts)
	}
	if b, err := p.Blobs.OpenPart(t.Context(), late.Upload, vitrine.PartPicture); err != nil || b.Close() != nil {
		t.Error(err)
	}
}
