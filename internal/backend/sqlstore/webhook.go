package sqlstore

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var webhooks = newTable("webhooks", func(w *vitrine.Webhook) []field {
	return []field{{"id", &w.ID}, {"account", &w.Account}, {"url", &w.URL}, {"format", &w.Format}, {"label", &w.Label},
		{"kinds", asJSON{&w.Kinds}}, {"links", asJSON{&w.Links}}, {"names", &w.Names}, {"created_at", at(&w.CreatedAt)},
		{"secret", &w.Secret}, {"old_secret", &w.OldSecret}, {"old_until", orNone(&w.OldUntil)}, {"off", &w.Off},
		{"off_at", orNone(&w.OffAt)}, {"failures", &w.Failures}, {"next_at", at(&w.NextAt)}, {"seen", &w.Seen}}
})

var deliveries = newTable("deliveries", func(d *vitrine.Delivery) []field {
	return []field{{"id", &d.ID}, {"webhook", &d.Webhook}, {"account", &d.Account}, {"event", &d.Event},
		{"kind", &d.Kind}, {"link", &d.Link}, {"created_at", at(&d.CreatedAt)}, {"state", &d.State},
		{"tries", &d.Tries}, {"next_at", at(&d.NextAt)}, {"tried_at", orNone(&d.TriedAt)}, {"status", &d.Status},
		{"answer", &d.Answer}, {"error", &d.Error}}
})

// asJSON stores the value that a pointer leads to as JSON.
type asJSON struct{ to any }

func (j asJSON) Value() (driver.Value, error) {
	b, err := json.Marshal(j.to)
	return string(b), err
}

func (j asJSON) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("JSON has the stored type %T", v)
	}
	return json.Unmarshal([]byte(s), j.to)
}

func (t Tx) AddWebhook(w *vitrine.Webhook) error { return webhooks.add(t, w) }
func (t Tx) PutWebhook(w *vitrine.Webhook) error { return webhooks.put(t, w) }

func (t Tx) Webhook(id vitrine.WebhookID) (*vitrine.Webhook, error) {
	return webhooks.one(t, "id = $1", int64(id))
}

func (t Tx) Webhooks(a vitrine.AccountID) ([]*vitrine.Webhook, error) {
	return webhooks.list(t, " WHERE account = $1 ORDER BY id", int64(a))
}

func (t Tx) DeleteWebhooks(a vitrine.AccountID, id vitrine.WebhookID) error {
	list, err := t.Webhooks(a)
	found := id == 0
	for _, w := range list {
		if id != 0 && w.ID != id || err != nil {
			continue
		}
		found = true
		if _, err = t.Exec("DELETE FROM deliveries WHERE webhook = $1", int64(w.ID)); err == nil {
			_, err = t.Exec("DELETE FROM webhooks WHERE id = $1", int64(w.ID))
		}
	}
	if err == nil && !found {
		err = vitrine.ErrNotFound
	}
	return err
}

// webhooksDue selects webhooks with a condition that has an index of its own.
func webhooksDue(condition string) string {
	return `SELECT w.id FROM webhooks w WHERE w.off = '' AND ` + condition + ` AND w.next_at <= $1
		AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = w.account AND NOT a.banned)
		AND (EXISTS (SELECT 1 FROM event_ids e WHERE e.account = w.account AND e.last > w.seen)
			OR EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook = w.id AND d.state = 'waiting' AND d.next_at <= $1))
		ORDER BY w.next_at, w.id LIMIT $2`
}

var sendingDue, failingDue = webhooksDue("w.failures = 0"), webhooksDue("w.failures > 0")

func (t Tx) WebhooksDue(now time.Time, failing bool, n int) (ids []vitrine.WebhookID, err error) {
	query := sendingDue
	if failing {
		query = failingDue
	}
	err = t.Each(func(s sqldb.Scanner) error {
		var id vitrine.WebhookID
		if err := s.Scan(&id); err != nil {
			return t.Failed(err)
		}
		ids = append(ids, id)
		return nil
	}, query, sqldb.Ms(now), int64(n))
	return ids, err
}

func (t Tx) AddDelivery(d *vitrine.Delivery) error { return deliveries.add(t, d) }
func (t Tx) PutDelivery(d *vitrine.Delivery) error { return deliveries.put(t, d) }

func (t Tx) Delivery(id vitrine.DeliveryID) (*vitrine.Delivery, error) {
	return deliveries.one(t, "id = $1", int64(id))
}

func (t Tx) Deliveries(w vitrine.WebhookID, before vitrine.DeliveryID, n int) ([]*vitrine.Delivery, error) {
	q := sqldb.Selection{}
	q.Where("webhook = $%d", int64(w))
	if before != 0 {
		q.Where("id < $%d", int64(before))
	}
	return deliveries.list(t, q.End(" ORDER BY id DESC", n), q.Args...)
}

func (t Tx) NextDelivery(w vitrine.WebhookID, now time.Time) (*vitrine.Delivery, error) {
	return deliveries.one(t, `webhook = $1 AND state = 'waiting' AND next_at <= $2
		AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.webhook = deliveries.webhook AND e.link = deliveries.link
			AND e.state = 'waiting' AND e.id < deliveries.id)
		ORDER BY next_at, id LIMIT 1`, int64(w), sqldb.Ms(now))
}

func (t Tx) CountWaiting(w vitrine.WebhookID) (n int64, err error) {
	err = t.Get([]any{&n}, "SELECT count(*) FROM deliveries WHERE webhook = $1 AND state = 'waiting'", int64(w))
	return n, err
}

func (t Tx) EndDeliveries(w vitrine.WebhookID, why string) error {
	_, err := t.Exec("UPDATE deliveries SET state = 'failed', error = $2 WHERE webhook = $1 AND state = 'waiting'",
		int64(w), why)
	return err
}

func (t Tx) ExpireDeliveries(before time.Time) error {
	_, err := t.Exec("DELETE FROM deliveries WHERE state <> 'waiting' AND created_at < $1", sqldb.Ms(before))
	return err
}
