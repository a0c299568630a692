package storetest

import (
	"errors"
	"fmt"
	"sync"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// made adds an account and a link, and returns their IDs.
func (t storeTest) made(name string) (vitrine.AccountID, vitrine.LinkID) {
	a := &vitrine.Account{Email: name + "@example.org", Plan: vitrine.PlanFree, CreatedAt: vitrinetest.Epoch}
	l := &vitrine.Link{Slug: vitrine.Slug(name), State: vitrine.StateLive, CreatedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error {
		if err := tx.AddAccount(a); err != nil {
			return err
		}
		l.Account = a.ID
		return tx.AddLink(l)
	})
	return a.ID, l.ID
}

// reserveIDs tests that reserved IDs are never assigned, and that no ID is
// assigned twice.
func (t storeTest) reserveIDs() {
	over := func(a vitrine.AccountID, l vitrine.LinkID, want bool) {
		t.Helper()
		t.update(func(tx vitrine.Tx) error {
			passed, err := tx.ReserveIDs(a, l)
			vitrinetest.Equal(t, fmt.Sprintf("ReserveIDs(%d, %d)", a, l), passed, want)
			return err
		})
	}
	last := func(name string, a vitrine.AccountID, l vitrine.LinkID) {
		t.Helper()
		gotA, gotL := t.made(name)
		if gotA != a || gotL != l {
			t.Errorf("new account %d and link %d, want %d and %d", gotA, gotL, a, l)
		}
	}
	over(0, 0, false)
	over(3, 0, true) // before the first account
	over(3, 0, false)
	last("first", 4, 1)
	over(4, 1, false)
	over(2, 1, false)
	over(4, 40, true)
	last("second", 5, 41)
	over(100, 30, true)
	last("third", 101, 42)
	err := t.store.Update(ctx, func(tx vitrine.Tx) error {
		_, err := tx.ReserveIDs(200, 200)
		return errors.Join(err, vitrinetest.ErrAbandoned)
	})
	t.is("an update that is abandoned", err, vitrinetest.ErrAbandoned)
	if a, l := t.made("fourth"); a <= 101 || l <= 42 { // PostgreSQL skips IDs here
		t.Errorf("new account %d and link %d, want IDs above 101 and 42", a, l)
	}
	if err := t.store.Read(ctx, func(tx vitrine.Tx) error { _, err := tx.ReserveIDs(1, 1); return err }); err != nil {
		t.Errorf("ReserveIDs of assigned IDs in a Read = %v, want no error", err)
	}
}

// reserveIDsRace reserves IDs while others are assigned. No ID may be assigned
// twice, and no reserved ID may be assigned later.
func (t storeTest) reserveIDsRace() {
	var mu sync.Mutex
	given := map[vitrine.LinkID]bool{}
	vitrinetest.Race(24, func(i int) {
		if i%3 == 0 {
			t.update(func(tx vitrine.Tx) error {
				_, err := tx.ReserveIDs(vitrine.AccountID(5*i), vitrine.LinkID(4*i))
				return err
			})
		}
		for j := range 3 {
			a, l := t.made(fmt.Sprintf("racer-%d-%d", i, j))
			if i%3 == 0 && (a <= vitrine.AccountID(5*i) || l <= vitrine.LinkID(4*i)) {
				t.Errorf("new account %d and link %d after %d and %d were reserved", a, l, 5*i, 4*i)
			}
			mu.Lock()
			if given[l] {
				t.Errorf("link ID %d was assigned twice", l)
			}
			given[l] = true
			mu.Unlock()
		}
	})
}
