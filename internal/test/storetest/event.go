package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// events tests that the events of an account are numbered without gaps, unique,
// selected, and deleted by time.
func (t storeTest) events() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	event := func(a *vitrine.Account, kind vitrine.EventKind, link vitrine.LinkID, ref int64) *vitrine.Event {
		return &vitrine.Event{Account: a.ID, At: vitrinetest.Epoch.Add(time.Duration(ref) * time.Hour), Kind: kind,
			Link: link, Ref: ref, Data: []byte(`{"a":"ü"}`)}
	}
	one, two, three, bobs := event(ann, "view", 7, 1), event(ann, "download", 7, 2), event(ann, "view", 8, 3),
		event(bob, "view", 7, 1)
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddEvent(one), tx.AddEvent(two), tx.AddEvent(bobs))
	})
	t.update(func(tx vitrine.Tx) error {
		t.is("an event that there is", tx.AddEvent(event(ann, "view", 7, 1)), vitrine.ErrExists)
		return tx.AddEvent(three)
	})
	list := func(what string, q vitrine.EventQuery, want ...*vitrine.Event) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Events(q)
			vitrinetest.Equal(t, what, got, want)
			return err
		})
	}
	last := func(want int64) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.LastEvent(ann.ID)
			vitrinetest.Equal(t, "last event", got, want)
			return err
		})
	}
	last(3)
	vitrinetest.Equal(t, "IDs", []int64{one.ID, two.ID, three.ID, bobs.ID}, []int64{1, 2, 3, 1})
	list("all", vitrine.EventQuery{Account: ann.ID, Until: 9}, one, two, three)
	list("one", vitrine.EventQuery{Account: ann.ID, Until: 9, Limit: 1}, one)
	list("the newest", vitrine.EventQuery{Account: ann.ID, Until: 9, Limit: 2, Newest: true}, three, two)
	list("a range", vitrine.EventQuery{Account: ann.ID, After: 1, Until: 2}, two)
	list("of a link", vitrine.EventQuery{Account: ann.ID, Until: 9, Link: 8}, three)
	list("of kinds", vitrine.EventQuery{Account: ann.ID, Until: 9, Kinds: []vitrine.EventKind{"x", "view"}}, one, three)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteEvents(0, two.At) })
	list("after two were deleted", vitrine.EventQuery{Account: ann.ID, Until: 9}, two, three)
	list("of another account", vitrine.EventQuery{Account: bob.ID, Until: 9})
	t.update(func(tx vitrine.Tx) error { return tx.DeleteEvents(ann.ID, vitrinetest.Epoch.Add(time.Hour*9)) })
	list("after all were deleted", vitrine.EventQuery{Account: ann.ID, Until: 9})
	last(3)
	t.update(func(tx vitrine.Tx) error { return tx.AddEvent(one) })
	last(4)
}
