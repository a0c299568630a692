// Package lease shares background work among the processes of an instance.
package lease

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"sync"
	"time"

	"vitrine"
)

const (
	// leaseLife is how long a lease is held that is not renewed. It is renewed
	// after each third of it.
	leaseLife = 30 * time.Second
	// leaseSpare is by how much longer others have to have seen no renewal:
	// they count no faster than the holder does.
	leaseSpare = time.Second
	// leaseBack is how long giving a lease back may take; one that is not given
	// back is lost in its time.
	leaseBack = 10 * time.Second
	// sightsKept is how long it is remembered how a lease was seen that nobody
	// asked for again.
	sightsKept = time.Hour
	// staleLeaseRetention is after what time leases that a crash has left are
	// deleted. No clock is that wrong.
	staleLeaseRetention = 30 * 24 * time.Hour
)

// ErrLost ends the context of work whose lease was lost: it could not be
// renewed, or another process has it.
var ErrLost = errors.New("the lease of this work was lost")

// Leases is the service by which the processes of an instance share its
// background work. A nil *Leases is that of a process that alone works on its
// store, as with an embedded database, whose directory it has locked: it gives
// every lease at once and writes nothing.
//
// The rule. A lease ends leaseLife after its holder last renewed it, and the
// holder stops then. Another takes it once it has itself seen the same lease,
// not renewed, for a little longer. Both measure a span by their own clock, and
// no clock is compared with another: so two never have it both, whatever their
// clocks say, and what a crash leaves is taken up within leaseLife and the time
// between two looks of those that are left.
//
// A process that was paused, or whose clock is wrong, may still be in the
// middle of a step when another has its lease. So whatever is done under a
// lease does no harm when it is done twice, or late: a lease saves work, and is
// no lock.
type Leases struct {
	Store  vitrine.Store
	Now    func() time.Time
	Holder string // NewHolder

	mu   sync.Mutex
	seen map[string]sight // leases of others, by name
}

// sight is a lease as it was first seen since it last changed.
type sight struct {
	vitrine.Lease
	at time.Time
}

// NewHolder is a name for a process that no other has.
func NewHolder() string { return rand.Text() }

// Hold does work under a lease, and tells whether it could be had. due, unless
// nil, is asked in the transaction that takes the lease whether the work is
// still to be done, and false is as good as a lease that another has. The
// context of work ends with the lease, with ErrLost, which Hold then returns.
// One process holds a lease once at a time: its caller sees to that.
func (s *Leases) Hold(ctx context.Context, name string, due func(vitrine.Tx) (bool, error), work func(context.Context) error) (held bool, err error) {
	if s == nil {
		return true, work(ctx)
	}
	began := time.Now()
	if held, err = s.take(ctx, name, due); err != nil || !held {
		return false, err
	}
	inner, end := context.WithCancelCause(ctx)
	lost := time.AfterFunc(leaseLife-time.Since(began), func() { end(ErrLost) })
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renew(inner, name, lost, end) })
	defer func() { // also after a panic
		end(nil)
		renewing.Wait()
		lost.Stop()
		// What cannot be given back is lost in its time.
		_ = s.giveBack(context.WithoutCancel(ctx), name)
	}()
	if err = work(inner); errors.Is(context.Cause(inner), ErrLost) {
		err = ErrLost
	}
	return true, err
}

// take makes a lease this process's, if nobody has it and the work is due.
func (s *Leases) take(ctx context.Context, name string, due func(vitrine.Tx) (bool, error)) (taken bool, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		taken = false
		now := s.Now()
		l, err := tx.Lease(name)
		if err == nil && l.Holder != s.Holder && !s.lapsed(l, now) || err != nil && !errors.Is(err, vitrine.ErrNotFound) {
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

// lapsed reports whether another's lease has been seen for longer than it
// lasts.
func (s *Leases) lapsed(l *vitrine.Lease, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.seen[l.Name]; ok && last.Holder == l.Holder && last.Until.Equal(l.Until) {
		return now.Sub(last.at) > leaseLife+leaseSpare
	}
	maps.DeleteFunc(s.seen, func(_ string, old sight) bool { return now.Sub(old.at) > sightsKept }) // nobody asks any more
	if s.seen == nil {
		s.seen = map[string]sight{}
	}
	s.seen[l.Name] = sight{*l, now}
	return false
}

// renew moves the end of a lease on until ctx ends, and lost with it.
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
		case err != nil: // it is tried again, until it is lost
		case !mine:
			end(ErrLost)
		case lost.Stop(): // unless it has been lost meanwhile
			lost.Reset(leaseLife - time.Since(began))
		}
	}
}

func (s *Leases) giveBack(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, leaseBack)
	defer cancel()
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l, err := tx.Lease(name)
		if err != nil || l.Holder != s.Holder {
			return vitrine.NotFoundIsNil(err)
		}
		return tx.DeleteLease(name)
	})
}

// Expire removes what crashes have left of leases.
func (s *Leases) Expire(ctx context.Context) error {
	if s == nil {
		return nil
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		_, err := tx.ExpireLeases(s.Now().Add(-staleLeaseRetention))
		return err
	})
}
