package webhooks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/base/outbound"
	"vitrine/internal/filetype"
)

const (
	answerTime = 15 * time.Second
	// maxAnswer is how much of an answer is read and kept.
	maxAnswer = 1 << 10
	gone      = http.StatusGone
)

// try is one attempt to send a delivery.
type try struct {
	delivery *vitrine.Delivery
	url, id  string
	body     []byte
	keys     [][]byte // that sign it, the newest first
	hook     *vitrine.Webhook
	item     events.Item

	// The result.
	status  int
	answer  string
	failure string // "" if it was delivered
	own     bool   // there is nothing to send
}

// prepare returns the next try of a webhook, or nil if there is none.
func (s *Service) prepare(tx vitrine.Tx, a *vitrine.Account, w *vitrine.Webhook) (*try, error) {
	d, err := tx.NextDelivery(w.ID, s.Now())
	if err != nil {
		return nil, vitrine.NotFoundIsNil(err)
	}
	secret, err := s.open(w, w.Secret)
	if err != nil {
		w.Off, w.OffAt = vitrine.WebhookOffSecret, s.Now()
		return nil, tx.PutWebhook(w)
	}
	t := &try{delivery: d, url: w.URL, hook: w}
	if w.Format == vitrine.WebhookStandard {
		t.keys = [][]byte{secret}
		if old := s.oldKey(w); old != nil {
			t.keys = append(t.keys, old)
		}
	} else {
		t.url = string(secret)
	}
	t.item, err = s.event(tx, a, d)
	if errors.Is(err, vitrine.ErrNotFound) {
		t.failure, t.own = "The event is no longer kept.", true
		return t, nil
	}
	t.id = s.Signer.Message(a.ID, d.Event)
	if d.Event == 0 {
		t.id = s.Signer.Message(a.ID, -int64(d.ID))
	}
	return t, err
}

// compose writes the message of a try.
func (s *Service) compose(ctx context.Context, t *try) (err error) {
	if t.own {
		return nil
	}
	list := []events.Item{t.item}
	if err := s.Fill(ctx, list); err != nil {
		return err
	}
	if t.item = list[0]; !t.hook.Names {
		t.item.Recipient = nil
	}
	if t.hook.Format != vitrine.WebhookStandard {
		t.body, err = s.chatBody(t.hook, t.item)
	} else {
		t.body, err = json.Marshal(t.item.Form(s.Addresses))
	}
	return err
}

// event returns the event of a delivery. Error: ErrNotFound.
func (s *Service) event(tx vitrine.Tx, a *vitrine.Account, d *vitrine.Delivery) (events.Item, error) {
	if d.Event == 0 {
		return events.Item{Event: &vitrine.Event{Account: a.ID, At: d.CreatedAt, Kind: Test, Data: []byte("{}")}}, nil
	}
	list, err := tx.Events(vitrine.EventQuery{Account: a.ID, After: d.Event - 1, Until: d.Event})
	if err == nil && len(list) == 0 {
		err = vitrine.ErrNotFound
	}
	if err != nil {
		return events.Item{}, err
	}
	items, err := events.Items(tx, a, list)
	if err != nil {
		return events.Item{}, err
	}
	return items[0], nil
}

// send sends the message and keeps the result.
func (t *try) send(ctx context.Context, s *Service) {
	if t.own {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.AnswerTime, answerTime))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(t.body))
	if err != nil {
		t.failure = "The address cannot be used."
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Vitrine-Webhooks")
	if len(t.keys) > 0 {
		at := strconv.FormatInt(s.Now().Unix(), 10)
		r.Header.Set("webhook-id", t.id)
		r.Header.Set("webhook-timestamp", at)
		r.Header.Set("webhook-signature", signatures(t.keys, t.id, at, t.body))
	}
	res, err := s.Guard.Do(r)
	if err != nil {
		t.failure = outbound.Explain(err)
		return
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer)) // its beginning is enough, however it ends
	t.status, t.answer = res.StatusCode, filetype.OneLine(string(text))
	switch {
	case t.status >= 300 && t.status < 400:
		t.failure = fmt.Sprintf("The receiver answered %d. Redirects are not followed.", t.status)
	case t.status < 200 || t.status >= 300:
		t.failure = fmt.Sprintf("The receiver answered %d.", t.status)
	}
}

// signatures signs a message with each key (Standard Webhooks).
func signatures(keys [][]byte, id, at string, body []byte) (text string) {
	for _, k := range keys {
		m := hmac.New(sha256.New, k)
		fmt.Fprintf(m, "%s.%s.%s", id, at, body)
		if text != "" {
			text += " "
		}
		text += "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
	}
	return text
}
