package eventpage

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// WebhookPages serves the pages of webhooks.
type WebhookPages struct {
	Shell    *app.Shell
	Webhooks *webhooks.Service
}

const (
	webhooksRoot = "/webhooks"
	// deliveryRows is how many messages a page of the log has.
	deliveryRows = 50
)

// hookPage lists webhooks, or shows one.
type hookPage struct {
	app.Page
	Hooks  []*webhooks.Details
	Hook   *webhooks.Details // nil on the list
	Log    []*vitrine.Delivery
	Next   string // address of the next page of the log; "" for none
	First  string
	Secret string // a new one, which is shown this once
	Full   bool   // there are as many webhooks as there may be
	Typed  typedHook
}

// typedHook is the content of the form of a webhook.
type typedHook struct {
	URL, Format, Label, Links string
	Kinds                     []vitrine.EventKind
	Names                     bool
}

func typedOf(d *webhooks.Details) typedHook {
	t := typedHook{Format: string(d.Format), Label: d.Label, Kinds: d.Kinds, Names: d.Names}
	if d.Format == vitrine.WebhookStandard {
		t.URL = d.URL
	}
	for i, slug := range d.Slugs {
		if i > 0 {
			t.Links += " "
		}
		t.Links += string(slug)
	}
	return t
}

// request returns the request of a form. A field for an address that is left
// empty keeps the address.
func (t typedHook) request() webhooks.Request {
	links := strings.FieldsFunc(t.Links, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\r' })
	for i, l := range links {
		links[i] = l[strings.LastIndexByte(strings.TrimSuffix(l, "/"), '/')+1:] // of an address
	}
	r := webhooks.Request{Label: &t.Label, Links: &links, Kinds: &t.Kinds, Names: &t.Names}
	if t.URL != "" {
		r.URL = &t.URL
	}
	if t.Format != "" {
		r.Format = new(vitrine.WebhookFormat(t.Format))
	}
	return r
}

func readHook(f url.Values) typedHook {
	t := typedHook{URL: strings.TrimSpace(f.Get("url")), Format: f.Get("format"), Label: f.Get("label"),
		Links: f.Get("links"), Names: f.Get("names") != ""}
	for _, k := range f["types"] {
		t.Kinds = append(t.Kinds, vitrine.EventKind(k))
	}
	return t
}

// Formats returns the formats of messages.
func (p *hookPage) Formats() []ui.Option {
	list := []ui.Option{{Value: "standard", Name: "JSON for a program, signed"},
		{Value: "slack", Name: "Text for Slack"}, {Value: "discord", Name: "Text for Discord"},
		{Value: "mattermost", Name: "Text for Mattermost"}}
	if p.Hook == nil {
		list = append([]ui.Option{{Value: "", Name: "Detect from the address"}}, list...)
	}
	for i := range list {
		list[i].Chosen = list[i].Value == p.Typed.Format
	}
	return list
}

// kindRow is a type of event in the form.
type kindRow struct {
	events.Kind
	Chosen bool
}

// Kinds returns all types of events.
func (p *hookPage) Kinds() (list []kindRow) {
	for _, k := range events.Kinds {
		row := kindRow{Kind: k}
		for _, chosen := range p.Typed.Kinds {
			row.Chosen = row.Chosen || chosen == k.Name
		}
		list = append(list, row)
	}
	return list
}

// Words returns the words for a type of event.
func (p *hookPage) Words(kind vitrine.EventKind) string {
	if k := events.KindOf(kind); k != nil {
		return k.Words
	}
	return "Test"
}

// State says whether a webhook sends. Look is the look of its chip.
func (p *hookPage) State(d *webhooks.Details) string {
	switch {
	case d.Off == vitrine.WebhookOffOwner:
		return "Off"
	case d.Off == vitrine.WebhookOffFailures:
		return "Off: too many tries failed"
	case d.Off == vitrine.WebhookOffGone:
		return "Off: its receiver is gone"
	case d.Off == vitrine.WebhookOffSecret && d.Format == vitrine.WebhookStandard:
		return "Needs a new secret"
	case d.Off == vitrine.WebhookOffSecret:
		return "Needs its address again"
	case d.Failures > 0:
		return ui.Counted(int64(d.Failures), "failed try", "failed tries")
	}
	return "On"
}

// Look returns the look of the state of a webhook.
func (p *hookPage) Look(d *webhooks.Details) string {
	switch {
	case d.Off == vitrine.WebhookOffOwner:
		return "waiting"
	case d.Off != "":
		return "disabled"
	case d.Failures > 0:
		return "review"
	}
	return "live"
}

// Result returns the state of a delivery and its look.
func (p *hookPage) Result(d *vitrine.Delivery) (of [2]string) {
	switch {
	case d.State == vitrine.DeliveryDelivered:
		return [2]string{"live", "Delivered"}
	case d.State == vitrine.DeliveryFailed:
		return [2]string{"disabled", "Failed"}
	case d.Tries > 0:
		return [2]string{"review", "Will try again"}
	}
	return [2]string{"waiting", "Waiting"}
}

// maxAnswer is how many characters of an answer the page shows.
const maxAnswer = 200

// Answer returns the beginning of the answer to a delivery.
func (p *hookPage) Answer(d *vitrine.Delivery) string {
	if r := []rune(d.Answer); len(r) > maxAnswer {
		return string(r[:maxAnswer-1]) + "…"
	}
	return d.Answer
}

// Show shows the list of webhooks and the form for a new one.
func (s *WebhookPages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writeList(w, r, http.StatusOK, me, nil)
}

func (s *WebhookPages) writeList(w http.ResponseWriter, r *http.Request, status int, me *vitrine.Account,
	change func(*hookPage)) error {
	p := hookPage{Page: s.Shell.NewAppPage(r, me, "Webhooks", "webhooks"), Typed: typedHook{Names: true}}
	var err error
	if p.Hooks, err = s.Webhooks.List(r.Context(), me); err != nil {
		return err
	}
	p.Full = len(p.Hooks) >= webhooks.MaxWebhooks
	if change != nil {
		change(&p)
	}
	return s.Shell.WriteApp(w, r, status, "webhooks.html", p.Nonce, &p)
}

// Create creates a webhook, and shows its secret.
func (s *WebhookPages) Create(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	t := readHook(r.PostForm)
	d, err := s.Webhooks.Create(r.Context(), me, t.request())
	if wrong := hookErrors(err); wrong != nil {
		return s.writeList(w, r, httpx.StatusOf[vitrine.CodeOf(err)], me,
			func(p *hookPage) { p.Wrong, p.Typed = wrong, t })
	}
	if err != nil {
		return err
	}
	if d.Secret == "" {
		return httpx.Redirect(w, r, app.Said(hookAddress(d.ID), "hook-made"))
	}
	return s.writeOne(w, r, http.StatusOK, me, d.ID, func(p *hookPage) { p.Secret = d.Secret })
}

// hookErrors returns what is wrong with a form of a webhook.
func hookErrors(err error) httpx.FieldErrors {
	if vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return httpx.FieldErrors{"links": "You have no link with one of these addresses."}
	}
	return httpx.FieldErrorsOf(err)
}

func hookAddress(id vitrine.WebhookID) string {
	return webhooksRoot + "/" + strconv.FormatInt(int64(id), 10)
}

// hookID returns the webhook in the path.
func hookID(r *http.Request) (vitrine.WebhookID, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, httpx.ErrNoPage
	}
	return vitrine.WebhookID(id), nil
}

// ShowOne shows a webhook and its log.
func (s *WebhookPages) ShowOne(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	id, err := hookID(r)
	if err != nil {
		return err
	}
	return s.writeOne(w, r, http.StatusOK, me, id, nil)
}

func (s *WebhookPages) writeOne(w http.ResponseWriter, r *http.Request, status int, me *vitrine.Account,
	id vitrine.WebhookID, change func(*hookPage)) error {
	before, err := strconv.ParseInt(cmp.Or(r.URL.Query().Get("before"), "0"), 10, 64)
	if err != nil || before < 0 {
		return httpx.ErrPage("before")
	}
	d, err := s.Webhooks.Get(r.Context(), me, id)
	if vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return httpx.ErrNoPage
	}
	if err != nil {
		return err
	}
	log, err := s.Webhooks.Deliveries(r.Context(), me, id, vitrine.DeliveryID(before), deliveryRows)
	if err != nil {
		return err
	}
	p := hookPage{Page: s.Shell.NewAppPage(r, me, "Webhook", "webhooks"), Hook: d, Log: log.Deliveries,
		Typed: typedOf(d)}
	if log.Next != 0 {
		p.Next = hookAddress(id) + "?before=" + strconv.FormatInt(int64(log.Next), 10)
	}
	if before > 0 {
		p.First = hookAddress(id)
	}
	if p.Said == app.FormMessages["hook-tested"] || p.Said == app.FormMessages["hook-resent"] {
		w.Header().Set("Refresh", "2; url="+hookAddress(id)) // once, to show the answer
	}
	if change != nil {
		change(&p)
	}
	return s.Shell.WriteApp(w, r, status, "webhook.html", p.Nonce, &p)
}

// Form returns the handler of a form on the page of a webhook.
func (s *WebhookPages) Form(what string) func(http.ResponseWriter, *http.Request, *vitrine.Account) error {
	return func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
			return err
		}
		id, err := hookID(r)
		if err != nil {
			return err
		}
		secret, said, err := s.do(r.Context(), me, id, what, r.PostForm)
		if wrong := hookErrors(err); wrong != nil {
			t := readHook(r.PostForm)
			for _, message := range wrong {
				if what != "settings" { // which alone has fields
					wrong = httpx.FieldErrors{"": message}
				}
			}
			return s.writeOne(w, r, httpx.StatusOf[vitrine.CodeOf(err)], me, id, func(p *hookPage) {
				if p.Wrong = wrong; what == "settings" {
					p.Typed = t
				}
			})
		}
		switch {
		case err != nil:
			return err
		case secret != "":
			return s.writeOne(w, r, http.StatusOK, me, id, func(p *hookPage) { p.Secret, p.Said = secret, "" })
		case what == "delete":
			return httpx.Redirect(w, r, app.Said(webhooksRoot, said))
		}
		return httpx.Redirect(w, r, app.Said(hookAddress(id), said))
	}
}

// do does what a form asks for. It returns a new secret, or the code of the
// message to show.
func (s *WebhookPages) do(ctx context.Context, me *vitrine.Account, id vitrine.WebhookID, what string,
	f url.Values) (secret, said string, err error) {
	var d *webhooks.Details
	switch what {
	case "settings":
		d, err = s.Webhooks.Edit(ctx, me, id, readHook(f).request())
		said = "saved"
	case "turn":
		on := f.Get("on") != ""
		d, err = s.Webhooks.Edit(ctx, me, id, webhooks.Request{On: &on})
		said = map[bool]string{true: "hook-on", false: "hook-off"}[on]
	case "rotate":
		d, err = s.Webhooks.Rotate(ctx, me, id)
	case "test":
		_, err = s.Webhooks.Test(ctx, me, id)
		return "", "hook-tested", err
	case "resend":
		of, _ := strconv.ParseInt(f.Get("message"), 10, 64)
		_, err = s.Webhooks.Resend(ctx, me, id, vitrine.DeliveryID(of))
		return "", "hook-resent", err
	case "delete":
		return "", "hook-gone", s.Webhooks.Delete(ctx, me, id)
	}
	if d != nil {
		secret = d.Secret
	}
	return secret, said, err
}
