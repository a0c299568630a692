package webhooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/base/outbound"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
)

// message is what a receiver got.
type message struct {
	header http.Header
	body   string
	events.Form
}

// receiver is a server that messages are sent to.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []message
	answer func(w http.ResponseWriter, r *http.Request, m message)
}

func newReceiver(t testing.TB) *receiver {
	r := new(receiver)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		b, _ := io.ReadAll(q.Body)
		m := message{header: q.Header, body: string(b)}
		_ = json.Unmarshal(b, &m.Form)
		r.mu.Lock()
		r.got = append(r.got, m)
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, q, m)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// answers sets how messages are answered.
func (r *receiver) answers(f func(w http.ResponseWriter, q *http.Request, m message)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

// status answers each message with a status.
func (r *receiver) status(code int) {
	r.answers(func(w http.ResponseWriter, _ *http.Request, _ message) { w.WriteHeader(code) })
}

// took returns the messages since the last call.
func (r *receiver) took() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// world is an instance that sends webhooks.
type world struct {
	*fixture.Instance
	*webhooks.Service
	Store vitrine.Store
	refs  int64
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func newWorld(s *fixture.Instance) *world {
	w := &world{Instance: s, Store: s.Store}
	w.Service = w.process(s.Store, "secret", nil)
	return w
}

// process returns the webhooks of a process on a store.
func (w *world) process(store vitrine.Store, secret string, leases *fleet.Leases) *webhooks.Service {
	address := func(slug vitrine.Slug) string { return "https://share.example/p/" + string(slug) }
	return &webhooks.Service{Store: store, Signer: signer.New([]byte(secret)), Leases: leases, Now: w.Clock.Now,
		Guard: &outbound.Guard{Networks: loopback}, Fill: (&events.Service{Store: store, Now: w.Clock.Now}).Fill,
		Addresses: events.Addresses{Link: address, Site: func(s vitrine.Slug) string { return "https://sites.example/" + string(s) }},
		Report:    func(s vitrine.Slug) string { return "https://share.example/links/" + string(s) + "/analytics" },
		Manage:    func(id vitrine.WebhookID) string { return fmt.Sprint("https://share.example/webhooks/", id) },
		Mail:      &fleet.Outbox{Store: store, Now: w.Clock.Now}, Site: "share.example"}
}

// add creates a webhook.
func (w *world) add(r *receiver, change func(*webhooks.Request)) *webhooks.Details {
	w.T.Helper()
	req := webhooks.Request{URL: new(r.URL + "/hook")}
	if change != nil {
		change(&req)
	}
	d, err := w.Create(w.T.Context(), w.Account, req)
	w.Must(err)
	return d
}

// event adds an event of a view of a link.
func (w *world) event(l *vitrine.Link, kind vitrine.EventKind, data string) {
	w.T.Helper()
	w.refs++
	e := &vitrine.Event{Account: l.Account, At: w.Clock.Now(), Kind: kind, Link: l.ID, Ref: w.refs, Data: []byte(data)}
	w.Must(w.Store.Update(w.T.Context(), func(tx vitrine.Tx) error { return tx.AddEvent(e) }))
}

func (w *world) send() { w.T.Helper(); w.Must(w.Send(w.T.Context())) }

// after sends what is due after a time.
func (w *world) after(d time.Duration) { w.T.Helper(); w.Clock.Advance(d); w.send() }

// log returns the deliveries of a webhook, the oldest first.
func (w *world) log(d *webhooks.Details) []*vitrine.Delivery {
	w.T.Helper()
	p, err := w.Deliveries(w.T.Context(), w.Account, d.ID, 0, 10_000)
	w.Must(err)
	slices.Reverse(p.Deliveries)
	return p.Deliveries
}

// now returns a webhook as it is.
func (w *world) now(d *webhooks.Details) *webhooks.Details {
	w.T.Helper()
	d, err := w.Get(w.T.Context(), w.Account, d.ID)
	w.Must(err)
	return d
}

// letters returns the subjects of the mails that wait.
func (w *world) letters() (subjects []string) {
	w.T.Helper()
	w.Must(w.Store.Read(w.T.Context(), func(tx vitrine.Tx) error {
		list, err := tx.LettersDue(w.Clock.Now().Add(time.Hour), 100)
		for _, l := range list {
			subjects = append(subjects, l.Subject)
			for line := range strings.Lines(l.Text) {
				if len(line) > 73 && !strings.Contains(line, "http") {
					w.T.Errorf("a long line in a mail: %q", line)
				}
			}
		}
		return err
	}))
	return subjects
}

const oneView = `{"views":1,"downloads":0,"visit":{"id":"x","at":"2026-01-02T03:04:05.000Z","country":"DE","city":"Berlin",
	"device":"Desktop","browser":"Firefox","os":"Linux","source":"Direct","recipient":"","version":1,"engaged":true,
	"engagedMs":125000,"progress":"8 of 12 pages","downloaded":true,"returning":false,"atypical":false}}`

// verified reports whether a message has a valid signature by a secret.
func verified(t *testing.T, m message, secret string) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) != 32 {
		t.Fatalf("secret %q: %v", secret, err)
	}
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%s.%s.%s", m.header.Get("Webhook-Id"), m.header.Get("Webhook-Timestamp"), m.body)
	want := "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
	return slices.Contains(strings.Fields(m.header.Get("Webhook-Signature")), want)
}

// TestSend checks what a receiver gets: selected events in their form, signed,
// and with a rotated secret signed by both for a day.
func TestSend(t *testing.T) {
	w := newWorld(fixture.New(t))
	one, two := w.Note("one"), w.Note("two")
	r := newReceiver(t)
	all := w.add(r, nil)
	some := w.add(r, func(q *webhooks.Request) {
		q.Kinds, q.Links = &[]vitrine.EventKind{vitrine.EventView}, &[]string{string(two.Slug)}
	})
	w.event(one, vitrine.EventView, oneView)
	w.event(two, vitrine.EventView, oneView)
	w.event(two, vitrine.EventDownload, oneView)
	w.send()
	got := r.took()
	if len(got) != 4 || len(w.log(all)) != 3 || len(w.log(some)) != 1 {
		t.Fatalf("%d messages, %d and %d deliveries", len(got), len(w.log(all)), len(w.log(some)))
	}
	for _, m := range got {
		if !verified(t, m, all.Secret) && !verified(t, m, some.Secret) || verified(t, m, all.Secret) == verified(t, m, some.Secret) {
			t.Errorf("signature of %s", m.body)
		}
		if m.header.Get("Content-Type") != "application/json" || m.Link.URL != "https://share.example/p/"+string(m.Link.Slug) {
			t.Errorf("message %v %s", m.header, m.body)
		}
	}
	w.send()
	if n := len(r.took()); n != 0 {
		t.Errorf("%d messages again", n)
	}
	changed, err := w.Rotate(t.Context(), w.Account, some.ID)
	w.Must(err)
	w.event(two, vitrine.EventView, oneView)
	w.after(23 * time.Hour)
	for _, m := range r.took() {
		if !verified(t, m, all.Secret) && (!verified(t, m, some.Secret) || !verified(t, m, changed.Secret)) {
			t.Error("a message after the rotation is not signed by both secrets")
		}
	}
	w.event(two, vitrine.EventView, oneView)
	w.after(2 * time.Hour)
	for _, m := range r.took() {
		if verified(t, m, some.Secret) || !verified(t, m, all.Secret) && !verified(t, m, changed.Secret) {
			t.Error("a message a day after the rotation is signed by the old secret")
		}
	}
}

// TestPersons checks that messages have labels of recipients only if the
// webhook asks for them, and numbers only on plans with analytics.
func TestPersons(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("one")
	to := &vitrine.Recipient{ID: 7, Link: l.ID, Account: l.Account, Number: 1, Label: "Acme",
		Token:     vitrine.RecipientToken(vitrine.NewUploadID()),
		CreatedAt: w.Clock.Now()}
	w.Must(w.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddRecipients([]*vitrine.Recipient{to}) }))
	plain, named := newReceiver(t), newReceiver(t)
	chat := new(vitrine.WebhookSlack)
	for _, names := range []*bool{nil, new(true)} {
		to := map[bool]*receiver{true: plain, false: named}[names == nil]
		w.add(to, func(q *webhooks.Request) { q.Names = names })
		w.add(to, func(q *webhooks.Request) { q.Names, q.Format = names, chat })
	}
	through := strings.Replace(oneView, `"recipient":""`, `"recipient":"7"`, 1)
	for _, kind := range []vitrine.EventKind{vitrine.EventFirstView, vitrine.EventDownload, vitrine.EventView} {
		w.event(l, kind, through)
	}
	w.send()
	a, b := plain.took(), named.took()
	if len(a) != 4 || len(b) != 4 { // the chat has one of the visit
		t.Fatalf("%d and %d messages, want 4", len(a), len(b))
	}
	for i := range a {
		if strings.Contains(a[i].body, "Acme") || a[i].Recipient != nil {
			t.Errorf("a message names the recipient without being asked to: %s", a[i].body)
		}
		if m := b[i]; m.Type != "" && (m.Recipient == nil || *m.Recipient != events.FormRecipient{ID: "7", Label: "Acme"}) ||
			m.Type == "" && !strings.Contains(m.body, "was viewed · Acme · 2 min 05 s") {
			t.Errorf("a message does not name the recipient: %s", m.body)
		}
	}
	if !slices.ContainsFunc(a, func(m message) bool { return strings.Contains(m.body, `"engagedMs":125000`) }) {
		t.Errorf("messages without numbers: %v", a)
	}
	w.Account.Plan = vitrine.PlanFree
	w.Must(w.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutAccount(w.Account) }))
	w.event(l, vitrine.EventView, oneView)
	w.send()
	a = slices.DeleteFunc(plain.took(), func(m message) bool { return m.Type == "" })
	if len(a) != 1 || string(a[0].Data) != "{}" || a[0].Link == nil {
		t.Errorf("a message on the plan Free: %v", a)
	}
}

// TestChats checks the texts for chats: one for each visit, with what a title
// contains as text.
func TestChats(t *testing.T) {
	for format, want := range map[vitrine.WebhookFormat]string{
		vitrine.WebhookSlack:      `<https://share.example/links/SLUG/analytics|&lt;!channel&gt; ∗a∗ @here> was viewed · 2 min 05 s · 8 of 12 pages · Berlin, DE · Desktop · downloaded`,
		vitrine.WebhookDiscord:    `[\<!channel\> \*a\* @` + "\u200b" + `here](<https://share.example/links/SLUG/analytics>) was viewed · 2 min 05 s · 8 of 12 pages · Berlin, DE · Desktop · downloaded`,
		vitrine.WebhookMattermost: `[\<!channel\> \*a\* @` + "\u200b" + `here](https://share.example/links/SLUG/analytics) was viewed · 2 min 05 s · 8 of 12 pages · Berlin, DE · Desktop · downloaded`,
	} {
		t.Run(string(format), func(t *testing.T) {
			w := newWorld(fixture.New(t))
			l, r := w.Note("one"), newReceiver(t)
			l.Title = "<!channel> *a* @here"
			w.Must(w.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutLink(l) }))
			w.add(r, func(q *webhooks.Request) { q.Format = &format })
			for _, kind := range []vitrine.EventKind{vitrine.EventFirstView, vitrine.EventDownload, vitrine.EventView} {
				w.event(l, kind, oneView)
			}
			w.event(l, vitrine.EventDownload, `{"views":1,"downloads":2}`)
			w.event(l, vitrine.EventMilestone, `{"views":10,"milestone":10}`)
			w.send()
			var texts []string
			for _, m := range r.took() {
				var body struct{ Text, Content string }
				w.Must(json.Unmarshal([]byte(m.body), &body))
				texts = append(texts, body.Text+body.Content)
				if m.header.Get("Webhook-Signature") != "" {
					t.Error("a message of a chat is signed")
				}
			}
			if len(texts) != 3 || texts[0] != strings.ReplaceAll(want, "SLUG", string(l.Slug)) ||
				!strings.HasSuffix(texts[1], "was downloaded") || !strings.HasSuffix(texts[2], "has 10 views") {
				t.Errorf("texts: %q", texts)
			}
		})
	}
}

// TestFormatOf checks that addresses of chats are recognized.
func TestFormatOf(t *testing.T) {
	w := newWorld(fixture.New(t))
	for address, want := range map[string]vitrine.WebhookFormat{
		"https://hooks.slack.com/services/T/B/x":     vitrine.WebhookSlack,
		"https://discord.com/api/webhooks/1/x":       vitrine.WebhookDiscord,
		"https://discord.com/other":                  vitrine.WebhookStandard,
		"https://hooks.slack.com.evil.example/a/b/c": vitrine.WebhookStandard,
	} {
		d, err := w.Create(t.Context(), w.Account, webhooks.Request{URL: &address})
		w.Must(err)
		if d.Format != want || (d.Secret == "") != (want != vitrine.WebhookStandard) {
			t.Errorf("%s: %s, secret %q", address, d.Format, d.Secret)
		}
	}
	for range webhooks.MaxWebhooks - 4 {
		_, err := w.Create(t.Context(), w.Account, webhooks.Request{URL: new("https://a.example")})
		w.Must(err)
	}
	if _, err := w.Create(t.Context(), w.Account, webhooks.Request{URL: new("https://a.example")}); vitrine.CodeOf(err) !=
		vitrine.CodeInvalidRequest {
		t.Errorf("one more than there may be: %v", err)
	}
}

// TestGuarded checks that a receiver on a private network gets nothing,
// whatever its address looks like, and that the log says why.
func TestGuarded(t *testing.T) {
	w := newWorld(fixture.New(t))
	l, r := w.Note("one"), newReceiver(t)
	d := w.add(r, nil)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(r.URL, "http://"))
	w.Must(err)
	w.Guard = new(outbound.Guard)
	for _, host := range []string{"localhost", "127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "0x7f.1", "2130706433"} {
		for _, scheme := range []string{"http", "https"} {
			address := fmt.Sprintf("%s://%s:%s/", scheme, host, port)
			_, err := w.Create(t.Context(), w.Account, webhooks.Request{URL: &address})
			if e := new(vitrine.Error); !errors.As(err, &e) || e.Field != "url" {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
	w.Guard = &outbound.Guard{Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}} // no longer allowed
	w.event(l, vitrine.EventView, oneView)
	w.send()
	if first := w.log(d)[0]; len(r.took()) != 0 || first.Error != "The address is not a public one." {
		t.Errorf("delivery %+v", first)
	}
}
