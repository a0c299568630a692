package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// webhooks tests that webhooks are stored, listed by account, due when they
// have something to send, and deleted with their deliveries.
func (t storeTest) webhooks() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	now := vitrinetest.Epoch
	one := &vitrine.Webhook{Account: ann.ID, URL: "https://a.example/ü", Format: vitrine.WebhookStandard,
		Label: "Für ✓", Kinds: []vitrine.EventKind{"view", "download"}, Links: []vitrine.LinkID{7, 9}, Names: true,
		CreatedAt: now,
		Secret:    []byte{1, 0, 255}, OldSecret: []byte{2}, OldUntil: now.Add(time.Hour), NextAt: now, Seen: 0}
	two := &vitrine.Webhook{Account: ann.ID, URL: "https://b.example", Format: vitrine.WebhookSlack, CreatedAt: now,
		Secret: []byte{3}, NextAt: now, Failures: 2}
	bobs := &vitrine.Webhook{Account: bob.ID, URL: "https://c.example", Format: vitrine.WebhookStandard, CreatedAt: now,
		Secret: []byte{4}, NextAt: now}
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddWebhook(one), tx.AddWebhook(two), tx.AddWebhook(bobs))
	})
	due := func(what string, failing bool, at time.Time, want ...*vitrine.Webhook) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.WebhooksDue(at, failing, 10)
			var ids []vitrine.WebhookID
			for _, w := range want {
				ids = append(ids, w.ID)
			}
			vitrinetest.Equal(t, what, got, ids)
			return err
		})
	}
	t.read(func(tx vitrine.Tx) error {
		list, err := tx.Webhooks(ann.ID)
		vitrinetest.Equal(t, "of an account", list, []*vitrine.Webhook{one, two})
		got, err2 := tx.Webhook(bobs.ID)
		vitrinetest.Equal(t, "by ID", got, bobs)
		_, missing := tx.Webhook(99)
		t.is("a missing one", missing, vitrine.ErrNotFound)
		return errors.Join(err, err2)
	})
	due("no events", false, now)
	event := &vitrine.Event{Account: ann.ID, At: now, Kind: "view", Link: 7, Ref: 1, Data: []byte("{}")}
	t.update(func(tx vitrine.Tx) error { return tx.AddEvent(event) })
	due("an event", false, now, one)
	due("an event, failing", true, now, two)
	due("too early", true, now.Add(-time.Millisecond))
	one.Seen, one.Kinds, one.Links, one.OldSecret, one.OldUntil = 1, nil, nil, nil, time.Time{}
	two.Off, two.OffAt = vitrine.WebhookOffFailures, now
	d := &vitrine.Delivery{Webhook: one.ID, Account: ann.ID, Event: 1, Kind: "view", Link: 7, CreatedAt: now,
		State: vitrine.DeliveryWaiting, NextAt: now.Add(time.Second)}
	t.update(func(tx vitrine.Tx) error {
		t.is("to put a missing one", tx.PutWebhook(&vitrine.Webhook{ID: 99, Account: ann.ID}), vitrine.ErrNotFound)
		return errors.Join(tx.PutWebhook(one), tx.PutWebhook(two), tx.AddDelivery(d))
	})
	due("seen", false, now)
	due("off", true, now.Add(time.Hour))
	due("a delivery", false, now.Add(time.Second), one)
	ann.Banned = true
	t.update(func(tx vitrine.Tx) error { return tx.PutAccount(ann) })
	due("of a suspended account", false, now.Add(time.Second))
	t.update(func(tx vitrine.Tx) error {
		t.is("of another account", tx.DeleteWebhooks(bob.ID, one.ID), vitrine.ErrNotFound)
		return tx.DeleteWebhooks(ann.ID, one.ID)
	})
	t.read(func(tx vitrine.Tx) error {
		_, err := tx.Delivery(d.ID)
		t.is("a delivery of a deleted webhook", err, vitrine.ErrNotFound)
		list, err := tx.Webhooks(ann.ID)
		vitrinetest.Equal(t, "left", list, []*vitrine.Webhook{two})
		return err
	})
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.DeleteWebhooks(ann.ID, 0), tx.DeleteWebhooks(ann.ID, 0))
	})
}

// deliveries tests that the next delivery of a webhook is the longest due, in
// the order of each link.
func (t storeTest) deliveries() {
	ann, now := t.account("ann@example.org"), vitrinetest.Epoch
	w := &vitrine.Webhook{Account: ann.ID, URL: "https://a.example", Format: vitrine.WebhookStandard, CreatedAt: now,
		Secret: []byte{1}, NextAt: now}
	t.update(func(tx vitrine.Tx) error { return tx.AddWebhook(w) })
	add := func(link vitrine.LinkID, due time.Duration) *vitrine.Delivery {
		d := &vitrine.Delivery{Webhook: w.ID, Account: ann.ID, Event: 5, Kind: "view", Link: link, CreatedAt: now,
			State: vitrine.DeliveryWaiting, NextAt: now.Add(due)}
		t.update(func(tx vitrine.Tx) error { return tx.AddDelivery(d) })
		return d
	}
	next := func(what string, after time.Duration, want *vitrine.Delivery) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.NextDelivery(w.ID, now.Add(after))
			if want == nil {
				t.is(what, err, vitrine.ErrNotFound)
				return nil
			}
			vitrinetest.Equal(t, what, got, want)
			return err
		})
	}
	next("none", 0, nil)
	one, two, other := add(7, time.Minute), add(7, 0), add(8, time.Second)
	next("after a waiting one of its link", 0, nil)
	next("of another link", time.Second, other)
	next("the longest due", time.Hour, other)
	other.State, other.Tries, other.TriedAt, other.Status, other.Answer, other.Error = vitrine.DeliveryDelivered, 2,
		now.Add(time.Second), 200, "ok ✓", ""
	t.update(func(tx vitrine.Tx) error { return tx.PutDelivery(other) })
	next("the first of the link", time.Minute, one)
	t.read(func(tx vitrine.Tx) error {
		list, err := tx.Deliveries(w.ID, 0, 2)
		vitrinetest.Equal(t, "newest", list, []*vitrine.Delivery{other, two})
		rest, err2 := tx.Deliveries(w.ID, two.ID, 2)
		vitrinetest.Equal(t, "before", rest, []*vitrine.Delivery{one})
		n, err3 := tx.CountWaiting(w.ID)
		vitrinetest.Equal(t, "waiting", n, 2)
		got, err4 := tx.Delivery(other.ID)
		vitrinetest.Equal(t, "by ID", got, other)
		return errors.Join(err, err2, err3, err4)
	})
	t.update(func(tx vitrine.Tx) error { return tx.ExpireDeliveries(now.Add(time.Second)) })
	t.update(func(tx vitrine.Tx) error { return tx.EndDeliveries(w.ID, "off") })
	next("given up", time.Hour, nil)
	t.read(func(tx vitrine.Tx) error {
		list, err := tx.Deliveries(w.ID, 0, 9)
		one.State, one.Error, two.State, two.Error = vitrine.DeliveryFailed, "off", vitrine.DeliveryFailed, "off"
		vitrinetest.Equal(t, "left", list, []*vitrine.Delivery{two, one})
		return err
	})
}
