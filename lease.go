package vitrine

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// Lease says that a process does a piece of work, and that others leave it alone meanwhile.
type Lease struct {
	Name   string    // of the work
	Holder string    // the process
	Until  time.Time // by the holder's clock; it moves on as long as the work goes on
}

const (
	// leaseLife is how long a lease is held that is not renewed. It is renewed after each third of it.
	leaseLife = time.Minute
	// leaseSkew is by how much the clocks of an instance's processes may differ.
	leaseSkew = time.Minute
	// leaseBack is how long giving a lease back may take; one that is not given back is lost in its time.
	leaseBack = 10 * time.Second
	// leasesKept is how long what a crash has left of leases is kept that nobody asked for again.
	leasesKept = time.Hour
)

// ErrLeaseLost ends the context of work whose lease was lost: it could not be renewed, or another process has it.
var ErrLeaseLost = errors.New("the lease of this work was lost")

// Leases is the service by which the processes of an instance share its background work. A nil *Leases is that of a process that alone works
// on its store, as with an embedded database, whose directory it has locked: it gives every lease at once and writes nothing.
//
// The rule. A lease ends leaseLife after its holder last renewed it, by the holder's own clock, and the holder stops then. Others take it
// leaseSkew after that end, by theirs. So two that differ by no more than leaseSkew never have it both, and what a crash leaves is taken
// up within two minutes by clocks that agree, three at the most. An end further ahead than leaseLife and leaseSkew was written by a clock that
// is wrong, and holds nobody up.
//
// A process that was paused, or whose clock is wrong, may still be in the middle of a step when another has its lease. So whatever is done
// under a lease does no harm when it is done twice, or late: a lease saves work, and is no lock.
type Leases struct {
	Store  Store
	Now    func() time.Time
	Holder string // NewHolder
}

// NewHolder is a name for a process that no other has.
func NewHolder() string { return rand.Text() }

// Hold does work under a lease, and tells whether it could be had. due, unless nil, is asked in the transaction that takes the lease whether the
// work is still to be done, and false is as good as a lease that another has. The context of work ends with the lease, with
// ErrLeaseLost, which Hold then returns. One process holds a lease once at a time: its caller sees to that.
func (s *Leases) Hold(ctx context.Context, name string, due func(Tx) (bool, error), work func(context.Context) error) (held bool, err error) {
	if s == nil {
		return true, work(ctx)
	}
	began := time.Now()
	if held, err = s.take(ctx, name, due); err != nil || !held {
		return false, err
	}
	inner, end := context.WithCancelCause(ctx)
	lost := time.AfterFunc(leaseLife-time.Since(began), func() { end(ErrLeaseLost) })
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renew(inner, name, lost, end) })
	defer func() { // also after a panic
		end(nil)
		renewing.Wait()
		lost.Stop()
		// What cannot be given back is lost in its time.
		_ = s.giveBack(context.WithoutCancel(ctx), name)
	}()
	if err = work(inner); errors.Is(context.Cause(inner), ErrLeaseLost) {
		err = ErrLeaseLost
	}
	return true, err
}

// take makes a lease this process's, if nobody has it and the work is due.
func (s *Leases) take(ctx context.Context, name string, due func(Tx) (bool, error)) (taken bool, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		taken = false
		now := s.Now()
		l, err := tx.Lease(name)
		if err == nil && !s.free(l, now) || err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if due != nil {
			if is, err := due(tx); err != nil || !is {
				return err
			}
		}
		taken = true
		return tx.PutLease(&Lease{Name: name, Holder: s.Holder, Until: now.Add(leaseLife)})
	})
	return taken && err == nil, err
}

// free tells whether this process may take a lease.
func (s *Leases) free(l *Lease, now time.Time) bool {
	return l.Holder == s.Holder || now.After(l.Until.Add(leaseSkew)) || l.Until.After(now.Add(leaseLife+leaseSkew))
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
		err := s.Store.Update(ctx, func(tx Tx) error {
			l, err := tx.Lease(name)
			if mine = err == nil && l.Holder == s.Holder; !mine {
				return notFoundIsNil(err)
			}
			l.Until = s.Now().Add(leaseLife)
			return tx.PutLease(l)
		})
		switch {
		case err != nil: // it is tried again, until it is lost
		case !mine:
			end(ErrLeaseLost)
		case lost.Stop(): // unless it has been lost meanwhile
			lost.Reset(leaseLife - time.Since(began))
		}
	}
}

func (s *Leases) giveBack(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, leaseBack)
	defer cancel()
	return s.Store.Update(ctx, func(tx Tx) error {
		l, err := tx.Lease(name)
		if err != nil || l.Holder != s.Holder {
			return notFoundIsNil(err)
		}
		return tx.DeleteLease(name)
	})
}

// Forget removes what crashes have left of leases.
func (s *Leases) Forget(ctx context.Context) error {
	if s == nil {
		return nil
	}
	return s.Store.Update(ctx, func(tx Tx) error {
		_, err := tx.ForgetLeases(s.Now().Add(-leasesKept))
		return err
	})
}
