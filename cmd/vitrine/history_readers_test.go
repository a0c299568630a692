package main

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/app/recipients"
	"vitrine/internal/cli/instance"
)

// readers protects a link with everything that an access has, gives it
// recipients and a protected album, and adds what readers leave at these.
func (h *history) readers(in *instance.Instance, l *vitrine.Link) {
	h.t.Helper()
	check := func(err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatal(err)
		}
	}
	ctx := h.t.Context()
	owner, err := in.Accounts.ByEmail(ctx, "owner@example.org")
	check(err)
	id := l.ID
	h.protected, h.protectedID = string(l.Slug), id
	word, own, three := "open sesame", "own", 3
	_, err = in.Links.Edit(ctx, owner, h.protected, links.Edit{Access: &access.Change{Password: &word}})
	check(err)
	_, list, err := in.Recipients.Add(ctx, owner, h.protected, recipients.Addition{Recipients: []recipients.Request{
		{Label: "=Anna"}, {Label: "Bob", Access: &access.Change{Password: &own, Readers: &three}}, {Label: "Cid"}}})
	check(err)
	_, _, err = in.Recipients.Revoke(ctx, owner, h.protected, list[2].ID)
	check(err)
	h.recipients = list
	_, err = in.Albums.Create(ctx, owner, "Doors", "doors")
	check(err)
	check(in.Albums.Add(ctx, owner, "doors", []string{h.protected}))
	door := "album"
	check(in.Albums.SetAccess(ctx, owner, "doors", &access.Change{Password: &door, Readers: &three}))
	h.album, err = in.Albums.Find(ctx, owner, "doors")
	check(err)
	at := time.Now().Truncate(time.Millisecond).UTC()
	check(in.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		for _, id := range []vitrine.LinkID{id, h.album.Door().ID} {
			err = errors.Join(err, tx.AddGateCounts(id, vitrine.GateCounts{Shown: 12, Passed: 3}),
				tx.AddKnownReader(&vitrine.KnownReader{Link: id, Round: "A", Email: "ann@example.com", Consent: "Yes.",
					At: at}),
				tx.AddPlace(&vitrine.Place{Link: id, Round: "A", At: at, BytesAt: at}),
				tx.AddPlace(&vitrine.Place{Link: id, Round: "A", At: at, CountedAt: at}))
		}
		return err
	}))
}

// leftByReaders returns the recipients of the protected link, the album with
// its links, and what readers left at both.
func (h *history) leftByReaders(in *instance.Instance) (left []any) {
	h.t.Helper()
	err := in.Store.Read(h.t.Context(), func(tx vitrine.Tx) error {
		list, known := []*vitrine.Recipient{}, []*vitrine.KnownReader{}
		err1 := tx.EachRecipient(func(r *vitrine.Recipient) error { list = append(list, r); return nil })
		err2 := tx.EachKnownReader(func(r *vitrine.KnownReader) error { known = append(known, r); return nil })
		albums, err3 := tx.Albums(0)
		links := []vitrine.LinkID{}
		for _, a := range albums {
			of, err := tx.AlbumLinks(a.ID, 0)
			err3 = errors.Join(err3, err)
			for _, l := range of {
				links = append(links, l.ID)
			}
		}
		left = []any{list, known, albums, links}
		err := errors.Join(err1, err2, err3)
		for _, id := range []vitrine.LinkID{h.protectedID, h.album.Door().ID} {
			gate, err1 := tx.GateCounts(id)
			open, err2 := tx.OpenPlaces(id, "A")
			counted, err3 := tx.CountPlaces(id, "A")
			err = errors.Join(err, err1, err2, err3)
			left = append(left, gate, open, counted)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return left
}
