package webhooks

import (
	"context"
	"errors"

	"vitrine"
)

// Page is some deliveries of a webhook, newest first.
type Page struct {
	Deliveries []*vitrine.Delivery
	Next       vitrine.DeliveryID // older ones begin before it; 0: there are none
}

// Deliveries lists deliveries of a webhook before one (0: the newest). Error:
// CodeNotFound.
func (s *Service) Deliveries(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID, before vitrine.DeliveryID,
	n int) (p Page, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		if _, err := own(tx, a.ID, id); err != nil {
			return err
		}
		list, err := tx.Deliveries(id, before, n+1)
		p = Page{Deliveries: list}
		if len(list) > n {
			p = Page{list[:n], list[n-1].ID}
		}
		return err
	})
	return p, err
}

// Delivery returns a delivery of a webhook. Error: CodeNotFound.
func (s *Service) Delivery(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID,
	d vitrine.DeliveryID) (found *vitrine.Delivery, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		_, found, err = ownDelivery(tx, a.ID, id, d)
		return err
	})
	return found, err
}

func ownDelivery(tx vitrine.Tx, a vitrine.AccountID, id vitrine.WebhookID,
	of vitrine.DeliveryID) (*vitrine.Webhook, *vitrine.Delivery, error) {
	w, err := own(tx, a, id)
	if err != nil {
		return nil, nil, err
	}
	d, err := tx.Delivery(of)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && d.Webhook != id {
		return nil, nil, vitrine.Errorf(vitrine.CodeNotFound, "The webhook has no such delivery. It is kept for 30 days.")
	}
	return w, d, err
}

// sending returns an error for a webhook that sends nothing.
func (s *Service) sending(w *vitrine.Webhook) error {
	switch {
	case s.lost(w):
		return invalid("secret", "The secret of this webhook is lost. "+instead(w))
	case w.Off != "":
		return invalid("enabled", "The webhook is off. Turn it on first.")
	}
	return nil
}

// Test queues a test message of a webhook, or returns the one that waits. It is
// sent at once, even if tries have failed. Errors: CodeInvalidRequest,
// CodeNotFound.
func (s *Service) Test(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID) (d *vitrine.Delivery, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		w, err := own(tx, a.ID, id)
		if err == nil {
			err = s.sending(w)
		}
		if err != nil {
			return err
		}
		newest, err := tx.Deliveries(id, 0, 1)
		if err != nil {
			return err
		}
		if len(newest) > 0 && newest[0].Event == 0 && newest[0].State == vitrine.DeliveryWaiting {
			d = newest[0]
		} else {
			d = &vitrine.Delivery{Webhook: id, Account: a.ID, Kind: Test, CreatedAt: s.Now(), NextAt: s.Now(),
				State: vitrine.DeliveryWaiting}
			err = tx.AddDelivery(d)
		}
		w.NextAt = s.Now()
		return errors.Join(err, tx.PutWebhook(w))
	})
	s.Wake()
	return d, err
}

// Resend sends a delivery once more, at once. Errors: CodeInvalidRequest,
// CodeNotFound.
func (s *Service) Resend(ctx context.Context, a *vitrine.Account, id vitrine.WebhookID,
	of vitrine.DeliveryID) (d *vitrine.Delivery, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		var w *vitrine.Webhook
		if w, d, err = ownDelivery(tx, a.ID, id, of); err == nil {
			err = s.sending(w)
		}
		if err != nil {
			return err
		}
		if d.State != vitrine.DeliveryWaiting {
			d.State, d.Tries = vitrine.DeliveryWaiting, 0
		}
		d.NextAt, w.NextAt = s.Now(), s.Now()
		return errors.Join(tx.PutDelivery(d), tx.PutWebhook(w))
	})
	s.Wake()
	return d, err
}
