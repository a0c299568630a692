package storetest

import (
	"errors"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/test/vitrinetest"
)

// leases tests that a lease is found by its name, even after it has expired,
// and that it can be replaced.
func (t storeTest) leases() {
	one := &vitrine.Lease{Name: "scan 1", Holder: "A", Until: vitrinetest.Epoch}
	two := &vitrine.Lease{Name: "scan 2 ✓", Holder: "B", Until: vitrinetest.Epoch.Add(time.Millisecond)}
	check := func(there ...*vitrine.Lease) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			for _, l := range there {
				got, err := tx.Lease(l.Name)
				if err != nil {
					return err
				}
				vitrinetest.Equal(t, "lease", got, l)
			}
			_, err := tx.Lease("Scan 1")
			t.is("a lease that nobody took", err, vitrine.ErrNotFound)
			return nil
		})
	}
	t.update(func(tx vitrine.Tx) error {
		t.is("Delete of none", tx.DeleteLease("scan 1"), vitrine.ErrNotFound)
		return errors.Join(tx.PutLease(one), tx.PutLease(two))
	})
	check(one, two)
	one.Holder, one.Until = "B", vitrinetest.Epoch.Add(time.Hour)
	t.update(func(tx vitrine.Tx) error { return tx.PutLease(one) })
	check(one, two)
	expire := func(before time.Time, want int64) {
		t.Helper()
		t.update(func(tx vitrine.Tx) error {
			n, err := tx.ExpireLeases(before)
			vitrinetest.Equal(t, "leases deleted", n, want)
			return err
		})
	}
	expire(two.Until, 0)
	expire(one.Until, 1)
	check(one)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteLease(one.Name) })
	check()
	expire(vitrinetest.Epoch.Add(24*time.Hour), 0)
}

// leaseRace takes the same lease in several processes. Exactly one must get it.
func (t storeTest) leaseRace(other storeTest) {
	var taken atomic.Int64
	vitrinetest.Race(vitrinetest.Racers, func(i int) {
		store, holder, mine := t.store, fleet.NewHolder(), false
		if i%2 == 0 {
			store = other.store
		}
		err := store.Update(ctx, func(tx vitrine.Tx) error {
			mine = false
			if _, err := tx.Lease("one"); !errors.Is(err, vitrine.ErrNotFound) {
				return err
			}
			mine = true
			return tx.PutLease(&vitrine.Lease{Name: "one", Holder: holder, Until: vitrinetest.Epoch})
		})
		if err != nil {
			t.Error(err)
		}
		if mine {
			taken.Add(1)
		}
	})
	vitrinetest.Equal(t, "holders of a lease", taken.Load(), 1)
}
