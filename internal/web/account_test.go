package web_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/fleet"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/porttest"
	"vitrine/internal/web/httpx"
)

// sentMail is a Mailer that keeps its messages.
type sentMail struct {
	mu  sync.Mutex
	all []vitrine.Message
}

func (l *sentMail) Send(_ context.Context, m vitrine.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, m)
	return nil
}

// TestSentMail checks that the mailer of the tests keeps the contract of a
// Mailer.
func TestSentMail(t *testing.T) {
	porttest.Mailer(t, func(*testing.T) porttest.MailServer {
		l := new(sentMail)
		return porttest.MailServer{Mailer: l, Took: func() vitrine.Message { m := l.all[0]; l.all = l.all[1:]; return m }}
	})
}

func (l *sentMail) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// path returns the path of the last URL in the last message.
func (l *sentMail) path(t testing.TB) string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		t.Fatal("no message was sent")
	}
	m := regexp.MustCompile(`(?m)^https?://[^/]+(/\S+)$`).FindStringSubmatch(l.all[len(l.all)-1].Text)
	if m == nil {
		t.Fatalf("no URL in %q", l.all[len(l.all)-1].Text)
	}
	return m[1]
}

const words = "a café at noon"

// accountSite is a site whose members have passwords. With mail, it keeps the
// messages.
type accountSite struct {
	*site
	sentMail *sentMail
}

func newAccountSite(t testing.TB, mode auth.SignUp, mail bool) *accountSite {
	t.Helper()
	d := &accountSite{site: newDesk(t), sentMail: new(sentMail)}
	d.server.Accounts.SignUp = mode
	if mail {
		box := &fleet.Outbox{Store: d.server.Accounts.Store, Mailer: d.sentMail, Now: d.server.Accounts.Now}
		box.Wake = func() { d.check(box.Send(context.Background())) }
		d.server.Accounts.Mail = box
	}
	return d
}

// withPassword sets the password of an account.
func (d *accountSite) withPassword(a *vitrine.Account) *vitrine.Account {
	d.t.Helper()
	d.check(d.server.Accounts.SetPassword(d.t.Context(), a.Email, words))
	return a
}

// enter signs in with a password.
func (d *accountSite) enter(email, password string, headers ...string) reply {
	d.t.Helper()
	return d.post("/sign-in", url.Values{"email": {email}, "password": {password}}, headers...)
}

// cookies returns the cookies of an answer as a browser sends them back.
func cookies(r reply) string {
	var all []string
	for _, c := range r.Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return "Cookie: " + strings.Join(all, "; ")
}

// device returns the cookie that identifies a browser.
func device(r reply) string {
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
	d := newAccountSite(t, auth.SignUpOpen, true)
	d.withPassword(d.member)
	suspended := d.withPassword(d.join("suspended@example.org", vitrine.RoleMember))
	_, err := d.server.Accounts.SetBanned(t.Context(), suspended.Email, true, vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	pages := map[string]string{}
	for _, email := range []string{"nobody@example.org", d.member.Email, d.owner.Email, suspended.Email} {
		r := d.status(d.enter(email, "not the password"), 401)
		if len(r.Cookies()) > 0 {
			t.Errorf("%s: cookies = %v, want none", email, r.Cookies())
		}
		pages["sign-in "+email] = normalize(r.body, email)
	}
	for _, email := range []string{"nobody@example.org", d.member.Email, suspended.Email} {
		pages["reset "+email] = normalize(d.status(d.post("/reset", url.Values{"email": {email}}), 200).body, email)
		pages["sign-up "+email] = normalize(d.status(d.post("/sign-up", url.Values{"email": {email}}), 200).body, email)
	}
	for about, body := range pages {
		what, _, _ := strings.Cut(about, " ")
		if want := pages[what+" nobody@example.org"]; body != want || !strings.Contains(body, "EMAIL") {
			t.Errorf("%s: page\n%s\nwant\n%s", about, body, want)
		}
	}
	if n := d.sentMail.count(); n != 4 { // a reset for the member, and a message to each about the sign-up
		t.Errorf("%d messages, want 4", n)
	}
	r := d.status(d.enter(suspended.Email, words), 403)
	if !strings.Contains(r.body, "suspended") || len(r.Cookies()) > 0 {
		t.Errorf("sign-in of a suspended account with its password: %s", r.body)
	}
}

// TestTriesAreBounded checks that after too many tries the page says how long
// to wait and what else to do. A browser that has signed in before is not
// locked out.
func TestTriesAreBounded(t *testing.T) {
	d := newAccountSite(t, auth.SignUpInvite, true)
	d.withPassword(d.member)
	known := device(d.status(d.enter(d.member.Email, words), 303))
	for range 5 {
		d.status(d.enter(d.member.Email, "wrong"), 401)
	}
	r := d.status(d.enter(d.member.Email, words), 429)
	if s := r.Header.Get("Retry-After"); s != "900" && s != "899" {
		t.Errorf("Retry-After = %s, want 899 or 900", s)
	}
	if !strings.Contains(r.body, "Try again in 15 minutes") || !strings.Contains(r.body, `href="/reset"`) ||
		strings.Contains(r.body, words) {
		t.Error(r.body)
	}
	d.status(d.enter(d.member.Email, words, known), 303)
	d.status(d.post("/reset", url.Values{"email": {d.member.Email}}), 200)
	d.status(d.post(d.sentMail.path(t), url.Values{"password": {"another good one"}}), 303)
	for range 2 {
		d.status(d.post("/reset", url.Values{"email": {d.member.Email}}), 200)
	}
	d.status(d.post("/reset", url.Values{"email": {d.member.Email}}), 429)
}

// TestNextIsLocal checks that sign-in redirects only to paths of this site.
func TestNextIsLocal(t *testing.T) {
	d := newAccountSite(t, auth.SignUpInvite, false)
	d.withPassword(d.member)
	known := device(d.enter(d.member.Email, words))
	r := d.status(d.get("/links?q=a%20b"), 303)
	if to := r.Header.Get("Location"); to != "/sign-in?next=%2Flinks%3Fq%3Da%2520b" {
		t.Fatal(to)
	}
	if page := d.get(r.Header.Get("Location")).body; !strings.Contains(page, `name="next" value="/links?q=a%20b"`) {
		t.Error(page)
	}
	for next, want := range map[string]string{
		"/links?q=a%20b": "/links?q=a%20b", "/account": "/account", "": "/dashboard", "//evil.example": "/dashboard",
		"/\\evil.example": "/dashboard", "https://evil.example/": "/dashboard",
		"/\t/evil.example": "/dashboard", "javascript:alert(1)": "/dashboard", "evil": "/dashboard",
		"/sign-out": "/dashboard", "/%2F/evil.example": "/dashboard", "/sign-in?next=/": "/dashboard",
	} {
		r := d.status(d.post("/sign-in", url.Values{"email": {d.member.Email}, "password": {words}, "next": {next}},
			known), 303)
		if to := r.Header.Get("Location"); to != want {
			t.Errorf("sign-in with next=%q redirects to %q", next, to)
		}
		if r := d.get("/sign-in?"+url.Values{"next": {next}}.Encode(), cookies(r)); r.Header.Get("Location") != want {
			t.Errorf("with next=%q a signed-in browser is redirected to %q", next, r.Header.Get("Location"))
		}
	}
}

// TestEntryFromOtherSites checks that each form refuses requests that another
// site makes a browser send.
func TestEntryFromOtherSites(t *testing.T) {
	d := newAccountSite(t, auth.SignUpOpen, true)
	cookie := d.signIn(d.owner)
	for _, path := range []string{"/sign-in", "/sign-in/x", "/sign-up", "/sign-up/x", "/reset", "/password/x",
		"/setup/x", "/sign-out", "/account/password", "/account/email", "/account/email/x",
		"/account/sessions", "/account/sessions/1", "/account/close", "/keys", "/keys/1/roll", "/keys/1/revoke",
		"/people/change", "/people/invite", "/people/invitations/1/withdraw"} {
		for about, headers := range map[string][]string{"another site": {"Origin: https://evil.example",
			"Sec-Fetch-Site: cross-site"}, "a file's frame": {"Origin: null", "Sec-Fetch-Site: cross-site"}} {
			if r := d.do(http.MethodPost, path, "email=a%40example.org",
				append(headers, form, cookie)...); r.StatusCode != 403 || len(r.Cookies()) > 0 {
				t.Errorf("%s POST %s: status %d, want 403 without cookies", about, path, r.StatusCode)
			}
		}
	}
	d.status(d.get("/account", cookie), 200)
	r := d.status(d.get("/account/export", cookie, "Sec-Fetch-Site: cross-site"), 303)
	if r.Header.Get("Location") != "/account" {
		t.Error(r.Header)
	}
}

// TestFirstRun checks that the first account is created at an address that
// works once, and that no other page exists until then.
func TestFirstRun(t *testing.T) {
	d := newAccountSite(t, auth.SignUpOpen, false)
	store, err := sqlstore.Open(filepath.Join(t.TempDir(), "empty.db"))
	d.check(err)
	t.Cleanup(func() { store.Close() })
	d.server.Accounts.Store, d.server.Sessions.Store = store, store
	d.server.Keys.Store, d.server.Uploads.Store, d.server.Links.Store = store, store, store
	for _, path := range []string{"/", "/sign-in", "/sign-up", "/reset", "/setup", "/setup/x"} {
		r := d.get(path)
		if !strings.Contains(r.body, "vitrine admin setup") || r.StatusCode != 200 && path != "/setup/x" {
			t.Errorf("GET %s: status %d: %s", path, r.StatusCode, r.body)
		}
	}
	d.status(d.post("/sign-up", url.Values{"email": {"eve@example.org"}, "password": {words}}),
		200) // with a wrong token
	text, err := d.server.Accounts.OfferSetup(t.Context())
	d.check(err)
	path := "/setup/" + string(text)
	for range 2 {
		d.status(d.get(path), 200)
	}
	r := d.status(d.post(path, url.Values{"email": {"ann@example.org"}, "password": {"short"}}), 400)
	if !strings.Contains(r.body, `value="ann@example.org"`) || !strings.Contains(r.body, "at least 10 characters") ||
		strings.Contains(r.body, `value="short"`) || strings.Contains(r.body, `class="hint" id="hint-password"`) {
		t.Error(r.body)
	}
	r = d.status(d.post(path, url.Values{"email": {"Ann@example.org"}, "password": {words}}), 303)
	if r.Header.Get("Location") != "/dashboard" ||
		!strings.Contains(d.status(d.get("/people", cookies(r)), 200).body, "ann@example.org") {
		t.Error(r.Header)
	}
	d.status(d.post(path, url.Values{"email": {"eve@example.org"}, "password": {words}}), 401)
	d.status(d.get(path), 401)
	d.status(d.get("/setup"), 303)
	if strings.Contains(d.get("/").body, "vitrine admin setup") {
		t.Error("the home page says that the site is not set up")
	}
}

// TestWhoMaySignUp checks each way to create an account, and the message where
// it is not allowed.
func TestWhoMaySignUp(t *testing.T) {
	d := newAccountSite(t, auth.SignUpOpen, true)
	d.status(d.post("/sign-up", url.Values{"email": {"bob@example.org"}}), 200)
	path := d.sentMail.path(t)
	for range 2 {
		if r := d.status(d.get(path), 200); !strings.Contains(r.body, "bob@example.org") || len(r.Cookies()) > 0 {
			t.Error(r.body)
		}
	}
	d.status(d.post(path, url.Values{"password": {"password123"}}), 400)
	in := cookies(d.status(d.post(path, url.Values{"password": {words}}), 303))
	d.status(d.get("/account", in), 200)
	d.status(d.get("/people", in), 404)
	d.status(d.post("/people/invite", url.Values{"email": {"x@example.org"}, "plan": {"free"}}, in), 404)
	d.status(d.get(path), 401)
	d.status(d.post(path, url.Values{"password": {words}}), 401)
	d.status(d.post("/sign-up", url.Values{"email": {"no address"}}), 400)

	d.server.Accounts.Mail = nil
	r := d.status(d.post("/sign-up", url.Values{"email": {"eve@example.org"}, "password": {words}, "next": {"/links"}}),
		303)
	if r.Header.Get("Location") != "/links" {
		t.Error(r.Header)
	}
	d.status(d.post("/sign-up", url.Values{"email": {"eve@example.org"}, "password": {words}}), 400)
	d.status(d.post("/reset", url.Values{"email": {"eve@example.org"}}), 200)
	if !strings.Contains(d.get("/reset").body, "vitrine admin account reset") {
		t.Error("the reset page does not name vitrine admin account reset")
	}
	d.server.Accounts.SignUp = auth.SignUpInvite
	d.status(d.post("/sign-up", url.Values{"email": {"zoe@example.org"}, "password": {words}}), 403)
	if !strings.Contains(d.get("/sign-up").body, "need an invitation") {
		t.Error("the sign-up page does not say that an invitation is needed")
	}
	owner := d.signIn(d.owner)
	r = d.status(d.post("/people/invite", url.Values{"email": {"zoe@example.org"}, "plan": {"pro"}}, owner), 200)
	link := d.attr(r.body, `id="link"[^>]*>[^<]+?(/sign-up/[^<]+)<`)
	people := d.get("/people", owner).body
	if strings.Contains(people, link) {
		t.Error("the link of an invitation is shown twice")
	}
	d.attr(people, `<dt>Expires</dt><dd><time datetime="([^"]+)" data-local>`)
	in = cookies(d.status(d.post(link, url.Values{"password": {words}}), 303))
	if !strings.Contains(d.get("/account", in).body, "Plan: Pro") {
		t.Error("the account does not have the invitation's plan")
	}
	d.status(d.post("/people/change", url.Values{"email": {"zoe@example.org"}, "plan": {"free"}, "role": {"moderator"}},
		owner), 303)
	d.status(d.get("/moderation", in), 200)
	if page := d.get("/people?q=ZOE", owner).body; !strings.Contains(page, "zoe@example.org") ||
		strings.Contains(page, "eve@example.org") {
		t.Error(page)
	}
	d.status(d.post("/people/change", url.Values{"email": {d.owner.Email}, "plan": {"lifetime"}, "role": {""}}, owner),
		400)
	d.server.Accounts.SignUp = auth.SignUpClosed
	if !strings.Contains(d.get("/sign-up").body, "Sign-up is closed") {
		t.Error("the sign-up page does not say that sign-up is closed")
	}
}

// TestSessionsAreRevoked checks that a session which is revoked in one browser
// ends in the other with its next request, and that a new password revokes all
// other sessions.
func TestSessionsAreRevoked(t *testing.T) {
	d := newAccountSite(t, auth.SignUpInvite, false)
	d.withPassword(d.member)
	here := cookies(d.enter(d.member.Email, words))
	other, third := cookies(d.enter(d.member.Email, words)), cookies(d.enter(d.member.Email, words))
	page := d.status(d.get("/account", here), 200).body
	if n := strings.Count(page, "<b>Chrome on Linux</b>"); n != 3 || strings.Count(page, "This browser") != 1 ||
		strings.Contains(page, "Mozilla") {
		t.Errorf("%d sessions, want 3 and one of this browser: %s", n, page)
	}
	stranger := d.signIn(d.owner)
	ids := regexp.MustCompile(`action="/account/sessions/(\d+)"`).FindAllStringSubmatch(page, -1)
	if len(ids) != 2 {
		t.Fatalf("sessions to revoke = %v, want 2", ids)
	}
	for _, id := range ids {
		d.status(d.post("/account/sessions/"+id[1], nil, stranger),
			303) // revokes nothing, because the session is another account's
	}
	d.status(d.get("/account", other), 200)
	d.status(d.post("/account/sessions/"+ids[0][1], nil, here), 303)
	alive := 0
	for _, c := range []string{other, third} {
		if d.get("/account", c).StatusCode == 200 {
			alive++
		}
	}
	if alive != 1 {
		t.Errorf("%d of two sessions are valid, want 1", alive)
	}
	d.status(d.post("/account/sessions", nil, here), 303)
	if d.get("/account", other).StatusCode != 303 || d.get("/account", third).StatusCode != 303 {
		t.Error("a revoked session is still valid")
	}
	again := cookies(d.enter(d.member.Email, words))
	r := d.status(d.post("/account/password", url.Values{"current": {"wrong"}, "password": {"another good one"}}, here),
		400)
	if !strings.Contains(r.body, "not your current password") {
		t.Error(r.body)
	}
	d.status(d.post("/account/password", url.Values{"current": {words}, "password": {"another good one"}}, here), 303)
	d.status(d.get("/account", again), 303)
	d.status(d.get("/account?said=password", here), 200)
	d.status(d.enter(d.member.Email, "another good one"), 303)
}

// TestKeysPage checks that a key is shown once, works, and can be rotated and
// revoked, and that the page never shows it again.
func TestKeysPage(t *testing.T) {
	d := newAccountSite(t, auth.SignUpInvite, false)
	cookie, stranger := d.signIn(d.member), d.signIn(d.owner)
	api := func(key string, want int) {
		t.Helper()
		d.status(d.get("/api/v1/links", "Authorization: Bearer "+key), want)
	}
	shown := regexp.MustCompile(`id="key"[^>]*>(vtr_\w+)<`)
	r := d.status(d.post("/keys", url.Values{"name": {"Nightly <b>"}, "scope": {"full"}}, cookie), 200)
	key := d.attr(r.body, shown.String())
	if r.Header.Get("Cache-Control") != "no-store" || !strings.Contains(r.body, "Authorization: Bearer "+key) ||
		!strings.Contains(r.body, "Nightly &lt;b&gt;") {
		t.Error(r.body)
	}
	api(key, 200)
	page := d.get("/keys", cookie).body
	if strings.Contains(page, key) || !strings.Contains(page, "vtr_…"+key[len(key)-4:]) {
		t.Error("the page shows the key again, or does not show its end")
	}
	id := d.attr(page, `/keys/(\d+)/revoke`)
	for _, path := range []string{"/keys/" + id + "/roll", "/keys/" + id + "/revoke"} {
		d.status(d.post(path, url.Values{"grace": {"now"}}, stranger), 404)
	}
	d.status(d.post("/keys/"+id+"/roll", url.Values{"grace": {"year"}}, cookie), 400)
	next := d.attr(d.status(d.post("/keys/"+id+"/roll", url.Values{"grace": {"hour"}}, cookie), 200).body,
		shown.String())
	api(key, 200)
	api(next, 200)
	if page := d.get("/keys", cookie).body; strings.Contains(page, "/keys/"+id+"/roll") ||
		!strings.Contains(page, "/keys/"+id+"/revoke") || strings.Count(page, ">Ends <time") != 1 {
		t.Errorf("the row of a key that is being replaced: %s", page)
	}
	d.ahead.Add(int64(time.Hour))
	api(key, 401)
	api(next, 200)
	id = d.attr(d.get("/keys", cookie).body, `/keys/(\d+)/revoke`)
	d.status(d.post("/keys/"+id+"/revoke", nil, cookie), 303)
	api(next, 401)
	d.status(d.post("/keys", url.Values{"name": {""}}, cookie), 400)
	if !strings.Contains(d.get("/keys", cookie).body, "inactive keys") {
		t.Error("expired keys are not listed")
	}
}

// TestLeaving exports everything of an account and then closes it.
func TestLeaving(t *testing.T) {
	var logged bytes.Buffer
	d := newAccountSite(t, auth.SignUpInvite, false)
	d.server.Log = slog.New(slog.NewTextHandler(&logged, nil))
	d.withPassword(d.member)
	l := d.publish("notes.txt", samples["notes.txt"])
	cookie := cookies(d.enter(d.member.Email, words))
	r := d.status(d.get("/account/export", cookie), 200)
	z, err := zip.NewReader(strings.NewReader(r.body), int64(len(r.body)))
	d.check(err)
	names := map[string]bool{}
	for _, f := range z.File {
		names[f.Name] = true
	}
	for _, want := range []string{"account.json", "links.csv", "analytics/" + string(l.Slug) + ".json",
		"files/" + string(l.Slug) + "/notes.txt"} {
		if !names[want] {
			t.Errorf("the export lacks %s: %v", want, names)
		}
	}
	wrong := d.status(d.post("/account/close", url.Values{"email": {d.owner.Email}, "current": {words}}, cookie),
		400).body
	wrong += d.status(d.post("/account/close", url.Values{"email": {d.member.Email}, "current": {"wrong"}}, cookie),
		400).body
	if n := len(regexp.MustCompile(`(?s)<div id="close" class="dialog raised" role=[^\n]*\n.{0,1000}<p class="wrong" id="[a-z-]*" role="alert">`).FindAllString(wrong, -1)); n != 2 {
		t.Errorf("%d dialogs with an error are open, want 2:\n%s", n, wrong)
	}
	d.status(d.get("/p/"+string(l.Slug)), 200)
	d.status(d.post("/account/close", url.Values{"email": {d.member.Email}, "current": {words}}, cookie), 200)
	d.status(d.get("/account", cookie), 303)
	d.status(d.get("/p/"+string(l.Slug)), 404)
	d.status(d.enter(d.member.Email, words), 401)
	d.check(d.server.Accounts.PurgeClosed(t.Context()))
	owner := d.signIn(d.owner)
	if strings.Contains(d.get("/people", owner).body, d.member.Email) ||
		!strings.Contains(d.get("/account", owner).body, "only owner") {
		t.Error("a closed account is listed, or the only owner can close their own")
	}
	if strings.Contains(logged.String(), d.member.Email) || strings.Contains(logged.String(), words) {
		t.Error(logged.String())
	}
}

// TestTokenURLs checks that the pages exist to which links in messages and on
// the command line lead.
func TestTokenURLs(t *testing.T) {
	d := newAccountSite(t, auth.SignUpOpen, true)
	for _, p := range []vitrine.TokenPurpose{vitrine.TokenSignIn, vitrine.TokenPassword, vitrine.TokenSignUp,
		vitrine.TokenInvite, vitrine.TokenEmail, vitrine.TokenSetup} {
		for _, text := range []vitrine.TokenText{"x", ""} {
			if r := d.get(httpx.TokenURL(d.url, p, text), d.signIn(d.member)); r.StatusCode == 404 &&
				(text != "" || p != vitrine.TokenEmail) {
				t.Errorf("%s: status %d at %s", p, r.StatusCode, fmt.Sprint(r.Request.URL))
			}
		}
	}
}
