package storetest

import (
	"cmp"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/recipients"
	"vitrine/internal/test/vitrinetest"
)

// recipients tests that recipients are found by ID and token of their link
// only, listed by number, and counted.
func (t storeTest) recipients() {
	ann := t.account("ann@example.org")
	one, two := link(ann, "one", 0), link(ann, "two", 0)
	t.addLinks(one, two)
	no := false
	row := func(l *vitrine.Link, number int64, call string) *vitrine.Recipient {
		r := recipients.New(l)
		r.Number, r.Label, r.Call, r.CreatedAt = number, "Größe ✓ =1+1", call, vitrinetest.Epoch
		return r
	}
	a, b, c, other := row(one, 1, ""), row(one, 2, "key"), row(one, 3, "key"), row(two, 1, "key")
	a.Download, a.ExpiresAt, b.Asked = &no, vitrinetest.Epoch.Add(time.Hour), []byte{0, 255}
	a.Access, b.Access = &vitrine.Access{Password: "$argon2id$…", Readers: 3, Round: "a"}, &vitrine.Access{}
	b.OpenedAt = vitrinetest.Epoch.Add(time.Minute)
	t.update(func(tx vitrine.Tx) error { return tx.AddRecipients([]*vitrine.Recipient{a, b, c, other}) })
	for name, taken := range map[string]func(*vitrine.Recipient){
		"ID":     func(r *vitrine.Recipient) { r.ID = other.ID },
		"number": func(r *vitrine.Recipient) { r.Number = 3 },
		"token":  func(r *vitrine.Recipient) { r.Token = a.Token },
	} {
		t.update(func(tx vitrine.Tx) error {
			r := row(one, 4, "")
			taken(r)
			t.is("taken "+name, tx.AddRecipients([]*vitrine.Recipient{r}), vitrine.ErrExists)
			return nil
		})
	}
	list := func(q vitrine.RecipientQuery, want ...*vitrine.Recipient) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Recipients(q)
			vitrinetest.Equal(t, "recipients", got, want)
			return err
		})
	}
	list(vitrine.RecipientQuery{Link: one.ID}, a, b, c)
	list(vitrine.RecipientQuery{Link: one.ID, Call: "key"}, b, c)
	list(vitrine.RecipientQuery{Link: one.ID, After: 1, Limit: 1}, b)
	list(vitrine.RecipientQuery{Link: two.ID}, other)
	b.RevokedAt, b.Label, b.Download, b.ExpiresAt = vitrinetest.Epoch, "", nil, time.Time{}
	b.Access = &vitrine.Access{Email: vitrine.EmailGate{On: true, Allow: "a.example\nb.example"}, Round: "b"}
	t.update(func(tx vitrine.Tx) error { return tx.PutRecipient(b) })
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.Recipient(one.ID, b.ID)
		t.is("by ID", err, nil)
		vitrinetest.Equal(t, "by ID", got, b)
		got, err = tx.RecipientByToken(one.ID, b.Token)
		t.is("by token", err, nil)
		vitrinetest.Equal(t, "by token", got, b)
		_, err = tx.Recipient(two.ID, b.ID)
		t.is("ID of another link", err, vitrine.ErrNotFound)
		_, err = tx.RecipientByToken(two.ID, b.Token)
		t.is("token of another link", err, vitrine.ErrNotFound)
		some, err := tx.RecipientsByID([]vitrine.RecipientID{other.ID, b.ID, 1<<52 + 1})
		t.is("by IDs", err, nil)
		slices.SortFunc(some, func(x, y *vitrine.Recipient) int { return cmp.Compare(y.Number, x.Number) })
		vitrinetest.Equal(t, "by IDs", some, []*vitrine.Recipient{b, other})
		open, highest, err := tx.CountRecipients(one.ID)
		vitrinetest.Equal(t, "not revoked", open, 2)
		vitrinetest.Equal(t, "highest number", highest, 3)
		return err
	})
	t.update(func(tx vitrine.Tx) error { return tx.DeleteRecipients(one.ID) })
	list(vitrine.RecipientQuery{Link: one.ID})
	n := 0
	t.read(func(tx vitrine.Tx) error {
		return tx.EachRecipient(func(r *vitrine.Recipient) error {
			n++
			vitrinetest.Equal(t, "left", r, other)
			return nil
		})
	})
	vitrinetest.Equal(t, "left", n, 1)
}
