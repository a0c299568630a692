package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t storeTest) albums() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	older := &vitrine.Album{Account: ann.ID, Slug: "older", Title: "A <title> ✓", CreatedAt: vitrinetest.Epoch}
	newer := &vitrine.Album{Account: ann.ID, Slug: "newer", Title: "newer",
		CreatedAt: vitrinetest.Epoch.Add(time.Second)}
	bobs := &vitrine.Album{Account: bob.ID, Slug: "bobs", Title: "bobs", CreatedAt: vitrinetest.Epoch.Add(time.Minute)}
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddAlbum(newer), tx.AddAlbum(older), tx.AddAlbum(bobs))
	})
	t.update(func(tx vitrine.Tx) error {
		t.is("a slug again", tx.AddAlbum(&vitrine.Album{Account: bob.ID, Slug: "older", CreatedAt: vitrinetest.Epoch}),
			vitrine.ErrExists)
		t.is("Put of no album", tx.PutAlbum(&vitrine.Album{ID: 999, Account: ann.ID, Slug: "none",
			CreatedAt: vitrinetest.Epoch}), vitrine.ErrNotFound)
		_, err := tx.AlbumBySlug("none")
		t.is("no album by slug", err, vitrine.ErrNotFound)
		older.Title, older.Text, older.Access = "other", "two\nlines ✓", vitrine.Access{Password: "hash", Round: "A"}
		return tx.PutAlbum(older)
	})
	check := func(want ...*vitrine.Album) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			bySlug, err1 := tx.AlbumBySlug("older")
			vitrinetest.Equal(t, "album by slug", bySlug, older)
			anns, err2 := tx.Albums(ann.ID)
			vitrinetest.Equal(t, "albums of an account", anns, want)
			return errors.Join(err1, err2)
		})
	}
	check(newer, older)
	older.DeletedAt = vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error { return tx.PutAlbum(older) })
	check(newer)
	t.update(func(tx vitrine.Tx) error {
		all, err1 := tx.Albums(0)
		vitrinetest.Equal(t, "all albums", all, []*vitrine.Album{bobs, newer})
		n, err2 := tx.ReleaseSlugs(vitrinetest.Epoch.Add(time.Hour))
		vitrinetest.Equal(t, "slugs released", n, 1)
		return errors.Join(err1, err2, tx.AddAlbum(&vitrine.Album{Account: bob.ID, Slug: "older",
			CreatedAt: vitrinetest.Epoch}))
	})
}

// albumsWith tests that the albums of a link are found, and none that is
// deleted or without it.
func (t storeTest) albumsWith() {
	ann := t.account("ann@example.org")
	l, other := link(ann, "a-link", 0), link(ann, "b-link", 0)
	t.addLinks(l, other)
	album := func(slug vitrine.Slug, password string, deleted time.Time) *vitrine.Album {
		a := &vitrine.Album{Account: ann.ID, Slug: slug, CreatedAt: vitrinetest.Epoch, DeletedAt: deleted}
		if password != "" {
			a.Access = vitrine.Access{Password: password, Round: "A"}
		}
		return a
	}
	one, two := album("one", "x", time.Time{}), album("two", "y", time.Time{})
	open, gone := album("open", "", time.Time{}), album("gone", "x", vitrinetest.Epoch)
	without := album("without", "x", time.Time{})
	t.update(func(tx vitrine.Tx) error {
		for _, a := range []*vitrine.Album{one, two, open, gone, without} {
			links := []vitrine.LinkID{other.ID, l.ID}
			if a == without {
				links = links[:1]
			}
			if err := errors.Join(tx.AddAlbum(a), tx.PutAlbumLinks(a.ID, links)); err != nil {
				return err
			}
		}
		return nil
	})
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.AlbumsWith(l.ID)
		vitrinetest.Equal(t, "albums", got, []*vitrine.Album{one, two, open})
		return err
	})
}

func (t storeTest) albumLinks() {
	ann := t.account("ann@example.org")
	one, two := &vitrine.Album{Account: ann.ID, Slug: "one", CreatedAt: vitrinetest.Epoch},
		&vitrine.Album{Account: ann.ID, Slug: "two", CreatedAt: vitrinetest.Epoch}
	a, b, c := link(ann, "a-link", 0), link(ann, "b-link", 0), link(ann, "c-link", 0)
	t.addLinks(a, b, c)
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddAlbum(one), tx.AddAlbum(two),
			tx.PutAlbumLinks(one.ID, []vitrine.LinkID{c.ID, a.ID, b.ID}),
			tx.PutAlbumLinks(two.ID, []vitrine.LinkID{a.ID}))
	})
	check := func(n int, sizes map[vitrine.AlbumID]int64, want ...*vitrine.Link) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err1 := tx.AlbumLinks(one.ID, n)
			vitrinetest.Equal(t, "links of an album", got, want)
			counted, err2 := tx.AlbumSizes(ann.ID)
			vitrinetest.Equal(t, "sizes of albums", counted, sizes)
			return errors.Join(err1, err2)
		})
	}
	check(0, map[vitrine.AlbumID]int64{one.ID: 3, two.ID: 1}, c, a, b)
	check(2, map[vitrine.AlbumID]int64{one.ID: 3, two.ID: 1}, c, a)
	a.DeletedAt = vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error { return tx.PutLink(a) })
	check(0, map[vitrine.AlbumID]int64{one.ID: 2}, c, b)
	t.update(func(tx vitrine.Tx) error { return tx.PutAlbumLinks(one.ID, []vitrine.LinkID{b.ID, c.ID}) })
	check(0, map[vitrine.AlbumID]int64{one.ID: 2}, b, c)
	t.update(func(tx vitrine.Tx) error { return tx.PutAlbumLinks(one.ID, nil) })
	check(0, map[vitrine.AlbumID]int64{})
}
