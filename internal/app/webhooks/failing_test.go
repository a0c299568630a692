package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/test/fixture"
)

// TestFailures checks each way in which a receiver fails: the result in the
// log, and that the message comes again.
func TestFailures(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, q *http.Request, m message)
		want   string // of the error; "" if it is delivered
		log    string // of the answer
	}{
		"accepts": {func(w http.ResponseWriter, _ *http.Request, _ message) { w.WriteHeader(204) }, "", ""},
		"fails": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, "sorry\n\x00\xff!")
		}, "answered 500", "sorry \ufffd!"},
		"redirects": {func(w http.ResponseWriter, q *http.Request, _ message) {
			http.Redirect(w, q, "/elsewhere", http.StatusTemporaryRedirect)
		}, "Redirects are not followed", ""},
		"10 MB": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			for range 10 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		}, "", ""},
		"long text": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			_, _ = io.WriteString(w, strings.Repeat("a", 5000))
		}, "", strings.Repeat("a", 1024)},
		"closes early": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			c, _, _ := http.NewResponseController(w).Hijack()
			c.Close()
		}, "The request failed", ""},
		"closes within the answer": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			c, b, _ := http.NewResponseController(w).Hijack()
			_, _ = b.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			b.Flush()
			c.Close()
		}, "", "half"},
		"speaks no HTTP": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			c, b, _ := http.NewResponseController(w).Hijack()
			_, _ = b.WriteString("220 mail.example ESMTP\r\n")
			b.Flush()
			c.Close()
		}, "The request failed", ""},
		"large header": {func(w http.ResponseWriter, _ *http.Request, _ message) {
			for i := range 100 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("a", 1000))
			}
		}, "The request failed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(fixture.New(t))
			l, r := w.Note("one"), newReceiver(t)
			d := w.add(r, nil)
			r.answers(c.answer)
			w.event(l, vitrine.EventView, oneView)
			w.send()
			first := w.log(d)[0]
			state := vitrine.DeliveryDelivered
			if c.want != "" {
				state = vitrine.DeliveryWaiting
			}
			if !strings.Contains(first.Error, c.want) || first.State != state || c.log != "" && first.Answer != c.log ||
				len(first.Answer) > 1024 || first.Tries != 1 {
				t.Errorf("delivery %+v, want %q", first, c.want)
			}
			for _, m := range r.took() {
				if m.header.Get("Webhook-Id") == "" {
					t.Error("the redirect was followed")
				}
			}
			r.status(200)
			w.after(time.Minute)
			got := r.took()
			if again := w.log(d)[0]; again.State != vitrine.DeliveryDelivered || (c.want != "") != (len(got) == 1) {
				t.Errorf("a minute later %+v, %d messages", again, len(got))
			}
		})
	}
	t.Run("hangs", func(t *testing.T) { // for as long as it is asked
		w := newWorld(fixture.New(t))
		w.AnswerTime = 50 * time.Millisecond
		l, r := w.Note("one"), newReceiver(t)
		d := w.add(r, nil)
		r.answers(func(_ http.ResponseWriter, q *http.Request, _ message) {
			select {
			case <-hang:
			case <-q.Context().Done():
			}
		})
		w.event(l, vitrine.EventView, oneView)
		w.send()
		if first := w.log(d)[0]; first.Error != "No answer came in time." {
			t.Errorf("delivery %+v", first)
		}
	})
}

// TestOff checks that a webhook is turned off after 20 failed tries in about a
// day, with mails after 5 and at the end, and what happens when it is turned
// on.
func TestOff(t *testing.T) {
	w := newWorld(fixture.New(t))
	one, two, r := w.Note("one"), w.Note("two"), newReceiver(t)
	d := w.add(r, nil)
	r.status(503)
	w.event(one, vitrine.EventView, oneView)
	w.event(two, vitrine.EventView, oneView)
	began, mails := w.Clock.Now(), map[int]int{}
	for tries := 0; w.now(d).Off == "" && tries < 100; tries++ {
		w.send()
		if next := w.now(d); next.Off == "" {
			mails[next.Failures] = len(w.letters())
			w.Clock.Advance(next.NextAt.Sub(w.Clock.Now()))
		}
	}
	off := w.now(d)
	if took := w.Clock.Now().Sub(began); off.Off != vitrine.WebhookOffFailures || off.Failures != 20 ||
		len(r.took()) != 20 || took < 22*time.Hour || took > 26*time.Hour {
		t.Errorf("off = %q after %d failures and %s", off.Off, off.Failures, took)
	}
	if mails[4] != 0 || mails[5] != 1 || mails[19] != 1 || !slices.Equal(w.letters(), []string{"A webhook is failing",
		"A webhook is turned off"}) {
		t.Errorf("mails: %v, %v", mails, w.letters())
	}
	w.event(one, vitrine.EventView, oneView)
	w.after(time.Hour)
	if n := len(r.took()); n != 0 {
		t.Errorf("%d messages of a webhook that is off", n)
	}
	if _, err := w.Test(t.Context(), w.Account, d.ID); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("test of one that is off: %v", err)
	}
	r.status(200)
	_, err := w.Edit(t.Context(), w.Account, d.ID, webhooks.Request{On: new(true)})
	w.Must(err)
	w.event(two, vitrine.EventDownload, oneView)
	w.send()
	got := r.took()
	if len(got) != 1 || got[0].Type != vitrine.EventDownload {
		t.Errorf("messages after it is turned on: %v", got)
	}
	_, err = w.Resend(t.Context(), w.Account, d.ID, w.log(d)[0].ID)
	w.Must(err)
	w.send()
	if got := r.took(); len(got) != 1 || got[0].ID != "3" {
		t.Errorf("sent again: %v", got)
	}
	r.status(410)
	w.event(two, vitrine.EventView, oneView)
	w.send()
	if off := w.now(d); off.Off != vitrine.WebhookOffGone {
		t.Errorf("off = %q after 410", off.Off)
	}
}

// TestOneFails checks that a message that its receiver never accepts delays
// only its link, and is given up after about a day.
func TestOneFails(t *testing.T) {
	w := newWorld(fixture.New(t))
	one, two, r := w.Note("one"), w.Note("two"), newReceiver(t)
	d := w.add(r, nil)
	bad := ""
	r.answers(func(w http.ResponseWriter, _ *http.Request, m message) {
		if bad == "" {
			bad = m.ID
		}
		if m.ID == bad {
			w.WriteHeader(500)
		}
	})
	w.event(one, vitrine.EventView, oneView)
	w.event(one, vitrine.EventDownload, oneView)
	w.send()
	r.took()
	for range 40 {
		w.event(two, vitrine.EventView, oneView)
		w.after(time.Hour)
		for _, m := range r.took() {
			if m.Link.Slug == one.Slug && m.ID != bad && w.log(d)[0].State == vitrine.DeliveryWaiting {
				t.Fatal("a later message of the link came first")
			}
		}
	}
	log := w.log(d)
	if log[0].State != vitrine.DeliveryFailed || log[0].Tries != 20 || w.now(d).Off != "" {
		t.Errorf("the bad one: %+v, webhook %+v", log[0], w.now(d).Webhook)
	}
	for _, l := range log[1:] {
		if l.State != vitrine.DeliveryDelivered {
			t.Errorf("another: %+v", l)
		}
	}
}

// TestSuspended checks that a suspended account sends nothing, and that its
// messages come when it is no longer suspended.
func TestSuspended(t *testing.T) {
	w := newWorld(fixture.New(t))
	l, r := w.Note("one"), newReceiver(t)
	w.add(r, nil)
	set := func(banned bool) {
		w.Account.Banned = banned
		w.Must(w.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutAccount(w.Account) }))
	}
	set(true)
	w.event(l, vitrine.EventView, oneView)
	w.after(time.Hour)
	if n := len(r.took()); n != 0 {
		t.Errorf("a suspended account sent %d messages", n)
	}
	set(false)
	w.send()
	if n := len(r.took()); n != 1 {
		t.Errorf("%d messages after the suspension, want 1", n)
	}
}

// TestClosed checks that a closed account sends nothing, and that nothing is
// left of its events and webhooks once it is emptied.
func TestClosed(t *testing.T) {
	w := newWorld(fixture.New(t))
	ctx := t.Context()
	l, r := w.Note("one"), newReceiver(t)
	d := w.add(r, nil)
	w.event(l, vitrine.EventView, oneView)
	w.Accounts.Contents = collections.Contents{Store: w.Store, Links: w.Links, Now: w.Clock.Now}
	w.Must(w.Accounts.CloseByEmail(ctx, w.Account.Email, fixture.Administrator("")))
	w.after(time.Hour)
	if n := len(r.took()); n > 0 {
		t.Errorf("a closed account sent %d messages", n)
	}
	w.Must(w.Accounts.PurgeClosed(ctx))
	w.Must(w.Store.Read(ctx, func(tx vitrine.Tx) error {
		hooks, err1 := tx.Webhooks(w.Account.ID)
		sent, err2 := tx.Deliveries(d.ID, 0, 10)
		list, err3 := tx.Events(vitrine.EventQuery{Account: w.Account.ID, Until: 1000})
		if len(hooks)+len(sent)+len(list) > 0 {
			t.Errorf("%d webhooks, %d deliveries and %d events are left", len(hooks), len(sent), len(list))
		}
		return errors.Join(err1, err2, err3)
	}))
}

// TestOtherSecret checks that webhooks of an instance that was restored under
// another secret ask for a new one, send nothing until then, and lose nothing.
func TestOtherSecret(t *testing.T) {
	w := newWorld(fixture.New(t))
	l, r := w.Note("one"), newReceiver(t)
	hook := w.add(r, nil)
	chat := w.add(r, func(q *webhooks.Request) { q.Format = new(vitrine.WebhookMattermost) })
	if strings.Contains(chat.URL, "hook") || !strings.HasSuffix(chat.URL, "/…") {
		t.Errorf("the address of a chat is shown: %s", chat.URL)
	}
	w.event(l, "link.disabled", `{"by":"owner"}`)
	w.Service = w.process(w.Store, "another secret", nil)
	for _, d := range []*webhooks.Details{hook, chat} {
		if now := w.now(d); now.Off != vitrine.WebhookOffSecret {
			t.Errorf("%s: off = %q", d.Format, now.Off)
		}
	}
	w.send()
	if n := len(r.took()); n != 0 {
		t.Errorf("%d messages under another secret", n)
	}
	_, err := w.Edit(t.Context(), w.Account, hook.ID, webhooks.Request{On: new(true)})
	if e := new(vitrine.Error); !errors.As(err, &e) || e.Field != "enabled" {
		t.Errorf("to turn it on: %v", err)
	}
	fresh, err := w.Rotate(t.Context(), w.Account, hook.ID)
	w.Must(err)
	_, err = w.Edit(t.Context(), w.Account, chat.ID, webhooks.Request{URL: new(r.URL + "/hook")})
	w.Must(err)
	w.send()
	got := r.took()
	if len(got) != 2 {
		t.Fatalf("%d messages, want 2", len(got))
	}
	for _, m := range got {
		if m.Type != "" && (!verified(t, m, fresh.Secret) || verified(t, m, hook.Secret)) {
			t.Error("the message is not signed by the new secret alone")
		}
	}
}

// TestDown checks that 100 receivers that do not answer do not delay another.
func TestDown(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("one")
	w.AnswerTime = 24 * time.Hour // nothing waits for those that hang
	down, up := newReceiver(t), newReceiver(t)
	down.answers(func(_ http.ResponseWriter, q *http.Request, _ message) { <-q.Context().Done() })
	for i := range 100 {
		if i%20 == 0 {
			a, _, err := w.Accounts.Create(t.Context(), fmt.Sprintf("down%d@example.org", i), vitrine.PlanPro)
			w.Must(err)
			w.Account = a
		}
		d := w.add(down, nil)
		w.Must(w.Store.Update(t.Context(), func(tx vitrine.Tx) error { // due before the other
			return tx.AddDelivery(&vitrine.Delivery{Webhook: d.ID, Account: w.Account.ID, Kind: webhooks.Test,
				CreatedAt: w.Clock.Now(), NextAt: w.Clock.Now(), State: vitrine.DeliveryWaiting})
		}))
	}
	w.Clock.Advance(time.Second)
	a, err := w.Accounts.ByEmail(t.Context(), "ann@example.org")
	w.Must(err)
	w.Account = a
	d := w.add(up, nil)
	came := make(chan struct{}, 10)
	up.answers(func(http.ResponseWriter, *http.Request, message) { came <- struct{}{} })
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	for range 3 { // while all others hang
		w.event(l, vitrine.EventView, oneView)
		w.Wake()
		<-came
	}
	down.mu.Lock()
	hanging := len(down.got)
	down.mu.Unlock()
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if hanging == 0 || w.now(d).Failures != 0 {
		t.Errorf("%d receivers were asked, webhook %+v", hanging, w.now(d).Webhook)
	}
}
