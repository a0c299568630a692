package app_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestPasskeyPages walks through passkeys as a person does: add one, sign in
// with it alone and as a second step, and remove it.
func TestPasskeyPages(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, true)
	device := d.WithPasskeys()
	a := d.WithPassword(d.Owner)
	cookie := d.SignIn(a)
	page := d.Status(d.AddPasskey(device, cookie, "Ann’s <phone>"), 200).Text
	if codes := strings.Fields(d.Attr(page, `id="codes"[^>]*>([^<]+)<`)); len(codes) != 10 {
		t.Errorf("recovery codes %q", codes)
	}
	page = d.Status(d.Get("/account/two-step", cookie), 200).Text
	for _, want := range []string{"Ann’s &lt;phone&gt;", "Passkey on one device", "Add an authenticator app", `data-new`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	page = d.Status(d.Get("/sign-in?next=/keys"), 200).Text
	in := d.Status(d.Post("/sign-in", url.Values{"passkey": {device.Show(d.Options(page, ""))}, "next": {"/keys"}}), 303)
	if in.Header.Get("Location") != "/keys" || len(in.Cookies()) != 2 {
		t.Errorf("alone: %v", in.Header)
	}
	d.Status(d.Get("/keys", webtest.Cookies(in)), 200)
	half := webtest.Cookies(d.Status(d.Enter(a.Email, webtest.Words), 303))
	page = d.Status(d.Get("/two-step", half), 200).Text
	if strings.Contains(page, `name="code"`) || !strings.Contains(page, "Use a recovery code") {
		t.Error("without an app, the second step asks for its code")
	}
	answer := device.Show(d.Options(page, ""))
	d.Status(d.Post("/two-step", url.Values{"passkey": {answer}}, half), 303)
	if page := d.Status(d.Post("/two-step", url.Values{"passkey": {answer}},
		webtest.Cookies(d.Enter(a.Email, webtest.Words))), 400).Text; !strings.Contains(page, "was used already") {
		t.Errorf("the same answer again: %s", page)
	}
	page = d.Status(d.Get("/account/two-step", cookie), 200).Text
	key := d.Attr(page, `name="key" value="([^"]+)"`)
	d.Status(d.Post("/account/two-step", url.Values{"key": {key}, "current": {webtest.Words}}, cookie), 400)
	r := d.Status(d.Post("/account/two-step", url.Values{"key": {key}, "current": {webtest.Words},
		"passkey": {device.Show(d.Options(page, "/account/two-step"))}}, cookie), 303)
	if to := r.Header.Get("Location"); to != "/account?said=two-step-off" {
		t.Errorf("removed: %s", to)
	}
	page = d.Status(d.Get("/sign-in"), 200).Text
	r = d.Status(d.Post("/sign-in", url.Values{"passkey": {device.Show(d.Options(page, ""))}}), 401)
	if !strings.Contains(r.Text, "This passkey does not sign in here") || len(r.Cookies()) > 0 {
		t.Errorf("a removed passkey: %s", r.Text)
	}
}

// TestPasskeyWithApp checks that passkey and app stand beside each other: the
// second one needs the first, and leaves the recovery codes.
func TestPasskeyWithApp(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	device := d.WithPasskeys()
	cookie := d.SignIn(d.Owner)
	p := d.TwoStep(cookie)
	if to := d.Status(d.AddPasskey(device, cookie, "phone"), 303).Header.Get("Location"); to != "/account?said=passkey-added" {
		t.Errorf("added: %s", to)
	}
	d.Ahead.Add(int64(11 * time.Minute))
	if r := d.Status(d.AddPasskey(device, cookie, "tablet"), 400); !strings.Contains(r.Text, "Type the code") {
		t.Errorf("without a code: %s", r.Text)
	}
	half := p.Half(d.Owner)
	page := d.Status(d.Get("/two-step", half), 200).Text
	if !strings.Contains(page, `name="code"`) {
		t.Error("the second step does not ask for a code")
	}
	d.Status(d.Post("/two-step", url.Values{"passkey": {device.Show(d.Options(page, ""))}}, half), 303)
	cookie = webtest.Cookies(d.Status(d.Post("/two-step", url.Values{"code": {p.Recovery[0]}}, p.Half(d.Owner)), 303))
	d.Status(d.Post("/account/two-step", url.Values{"key": {"app"}, "code": {p.Recovery[1]}}, cookie), 303)
	page = d.Status(d.Get("/account/two-step", cookie), 200).Text
	if !strings.Contains(page, "8 recovery codes left") || !strings.Contains(page, ">phone<") || strings.Contains(page, "Remove the authenticator app") {
		t.Errorf("after the app was removed: %s", page)
	}
}

// TestPasskeyNotPossible checks that an instance at an IP address says so where
// passkeys are made, and does not offer them elsewhere.
func TestPasskeyNotPossible(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	cookie := d.SignIn(d.Owner)
	page := d.Status(d.Get("/account/two-step", cookie), 200).Text
	if !strings.Contains(page, "Passkeys need a domain name. This site is at the address 127.0.0.1.") ||
		!strings.Contains(page, `id="secret"`) {
		t.Errorf("the page does not say why: %s", page)
	}
	if strings.Contains(d.Get("/sign-in").Text, "data-passkey") {
		t.Error("the sign-in page offers passkeys")
	}
	d.Status(d.Post("/account/two-step", url.Values{"do": {"passkey"}, "name": {"x"}, "made": {"{}"}}, cookie), 400)
	d.Status(d.Post("/sign-in", url.Values{"passkey": {"{}"}}), 400)
}

// TestPasskeyRequired checks that a passkey is the second step that an instance
// asks for.
func TestPasskeyRequired(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	device := d.WithPasskeys()
	cookie := d.SignIn(d.Owner)
	d.Server.Sessions.Factor = auth.FactorModerators
	d.Status(d.Get("/links", cookie), 303)
	d.Status(d.AddPasskey(device, cookie, "phone"), 200)
	d.Status(d.Get("/links", cookie), 200)
}

// TestPasskeyExport checks what the data of an account say of its passkeys.
func TestPasskeyExport(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	device := d.WithPasskeys()
	cookie := d.SignIn(d.Owner)
	d.Status(d.AddPasskey(device, cookie, "phone"), 200)
	body := d.Status(d.Get("/account/export", cookie), 200).Text
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	d.Check(err)
	text, err := fs.ReadFile(z, "account.json")
	d.Check(err)
	var v struct {
		TwoStepSince *time.Time
		Passkeys     []struct {
			Name, Domain string
			CreatedAt    time.Time
			UsedAt       *time.Time
		}
	}
	d.Check(json.Unmarshal(text, &v))
	if v.TwoStepSince == nil || len(v.Passkeys) != 1 || v.Passkeys[0].Name != "phone" ||
		v.Passkeys[0].Domain != "localhost" || bytes.Contains(text, []byte(`"key"`)) {
		t.Errorf("account.json = %s", text)
	}
}

// TestPeopleTwoStepOff checks that owners turn off two-step sign-in of others,
// with their own second step, that the person is told and signed out, and that
// nobody else can.
func TestPeopleTwoStepOff(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, true)
	theirs := d.SignIn(d.Member)
	d.TwoStep(theirs)
	off := url.Values{"email": {d.Member.Email}}
	moderator := d.SignIn(d.Join("moderator@example.org", vitrine.RoleModerator))
	for _, cookie := range []string{moderator, theirs} {
		d.Status(d.Post("/people/two-step-off", off, cookie), 404)
	}
	cookie := d.SignIn(d.Owner)
	p := d.TwoStep(cookie)
	page := d.Status(d.Get("/people", cookie), 200).Text
	if strings.Count(page, `action="/people/two-step-off"`) != 1 {
		t.Error("the page offers it for others than the member")
	}
	d.Ahead.Add(int64(11 * time.Minute))
	if r := d.Status(d.Post("/people/two-step-off", off, cookie), 400); !strings.Contains(r.Text, "is still on") {
		t.Errorf("without a code: %s", r.Text)
	}
	d.Status(d.Get("/links", theirs), 200)
	before := len(d.SentMail.All)
	off.Set("factor", p.Code())
	d.Status(d.Post("/people/two-step-off", off, cookie), 303)
	d.Status(d.Get("/links", theirs), 303)
	now, err := d.Server.Accounts.ByEmail(t.Context(), d.Member.Email)
	d.Check(err)
	events, err := d.Server.Accounts.Activity(t.Context(), d.Member.ID, 1)
	d.Check(err)
	if len(now.Factor) > 0 || events[0].Action != vitrine.ActionFactor || events[0].By != vitrine.Moderator(d.Owner) {
		t.Errorf("factor %s, %+v", now.Factor, events[0])
	}
	if sent := d.SentMail.All[before:]; len(sent) != 1 || sent[0].To != d.Member.Email ||
		!strings.Contains(sent[0].Text, "Turned off by an administrator") {
		t.Errorf("mails: %+v", sent)
	}
	if r := d.Status(d.Post("/people/two-step-off", off, cookie), 400); !strings.Contains(r.Text, "has no second factor") {
		t.Errorf("again: %s", r.Text)
	}
}
