package app_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestTwoStep walks through two-step sign-in as a person does: set it up, sign
// in with a code and with a recovery code, and turn it off.
func TestTwoStep(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, true)
	var log bytes.Buffer
	d.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	d.Handler = d.Server.Handler()
	a := d.WithPassword(d.Owner)
	p := d.TwoStep(d.SignIn(a))
	if len(p.Recovery) != 10 {
		t.Fatalf("recovery codes %q", p.Recovery)
	}
	r := d.Status(d.Post("/sign-in", url.Values{"email": {a.Email}, "password": {webtest.Words}, "next": {"/links"}}), 303)
	if to := r.Header.Get("Location"); to != "/two-step?next=%2Flinks" || len(r.Cookies()) != 1 {
		t.Errorf("after the password: %q, %d cookies", to, len(r.Cookies()))
	}
	half := webtest.Cookies(r)
	if to := d.Status(d.Get("/links", half), 303).Header.Get("Location"); to != "/sign-in?next=%2Flinks" {
		t.Errorf("a page leads to %q", to)
	}
	if to := d.Status(d.Get("/sign-in?next=/links", half), 303).Header.Get("Location"); to != "/two-step?next=%2Flinks" {
		t.Errorf("the sign-in page leads to %q", to)
	}
	page := d.Status(d.Get("/two-step?next=/links", half), 200).Text
	if !strings.Contains(page, a.Email) || !strings.Contains(page, `href="/two-step?next=%2Flinks&amp;recovery=1"`) {
		t.Errorf("the page that asks: %s", page)
	}
	wrong := d.Status(d.Post("/two-step", url.Values{"code": {"000000"}, "next": {"/links"}}, half), 400).Text
	if !strings.Contains(wrong, "This code is wrong") || !strings.Contains(wrong, `name="next" value="/links"`) {
		t.Errorf("a wrong code: %s", wrong)
	}
	in := d.Status(d.Post("/two-step", url.Values{"code": {p.Code()}, "next": {"/links"}}, half), 303)
	if in.Header.Get("Location") != "/links" || len(in.Cookies()) != 2 {
		t.Errorf("a right code: %v", in.Header)
	}
	cookie := webtest.Cookies(in)
	d.Status(d.Get("/links", cookie), 200)
	if page := d.Get("/account", cookie).Text; !strings.Contains(page, "10 recovery codes left") {
		t.Error("the account page does not tell")
	}
	half = p.Half(a)
	recovery := strings.ToLower(p.Recovery[0])
	other := d.Status(d.Post("/two-step", url.Values{"code": {recovery}, "recovery": {"1"}}, half), 303)
	page = d.Status(d.Get("/account", webtest.Cookies(other)), 200).Text
	if !strings.Contains(page, "9 recovery codes left") || !strings.Contains(page, "A recovery code was used: 9 left") {
		t.Error("the account page does not tell of the recovery code")
	}
	off := url.Values{"do": {"remove"}, "current": {webtest.Words}, "code": {""}}
	d.Status(d.Post("/account/two-step", off, cookie), 400)
	off.Set("code", p.Code())
	off.Set("current", "wrong")
	d.Status(d.Post("/account/two-step", off, cookie), 400)
	off.Set("current", webtest.Words)
	off.Set("code", p.Code())
	d.Status(d.Post("/account/two-step", off, cookie), 303)
	var subjects []string
	for _, m := range d.SentMail.All {
		if strings.HasPrefix(m.Subject, "Two-step") {
			subjects = append(subjects, regexp.MustCompile(`(?m)^  (.*)$`).FindStringSubmatch(m.Text)[1])
		}
	}
	if got := strings.Join(subjects, "; "); got != "Turned on; A recovery code was used: 9 left; Turned off" {
		t.Errorf("mails: %s", got)
	}
	for _, want := range []string{`msg="sign-in failed" reason=code`, "type=account.factor_changed"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s", want)
		}
	}
	for _, secret := range append(p.Recovery, p.Secret.Text(), recovery) {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}
}

// TestFormsThatNeedACode checks that each form with which a thief of a session
// could stay asks for a code or a passkey, refuses without one, and takes one.
func TestFormsThatNeedACode(t *testing.T) {
	for _, way := range []string{"code", "passkey"} {
		t.Run(way, func(t *testing.T) { formsThatNeedACode(t, way) })
	}
}

func formsThatNeedACode(t *testing.T, way string) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	device := d.WithPasskeys()
	d.Join("second-owner@example.org", vitrine.RoleOwner) // so that the account can be closed
	a := d.WithPassword(d.Owner)
	cookie := d.SignIn(a)
	var p *webtest.Phone
	if way == "code" {
		p = d.TwoStep(cookie)
	} else {
		d.Status(d.AddPasskey(device, cookie, "phone"), 200)
	}
	key, err := d.Server.Keys.CreateFor(t.Context(), a.Email, auth.KeyRequest{Name: "old", Scope: vitrine.ScopeRead})
	d.Check(err)
	login, _, err := d.Server.Logins.Begin(t.Context(), "vitrine", "laptop", auth.AnyKey, auth.Client{})
	d.Check(err) // it is the first form, because the code expires
	program := "/oauth/authorize?" + d.GrantQuery().Encode()
	for _, form := range []struct {
		page, action string
		fields       url.Values
		status       int
	}{
		{"/device?code=" + login.Code, "/device", url.Values{"code": {login.Code}, "answer": {"allow"},
			"scope": {"read"}, "expires": {"90d"}}, 200},
		{program, program, url.Values{"answer": {"allow"}, "scope": {"read"}, "expires": {"90d"}}, 200},
		{"/keys", "/keys", url.Values{"name": {"x"}, "scope": {"read"}}, 200},
		{"/keys", fmt.Sprintf("/keys/%d/roll", key.ID), url.Values{"grace": {"now"}}, 200},
		{"/account", "/account/password", url.Values{"current": {webtest.Words}, "password": {webtest.Words}}, 303},
		{"/account", "/account/email", url.Values{"current": {webtest.Words}, "email": {"new@example.org"}}, 303},
		{"/account", "/account/close", url.Values{"current": {webtest.Words}, "email": {"new@example.org"}}, 200},
	} {
		d.Ahead.Add(int64(3 * time.Minute))
		d.Check(d.Server.Sessions.Store.Update(t.Context(), func(tx vitrine.Tx) error { // as if ten minutes had passed
			all, err := tx.Sessions(a.ID)
			for _, s := range all {
				s.FactorAt = time.Time{}
				d.Check(tx.PutSession(s))
			}
			return err
		}))
		page := d.Status(d.Get(form.page, cookie), 200).Text
		if !strings.Contains(d.Attr(page, `(?s)action="`+regexp.QuoteMeta(html.EscapeString(form.action))+`"(.*?)</form>`), `name="factor"`) {
			t.Errorf("%s does not ask for a code", form.action)
		}
		for _, code := range []string{"", "000000"} {
			form.fields.Set("factor", code)
			r := d.Status(d.Post(form.action, form.fields, cookie), 400)
			if !strings.Contains(r.Text, "ode") || strings.Contains(r.Text, "vtr_\"") {
				t.Errorf("%s with %q: %s", form.action, code, r.Text)
			}
		}
		form.fields.Del("factor")
		if p != nil {
			form.fields.Set("factor", p.Code())
		} else {
			form.fields.Set("passkey", device.Show(d.Options(page, form.action)))
		}
		d.Status(d.Post(form.action, form.fields, cookie), form.status)
	}
}

// TestTwoStepRequired checks that a person without a second factor is led to
// set it up, that no other page and no operation of a script opens before, that
// they can sign out, and that they then come to where they wanted.
func TestTwoStepRequired(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	a := d.WithPassword(d.Owner)
	cookie := d.SignIn(a)
	d.Server.Sessions.Factor = auth.FactorAll
	for _, path := range []string{"/links", "/account", "/keys", "/people", "/moderation", "/account/export", "/device"} {
		if to := d.Status(d.Get(path, cookie), 303).Header.Get("Location"); !strings.HasPrefix(to, "/sign-in") {
			t.Errorf("%s leads to %q", path, to)
		}
	}
	d.Post("/keys", url.Values{"name": {"x"}, "scope": {"full"}}, cookie)
	if keys, err := d.Server.Keys.List(t.Context(), a.Email); err != nil || len(keys) > 1 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	if to := d.Get("/sign-in?next=/links", cookie).Header.Get("Location"); to != "/account/two-step?next=%2Flinks" {
		t.Errorf("the sign-in page leads to %q", to)
	}
	page := d.Status(d.Get("/account/two-step?next=/links", cookie), 200).Text
	if !strings.Contains(page, `action="/sign-out"`) || !strings.Contains(page, `name="next" value="/links"`) {
		t.Error("the page has no way out, or forgets where it leads")
	}
	d.TwoStep(cookie)
	d.Status(d.Get("/links", cookie), 200)
}

// TestTwoStepExport checks that the data of an account say since when, and no
// secret.
func TestTwoStepExport(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	cookie := d.SignIn(d.Owner)
	p := d.TwoStep(cookie)
	d.Post(d.SignInLink(d.Owner), nil) // a sign-in that is not complete
	body := d.Status(d.Get("/account/export", cookie), 200).Text
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	d.Check(err)
	text, err := fs.ReadFile(z, "account.json")
	d.Check(err)
	var v struct {
		TwoStepSince *time.Time
		Sessions     []struct{}
	}
	d.Check(json.Unmarshal(text, &v))
	if v.TwoStepSince == nil || len(v.Sessions) != 1 || bytes.Contains(text, []byte(p.Secret.Text())) {
		t.Errorf("account.json = %s", text)
	}
}
