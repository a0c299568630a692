package storetest

import (
	"errors"
	"math"
	"slices"
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

// endedViews tests that the events of views that have ended are numbered with
// the others, unique, selected, and deleted by time.
func (t storeTest) endedViews() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	one, other, bobs, gone := link(ann, "one", 0), link(ann, "other", 0), link(bob, "bobs", 0), link(ann, "gone", 0)
	gone.DeletedAt = vitrinetest.Epoch
	t.addLinks(one, other, bobs, gone)
	at := vitrinetest.Epoch.Add(time.Hour)
	view := func(n int) vitrine.ViewID { return vitrine.ViewIDAt(vitrinetest.Epoch.UnixMilli(), n) }
	add := func(at time.Time, views map[vitrine.LinkID][]vitrine.ViewID) {
		t.Helper()
		t.update(func(tx vitrine.Tx) error { return tx.AddViews(at, views) })
	}
	var want []*vitrine.Event
	event := func(at time.Time, l vitrine.LinkID, v vitrine.ViewID) {
		want = append(want, &vitrine.Event{ID: int64(len(want) + 1), Account: ann.ID, At: at, Kind: vitrine.EventView,
			Link: l, Ref: int64(v)})
	}
	list := func(what string, q vitrine.EventQuery, want ...*vitrine.Event) {
		t.Helper()
		q.Account = ann.ID
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Events(q)
			vitrinetest.Equal(t, what, got, want)
			return err
		})
	}
	add(at, map[vitrine.LinkID][]vitrine.ViewID{one.ID: {view(2), view(1), view(2)}, bobs.ID: {view(9)},
		gone.ID: {view(5)}, 9999: {view(6)}})
	event(at, one.ID, view(2))
	event(at, one.ID, view(1))
	live := &vitrine.Event{Account: ann.ID, At: at, Kind: "link.live", Link: one.ID, Ref: 1, Data: []byte("{}")}
	t.update(func(tx vitrine.Tx) error { return tx.AddEvent(live) })
	want = append(want, live)
	later := at.Add(time.Hour)
	var many []vitrine.ViewID
	event(later, other.ID, view(2))
	many = append(many, view(2))
	for n := range 1100 { // more than a row has
		many = append(many, view(10+n))
		event(later, other.ID, view(10+n))
	}
	again := map[vitrine.LinkID][]vitrine.ViewID{one.ID: {view(1)}, other.ID: many}
	add(later, again)
	add(later.Add(time.Minute), again)
	newest := slices.Clone(want)
	slices.Reverse(newest)
	const all = math.MaxInt64
	list("all", vitrine.EventQuery{Until: all}, want...)
	list("some", vitrine.EventQuery{After: 1, Until: all, Limit: 3}, want[1:4]...)
	list("a range", vitrine.EventQuery{After: 400, Until: 700}, want[400:700]...)
	list("the newest", vitrine.EventQuery{Until: all, Newest: true}, newest...)
	list("the newest before one", vitrine.EventQuery{Until: 600, Newest: true, Limit: 2}, want[599], want[598])
	list("of a link", vitrine.EventQuery{Until: all, Link: one.ID}, want[:3]...)
	list("of a kind", vitrine.EventQuery{Until: all, Kinds: []vitrine.EventKind{"link.live"}}, live)
	list("of views", vitrine.EventQuery{Until: all, Kinds: []vitrine.EventKind{vitrine.EventView}, Limit: 3},
		want[0], want[1], want[3])
	t.update(func(tx vitrine.Tx) error { return tx.DeleteEvents(0, later) })
	list("after some were deleted", vitrine.EventQuery{Until: all}, want[3:]...)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteEvents(ann.ID, later.Add(time.Hour)) })
	list("after all were deleted", vitrine.EventQuery{Until: all})
}
