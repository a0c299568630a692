package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t storeTest) knownReaders() {
	ann := t.account("ann@example.org")
	l := &vitrine.Link{Account: ann.ID, Slug: "asking", State: vitrine.StateLive, CreatedAt: vitrinetest.Epoch}
	other := &vitrine.Link{Account: ann.ID, Slug: "other", State: vitrine.StateLive, CreatedAt: vitrinetest.Epoch}
	t.addLinks(l, other)
	reader := func(l *vitrine.Link, round, email string, at int) *vitrine.KnownReader {
		return &vitrine.KnownReader{Link: l.ID, Round: round, Email: email, Consent: "Yes.\nNo “ifs”.",
			At: vitrinetest.Epoch.Add(time.Duration(at) * time.Millisecond)}
	}
	all := []*vitrine.KnownReader{reader(l, "a", "bob@example.com", 5), reader(l, "a", "cid@example.com", 1),
		reader(l, "b", "bob@example.com", 9), reader(other, "a", "bob@example.com", 7)}
	t.update(func(tx vitrine.Tx) error {
		for _, r := range append(all, reader(l, "a", "bob@example.com", 8)) { // the last one is there already
			if err := tx.AddKnownReader(r); err != nil {
				return err
			}
		}
		return nil
	})
	list := func(l *vitrine.Link, before int64, n int, want ...*vitrine.KnownReader) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.KnownReaders(l.ID, before, n)
			for i, r := range got {
				if i < len(want) {
					want[i].ID = r.ID
				}
			}
			vitrinetest.Equal(t, "known readers", got, want)
			return err
		})
	}
	list(l, 0, 9, all[2], all[1], all[0])
	list(l, 0, 2, all[2], all[1])
	list(l, all[1].ID, 9, all[0])
	list(other, 0, 9, all[3])
	t.update(func(tx vitrine.Tx) error {
		t.is("a reader of another link", tx.DeleteKnownReader(l.ID, all[3].ID), vitrine.ErrNotFound)
		return errors.Join(tx.DeleteKnownReader(l.ID, all[0].ID), tx.ExpireKnownReaders(all[0].At))
	})
	list(l, 0, 9, all[2])
	t.update(func(tx vitrine.Tx) error { return tx.DeleteKnownReaders(l.ID) })
	list(l, 0, 9)
	list(other, 0, 9, all[3])
	t.read(func(tx vitrine.Tx) error {
		var every []*vitrine.KnownReader
		err := tx.EachKnownReader(func(r *vitrine.KnownReader) error { every = append(every, r); return nil })
		vitrinetest.Equal(t, "all known readers", every, all[3:])
		return err
	})
}

// leftByReaders tests that what readers left at deleted links and albums is
// found, of each kind, and not what they left at others.
func (t storeTest) leftByReaders() {
	ann := t.account("ann@example.org")
	var links []*vitrine.Link
	for i, slug := range []string{"alive", "place", "reader", "counts", "recipient", "nothing"} {
		links = append(links, link(ann, vitrine.Slug(slug), time.Duration(i)))
	}
	t.addLinks(links...)
	here := &vitrine.Album{Account: ann.ID, Slug: "here", CreatedAt: vitrinetest.Epoch}
	gone := &vitrine.Album{Account: ann.ID, Slug: "gone", CreatedAt: vitrinetest.Epoch, DeletedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.AddAlbum(here), tx.AddAlbum(gone)) })
	t.update(func(tx vitrine.Tx) error {
		err := errors.Join(tx.AddPlace(&vitrine.Place{Link: here.Door().ID, Round: "a", At: vitrinetest.Epoch}),
			tx.AddPlace(&vitrine.Place{Link: gone.Door().ID, Round: "a", At: vitrinetest.Epoch}),
			tx.AddPlace(&vitrine.Place{Link: links[0].ID, Round: "a", At: vitrinetest.Epoch}),
			tx.AddPlace(&vitrine.Place{Link: links[1].ID, Round: "a", At: vitrinetest.Epoch}),
			tx.AddKnownReader(&vitrine.KnownReader{Link: links[2].ID, Round: "a", Email: "x@example.org",
				At: vitrinetest.Epoch}),
			tx.AddGateCounts(links[3].ID, vitrine.GateCounts{Shown: 1}),
			tx.AddRecipients([]*vitrine.Recipient{{ID: 7, Link: links[4].ID, Account: ann.ID, Number: 1, Token: "t",
				CreatedAt: vitrinetest.Epoch}}))
		for _, l := range links[1:] {
			l.DeletedAt = vitrinetest.Epoch
			err = errors.Join(err, tx.PutLink(l))
		}
		return err
	})
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.LeftByReaders()
		vitrinetest.Equal(t, "links with something left", got,
			[]vitrine.LinkID{gone.Door().ID, links[1].ID, links[2].ID, links[3].ID, links[4].ID})
		return err
	})
}
