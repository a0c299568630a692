package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t storeTest) places() {
	ann := t.account("ann@example.org")
	l := &vitrine.Link{Account: ann.ID, Slug: "limited", State: vitrine.StateLive, CreatedAt: vitrinetest.Epoch}
	other := &vitrine.Link{Account: ann.ID, Slug: "other", State: vitrine.StateLive, CreatedAt: vitrinetest.Epoch}
	t.addLinks(l, other)
	at := func(n int) time.Time { return vitrinetest.Epoch.Add(time.Duration(n) * time.Millisecond) }
	late := &vitrine.Place{Link: l.ID, Round: "a", At: at(2), BytesAt: at(3)}
	early := &vitrine.Place{Link: l.ID, Round: "a", Machine: true, At: at(1)}
	counts := &vitrine.Place{Link: l.ID, Round: "a", At: at(0), CountedAt: at(9)}
	before := &vitrine.Place{Link: l.ID, Round: "b", At: at(0)}
	foreign := &vitrine.Place{Link: other.ID, Round: "a", At: at(0)}
	t.update(func(tx vitrine.Tx) error {
		for _, p := range []*vitrine.Place{late, early, counts, before, foreign} {
			if err := tx.AddPlace(p); err != nil {
				return err
			}
		}
		return nil
	})
	check := func(n int64, want ...*vitrine.Place) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			open, err1 := tx.OpenPlaces(l.ID, "a")
			count, err2 := tx.CountPlaces(l.ID, "a")
			vitrinetest.Equal(t, "open places", open, want)
			vitrinetest.Equal(t, "places that count", count, n)
			return errors.Join(err1, err2)
		})
	}
	check(1, early, late)
	late.CountedAt, early.Machine = at(20), false
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.PutPlace(late), tx.PutPlace(early), tx.DeletePlace(counts.ID))
	})
	check(1, early)
	t.read(func(tx vitrine.Tx) error {
		p, err := tx.Place(late.ID)
		vitrinetest.Equal(t, "place", p, late)
		_, none := tx.Place(counts.ID)
		t.is("a deleted place", none, vitrine.ErrNotFound)
		return err
	})
	t.update(func(tx vitrine.Tx) error { return tx.DeletePlaces(l.ID, "a") })
	check(0)
	t.read(func(tx vitrine.Tx) error { _, err := tx.Place(before.ID); return err })
	t.update(func(tx vitrine.Tx) error { return tx.DeletePlaces(l.ID, "") })
	t.read(func(tx vitrine.Tx) error {
		_, none := tx.Place(before.ID)
		t.is("a place of another round", none, vitrine.ErrNotFound)
		return nil
	})
	t.read(func(tx vitrine.Tx) error { _, err := tx.Place(foreign.ID); return err })
}
