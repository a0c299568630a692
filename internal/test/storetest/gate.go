package storetest

import (
	"errors"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// gates tests that counts of gates add up for each link and door of an album,
// and that a deleted one has none.
func (t storeTest) gates() {
	ann := t.account("ann@example.org")
	one, two, gone := link(ann, "one", 0), link(ann, "two", 0), link(ann, "gone", 0)
	t.addLinks(one, two, gone)
	is := func(l vitrine.LinkID, shown, passed int64) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.GateCounts(l)
			vitrinetest.Equal(t, "counts", got, vitrine.GateCounts{Shown: shown, Passed: passed})
			return err
		})
	}
	is(one.ID, 0, 0)
	album := &vitrine.Album{Account: ann.ID, Slug: "album", Title: "Album", CreatedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error { return tx.AddAlbum(album) })
	door := album.Door().ID
	gone.DeletedAt = vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error {
		count := func(l vitrine.LinkID, shown, passed int64) error {
			return tx.AddGateCounts(l, vitrine.GateCounts{Shown: shown, Passed: passed})
		}
		return errors.Join(tx.PutLink(gone), count(one.ID, 5_000_000_000, 1), count(one.ID, 1, 2), count(two.ID, 0, 7),
			count(gone.ID, 1, 0), count(1<<40, 1, 0), count(door, 3, 1), count(door-1, 1, 0))
	})
	is(one.ID, 5_000_000_001, 3)
	is(two.ID, 0, 7)
	is(gone.ID, 0, 0)
	is(1<<40, 0, 0)
	is(door, 3, 1)
	is(door-1, 0, 0)
	album.DeletedAt = vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.PutAlbum(album), tx.AddGateCounts(door, vitrine.GateCounts{Shown: 1}))
	})
	is(door, 3, 1)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteGateCounts(one.ID) })
	is(one.ID, 0, 0)
	is(two.ID, 0, 7)
}
