package app_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/porttest"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/httpx"
)

// TestSentMail checks that the mailer of the tests keeps the contract of a
// Mailer.
func TestSentMail(t *testing.T) {
	porttest.Mailer(t, func(*testing.T) porttest.MailServer {
		l := new(webtest.SentMail)
		return porttest.MailServer{Mailer: l,
			Took: func() vitrine.Message { m := l.All[0]; l.All = l.All[1:]; return m }}
	})
}

// device returns the cookie that identifies a browser.
func device(r webtest.Reply) string {
	for _, c := range r.Cookies() {
		if strings.HasSuffix(c.Name, "-device") {
			return "Cookie: " + c.Name + "=" + c.Value
		}
	}
	return ""
}

// normalize removes from a page what differs in every answer.
func normalize(body, email string) string {
	body = regexp.MustCompile(`nonce="[^"]+"`).ReplaceAllString(body, "")
	return strings.ReplaceAll(body, email, "EMAIL")
}

// TestNobodyIsToldOfAccounts checks that an unknown email address, a wrong
// password, an account without a password and a suspended one get the same
// answer.
func TestNobodyIsToldOfAccounts(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpOpen, true)
	d.WithPassword(d.Member)
	suspended := d.WithPassword(d.Join("suspended@example.org", vitrine.RoleMember))
	_, err := d.Server.Accounts.SetBanned(t.Context(), suspended.Email, true, vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	pages := map[string]string{}
	for _, email := range []string{"nobody@example.org", d.Member.Email, d.Owner.Email, suspended.Email} {
		r := d.Status(d.Enter(email, "not the password"), 401)
		if len(r.Cookies()) > 0 {
			t.Errorf("%s: cookies = %v, want none", email, r.Cookies())
		}
		pages["sign-in "+email] = normalize(r.Text, email)
	}
	for _, email := range []string{"nobody@example.org", d.Member.Email, suspended.Email} {
		pages["reset "+email] = normalize(d.Status(d.Post("/reset", url.Values{"email": {email}}), 200).Text, email)
		pages["sign-up "+email] = normalize(d.Status(d.Post("/sign-up", url.Values{"email": {email}}), 200).Text, email)
	}
	for about, body := range pages {
		what, _, _ := strings.Cut(about, " ")
		if want := pages[what+" nobody@example.org"]; body != want || !strings.Contains(body, "EMAIL") {
			t.Errorf("%s: page\n%s\nwant\n%s", about, body, want)
		}
	}
	if n := d.SentMail.Count(); n != 4 { // a reset for the member, and a message to each about the sign-up
		t.Errorf("%d messages, want 4", n)
	}
	r := d.Status(d.Enter(suspended.Email, webtest.Words), 403)
	if !strings.Contains(r.Text, "suspended") || len(r.Cookies()) > 0 {
		t.Errorf("sign-in of a suspended account with its password: %s", r.Text)
	}
}

// TestTriesAreBounded checks that after too many tries the page says how long
// to wait and what else to do. A browser that has signed in before is not
// locked out.
func TestTriesAreBounded(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, true)
	d.WithPassword(d.Member)
	known := device(d.Status(d.Enter(d.Member.Email, webtest.Words), 303))
	for range 5 {
		d.Status(d.Enter(d.Member.Email, "wrong"), 401)
	}
	r := d.Status(d.Enter(d.Member.Email, webtest.Words), 429)
	if s := r.Header.Get("Retry-After"); s != "900" && s != "899" {
		t.Errorf("Retry-After = %s, want 899 or 900", s)
	}
	if !strings.Contains(r.Text, "Try again in 15 minutes") || !strings.Contains(r.Text, `href="/reset"`) ||
		strings.Contains(r.Text, webtest.Words) {
		t.Error(r.Text)
	}
	d.Status(d.Enter(d.Member.Email, webtest.Words, known), 303)
	d.Status(d.Post("/reset", url.Values{"email": {d.Member.Email}}), 200)
	d.Status(d.Post(d.SentMail.Path(t), url.Values{"password": {"another good one"}}), 303)
	for range 2 {
		d.Status(d.Post("/reset", url.Values{"email": {d.Member.Email}}), 200)
	}
	d.Status(d.Post("/reset", url.Values{"email": {d.Member.Email}}), 429)
}

// TestNextIsLocal checks that sign-in redirects only to paths of this site.
func TestNextIsLocal(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	d.WithPassword(d.Member)
	known := device(d.Enter(d.Member.Email, webtest.Words))
	r := d.Status(d.Get("/links?q=a%20b"), 303)
	if to := r.Header.Get("Location"); to != "/sign-in?next=%2Flinks%3Fq%3Da%2520b" {
		t.Fatal(to)
	}
	if page := d.Get(r.Header.Get("Location")).Text; !strings.Contains(page, `name="next" value="/links?q=a%20b"`) {
		t.Error(page)
	}
	for next, want := range map[string]string{
		"/links?q=a%20b": "/links?q=a%20b", "/account": "/account", "": "/dashboard", "//evil.example": "/dashboard",
		"/\\evil.example": "/dashboard", "https://evil.example/": "/dashboard",
		"/\t/evil.example": "/dashboard", "javascript:alert(1)": "/dashboard", "evil": "/dashboard",
		"/sign-out": "/dashboard", "/%2F/evil.example": "/dashboard", "/sign-in?next=/": "/dashboard",
	} {
		r := d.Status(d.Post("/sign-in", url.Values{"email": {d.Member.Email}, "password": {webtest.Words},
			"next": {next}}, known), 303)
		if to := r.Header.Get("Location"); to != want {
			t.Errorf("sign-in with next=%q redirects to %q", next, to)
		}
		if r := d.Get("/sign-in?"+url.Values{"next": {next}}.Encode(),
			webtest.Cookies(r)); r.Header.Get("Location") != want {
			t.Errorf("with next=%q a signed-in browser is redirected to %q", next, r.Header.Get("Location"))
		}
	}
}

// TestEntryFromOtherSites checks that each form refuses requests that another
// site makes a browser send.
func TestEntryFromOtherSites(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpOpen, true)
	cookie := d.SignIn(d.Owner)
	for _, path := range []string{"/sign-in", "/sign-in/x", "/sign-up", "/sign-up/x", "/reset", "/password/x",
		"/setup/x", "/sign-out", "/two-step", "/account/two-step", "/account/password", "/account/email", "/account/email/x",
		"/account/sessions", "/account/sessions/1", "/account/close", "/account/providers", "/keys", "/keys/1/roll",
		"/keys/1/revoke", "/people/change", "/people/two-step-off", "/people/invite", "/people/invitations/1/withdraw"} {
		for about, headers := range map[string][]string{"another site": {"Origin: https://evil.example",
			"Sec-Fetch-Site: cross-site"}, "a file's frame": {"Origin: null", "Sec-Fetch-Site: cross-site"}} {
			if r := d.Do(http.MethodPost, path, "email=a%40example.org",
				append(headers, webtest.Form, cookie)...); r.StatusCode != 403 || len(r.Cookies()) > 0 {
				t.Errorf("%s POST %s: status %d, want 403 without cookies", about, path, r.StatusCode)
			}
		}
	}
	d.Status(d.Get("/account", cookie), 200)
	r := d.Status(d.Get("/account/export", cookie, "Sec-Fetch-Site: cross-site"), 303)
	if r.Header.Get("Location") != "/account" {
		t.Error(r.Header)
	}
}

// TestFirstRun checks that the first account is created at an address that
// works once, and that no other page exists until then.
func TestFirstRun(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpOpen, false)
	store, err := sqlstore.Open(filepath.Join(t.TempDir(), "empty.db"))
	d.Check(err)
	t.Cleanup(func() { store.Close() })
	d.Server.Accounts.Store, d.Server.Sessions.Store = store, store
	d.Server.Keys.Store, d.Server.Uploads.Store, d.Server.Links.Store = store, store, store
	for _, path := range []string{"/", "/sign-in", "/sign-up", "/reset", "/setup", "/setup/x"} {
		r := d.Get(path)
		if !strings.Contains(r.Text, "vitrine admin setup") || r.StatusCode != 200 && path != "/setup/x" {
			t.Errorf("GET %s: status %d: %s", path, r.StatusCode, r.Text)
		}
	}
	d.Status(d.Post("/sign-up", url.Values{"email": {"eve@example.org"}, "password": {webtest.Words}}),
		200) // with a wrong token
	text, err := d.Server.Accounts.OfferSetup(t.Context())
	d.Check(err)
	path := "/setup/" + string(text)
	for range 2 {
		d.Status(d.Get(path), 200)
	}
	r := d.Status(d.Post(path, url.Values{"email": {"ann@example.org"}, "password": {"short"}}), 400)
	if !strings.Contains(r.Text, `value="ann@example.org"`) || !strings.Contains(r.Text, "at least 10 characters") ||
		strings.Contains(r.Text, `value="short"`) || strings.Contains(r.Text, `class="hint" id="hint-password"`) {
		t.Error(r.Text)
	}
	r = d.Status(d.Post(path, url.Values{"email": {"Ann@example.org"}, "password": {webtest.Words}}), 303)
	if r.Header.Get("Location") != "/dashboard" ||
		!strings.Contains(d.Status(d.Get("/people", webtest.Cookies(r)), 200).Text, "ann@example.org") {
		t.Error(r.Header)
	}
	d.Status(d.Post(path, url.Values{"email": {"eve@example.org"}, "password": {webtest.Words}}), 401)
	d.Status(d.Get(path), 401)
	d.Status(d.Get("/setup"), 303)
	if strings.Contains(d.Get("/").Text, "vitrine admin setup") {
		t.Error("the home page says that the site is not set up")
	}
}

// TestWhoMaySignUp checks each way to create an account, and the message where
// it is not allowed.
func TestWhoMaySignUp(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpOpen, true)
	d.Status(d.Post("/sign-up", url.Values{"email": {"bob@example.org"}}), 200)
	path := d.SentMail.Path(t)
	for range 2 {
		if r := d.Status(d.Get(path), 200); !strings.Contains(r.Text, "bob@example.org") || len(r.Cookies()) > 0 {
			t.Error(r.Text)
		}
	}
	d.Status(d.Post(path, url.Values{"password": {"password123"}}), 400)
	in := webtest.Cookies(d.Status(d.Post(path, url.Values{"password": {webtest.Words}}), 303))
	d.Status(d.Get("/account", in), 200)
	d.Status(d.Get("/people", in), 404)
	d.Status(d.Post("/people/invite", url.Values{"email": {"x@example.org"}, "plan": {"free"}}, in), 404)
	d.Status(d.Get(path), 401)
	d.Status(d.Post(path, url.Values{"password": {webtest.Words}}), 401)
	d.Status(d.Post("/sign-up", url.Values{"email": {"no address"}}), 400)

	d.Server.Accounts.Mail = nil
	r := d.Status(d.Post("/sign-up", url.Values{"email": {"eve@example.org"}, "password": {webtest.Words},
		"next": {"/links"}}), 303)
	if r.Header.Get("Location") != "/links" {
		t.Error(r.Header)
	}
	d.Status(d.Post("/sign-up", url.Values{"email": {"eve@example.org"}, "password": {webtest.Words}}), 400)
	d.Status(d.Post("/reset", url.Values{"email": {"eve@example.org"}}), 200)
	if !strings.Contains(d.Get("/reset").Text, "vitrine admin account reset") {
		t.Error("the reset page does not name vitrine admin account reset")
	}
	d.Server.Accounts.SignUp = auth.SignUpInvite
	d.Status(d.Post("/sign-up", url.Values{"email": {"zoe@example.org"}, "password": {webtest.Words}}), 403)
	if !strings.Contains(d.Get("/sign-up").Text, "need an invitation") {
		t.Error("the sign-up page does not say that an invitation is needed")
	}
	owner := d.SignIn(d.Owner)
	r = d.Status(d.Post("/people/invite", url.Values{"email": {"zoe@example.org"}, "plan": {"pro"}}, owner), 200)
	link := d.Attr(r.Text, `id="link"[^>]*>[^<]+?(/sign-up/[^<]+)<`)
	people := d.Get("/people", owner).Text
	if strings.Contains(people, link) {
		t.Error("the link of an invitation is shown twice")
	}
	d.Attr(people, `<dt>Expires</dt><dd><time datetime="([^"]+)" data-local>`)
	in = webtest.Cookies(d.Status(d.Post(link, url.Values{"password": {webtest.Words}}), 303))
	if !strings.Contains(d.Get("/account", in).Text, "Plan: Pro") {
		t.Error("the account does not have the invitation's plan")
	}
	d.Status(d.Post("/people/change", url.Values{"email": {"zoe@example.org"}, "plan": {"free"}, "role": {"moderator"}},
		owner), 303)
	d.Status(d.Get("/moderation", in), 200)
	if page := d.Get("/people?q=ZOE", owner).Text; !strings.Contains(page, "zoe@example.org") ||
		strings.Contains(page, "eve@example.org") {
		t.Error(page)
	}
	d.Status(d.Post("/people/change", url.Values{"email": {d.Owner.Email}, "plan": {"lifetime"}, "role": {""}}, owner),
		400)
	d.Server.Accounts.SignUp = auth.SignUpClosed
	if !strings.Contains(d.Get("/sign-up").Text, "Sign-up is closed") {
		t.Error("the sign-up page does not say that sign-up is closed")
	}
}

// TestSessionsAreRevoked checks that a session which is revoked in one browser
// ends in the other with its next request, and that a new password revokes all
// other sessions.
func TestSessionsAreRevoked(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	d.WithPassword(d.Member)
	here := webtest.Cookies(d.Enter(d.Member.Email, webtest.Words))
	other, third := webtest.Cookies(d.Enter(d.Member.Email, webtest.Words)), webtest.Cookies(d.Enter(d.Member.Email,
		webtest.Words))
	page := d.Status(d.Get("/account", here), 200).Text
	if n := strings.Count(page, "<b>Chrome on Linux</b>"); n != 3 || strings.Count(page, "This browser") != 1 ||
		strings.Contains(page, "Mozilla") {
		t.Errorf("%d sessions, want 3 and one of this browser: %s", n, page)
	}
	stranger := d.SignIn(d.Owner)
	ids := regexp.MustCompile(`action="/account/sessions/(\d+)"`).FindAllStringSubmatch(page, -1)
	if len(ids) != 2 {
		t.Fatalf("sessions to revoke = %v, want 2", ids)
	}
	for _, id := range ids {
		d.Status(d.Post("/account/sessions/"+id[1], nil, stranger),
			303) // revokes nothing, because the session is another account's
	}
	d.Status(d.Get("/account", other), 200)
	d.Status(d.Post("/account/sessions/"+ids[0][1], nil, here), 303)
	alive := 0
	for _, c := range []string{other, third} {
		if d.Get("/account", c).StatusCode == 200 {
			alive++
		}
	}
	if alive != 1 {
		t.Errorf("%d of two sessions are valid, want 1", alive)
	}
	d.Status(d.Post("/account/sessions", nil, here), 303)
	if d.Get("/account", other).StatusCode != 303 || d.Get("/account", third).StatusCode != 303 {
		t.Error("a revoked session is still valid")
	}
	again := webtest.Cookies(d.Enter(d.Member.Email, webtest.Words))
	r := d.Status(d.Post("/account/password", url.Values{"current": {"wrong"}, "password": {"another good one"}}, here),
		400)
	if !strings.Contains(r.Text, "not your current password") {
		t.Error(r.Text)
	}
	d.Status(d.Post("/account/password", url.Values{"current": {webtest.Words}, "password": {"another good one"}},
		here), 303)
	d.Status(d.Get("/account", again), 303)
	d.Status(d.Get("/account?said=password", here), 200)
	d.Status(d.Enter(d.Member.Email, "another good one"), 303)
}

// TestKeysPage checks that a key is shown once, works, and can be rotated and
// revoked, and that the page never shows it again.
func TestKeysPage(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	cookie, stranger := d.SignIn(d.Member), d.SignIn(d.Owner)
	api := func(key string, want int) {
		t.Helper()
		d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+key), want)
	}
	shown := regexp.MustCompile(`id="key"[^>]*>(vtr_\w+)<`)
	r := d.Status(d.Post("/keys", url.Values{"name": {"Nightly <b>"}, "scope": {"full"}}, cookie), 200)
	key := d.Attr(r.Text, shown.String())
	if r.Header.Get("Cache-Control") != "no-store" || !strings.Contains(r.Text, "Authorization: Bearer "+key) ||
		!strings.Contains(r.Text, "Nightly &lt;b&gt;") {
		t.Error(r.Text)
	}
	api(key, 200)
	page := d.Get("/keys", cookie).Text
	if strings.Contains(page, key) || !strings.Contains(page, "vtr_…"+key[len(key)-4:]) {
		t.Error("the page shows the key again, or does not show its end")
	}
	id := d.Attr(page, `/keys/(\d+)/revoke`)
	for _, path := range []string{"/keys/" + id + "/roll", "/keys/" + id + "/revoke"} {
		d.Status(d.Post(path, url.Values{"grace": {"now"}}, stranger), 404)
	}
	d.Status(d.Post("/keys/"+id+"/roll", url.Values{"grace": {"year"}}, cookie), 400)
	next := d.Attr(d.Status(d.Post("/keys/"+id+"/roll", url.Values{"grace": {"hour"}}, cookie), 200).Text,
		shown.String())
	api(key, 200)
	api(next, 200)
	if page := d.Get("/keys", cookie).Text; strings.Contains(page, "/keys/"+id+"/roll") ||
		!strings.Contains(page, "/keys/"+id+"/revoke") || strings.Count(page, ">Ends <time") != 1 {
		t.Errorf("the row of a key that is being replaced: %s", page)
	}
	d.Ahead.Add(int64(time.Hour))
	api(key, 401)
	api(next, 200)
	id = d.Attr(d.Get("/keys", cookie).Text, `/keys/(\d+)/revoke`)
	d.Status(d.Post("/keys/"+id+"/revoke", nil, cookie), 303)
	api(next, 401)
	d.Status(d.Post("/keys", url.Values{"name": {""}}, cookie), 400)
	if !strings.Contains(d.Get("/keys", cookie).Text, "inactive keys") {
		t.Error("expired keys are not listed")
	}
}

// TestLeaving exports everything of an account and then closes it.
func TestLeaving(t *testing.T) {
	var logged bytes.Buffer
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	d.Server.Log = slog.New(slog.NewTextHandler(&logged, nil))
	d.WithPassword(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	d.Confirmed(string(l.Slug), "reader@example.com")
	d.Check(d.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.AddGateCounts(l.ID, vitrine.GateCounts{Shown: 123, Passed: 45})
	}))
	cookie := webtest.Cookies(d.Enter(d.Member.Email, webtest.Words))
	r := d.Status(d.Get("/account/export", cookie), 200)
	z, err := zip.NewReader(strings.NewReader(r.Text), int64(len(r.Text)))
	d.Check(err)
	names := map[string]bool{}
	for _, f := range z.File {
		names[f.Name] = true
	}
	for _, want := range []string{"account.json", "links.csv", "analytics/" + string(l.Slug) + ".json",
		"files/" + string(l.Slug) + "/notes.txt", "readers.csv"} {
		if !names[want] {
			t.Errorf("the export lacks %s: %v", want, names)
		}
	}
	if table, err := fs.ReadFile(z, "links.csv"); err != nil ||
		!strings.Contains(string(table), ",readers,gate_shown,gate_passed") || !strings.Contains(string(table), ",0,123,45") {
		t.Errorf("links.csv: %s, %v", table, err)
	}
	wrong := d.Status(d.Post("/account/close", url.Values{"email": {d.Owner.Email}, "current": {webtest.Words}},
		cookie), 400).Text
	wrong += d.Status(d.Post("/account/close", url.Values{"email": {d.Member.Email}, "current": {"wrong"}}, cookie),
		400).Text
	if n := len(regexp.MustCompile(`(?s)<div id="close" class="dialog raised" role=[^\n]*\n.{0,1000}<p class="wrong" id="[a-z-]*" role="alert">`).FindAllString(wrong, -1)); n != 2 {
		t.Errorf("%d dialogs with an error are open, want 2:\n%s", n, wrong)
	}
	d.Status(d.Get("/p/"+string(l.Slug)), 200)
	d.Status(d.Post("/account/close", url.Values{"email": {d.Member.Email}, "current": {webtest.Words}}, cookie), 200)
	d.Status(d.Get("/account", cookie), 303)
	d.Status(d.Get("/p/"+string(l.Slug)), 404)
	d.Status(d.Enter(d.Member.Email, webtest.Words), 401)
	d.Check(d.Server.Accounts.PurgeClosed(t.Context()))
	if left, err := d.Server.Gates.Readers(t.Context(), l, 0, 1); err != nil || len(left) != 0 {
		t.Errorf("of a closed account, known readers are left: %v, %v", left, err)
	}
	owner := d.SignIn(d.Owner)
	if strings.Contains(d.Get("/people", owner).Text, d.Member.Email) ||
		!strings.Contains(d.Get("/account", owner).Text, "only owner") {
		t.Error("a closed account is listed, or the only owner can close their own")
	}
	if strings.Contains(logged.String(), d.Member.Email) || strings.Contains(logged.String(), webtest.Words) {
		t.Error(logged.String())
	}
}

// TestTokenURLs checks that the pages exist to which links in messages and on
// the command line lead.
func TestTokenURLs(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpOpen, true)
	for _, p := range []vitrine.TokenPurpose{vitrine.TokenSignIn, vitrine.TokenPassword, vitrine.TokenSignUp,
		vitrine.TokenInvite, vitrine.TokenEmail, vitrine.TokenSetup} {
		for _, text := range []vitrine.TokenText{"x", ""} {
			if r := d.Get(httpx.TokenURL(d.URL, p, text), d.SignIn(d.Member)); r.StatusCode == 404 &&
				(text != "" || p != vitrine.TokenEmail) {
				t.Errorf("%s: status %d at %s", p, r.StatusCode, fmt.Sprint(r.Request.URL))
			}
		}
	}
}
