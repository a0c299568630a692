package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/auth"

	"github.com/chromedp/chromedp"
)

var laptop = fields{"program": "vitrine 1.0", "machine": "ada-laptop"}

// TestLoginFlow starts a login in a program. A signed-in user allows it on the
// page, and the program gets a key of that user, once, and later revokes it.
func TestLoginFlow(t *testing.T) {
	f := newFixture(t)
	cookie := f.site.signIn(f.site.account)
	started := f.call("", "POST", "/logins", laptop).want(200, "")
	secret := fields{"secret": started.text("secret")}
	if got := f.call("", "POST", "/logins/take", secret).want(200, "").text("state"); got != "pending" {
		t.Errorf("state = %s, want pending", got)
	}
	page := strings.TrimPrefix(started.text("urlWithCode"), f.url)
	r := f.status(f.get(page), http.StatusSeeOther)
	if want := "/sign-in?next=" + url.QueryEscape(page); r.Header.Get("Location") != want {
		t.Errorf("redirected to %s, want %s", r.Header.Get("Location"), want)
	}
	r = f.status(f.get(page, cookie), 200)
	for _, text := range []string{started.text("code"), "vitrine 1.0", "ada-laptop", f.site.account.Email,
		`value="allow"`, `value="refuse"`} {
		if !strings.Contains(r.body, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if strings.Contains(r.body, started.text("secret")) {
		t.Error("the page contains the secret")
	}
	answer := url.Values{"code": {started.text("code")}, "answer": {"allow"}, "scope": {"full"}, "expires": {"90d"}}
	f.status(f.site.do(http.MethodPost, "/device", answer.Encode(), form, "Sec-Fetch-Site: cross-site", cookie),
		http.StatusForbidden)
	f.status(f.site.post("/device", url.Values{"code": answer["code"]}, cookie), http.StatusBadRequest)
	if got := f.call("", "POST", "/logins/take", secret).want(200, "").text("state"); got != "pending" {
		t.Errorf("state after a request from another site = %s, want pending", got)
	}
	for range 2 { // a double click
		if r := f.status(f.site.post("/device", answer, cookie), 200); !strings.Contains(r.body, "Program connected") {
			t.Errorf("page after the decision: %s", r.body)
		}
	}
	taken := f.call("", "POST", "/logins/take", secret).want(200, "")
	if taken.text("email") != f.site.account.Email || taken.text("name") != "ada-laptop" {
		t.Errorf("login = %s", taken.Body)
	}
	f.call("", "POST", "/logins/take", secret).want(404, "not_found")
	key := taken.text("apiKey")
	f.call(key, "GET", "/links", nil).want(200, "")
	if own := f.call(key, "GET", "/key", nil).want(200, "").json(); own["last4"] != key[len(key)-4:] ||
		own["scope"] != "full" || own["account"] == "" || own["expiresAt"] == nil {
		t.Errorf("the key of the request = %v", own)
	}
	f.call(key, "DELETE", "/key", nil).want(204, "")
	f.call(key, "GET", "/links", nil).want(401, "unauthorized")
	f.call(key, "DELETE", "/key", nil).want(401, "unauthorized")
	f.call("", "GET", "/logins", nil).want(405, "method_not_allowed")
	f.call("", "POST", "/logins", fields{"program": "x"}).want(400, "invalid_request")
	f.call("", "POST", "/logins", laptop.with(fields{"machine": "two\nlines"})).want(400, "invalid_request")
	f.call("", "POST", "/logins/take", fields{"secret": 1}).want(400, "invalid_request")
}

// TestLoginGrant checks that the key of a login has the scope and the end that
// the form gave, and that a form without one of the choices gives none.
func TestLoginGrant(t *testing.T) {
	f := newFixture(t)
	cookie := f.site.signIn(f.site.account)
	begin := func() (code, secret string) {
		l := f.call("", "POST", "/logins", laptop).want(200, "")
		return l.text("code"), l.text("secret")
	}
	lives := map[string]time.Duration{"": 0, "30d": 30 * 24 * time.Hour, "90d": 90 * 24 * time.Hour,
		"365d": 365 * 24 * time.Hour}
	for _, scope := range vitrine.Scopes {
		for value, life := range lives {
			code, secret := begin()
			f.status(f.site.post("/device", url.Values{"code": {code}, "answer": {"allow"}, "scope": {string(scope)},
				"expires": {value}}, cookie), 200)
			taken := f.call("", "POST", "/logins/take", fields{"secret": secret}).want(200, "")
			own := f.call(taken.text("apiKey"), "GET", "/key", nil).want(200, "").json()
			var got time.Duration
			if end, ok := own["expiresAt"].(string); ok {
				created, err := time.Parse(time.RFC3339, own["createdAt"].(string))
				ends, wrong := time.Parse(time.RFC3339, end)
				if err != nil || wrong != nil {
					t.Fatal(err, wrong)
				}
				got = ends.Sub(created)
			}
			if own["scope"] != string(scope) || got != life {
				t.Errorf("%s, %q: the key has the scope %v and ends after %v, want %v", scope, value, own["scope"], got,
					life)
			}
		}
	}
	code, secret := begin()
	for _, wrong := range []url.Values{{}, {"scope": {"full"}}, {"expires": {"90d"}},
		{"scope": {""}, "expires": {"90d"}}, {"scope": {"admin"}, "expires": {"90d"}},
		{"scope": {"full"}, "expires": {"1d"}}, {"scope": {"full"}, "expires": {"x"}}} {
		wrong.Set("code", code)
		wrong.Set("answer", "allow")
		f.status(f.site.post("/device", wrong, cookie), 400)
	}
	if got := f.call("", "POST", "/logins/take", fields{"secret": secret}).want(200, "").text("state"); got != "pending" {
		t.Errorf("state after wrong forms = %s, want pending", got)
	}
}

// TestLoginRefusedOnPage checks that a refused program gets that answer, and
// that wrong codes are shown as errors of the form, up to a rate limit.
func TestLoginRefusedOnPage(t *testing.T) {
	f := newFixture(t)
	cookie := f.site.signIn(f.site.account)
	started := f.call("", "POST", "/logins", laptop).want(200, "")
	f.status(f.site.post("/device", url.Values{"code": {started.text("code")}, "answer": {"refuse"}}, cookie), 200)
	if got := f.call("", "POST", "/logins/take", fields{"secret": started.text("secret")}).want(200,
		"").text("state"); got != "refused" {
		t.Errorf("state = %s, want refused", got)
	}
	for range 10 {
		if r := f.status(f.get("/device?code=BBBB-BBBB", cookie), 404); !strings.Contains(r.body, `id="wrong-code"`) {
			t.Errorf("page for a wrong code: %s", r.body)
		}
	}
	r := f.status(f.get("/device?code=BBBB-BBBB", cookie), 429)
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After header")
	}
	f.status(f.site.do(http.MethodPut, "/device", "", cookie), 405)
}

// TestBrowserLogin types the code, sees the program's details and allows it.
func TestBrowserLogin(t *testing.T) {
	t.Parallel()
	d := newAccountSite(t, auth.SignUpInvite, false)
	l, secret, err := d.server.Logins.Begin(t.Context(), "vitrine 1.0", "ada-laptop", auth.Client{})
	d.check(err)
	tb := newMember(t, d.site, d.member)
	tb.visit(d.url + "/device")
	tb.checkWindows("the code")
	tb.run(chromedp.SendKeys(`[name=code]`, "bbbb bbbb\r"))
	tb.arrives(`document.querySelector("#wrong-code") !== null`)
	tb.checkWindows("a wrong code")
	tb.run(chromedp.Evaluate(`document.querySelector("[name=code]").value = ""`, nil),
		chromedp.SendKeys(`[name=code]`, strings.ToLower(l.Code)+"\r"))
	tb.arrives(`document.querySelector(".device-code")?.textContent === "` + auth.ShownLoginCode(l.Code) + `"`)
	tb.checkWindows("the question")
	tb.run(chromedp.Click(`[value=allow]`))
	tb.arrives(`document.querySelector("h1").textContent === "Program connected"`)
	tb.checkWindows("the answer")
	taken, err := d.server.Logins.Take(t.Context(), string(secret))
	d.check(err)
	if taken.Email != d.member.Email {
		t.Errorf("login = %+v", taken)
	}
	tb.visit(d.url + "/keys")
	tb.arrives(`document.querySelector(".key-rows b").textContent === "ada-laptop"`)
}
