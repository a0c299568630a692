package lease_test

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
	"vitrine/internal/lease"
	"vitrine/internal/publish"
	"vitrine/internal/sqlstore"
	"vitrine/internal/vitrinetest/fixture"
)

// process is one of several that share a store, with a clock that is ahead of
// the time by so much.
type process struct {
	*lease.Leases
	t     *testing.T
	store *fixture.FailingStore
}

func newProcess(t *testing.T, store vitrine.Store, ahead time.Duration) *process {
	p := &process{t: t, store: &fixture.FailingStore{Store: store}}
	p.Leases = &lease.Leases{Store: p.store, Holder: lease.NewHolder(),
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

// had reports whether a process gets the lease of some work that is nothing.
func (p *process) had(name string) bool {
	p.t.Helper()
	worked := false
	held, err := p.Hold(context.Background(), name, nil, func(context.Context) error { worked = true; return nil })
	if err != nil || held != worked {
		p.t.Errorf("held %v, worked %v: %v", held, worked, err)
	}
	return held
}

// crashed leaves a lease as a process does that has just renewed it and is
// gone.
func (p *process) crashed(name string) {
	p.t.Helper()
	err := p.Store.Update(context.Background(), func(tx vitrine.Tx) error {
		return tx.PutLease(&vitrine.Lease{Name: name, Holder: p.Holder, Until: p.Now().Add(30 * time.Second)})
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// Whatever their clocks say, a lease is never had by two, however long its work
// goes on; and after a crash another that looks for it as often as servers do
// has it within a minute.
func TestLeaseOfTwoClocks(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Minute, -time.Minute, 3 * time.Hour, -3 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			store := openStore(t)
			one, other := newProcess(t, store, 0), newProcess(t, store, ahead)
			held, err := one.Hold(t.Context(), "work", nil, func(ctx context.Context) error {
				for range 20 { // longer than any lease holds that is not renewed
					time.Sleep(10 * time.Second)
					if other.had("work") || ctx.Err() != nil {
						t.Errorf("ahead by %s: taken from its holder", ahead)
					}
				}
				return nil
			})
			if !held || err != nil {
				t.Fatal(held, err)
			}
			if !other.had("work") {
				t.Errorf("ahead by %s: it was not given back", ahead)
			}
			one.crashed("work")
			crash := time.Now()
			time.Sleep(9 * time.Second)
			for !other.had("work") {
				time.Sleep(11 * time.Second)
			}
			if took := time.Since(crash); took < 30*time.Second || took > time.Minute {
				t.Errorf("ahead by %s: had %s after a crash", ahead, took)
			}
		})
	}
}

// What a process has not seen for long it has to see for as long as one that it
// meets for the first time; a lease that is renewed meanwhile is seen anew.
func TestLeaseSeenAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		one, other := newProcess(t, store, 0), newProcess(t, store, 0)
		one.crashed("work")
		if time.Sleep(time.Hour); other.had("work") {
			t.Error("taken at first sight")
		}
		for range 10 { // one that holds it, and others look just before each renewal
			time.Sleep(29 * time.Second)
			if other.had("work") {
				t.Error("taken while it is renewed")
			}
			one.crashed("work")
		}
	})
}

// Work ends when its lease is another's, and when the lease could not be
// renewed in time; not for one failure.
func TestLeaseLost(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(one, other *process)
		lost      time.Duration // 0: it is not
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
				if !held || (c.lost > 0) != errors.Is(err, lease.ErrLost) || c.lost > 0 &&
					took.Round(time.Second) != c.lost {
					t.Errorf("held %v, %v after %s", held, err, took)
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

// Work that is not due is not done, and its lease not taken; a panic gives it
// back; what crashes leave is forgotten.
func TestLeaseEnds(t *testing.T) {
	store := openStore(t)
	one, other := newProcess(t, store, 0), newProcess(t, store, 0)
	no := func(vitrine.Tx) (bool, error) { return false, nil }
	if held, err := one.Hold(t.Context(), "work", no,
		func(context.Context) error { t.Error("done"); return nil }); held || err != nil {
		t.Error(held, err)
	}
	if !other.had("work") {
		t.Error("it was taken for work that was not due")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = one.Hold(t.Context(), "work", nil, func(context.Context) error { panic("oh") })
	}()
	if !other.had("work") {
		t.Error("a panic keeps it")
	}
	one.crashed("work")
	if err := newProcess(t, store, 29*24*time.Hour).Expire(t.Context()); err != nil || other.had("work") {
		t.Error("forgotten while it may count", err)
	}
	if err := newProcess(t, store, 31*24*time.Hour).Expire(t.Context()); err != nil || !other.had("work") {
		t.Error("kept", err)
	}
}

// A process that alone works on its store has every lease, and writes nothing
// for it.
func TestLeaseAlone(t *testing.T) {
	store := openStore(t)
	before, err := store.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t}
	if !p.had("work") || p.Expire(t.Context()) != nil {
		t.Error("no lease")
	}
	if after, err := store.Version(t.Context()); err != nil || after != before {
		t.Error("something was written", err)
	}
}

// meeting has two processes both be at work before either goes on.
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
	case <-time.After(10 * time.Second): // the test tells
	}
}

// Two processes that look for scans at once share them, and none is scanned by
// both.
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
			Leases: &lease.Leases{Store: s.Store, Now: s.Clock.Now, Holder: lease.NewHolder()}}
	}
	one, other := scans(0, &here), scans(1, &there)
	done := make(chan error)
	go func() { done <- other.Pending(t.Context()) }()
	err := one.Pending(t.Context())
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if here.Load()+there.Load() != 6 || here.Load() == 0 || there.Load() == 0 {
		t.Errorf("%d were scanned by one and %d by the other", here.Load(), there.Load())
	}
	for _, l := range links {
		s.WantState(l, vitrine.StateLive, "", "")
	}
}

// A scan that ends long after its lease was lost, when another process has
// scanned the link, changes nothing.
func TestScanOvertaken(t *testing.T) {
	s := fixture.New(t)
	l := s.Clip()
	leases := func() *lease.Leases {
		return &lease.Leases{Store: s.Store, Now: s.Clock.Now, Holder: lease.NewHolder()}
	}
	s.Scans.Leases = leases()
	s.Scanner.Verdict = fixture.Malware // what the overtaken one will say
	s.Scanner.During = func() {         // it is paused here
		m := &fixture.Scanner{Known: "2", Verdict: fixture.Clean}
		other := &publish.Scans{Store: s.Store, Blobs: s.Blobs, Scanner: m, Now: s.Clock.Now, Leases: leases()}
		for want := range 2 {
			if err := other.Pending(t.Context()); err != nil || m.Scanned != want {
				t.Errorf("the other scanned %d, want %d: %v", m.Scanned, want, err)
			}
			s.Clock.Advance(time.Minute)
		}
	}
	if err := s.Scans.Pending(t.Context()); err != nil {
		t.Error(err)
	}
	if l = s.WantState(l, vitrine.StateLive, "", ""); l.Scanned != "2" || !l.HasBytes {
		t.Errorf("%+v", l)
	}
}

// Two processes share the links whose previews are due; one that was overtaken
// leaves the parts of the link whole.
func TestPreviewsShared(t *testing.T) {
	p := fixture.NewPreviewed(t)
	lease := func() *lease.Leases {
		return &lease.Leases{Store: p.Store, Now: p.Clock.Now, Holder: lease.NewHolder()}
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
		t.Errorf("%v were made here and %v there", here, there)
	}
	for _, l := range links {
		if l = p.Now(l); l.Preview != vitrine.PreviewDone || l.Parts != "picture" {
			t.Errorf("%s: %q, %q", l.Name, l.Preview, l.Parts)
		}
	}

	late := p.Add("late.png")
	p.Maker.Hook = func(string) { // paused
		m.Hook = nil
		for want := range 2 {
			if err := other.Make(t.Context()); err != nil || len(m.Took()) != want {
				t.Errorf("the other has not made %d: %v", want, err)
			}
			p.Clock.Advance(time.Minute)
		}
	}
	p.MakeAll()
	if l := p.Now(late); l.Preview != vitrine.PreviewDone || l.Parts != "picture" {
		t.Errorf("%q, %q", l.Preview, l.Parts)
	}
	if b, err := p.Blobs.OpenPart(t.Context(), late.Upload, vitrine.PartPicture); err != nil || b.Close() != nil {
		t.Error(err)
	}
}
