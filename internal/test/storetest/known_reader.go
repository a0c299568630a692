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
}
