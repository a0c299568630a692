package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// errKilled ends a process.
var errKilled = errors.New("killed")

// killed is a store of a process that is killed at a step.
type killed struct {
	vitrine.Store
	left *atomic.Int64
}

func (k killed) Update(ctx context.Context, f func(vitrine.Tx) error) error {
	if k.left.Add(-1) < 0 {
		return errKilled
	}
	return k.Store.Update(ctx, f)
}

// TestKilled kills processes between commits and deliveries, each beside
// another one that shares the work. It checks that each event is delivered,
// that those of a link are first accepted in their order, and that the list of
// events has neither gaps nor repetitions.
func TestKilled(t *testing.T) {
	fixture.OnBoth(t, kills)
}

func kills(t *testing.T, s *fixture.Instance) {
	h := newHistory(t, s)
	w := h.world
	other := w.process(s.Store, "secret", &fleet.Leases{Store: s.Store, Now: w.Clock.Now, Holder: fleet.NewHolder()})
	for range tier.Pick(25, 200) {
		h.events()
		left := new(atomic.Int64)
		left.Store(1 + h.random.Int64N(12))
		process := w.process(killed{s.Store, left}, "secret", nil)
		process.Leases = &fleet.Leases{Store: killed{s.Store, left}, Now: w.Clock.Now, Holder: fleet.NewHolder()}
		process.Warn = func(error) {}
		var both sync.WaitGroup
		for _, p := range []*webhooks.Service{process, other} {
			both.Go(func() {
				if err := p.Send(t.Context()); err != nil && !errors.Is(err, errKilled) {
					t.Error(err)
				}
			})
		}
		both.Wait()
		w.Clock.Advance(time.Duration(h.random.IntN(40)) * time.Second)
	}
	h.check()
}

// history is a webhook whose receiver fails now and then, and what it accepted.
type history struct {
	*world
	random *rand.Rand
	links  []*vitrine.Link
	hook   *webhooks.Details
	r      *receiver

	mu       sync.Mutex
	flaky    *rand.Rand
	calm     bool          // nothing fails any more
	arrived  func(message) // called with the lock; may be nil
	accepted []message
}

func newHistory(t *testing.T, s *fixture.Instance) *history {
	seed := vitrinetest.Seed(t)
	h := &history{world: newWorld(s), random: rand.New(rand.NewPCG(seed, 2)), flaky: rand.New(rand.NewPCG(seed, 3)),
		r: newReceiver(t)}
	h.links = []*vitrine.Link{h.Note("one"), h.Note("two"), h.Note("three")}
	h.hook = h.add(h.r, nil)
	h.r.answers(func(w http.ResponseWriter, _ *http.Request, m message) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.arrived != nil {
			h.arrived(m)
		}
		if !h.calm && h.flaky.IntN(6) == 0 {
			w.WriteHeader(500)
			return
		}
		h.accepted = append(h.accepted, m)
	})
	return h
}

// events adds some events, also of views that have ended, a few times.
func (h *history) events() {
	h.T.Helper()
	for range 1 + h.random.IntN(2) {
		h.event(h.links[h.random.IntN(3)], vitrine.EventDownload, oneView)
	}
	ended := map[vitrine.LinkID][]vitrine.ViewID{}
	for range h.random.IntN(4) {
		h.refs++
		l := h.links[h.random.IntN(3)].ID
		ended[l] = append(ended[l], vitrine.ViewIDAt(h.Clock.Now().UnixMilli(), int(h.refs)))
	}
	for range 2 {
		h.Must(h.Store.Update(h.T.Context(), func(tx vitrine.Tx) error { return tx.AddViews(h.Clock.Now(), ended) }))
	}
}

// check sends the rest, and checks that each event was accepted, that those of
// a link were first accepted in their order, and that the list of events and
// the log have neither gaps nor repetitions.
func (h *history) check() {
	t, w := h.T, h.world
	t.Helper()
	h.mu.Lock()
	h.calm, h.arrived = true, nil
	h.mu.Unlock()
	w.Service.Leases = &fleet.Leases{Store: w.Store, Now: w.Clock.Now, Holder: fleet.NewHolder()}
	for range 50 {
		w.after(time.Hour)
	}
	var firsts []message
	seen := map[string]bool{}
	total := len(h.r.took())
	for _, m := range h.accepted {
		if !seen[m.ID] {
			seen[m.ID] = true
			firsts = append(firsts, m)
		}
	}
	last := map[vitrine.Slug]int64{}
	for _, m := range firsts {
		var n int64
		_, _ = fmt.Sscan(m.ID, &n)
		if n <= last[m.Link.Slug] {
			t.Errorf("event %d of %s came after %d", n, m.Link.Slug, last[m.Link.Slug])
		}
		last[m.Link.Slug] = n
	}
	list := &events.Service{Store: w.Store, Now: w.Clock.Now}
	next := h.hook.Seen + 1
	w.Must(list.Each(t.Context(), w.Account, func(i events.Item) error {
		if i.ID > h.hook.Seen {
			if i.ID != next || !seen[i.Name()] {
				t.Errorf("event %d, want %d, delivered: %v", i.ID, next, seen[i.Name()])
			}
			next++
		}
		return nil
	}))
	log := map[int64]bool{}
	for _, d := range w.log(h.hook) {
		if log[d.Event] || d.State != vitrine.DeliveryDelivered {
			t.Errorf("delivery %+v", d)
		}
		log[d.Event] = true
	}
	t.Logf("%d events, %d messages", len(firsts), total)
	if len(log) != int(next-h.hook.Seen-1) || total <= len(firsts) {
		t.Errorf("%d deliveries of %d events, %d messages", len(log), next-h.hook.Seen-1, total)
	}
}
