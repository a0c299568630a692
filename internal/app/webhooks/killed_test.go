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
	t.Run("SQLite", func(t *testing.T) { kills(t, fixture.New(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		tier.Need(t, tier.Test, "needs PostgreSQL")
		kills(t, fixture.NewRemote(t))
	})
}

func kills(t *testing.T, s *fixture.Instance) {
	seed := vitrinetest.Seed(t)
	random := rand.New(rand.NewPCG(seed, 2))
	w := newWorld(s)
	links := []*vitrine.Link{w.Note("one"), w.Note("two"), w.Note("three")}
	r := newReceiver(t)
	hook := w.add(r, nil)
	var mu sync.Mutex
	flaky, calm := rand.New(rand.NewPCG(seed, 3)), false
	var accepted []message
	r.answers(func(w http.ResponseWriter, _ *http.Request, m message) {
		mu.Lock()
		defer mu.Unlock()
		if !calm && flaky.IntN(6) == 0 {
			w.WriteHeader(500)
			return
		}
		accepted = append(accepted, m)
	})
	first := hook.Seen
	other := w.process(s.Store, "secret", &fleet.Leases{Store: s.Store, Now: w.Clock.Now, Holder: fleet.NewHolder()})
	for range tier.Pick(25, 200) {
		for range 1 + random.IntN(4) {
			w.event(links[random.IntN(3)], events.View, oneView)
		}
		left := new(atomic.Int64)
		left.Store(1 + random.Int64N(12))
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
		w.Clock.Advance(time.Duration(random.IntN(40)) * time.Second)
	}
	mu.Lock()
	calm = true
	mu.Unlock()
	w.Service.Leases = &fleet.Leases{Store: s.Store, Now: w.Clock.Now, Holder: fleet.NewHolder()}
	for range 50 {
		w.after(time.Hour)
	}
	var firsts []message
	seen := map[string]bool{}
	total := len(r.took())
	for _, m := range accepted {
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
	list := &events.Service{Store: s.Store, Now: w.Clock.Now}
	next := first + 1
	w.Must(list.Each(t.Context(), w.Account, func(i events.Item) error {
		if i.ID > first {
			if i.ID != next || !seen[i.Name()] {
				t.Errorf("event %d, want %d, delivered: %v", i.ID, next, seen[i.Name()])
			}
			next++
		}
		return nil
	}))
	log := map[int64]bool{}
	for _, d := range w.log(hook) {
		if log[d.Event] || d.State != vitrine.DeliveryDelivered {
			t.Errorf("delivery %+v", d)
		}
		log[d.Event] = true
	}
	t.Logf("seed %d: %d events, %d messages", seed, len(firsts), total)
	if len(log) != int(next-first-1) || total <= len(firsts) {
		t.Errorf("%d deliveries of %d events, %d messages", len(log), next-first-1, total)
	}
}
