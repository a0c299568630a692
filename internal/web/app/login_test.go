package app_test

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/httpx"

	"github.com/chromedp/chromedp"
)

// TestLoginFlow starts a login in a program. A signed-in user allows it on the
// page, and the program gets a key of that user, once, and later revokes it.
func TestLoginFlow(t *testing.T) {
	f := webtest.NewFixture(t)
	cookie := f.Site.SignIn(f.Site.Account)
	started := f.Call("", "POST", "/logins", webtest.Laptop).Want(200, "")
	secret := webtest.Fields{"secret": started.Text("secret")}
	if got := f.Call("", "POST", "/logins/take", secret).Want(200, "").Text("state"); got != "pending" {
		t.Errorf("state = %s, want pending", got)
	}
	page := strings.TrimPrefix(started.Text("urlWithCode"), f.URL)
	r := f.Status(f.Get(page), http.StatusSeeOther)
	if want := "/sign-in?next=" + url.QueryEscape(page); r.Header.Get("Location") != want {
		t.Errorf("redirected to %s, want %s", r.Header.Get("Location"), want)
	}
	r = f.Status(f.Get(page, cookie), 200)
	for _, text := range []string{started.Text("code"), "vitrine 1.0", "ada-laptop", f.Site.Account.Email,
		`value="allow"`, `value="refuse"`} {
		if !strings.Contains(r.Text, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if strings.Contains(r.Text, started.Text("secret")) {
		t.Error("the page contains the secret")
	}
	answer := url.Values{"code": {started.Text("code")}, "answer": {"allow"}, "scope": {"full"}, "expires": {"90d"}}
	f.Status(f.Site.Do(http.MethodPost, "/device", answer.Encode(), webtest.Form, "Sec-Fetch-Site: cross-site", cookie),
		http.StatusForbidden)
	f.Status(f.Site.Post("/device", url.Values{"code": answer["code"]}, cookie), http.StatusBadRequest)
	if got := f.Call("", "POST", "/logins/take", secret).Want(200, "").Text("state"); got != "pending" {
		t.Errorf("state after a request from another site = %s, want pending", got)
	}
	for range 2 { // a double click
		if r := f.Status(f.Site.Post("/device", answer, cookie), 200); !strings.Contains(r.Text, "Program connected") {
			t.Errorf("page after the decision: %s", r.Text)
		}
	}
	taken := f.Call("", "POST", "/logins/take", secret).Want(200, "")
	if taken.Text("email") != f.Site.Account.Email || taken.Text("name") != "ada-laptop" {
		t.Errorf("login = %s", taken.Body)
	}
	f.Call("", "POST", "/logins/take", secret).Want(404, "not_found")
	key := taken.Text("apiKey")
	f.Call(key, "GET", "/links", nil).Want(200, "")
	if own := f.Call(key, "GET", "/key", nil).Want(200, "").JSON(); own["last4"] != key[len(key)-4:] ||
		own["scope"] != "full" || own["account"] == "" || own["expiresAt"] == nil {
		t.Errorf("the key of the request = %v", own)
	}
	f.Call(key, "DELETE", "/key", nil).Want(204, "")
	f.Call(key, "GET", "/links", nil).Want(401, "unauthorized")
	f.Call(key, "DELETE", "/key", nil).Want(401, "unauthorized")
	f.Call("", "GET", "/logins", nil).Want(405, "method_not_allowed")
	f.Call("", "POST", "/logins", webtest.Fields{"program": "x"}).Want(400, "invalid_request")
	f.Call("", "POST", "/logins", webtest.Laptop.With(webtest.Fields{"machine": "two\nlines"})).Want(400,
		"invalid_request")
	f.Call("", "POST", "/logins/take", webtest.Fields{"secret": 1}).Want(400, "invalid_request")
}

// TestLoginGrant checks that the page proposes what a program asks for, offers
// nothing beyond it, and that the key has what was chosen.
func TestLoginGrant(t *testing.T) {
	f := webtest.NewFixture(t)
	cookie := f.Site.SignIn(f.Site.Account)
	const day = 24 * time.Hour
	for _, asked := range []struct {
		scope, end string
		most       time.Duration
		offers     int // ends
		proposed   string
	}{{"", "", 0, 6, "90d"}, {"full", "never", 0, 6, ""}, {"publish", "date", 60 * day, 4, "date"},
		{"read", "date", 15 * time.Minute, 1, "date"}, {"read", "", 0, 6, "90d"}, {"", "date", 400 * day, 6, "date"}} {
		for _, lower := range []bool{false, true} {
			f.Clock.Advance(15 * time.Minute)
			last := f.Clock.Now().Add(asked.most).UTC().Format(httpx.TimeFormat)
			end, proposed := strings.ReplaceAll(asked.end, "date", last), strings.ReplaceAll(asked.proposed, "date",
				last)
			body := webtest.Laptop.With(nil)
			if asked.scope != "" {
				body["scope"] = asked.scope
			}
			if end != "" {
				body["expiresAt"] = end
			}
			started := f.Call("", "POST", "/logins", body).Want(200, "")
			page := f.Status(f.Get(strings.TrimPrefix(started.Text("urlWithCode"), f.URL), cookie), 200).Text
			scope := cmp.Or(asked.scope, "full")
			scopes := slices.Index(vitrine.Scopes, vitrine.KeyScope(scope)) + 1
			if n := strings.Count(page, "<option"); n != scopes+asked.offers {
				t.Errorf("%+v: %d options, want %d scopes and %d ends", asked, n, scopes, asked.offers)
			}
			for _, want := range []string{scope, proposed} {
				if !strings.Contains(page, `<option value="`+want+`" selected>`) {
					t.Errorf("%+v: the page does not propose %q", asked, want)
				}
			}
			if lower {
				scope, proposed = "read", f.Clock.Now().Add(11*time.Minute).UTC().Format(httpx.TimeFormat)
			}
			f.Status(f.Site.Post("/device", url.Values{"code": {started.Text("code")}, "answer": {"allow"},
				"scope": {scope}, "expires": {proposed}}, cookie), 200)
			want := map[string]any{"": nil, "90d": f.Clock.Now().Add(90 * day).UTC().Format(httpx.TimeFormat)}
			if _, ok := want[proposed]; !ok {
				want[proposed] = proposed
			}
			key := f.Call("", "POST", "/logins/take", webtest.Fields{"secret": started.Text("secret")}).Want(200,
				"").Text("apiKey")
			if own := f.Call(key, "GET", "/key", nil).Want(200, "").JSON(); own["scope"] != scope ||
				own["expiresAt"] != want[proposed] {
				t.Errorf("%+v: the key has the scope %v and ends at %v, want %s and %v", asked, own["scope"],
					own["expiresAt"], scope, want[proposed])
			}
		}
	}
}

// TestLoginGrantRefused checks that a program that asks for something wrong is
// told the field, and that a form with a wrong choice is shown again, with that
// field marked and the other choice kept.
func TestLoginGrantRefused(t *testing.T) {
	f := webtest.NewFixture(t)
	cookie := f.Site.SignIn(f.Site.Account)
	at := func(d time.Duration) string { return f.Clock.Now().Add(d).UTC().Format(httpx.TimeFormat) }
	for field, values := range map[string][]any{"scope": {"", "admin", "Full", 1, nil, []string{"read"}},
		"expiresAt": {"", "90d", "2027-01-31", 90, true, nil, at(-time.Hour), at(0), at(vitrine.LoginLife)}} {
		for _, value := range values {
			body := webtest.Laptop.With(nil)
			body[field] = value
			if got := f.Call("", "POST", "/logins", body).Want(400, "invalid_request").Text("field"); got != field {
				t.Errorf("%s = %v: the error names %q", field, value, got)
			}
		}
	}
	started := f.Call("", "POST", "/logins", webtest.Laptop.With(webtest.Fields{"scope": "publish",
		"expiresAt": at(60 * 24 * time.Hour)})).Want(200, "")
	for _, form := range []struct{ scope, expires, wrong string }{{"", "30d", "scope"}, {"admin", "30d", "scope"},
		{"full", "30d", "scope"}, {"read", "", "expires"}, {"read", "90d", "expires"}, {"read", "x", "expires"},
		{"read", at(-time.Hour), "expires"}, {"read", at(time.Minute), "expires"}, {"read", "none", "expires"},
		{"read", at(60*24*time.Hour + time.Millisecond), "expires"}} {
		values := url.Values{"code": {started.Text("code")}, "answer": {"allow"}, "scope": {form.scope},
			"expires": {form.expires}}
		if form.expires == "none" {
			values.Del("expires")
		}
		r := f.Status(f.Site.Post("/device", values, cookie), 400)
		kept := map[string]string{"scope": "30d", "expires": "read"}[form.wrong]
		for _, text := range []string{`id="wrong-` + form.wrong + `"`, `<option value="` + kept + `" selected>`,
			started.Text("code"), "ada-laptop"} {
			if !strings.Contains(r.Text, text) {
				t.Errorf("%+v: the page lacks %q", form, text)
			}
		}
	}
	f.Status(f.Site.Post("/device", url.Values{"code": {started.Text("code")}}, cookie), 400)
	f.Status(f.Site.Post("/device", url.Values{"code": {"BBBBBBBB"}, "answer": {"allow"}}, cookie), 404)
	if got := f.Call("", "POST", "/logins/take",
		webtest.Fields{"secret": started.Text("secret")}).Want(200, "").Text("state"); got != "pending" {
		t.Errorf("state after wrong forms = %s, want pending", got)
	}
}

// TestLoginRefusedOnPage checks that a refused program gets that answer, and
// that wrong codes are shown as errors of the form, up to a rate limit.
func TestLoginRefusedOnPage(t *testing.T) {
	f := webtest.NewFixture(t)
	cookie := f.Site.SignIn(f.Site.Account)
	started := f.Call("", "POST", "/logins", webtest.Laptop).Want(200, "")
	f.Status(f.Site.Post("/device", url.Values{"code": {started.Text("code")}, "answer": {"refuse"}}, cookie), 200)
	if got := f.Call("", "POST", "/logins/take", webtest.Fields{"secret": started.Text("secret")}).Want(200,
		"").Text("state"); got != "refused" {
		t.Errorf("state = %s, want refused", got)
	}
	for range 10 {
		if r := f.Status(f.Get("/device?code=BBBB-BBBB", cookie), 404); !strings.Contains(r.Text, `id="wrong-code"`) {
			t.Errorf("page for a wrong code: %s", r.Text)
		}
	}
	r := f.Status(f.Get("/device?code=BBBB-BBBB", cookie), 429)
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After header")
	}
	f.Status(f.Site.Do(http.MethodPut, "/device", "", cookie), 405)
}

// TestBrowserLogin types the code, sees the program's details and allows it.
func TestBrowserLogin(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	l, secret, err := d.Server.Logins.Begin(t.Context(), "vitrine 1.0", "ada-laptop", auth.AnyKey, auth.Client{})
	d.Check(err)
	tb := webtest.NewMember(t, d.Site, d.Member)
	tb.Visit(d.URL + "/device")
	tb.CheckWindows("the code")
	tb.Run(webtest.Type(`[name=code]`, "bbbb bbbb\r"))
	tb.Arrives(`document.querySelector("#wrong-code") !== null`)
	tb.CheckWindows("a wrong code")
	tb.Run(chromedp.Evaluate(`document.querySelector("[name=code]").value = ""`, nil),
		webtest.Type(`[name=code]`, strings.ToLower(l.Code)+"\r"))
	tb.Arrives(`document.querySelector(".device-code")?.textContent === "` + auth.ShownLoginCode(l.Code) + `"`)
	tb.CheckWindows("the question")
	tb.Run(chromedp.Click(`[value=allow]`))
	tb.Arrives(`document.querySelector("h1").textContent === "Program connected"`)
	tb.CheckWindows("the answer")
	taken, err := d.Server.Logins.Take(t.Context(), string(secret))
	d.Check(err)
	if taken.Email != d.Member.Email {
		t.Errorf("login = %+v", taken)
	}
	tb.Visit(d.URL + "/keys")
	tb.Arrives(`document.querySelector(".key-rows b").textContent === "ada-laptop"`)
}
