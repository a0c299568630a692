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
// recipients, and adds what readers leave at it.
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
	at := time.Now().Truncate(time.Millisecond).UTC()
	check(in.Store.Update(ctx, func(tx vitrine.Tx) error {
		return errors.Join(tx.AddGateCounts(id, vitrine.GateCounts{Shown: 12, Passed: 3}),
			tx.AddKnownReader(&vitrine.KnownReader{Link: id, Round: "A", Email: "ann@example.com", Consent: "Yes.",
				At: at}),
			tx.AddPlace(&vitrine.Place{Link: id, Round: "A", At: at, BytesAt: at}),
			tx.AddPlace(&vitrine.Place{Link: id, Round: "A", At: at, CountedAt: at}))
	}))
}

// leftByReaders returns the recipients of the protected link and what readers
// left there.
func (h *history) leftByReaders(in *instance.Instance) []any {
	h.t.Helper()
	list, known := []*vitrine.Recipient{}, []*vitrine.KnownReader{}
	var gate vitrine.GateCounts
	var open []*vitrine.Place
	var counted int64
	err := in.Store.Read(h.t.Context(), func(tx vitrine.Tx) error {
		list, known = list[:0], known[:0]
		err1 := tx.EachRecipient(func(r *vitrine.Recipient) error { list = append(list, r); return nil })
		err2 := tx.EachKnownReader(func(r *vitrine.KnownReader) error { known = append(known, r); return nil })
		var err3, err4, err5 error
		gate, err3 = tx.GateCounts(h.protectedID)
		open, err4 = tx.OpenPlaces(h.protectedID, "A")
		counted, err5 = tx.CountPlaces(h.protectedID, "A")
		return errors.Join(err1, err2, err3, err4, err5)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return []any{list, known, gate, open, counted}
}
