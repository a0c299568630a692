package webhooks_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/events"
	"vitrine/internal/app/export"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestExported checks that the archive of an account has its events as the list
// has them, and its webhooks without their secrets.
func TestExported(t *testing.T) {
	w := newWorld(fixture.New(t))
	ctx := t.Context()
	l, r := w.Note("one"), newReceiver(t)
	hook := w.add(r, func(q *webhooks.Request) { q.Links = &[]string{string(l.Slug)} })
	w.add(r, func(q *webhooks.Request) { q.Format = new(vitrine.WebhookSlack) })
	w.event(l, vitrine.EventView, oneView)
	site := w.Website()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	address := func(s vitrine.Slug) string { return "https://share.example/p/" + string(s) }
	list := &events.Service{Store: w.Store, Now: w.Clock.Now}
	e := export.Exporter{Store: w.Store, Blobs: w.Blobs, Events: list, Now: w.Clock.Now, URL: address,
		Analytics: &analytics.Service{Store: w.Store, Log: w.Log, Signer: signer.New([]byte("k")), Now: w.Clock.Now, URL: address}}
	w.Must(e.Write(ctx, w.Account, z))
	w.Must(z.Close())
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	w.Must(err)
	read := func(name string) string {
		t.Helper()
		f, err := archive.Open(name)
		w.Must(err)
		text, err := io.ReadAll(f)
		w.Must(err)
		return string(text)
	}
	var got, want []string
	for line := range strings.Lines(read("events.ndjson")) {
		var f struct {
			ID, Type, Link string
			At             time.Time
			Data           json.RawMessage
		}
		w.Must(json.Unmarshal([]byte(line), &f))
		got = append(got, fmt.Sprint(f.ID, f.Type, f.Link, f.At.UnixMilli(), string(f.Data)))
	}
	w.Must(list.Each(ctx, w.Account, func(i events.Item) error {
		var data bytes.Buffer
		want = append(want, fmt.Sprint(i.Name(), i.Kind, []vitrine.Slug{l.Slug, l.Slug, site.Slug}[len(want)], i.At.UnixMilli()))
		err := json.Compact(&data, i.Data)
		want[len(want)-1] += data.String()
		return err
	}))
	if len(want) != 3 {
		t.Errorf("%d events, want 3", len(want))
	}
	vitrinetest.Equal(t, "exported events", got, want)
	hooks := read("webhooks.json")
	if !strings.Contains(hooks, string(l.Slug)) || strings.Count(hooks, `"url"`) != 2 ||
		strings.Contains(hooks, hook.Secret) || strings.Count(hooks, "/hook") != 1 {
		t.Errorf("webhooks: %s", hooks)
	}
}

// TestEndedView checks that the message about a view that has ended says what
// the report says when it is sent.
func TestEndedView(t *testing.T) {
	w := newWorld(fixture.New(t))
	l, r, ctx := w.Note("one"), newReceiver(t), t.Context()
	reports := &analytics.Service{Store: w.Store, Log: w.Log, Signer: signer.New([]byte("k")), Now: w.Clock.Now,
		URL: func(s vitrine.Slug) string { return string(s) }}
	made := &events.Service{Store: w.Store, Log: w.Log, Visits: reports.VisitsAs, Now: w.Clock.Now}
	w.Fill = made.Fill
	hook := w.add(r, func(q *webhooks.Request) { q.Kinds = &[]vitrine.EventKind{vitrine.EventView} })
	id := vitrine.NewViewIDs().Next(w.Clock.Now())
	change := func(b vitrine.Batch) {
		_, err := w.Log.Append(ctx, b)
		w.Must(err)
	}
	beacon := func(bot string) {
		change(vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: l.ID, View: id, At: w.Clock.Now().UnixMilli(), Bot: bot,
			Session: report.Session{PresentMs: 9000, EngagedMs: 9000}}}})
	}
	change(vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(id), At: id.Ms(), Link: int64(l.ID), Country: "DE"}}}})
	beacon("")
	w.Clock.Advance(40 * time.Minute)
	w.Must(made.Tell(ctx))
	sent := func(want string) {
		t.Helper()
		w.send()
		got := r.took()
		if len(got) != 1 || !strings.Contains(string(got[0].Data), want) || !verified(t, got[0], hook.Secret) {
			t.Errorf("messages %+v, want one with %s", got, want)
		}
	}
	sent(`"country":"DE"`)
	beacon(report.BotAutomation)
	w.Must(fixture.Second(w.Resend(ctx, w.Account, hook.ID, w.log(hook)[0].ID)))
	sent(`{}`)
}

// TestAudit checks that the audit finds events and webhooks that do not fit
// their account.
func TestAudit(t *testing.T) {
	w := newWorld(fixture.New(t))
	ctx := t.Context()
	d := w.add(newReceiver(t), nil)
	l := w.Note("one")
	hook := func(change func(*vitrine.Webhook)) (spoil, mend func(vitrine.Tx) error) {
		var was vitrine.Webhook
		spoil = func(tx vitrine.Tx) error {
			h, err := tx.Webhook(d.ID)
			w.Must(err)
			was = *h
			change(h)
			return tx.PutWebhook(h)
		}
		return spoil, func(tx vitrine.Tx) error { return tx.PutWebhook(&was) }
	}
	for want, change := range map[string]func(*vitrine.Webhook){
		"has seen event":  func(h *vitrine.Webhook) { h.Seen = 1000 },
		"has no address":  func(h *vitrine.Webhook) { h.URL = "" },
		"address or secr": func(h *vitrine.Webhook) { h.Secret = []byte{} },
	} {
		spoil, mend := hook(change)
		w.finds(want, spoil)
		w.Must(w.Store.Update(ctx, mend))
	}
	w.finds("which is not one of its links", func(tx vitrine.Tx) error {
		return tx.AddEvent(&vitrine.Event{Account: l.Account, At: w.Clock.Now(), Kind: vitrine.EventView, Link: 99999, Ref: 1,
			Data: []byte("{}")})
	})
	w.Must(w.Store.Update(ctx, func(tx vitrine.Tx) error {
		return tx.DeleteEvents(w.Account.ID, w.Clock.Now().Add(time.Second))
	}))
}

// finds changes the store and checks that the audit finds a fault.
func (w *world) finds(want string, spoil func(vitrine.Tx) error) {
	w.T.Helper()
	w.Must(w.Store.Update(w.T.Context(), spoil))
	var faults []string
	a := audit.Checker{Store: w.Instance.Store, Blobs: w.Blobs, Log: w.Log, Now: w.Clock.Now}
	w.Must(a.Run(w.T.Context(), func(fault string) { faults = append(faults, fault) }))
	if len(faults) != 1 || !strings.Contains(faults[0], want) {
		w.T.Errorf("audit = %q, want %q", faults, want)
	}
}
