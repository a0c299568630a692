package web_test

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
	"vitrine/internal/web/httpx"

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

// TestLoginGrant checks that the page proposes what a program asks for, offers
// nothing beyond it, and that the key has what was chosen.
func TestLoginGrant(t *testing.T) {
	f := newFixture(t)
	cookie := f.site.signIn(f.site.account)
	const day = 24 * time.Hour
	for _, asked := range []struct {
		scope, end string
		most       time.Duration
		offers     int // ends
		proposed   string
	}{{"", "", 0, 6, "90d"}, {"full", "never", 0, 6, ""}, {"publish", "date", 60 * day, 4, "date"},
		{"read", "date", 15 * time.Minute, 1, "date"}, {"read", "", 0, 6, "90d"}, {"", "date", 400 * day, 6, "date"}} {
		for _, lower := range []bool{false, true} {
			f.clock.Advance(15 * time.Minute)
			last := f.clock.Now().Add(asked.most).UTC().Format(httpx.TimeFormat)
			end, proposed := strings.ReplaceAll(asked.end, "date", last), strings.ReplaceAll(asked.proposed, "date", last)
			body := laptop.with(nil)
			if asked.scope != "" {
				body["scope"] = asked.scope
			}
			if end != "" {
				body["expiresAt"] = end
			}
			started := f.call("", "POST", "/logins", body).want(200, "")
			page := f.status(f.get(strings.TrimPrefix(started.text("urlWithCode"), f.url), cookie), 200).body
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
				scope, proposed = "read", f.clock.Now().Add(11*time.Minute).UTC().Format(httpx.TimeFormat)
			}
			f.status(f.site.post("/device", url.Values{"code": {started.text("code")}, "answer": {"allow"},
				"scope": {scope}, "expires": {proposed}}, cookie), 200)
			want := map[string]any{"": nil, "90d": f.clock.Now().Add(90 * day).UTC().Format(httpx.TimeFormat)}
			if _, ok := want[proposed]; !ok {
				want[proposed] = proposed
			}
			key := f.call("", "POST", "/logins/take", fields{"secret": started.text("secret")}).want(200, "").text("apiKey")
			if own := f.call(key, "GET", "/key", nil).want(200, "").json(); own["scope"] != scope ||
				own["expiresAt"] != want[proposed] {
				t.Errorf("%+v: the key has the scope %v and ends at %v, want %s and %v", asked, own["scope"], own["expiresAt"],
					scope, want[proposed])
			}
		}
	}
}

// TestLoginGrantRefused checks that a program that asks for something wrong is
// told the field, and that a form with a wrong choice is shown again, with that
// field marked and the other choice kept.
func TestLoginGrantRefused(t *testing.T) {
	f := newFixture(t)
	cookie := f.site.signIn(f.site.account)
	at := func(d time.Duration) string { return f.clock.Now().Add(d).UTC().Format(httpx.TimeFormat) }
	for field, values := range map[string][]any{"scope": {"", "admin", "Full", 1, nil, []string{"read"}},
		"expiresAt": {"", "90d", "2027-01-31", 90, true, nil, at(-time.Hour), at(0), at(vitrine.LoginLife)}} {
		for _, value := range values {
			body := laptop.with(nil)
			body[field] = value
			if got := f.call("", "POST", "/logins", body).want(400, "invalid_request").text("field"); got != field {
				t.Errorf("%s = %v: the error names %q", field, value, got)
			}
		}
	}
	started := f.call("", "POST", "/logins", laptop.with(fields{"scope": "publish",
		"expiresAt": at(60 * 24 * time.Hour)})).want(200, "")
	for _, form := range []struct{ scope, expires, wrong string }{{"", "30d", "scope"}, {"admin", "30d", "scope"},
		{"full", "30d", "scope"}, {"read", "", "expires"}, {"read", "90d", "expires"}, {"read", "x", "expires"},
		{"read", at(-time.Hour), "expires"}, {"read", at(time.Minute), "expires"}, {"read", "none", "expires"},
		{"read", at(60*24*time.Hour + time.Millisecond), "expires"}} {
		values := url.Values{"code": {started.text("code")}, "answer": {"allow"}, "scope": {form.scope},
			"expires": {form.expires}}
		if form.expires == "none" {
			values.Del("expires")
		}
		r := f.status(f.site.post("/device", values, cookie), 400)
		kept := map[string]string{"scope": "30d", "expires": "read"}[form.wrong]
		for _, text := range []string{`id="wrong-` + form.wrong + `"`, `<option value="` + kept + `" selected>`,
			started.text("code"), "ada-laptop"} {
			if !strings.Contains(r.body, text) {
				t.Errorf("%+v: the page lacks %q", form, text)
			}
		}
	}
	f.status(f.site.post("/device", url.Values{"code": {started.text("code")}}, cookie), 400)
	f.status(f.site.post("/device", url.Values{"code": {"BBBBBBBB"}, "answer": {"allow"}}, cookie), 404)
	if got := f.call("", "POST", "/logins/take",
		fields{"secret": started.text("secret")}).want(200, "").text("state"); got != "pending" {
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
	l, secret, err := d.server.Logins.Begin(t.Context(), "vitrine 1.0", "ada-laptop", auth.AnyKey, auth.Client{})
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
