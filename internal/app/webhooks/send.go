package webhooks

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vitrine"
)

const (
	// pollEvery is the interval of looking for something to send.
	pollEvery = 2 * time.Second
	// lane and slowLane are how many webhooks a process sends to at once: those
	// whose last try succeeded, and the others. So receivers that are down
	// delay only each other.
	lane, slowLane = 128, 16
	// turn is how many deliveries a webhook sends before it waits for its next
	// turn.
	turn = 100
	// mostWaiting is how many deliveries of a webhook wait. Later events have
	// none until some of these are sent.
	mostWaiting = 1000
	// eventsAtOnce is how many events a webhook looks at in one transaction.
	eventsAtOnce = 200
)

// pauses are the pauses after failed tries in a row, of a webhook and of a
// delivery: about a day in all. After the last one, the webhook is turned off.
var pauses = [...]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	15 * time.Minute, 20 * time.Minute, 30 * time.Minute, 45 * time.Minute, time.Hour, time.Hour, 90 * time.Minute,
	90 * time.Minute, 2 * time.Hour, 2 * time.Hour, 2 * time.Hour, 3 * time.Hour, 210 * time.Minute, 4 * time.Hour}

const (
	// mailAfter is the number of failed tries in a row after which the owner
	// gets a mail. offAfter is the number after which a webhook is turned off.
	mailAfter = 5
	offAfter  = len(pauses) + 1
)

// flights are the webhooks that this process sends to.
type flights struct {
	mu    sync.Mutex
	now   map[vitrine.WebhookID]bool // whether it is in the slow lane
	wake  chan struct{}
	going sync.WaitGroup
	sent  atomic.Int64 // tries so far
}

// woken returns the channel that Wake sends to.
func (f *flights) woken() chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wake == nil {
		f.wake = make(chan struct{}, 1)
	}
	return f.wake
}

// Wake makes Run look for something to send.
func (s *Service) Wake() {
	select {
	case s.flights.woken() <- struct{}{}:
	default:
	}
}

// Run sends deliveries until ctx ends or the store fails. It is background work
// of each process.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	defer s.flights.going.Wait()
	for {
		if err := s.start(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-s.flights.woken():
		}
	}
}

// Send sends what is due now, and waits for it.
func (s *Service) Send(ctx context.Context) error {
	for {
		before := s.flights.sent.Load()
		err := s.start(ctx)
		s.flights.going.Wait()
		if err != nil || s.flights.sent.Load() == before || ctx.Err() != nil {
			return err
		}
	}
}

// start starts to send to the webhooks that are due, as far as the lanes have
// room.
func (s *Service) start(ctx context.Context) error {
	for _, l := range []struct {
		slow bool
		most int
	}{{false, lane}, {true, slowLane}} {
		due, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]vitrine.WebhookID, error) {
			return tx.WebhooksDue(s.Now(), l.slow, 2*(lane+slowLane))
		})
		if err != nil {
			return err
		}
		for _, id := range due {
			if !s.flights.enter(id, l.slow, l.most) {
				continue
			}
			s.flights.going.Go(func() {
				sent, err := s.safely(ctx, id)
				s.flights.leave(id)
				if err != nil && ctx.Err() == nil && s.Warn != nil {
					s.Warn(fmt.Errorf("webhook %d: %w", id, err))
				}
				if sent {
					s.Wake()
				}
			})
		}
	}
	return nil
}

// safely is hold; a panic is a failure of this webhook alone.
func (s *Service) safely(ctx context.Context, id vitrine.WebhookID) (sent bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.hold(ctx, id)
}

// enter reports whether a webhook has entered a lane.
func (f *flights) enter(id vitrine.WebhookID, slow bool, most int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, of := range f.now {
		if of == slow {
			n++
		}
	}
	if _, is := f.now[id]; is || n >= most {
		return false
	}
	if f.now == nil {
		f.now = map[vitrine.WebhookID]bool{}
	}
	f.now[id] = slow
	return true
}

func (f *flights) leave(id vitrine.WebhookID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.now, id)
}

// hold sends the deliveries of a webhook while no other process does. It
// reports whether it has sent any.
func (s *Service) hold(ctx context.Context, id vitrine.WebhookID) (sent bool, err error) {
	_, err = s.Leases.Hold(ctx, fmt.Sprintf("webhook %d", id), nil, func(ctx context.Context) error {
		var last *try
		for n := 0; ; n++ {
			next, err := s.step(ctx, id, last, n < turn && ctx.Err() == nil)
			if err == nil && next != nil {
				err = s.compose(ctx, next)
			}
			if err != nil || next == nil {
				return err
			}
			sent = true
			s.flights.sent.Add(1)
			next.send(ctx, s)
			if s.Tried != nil {
				s.Tried(next.failure == "")
			}
			if last = next; ctx.Err() != nil && last.status == 0 {
				return ctx.Err() // the try was cut short, and so does not count
			}
		}
	})
	return sent, err
}

// step stores the result of a try and prepares the next one, if there is more
// to send. It returns nil if there is nothing.
func (s *Service) step(ctx context.Context, id vitrine.WebhookID, last *try, more bool) (next *try, err error) {
	mailed := false
	err = s.Store.Update(context.WithoutCancel(ctx), func(tx vitrine.Tx) error {
		next, mailed = nil, false
		w, err := tx.Webhook(id)
		if err != nil {
			return vitrine.NotFoundIsNil(err) // it was deleted
		}
		a, err := tx.Account(w.Account)
		if err != nil {
			return err
		}
		if last != nil {
			if mailed, err = s.record(tx, a, w, last); err != nil {
				return err
			}
		}
		if !more || a.Banned || w.Off != "" || w.NextAt.After(s.Now()) {
			return nil
		}
		if err := s.look(tx, w); err != nil {
			return err
		}
		next, err = s.prepare(tx, a, w)
		return err
	})
	if mailed {
		s.Mail.Notify()
	}
	return next, err
}

// look makes deliveries of the next events of an account that a webhook
// selects.
func (s *Service) look(tx vitrine.Tx, w *vitrine.Webhook) error {
	last, err := tx.LastEvent(w.Account)
	if err != nil || last <= w.Seen {
		return err
	}
	waiting, err := tx.CountWaiting(w.ID)
	if err != nil || waiting >= mostWaiting {
		return err
	}
	list, err := tx.Events(vitrine.EventQuery{Account: w.Account, After: w.Seen, Until: last, Limit: eventsAtOnce})
	if err != nil {
		return err
	}
	if w.Seen = last; len(list) == eventsAtOnce {
		w.Seen = list[len(list)-1].ID
	}
	for _, e := range list {
		if !selects(w, e) {
			continue
		}
		d := &vitrine.Delivery{Webhook: w.ID, Account: w.Account, Event: e.ID, Kind: e.Kind, Link: e.Link,
			CreatedAt: s.Now(), NextAt: s.Now(), State: vitrine.DeliveryWaiting}
		if err := tx.AddDelivery(d); err != nil {
			return err
		}
	}
	return tx.PutWebhook(w)
}

// selects reports whether a webhook sends an event.
func selects(w *vitrine.Webhook, e *vitrine.Event) bool {
	switch {
	case len(w.Kinds) > 0 && !slices.Contains(w.Kinds, e.Kind),
		len(w.Links) > 0 && !slices.Contains(w.Links, e.Link):
		return false
	}
	return w.Format == vitrine.WebhookStandard || inChat(w, e)
}

// record stores the result of a try. It reports whether a mail was queued.
func (s *Service) record(tx vitrine.Tx, a *vitrine.Account, w *vitrine.Webhook, of *try) (mailed bool, err error) {
	d, err := tx.Delivery(of.delivery.ID)
	if err != nil {
		return false, vitrine.NotFoundIsNil(err)
	}
	now := s.Now()
	d.TriedAt, d.Status, d.Answer, d.Error = now, of.status, of.answer, of.failure
	d.Tries++
	switch {
	case of.failure == "":
		d.State, w.Failures, w.NextAt = vitrine.DeliveryDelivered, 0, now
	case of.own: // not the receiver's failure
		d.State = vitrine.DeliveryFailed
	default:
		w.Failures++
		w.NextAt = now.Add(pauses[min(w.Failures, len(pauses))-1])
		d.NextAt = now.Add(pauses[min(d.Tries, len(pauses))-1])
		if d.Tries >= offAfter || d.Event == 0 {
			d.State = vitrine.DeliveryFailed // a test is tried once
		}
		switch {
		case w.Off != "":
		case of.status == gone:
			w.Off, w.OffAt = vitrine.WebhookOffGone, now
		case w.Failures >= offAfter:
			w.Off, w.OffAt = vitrine.WebhookOffFailures, now
		}
		if w.Failures == mailAfter || w.Off != "" && w.OffAt.Equal(now) {
			mailed = true
			err = s.mail(tx, a, w, of)
		}
	}
	return mailed, errors.Join(err, tx.PutDelivery(d), tx.PutWebhook(w))
}

// mail tells the owner that a webhook fails.
func (s *Service) mail(tx vitrine.Tx, a *vitrine.Account, w *vitrine.Webhook, of *try) error {
	if s.Mail == nil {
		return nil
	}
	what, then := "is failing", fmt.Sprintf("%d tries in a row have failed. Vitrine tries again for about a day.", w.Failures)
	switch w.Off {
	case vitrine.WebhookOffGone:
		what, then = "is turned off", "Its receiver says that it is gone (410). Nothing more is sent."
	case vitrine.WebhookOffFailures:
		what, then = "is turned off", fmt.Sprintf("%d tries in a row have failed. Nothing more is sent.", w.Failures)
	}
	_, err := s.Mail.Post(tx, vitrine.Message{To: a.Email, Subject: "A webhook " + what, Text: fmt.Sprintf(
		"Your webhook to\n%s\n%s.\n\n%s\n\nThe last result:\n%s\n\nLog and settings:\n%s\n\n-- \nVitrine at %s\n",
		w.URL, what, then, of.failure, s.Manage(w.ID), s.Site)}, time.Time{})
	return err
}
