// Package fleet runs the background work of the processes of an instance
// ([Loop]), and has what they share: leases of that work ([Leases]), the time
// ([Clock]) and mail to be sent ([Outbox]).
package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"vitrine"
)

const (
	// leaseLife is how long a lease lasts without renewal. Its holder renews it
	// after each third of that time.
	leaseLife = 30 * time.Second
	// clockMargin is how much longer than leaseLife others must see no renewal
	// before they take a lease, in case their clocks run faster.
	clockMargin = time.Second
	// releaseTime is how long giving a lease back may take. A lease that is not
	// given back ends after leaseLife.
	releaseTime = 10 * time.Second
	// sightingRetention is how long a sighting of a lease is kept after its
	// last use.
	sightingRetention = time.Hour
	// staleLeaseRetention is the age at which leases that a crash left are
	// deleted. It is longer than any plausible clock error.
	staleLeaseRetention = 30 * 24 * time.Hour
)

// ErrLost ends the context of work whose lease was lost: it could not be
// renewed, or another process has it.
var ErrLost = errors.New("the lease was lost")

// Leases shares the background work of an instance among its processes. A nil
// *Leases grants every lease immediately and stores nothing. It is for a
// process that is alone on its store, such as an embedded database whose
// directory it has locked.
//
// A lease ends leaseLife after its holder last renewed it, and the holder then
// stops its work. Another process takes the lease once it has itself seen it
// without renewal for leaseLife and clockMargin. Each process measures the time
// by its own clock, and no clock is compared with another. So two processes
// never hold a lease at once, even if their clocks differ. Work that a crash
// leaves is continued within leaseLife and the time between two polls of the
// other processes.
//
// A process that was paused, or whose clock is wrong, may still be in the
// middle of a step when another process has its lease. So work under a lease
// must do no harm when it is done twice or late. A lease saves work; it is not
// a lock.
type Leases struct {
	Store  vitrine.Store
	Now    func() time.Time
	Holder string // this process; see NewHolder

	mu   sync.Mutex
	seen map[string]sighting // leases of other processes, by name
	held map[string]int      // leases of this process, by kind of work
}

// Held returns how many leases this process holds, by kind of work: the first
// word of their names.
func (s *Leases) Held() map[string]int {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.held)
}

// holds changes how many leases of a kind this process holds.
func (s *Leases) holds(name string, change int) {
	kind, _, _ := strings.Cut(name, " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]int{}
	}
	s.held[kind] += change
}

// sighting is a lease, and when this process first saw it in this state.
type sighting struct {
	vitrine.Lease
	at time.Time
}

// NewHolder returns a unique name for a process.
func NewHolder() string { return rand.Text() }

// Hold takes a lease and calls work. It returns false, without calling work, if
// another process holds the lease. It does the same if due, called in the
// transaction that takes the lease, returns false; due may be nil. When the
// lease is lost, the context of work ends with ErrLost, and Hold returns
// ErrLost. The caller must not hold the same lease twice at a time.
func (s *Leases) Hold(ctx context.Context, name string, due func(vitrine.Tx) (bool, error),
	work func(context.Context) error) (held bool, err error) {
	if s == nil {
		return true, work(ctx)
	}
	began := time.Now()
	if held, err = s.take(ctx, name, due); err != nil || !held {
		return false, err
	}
	s.holds(name, 1)
	inner, end := context.WithCancelCause(ctx)
	lost := time.AfterFunc(leaseLife-time.Since(began), func() { end(ErrLost) })
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renew(inner, name, lost, end) })
	defer func() { // also after a panic
		end(nil)
		renewing.Wait()
		lost.Stop()
		s.holds(name, -1)
		// A lease that cannot be given back ends after leaseLife.
		_ = s.release(context.WithoutCancel(ctx), name)
	}()
	if err = work(inner); errors.Is(context.Cause(inner), ErrLost) {
		err = ErrLost
	}
	return true, err
}

// take takes a lease if no other process holds it and the work is due.
func (s *Leases) take(ctx context.Context, name string, due func(vitrine.Tx) (bool, error)) (taken bool, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		taken = false
		now := s.Now()
		l, err := tx.Lease(name)
		if err == nil && l.Holder != s.Holder && !s.lapsed(l, now) || err != nil &&
			!errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		if due != nil {
			if is, err := due(tx); err != nil || !is {
				return err
			}
		}
		taken = true
		return tx.PutLease(&vitrine.Lease{Name: name, Holder: s.Holder, Until: now.Add(leaseLife)})
	})
	return taken && err == nil, err
}

// lapsed reports whether this process has seen another's lease without renewal
// for longer than a lease lasts.
func (s *Leases) lapsed(l *vitrine.Lease, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.seen[l.Name]; ok && last.Holder == l.Holder && last.Until.Equal(l.Until) {
		return now.Sub(last.at) > leaseLife+clockMargin
	}
	maps.DeleteFunc(s.seen, func(_ string, old sighting) bool { return now.Sub(old.at) > sightingRetention }) // nobody asks any more
	if s.seen == nil {
		s.seen = map[string]sighting{}
	}
	s.seen[l.Name] = sighting{*l, now}
	return false
}

// renew renews a lease, and resets the timer lost, until ctx ends.
func (s *Leases) renew(ctx context.Context, name string, lost *time.Timer, end context.CancelCauseFunc) {
	tick := time.NewTicker(leaseLife / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		began, mine := time.Now(), false
		err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
			l, err := tx.Lease(name)
			if mine = err == nil && l.Holder == s.Holder; !mine {
				return vitrine.NotFoundIsNil(err)
			}
			l.Until = s.Now().Add(leaseLife)
			return tx.PutLease(l)
		})
		switch {
		case err != nil: // tried again until the lease is lost
		case !mine:
			end(ErrLost)
		case lost.Stop(): // unless it was lost
			lost.Reset(leaseLife - time.Since(began))
		}
	}
}

func (s *Leases) release(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTime)
	defer cancel()
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l, err := tx.Lease(name)
		if err != nil || l.Holder != s.Holder {
			return vitrine.NotFoundIsNil(err)
		}
		return tx.DeleteLease(name)
	})
}

// Expire deletes leases that crashes left.
func (s *Leases) Expire(ctx context.Context) error {
	if s == nil {
		return nil
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		_, err := tx.ExpireLeases(s.Now().Add(-staleLeaseRetention))
		return err
	})
}
