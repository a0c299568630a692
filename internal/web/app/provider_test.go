package app_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/httpx"
)

// verified returns the claims of a person whose address the provider has
// verified.
func verified(email string) map[string]any {
	return map[string]any{"email": email, "email_verified": true}
}

// atWork is a site with a provider.
type atWork struct {
	*webtest.AccountSite
	*webtest.Provider
}

func newAtWork(t *testing.T, mode auth.SignUp, path, options string) *atWork {
	t.Helper()
	d := webtest.NewAccountSite(t, mode, true)
	return &atWork{d, webtest.NewProvider(d.Site, path, options)}
}

// says checks that an answer is the page of the ways in, which says something
// and nothing of the provider's own words.
func (w *atWork) says(what string, r webtest.Reply, status int, words string) {
	w.AccountSite.T.Helper()
	page := html.UnescapeString(r.Text)
	if r.StatusCode != status || !strings.Contains(page, words) || !strings.Contains(page, `action="/sign-in"`) ||
		strings.ContainsAny(words, "{}") || strings.Contains(page, "invalid_") || strings.Contains(page, "error_description") {
		w.AccountSite.T.Errorf("%s: status %d, want %d and a page that says %q: %s", what, r.StatusCode, status, words,
			w.errorOf(page))
	}
	for _, c := range r.Cookies() {
		if c.Name == "vitrine" && c.Value != "" {
			w.AccountSite.T.Errorf("%s: signed in", what)
		}
	}
}

func (w *atWork) errorOf(page string) string {
	_, text, _ := strings.Cut(page, `role="alert"`)
	return text[:min(len(text), 300)]
}

func (w *atWork) account(email string) *vitrine.Account {
	w.AccountSite.T.Helper()
	a, err := w.AccountSite.Server.Accounts.ByEmail(w.AccountSite.T.Context(), email)
	if vitrine.CodeOf(err) != vitrine.CodeNotFound {
		w.AccountSite.Check(err)
	}
	return a
}

// arrived checks that an answer signs in, and returns the cookie.
func (w *atWork) arrived(r webtest.Reply, next string) string {
	w.AccountSite.T.Helper()
	if to := w.AccountSite.Status(r, 303).Header.Get("Location"); to != next {
		w.AccountSite.T.Errorf("arrives at %q, want %q", to, next)
	}
	return webtest.Cookies(r)
}

// TestProviderSignIn signs in at a real provider: a person gets an account with
// a verified address, comes back to it by issuer and subject whatever the
// address is now, and arrives only at pages of this site.
func TestProviderSignIn(t *testing.T) {
	for _, path := range []string{"", "/realms/acme", "/realms/acme/"} {
		w := newAtWork(t, auth.SignUpOpen, path, "")
		if strings.HasSuffix(path, "/") { // as people write it
			w.Issuer = strings.TrimSuffix(w.Issuer, "/")
			w.Use("")
		}
		if page := w.AccountSite.Get("/sign-in?next=/links").Text; !strings.Contains(page,
			`href="/sign-in/with/work?next=%2Flinks">Continue with Acme<`) {
			t.Error("the page has no button")
		}
		w.Person("u1", verified("Ada@Example.org"))
		trip := w.Away("u1", "/sign-in/with/work?next=/links")
		cookie := w.arrived(w.Back(trip), "/links")
		w.AccountSite.Status(w.AccountSite.Get("/links", cookie), 200)
		a := w.account("ada@example.org")
		if a == nil || a.Plan != vitrine.PlanFree || a.Role != vitrine.RoleMember {
			t.Fatalf("the account is %+v", a)
		}
		w.says("a second time", w.Back(trip), 400, "Start again")
		w.Person("u1", verified("other@example.org"))
		for next, want := range map[string]string{"//evil.example/": "/dashboard", "https://evil.example": "/dashboard",
			"/account": "/account"} {
			w.arrived(w.Back(w.Away("u1", "/sign-in/with/work?next="+url.QueryEscape(next))), want)
		}
		if w.account("other@example.org") != nil || w.account("ada@example.org").Email != "ada@example.org" {
			t.Error("another address has made another account, or changed it")
		}
		page := w.AccountSite.Status(w.AccountSite.Get("/account", cookie), 200).Text
		if !strings.Contains(page, "other@example.org, connected") || !strings.Contains(page, "Acme connected") {
			_, page, _ = strings.Cut(page, `id="providers"`)
			t.Errorf("the account page does not show the connection: %s", page)
		}
	}
}

// TestProviderAccounts checks who gets an account, and that an address opens
// none that exists.
func TestProviderAccounts(t *testing.T) {
	w := newAtWork(t, auth.SignUpInvite, "", "")
	d := w.AccountSite
	unverified := map[string]any{"email": d.Member.Email, "email_verified": false}
	for what, claims := range map[string]map[string]any{"an unverified address": unverified,
		"no word of it": {"email": "new@example.org"}, "no address": {}, "not an address": verified("new at example.org")} {
		w.Person("u1", claims)
		w.says(what, w.Provided("u1"), 400, "Acme has not verified an address of yours")
	}
	w.Person("u1", verified(d.Member.Email))
	r := w.Provided("u1")
	w.says("the address of another account", r, 400, "There is an account of "+d.Member.Email+" already")
	if !strings.Contains(r.Text, `name="next" value="/account#providers"`) {
		t.Error("the form does not lead to where it is connected")
	}
	w.Person("u2", verified("new@example.org"))
	w.says("an address without an invitation", w.Provided("u2"), 400, "There is no account of new@example.org here")
	_, err := d.Server.Accounts.Invite(t.Context(), "new@example.org", vitrine.PlanPro, vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	w.arrived(w.Provided("u2"), "/dashboard")
	if a := w.account("new@example.org"); a.Plan != vitrine.PlanPro {
		t.Errorf("the plan of the invitation became %s", a.Plan)
	}
	if list, err := d.Server.Accounts.Invitations(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("the invitation is still there: %v, %v", list, err)
	}
	w.Use("&accounts=open&addresses=verified")
	w.Person("u3", map[string]any{"email": "third@example.org"})
	w.arrived(w.Provided("u3"), "/dashboard")
	w.Use("&accounts=closed")
	w.Person("u4", verified("fourth@example.org"))
	w.says("closed", w.Provided("u4"), 400, "There is no account")
	d.Suspend(w.account("new@example.org"), true)
	w.Person("u2", verified("new@example.org"))
	w.says("a suspended account", w.Provided("u2"), httpx.StatusOf[vitrine.CodeBanned], "suspended")
}

// TestProviderAnswers checks that an answer that is not one to the question of
// this browser signs nobody in.
func TestProviderAnswers(t *testing.T) {
	w := newAtWork(t, auth.SignUpOpen, "/realms/acme", "")
	d := w.AccountSite
	w.Person("u1", verified("ada@example.org"))
	change := func(trip webtest.Trip, f func(url.Values)) webtest.Trip {
		u, err := url.Parse(trip.Address)
		d.Check(err)
		q := u.Query()
		f(q)
		u.RawQuery = q.Encode()
		return webtest.Trip{Cookie: trip.Cookie, Address: u.String()}
	}
	again := "Start again"
	for what, f := range map[string]func(*webtest.Trip){
		"another state":   func(p *webtest.Trip) { *p = change(*p, func(q url.Values) { q.Set("state", "x") }) },
		"no state":        func(p *webtest.Trip) { *p = change(*p, func(q url.Values) { q.Del("state") }) },
		"another browser": func(p *webtest.Trip) { p.Cookie = "Cookie: a=b" },
		"the cookie of another sign-in": func(p *webtest.Trip) {
			p.Cookie = webtest.Cookies(d.Get("/sign-in/with/work"))
		},
		"another code": func(p *webtest.Trip) { *p = change(*p, func(q url.Values) { q.Set("code", "x") }) },
		"no code":      func(p *webtest.Trip) { *p = change(*p, func(q url.Values) { q.Del("code") }) },
		"a late one":   func(*webtest.Trip) { d.Ahead.Add(int64(16 * time.Minute)) },
	} {
		trip := w.Away("u1", "/sign-in/with/work")
		f(&trip)
		w.says(what, w.Back(trip), 400, again)
	}
	trip := w.Away("u1", "/sign-in/with/work")
	w.Control(map[string]any{"ahead": 120})
	w.says("an expired code", w.Back(trip), 400, again)
	w.Control(map[string]any{"ahead": 0})
	for _, iss := range []string{"", "https://evil.example"} {
		trip := change(w.Away("u1", "/sign-in/with/work"), func(q url.Values) {
			if q.Get("iss") != w.Issuer {
				t.Fatal("the provider does not name itself")
			}
			q.Set("iss", iss)
		})
		w.says("an answer of "+iss, w.Back(trip), 400, "could not be verified")
	}
	for claim, value := range map[string]any{"nonce": "x", "aud": "another", "iss": "https://evil.example", "sub": "",
		"azp": "another", "exp": time.Now().Add(-24 * time.Hour).Unix()} {
		w.Control(map[string]any{"wrong": map[string]any{claim: value}})
		w.says("a token with another "+claim, w.Provided("u1"), 400, "could not be verified")
	}
	w.Control(map[string]any{"wrong": map[string]any{"sub": "u2"}})
	w.says("userinfo about another", w.Provided("u1"), 400, "could not be verified")
	w.Control(map[string]any{"wrong": map[string]any{}})
	for code, words := range map[string]string{"access_denied": "it or you refused", "server_error": "at the moment",
		"invalid_scope": "refused the request of this instance", "<b>": "refused the request of this instance"} {
		trip := change(w.Away("u1", "/sign-in/with/work"), func(q url.Values) {
			q.Del("code")
			q.Set("error", code)
			q.Set("error_description", "error_description <script>")
		})
		w.says(code, w.Back(trip), 400, words)
	}
	d.Status(d.Get(trip.Address+"&state=x", trip.Cookie), 400)
	d.Status(d.Get("/sign-in/with/nothing"), 404)
	d.Status(d.Get("/sign-in/from/nothing"), 404)
	if w.account("ada@example.org") != nil {
		t.Error("one of them has made an account")
	}
	w.Control(map[string]any{"rotate": true})
	w.arrived(w.Provided("u1"), "/dashboard")
}

// TestProviderDown checks that a provider that does not answer, or not as one,
// leaves the other ways in, and is not asked at each request.
func TestProviderDown(t *testing.T) {
	w := newAtWork(t, auth.SignUpOpen, "", "")
	d := w.AccountSite
	for change, words := range map[string]string{"down": "does not answer", "huge": "does not answer"} {
		w.Use("")
		asked := w.Control(map[string]any{change: true})["/.well-known/openid-configuration"]
		for range 3 {
			w.says(change, d.Get("/sign-in/with/work"), 503, "Acme "+words+" at the moment")
		}
		if now := w.Control(map[string]any{change: false})["/.well-known/openid-configuration"]; now != asked+1 {
			t.Errorf("%s: asked %d times", change, now-asked)
		}
	}
	w.Use("")
	w.Person("u1", verified("ada@example.org"))
	trip := w.Away("u1", "/sign-in/with/work")
	w.Control(map[string]any{"down": true})
	w.says("down at the end", w.Back(trip), 503, "Acme does not answer")
	d.WithPassword(d.Member)
	d.Status(d.Enter(d.Member.Email, webtest.Words), 303)
	d.Status(d.Get("/links", d.SignIn(d.Member)), 200)
	w.Control(map[string]any{"down": false})
	w.Issuer += "/elsewhere"
	w.Use("")
	w.says("no provider there", d.Get("/sign-in/with/work"), 503, "does not answer")
}

// TestProviderConnects checks that only who has the password connects a
// provider, that it then opens the account, and that it can be removed, but not
// as the only way in.
func TestProviderConnects(t *testing.T) {
	w := newAtWork(t, auth.SignUpInvite, "", "")
	d := w.AccountSite
	d.WithPassword(d.Member)
	cookie := webtest.Cookies(d.Status(d.Enter(d.Member.Email, webtest.Words), 303))
	w.Person("u1", verified("elsewhere@example.org"))
	form := url.Values{"connect": {"work"}, "current": {"wrong"}}
	d.Status(d.Post("/account/providers", form, cookie), 400)
	form.Set("current", webtest.Words)
	leave := func(cookie string) (webtest.Trip, webtest.Reply) {
		r := d.Status(d.Post("/account/providers", form, cookie), 200)
		to := strings.TrimPrefix(r.Header.Get("Refresh"), "0; url=")
		return webtest.Trip{Cookie: cookie + "; " + strings.TrimPrefix(webtest.Cookies(r), "Cookie: "), Address: w.At("u1", to)}, r
	}
	trip, _ := leave(cookie)
	stranger := d.SignIn(d.Owner)
	theirs := trip
	theirs.Cookie = stranger + trip.Cookie[strings.Index(trip.Cookie, "; vitrine-provider"):]
	d.Status(w.Back(theirs), 400)
	trip, _ = leave(cookie)
	if to := d.Status(w.Back(trip), 303).Header.Get("Location"); to != "/account?said=connected" {
		t.Errorf("connected, it leads to %s", to)
	}
	if m := d.SentMail.All[len(d.SentMail.All)-1]; m.To != d.Member.Email || !strings.Contains(m.Text, "Acme") {
		t.Errorf("the owner is told %v", m)
	}
	own := w.arrived(w.Provided("u1"), "/dashboard")
	page := d.Status(d.Get("/account", own), 200).Text
	if !strings.Contains(page, d.Member.Email) || !strings.Contains(page, "elsewhere@example.org, connected") {
		t.Error("the provider opens another account")
	}
	form.Set("current", "")
	d.Status(d.Post("/account/providers", form, own), 400) // the password is still asked for
	form = url.Values{"connect": {"work"}, "current": {""}}
	trip, _ = leave(stranger)
	if r := d.Status(w.Back(trip), 400); !strings.Contains(r.Text, "belongs to another account") {
		t.Error("a sign-in is connected twice")
	}
	remove := url.Values{"remove": {d.Attr(page, `name="remove" value="(\d+)"`)}, "current": {webtest.Words}}
	d.Status(d.Post("/account/providers", remove, stranger), 303) // of another account: nothing changes
	w.arrived(w.Provided("u1"), "/dashboard")
	if to := d.Status(d.Post("/account/providers", remove, cookie), 303).Header.Get("Location"); to != "/account?said=disconnected" {
		t.Errorf("removed, it leads to %s", to)
	}
	d.Status(d.Get("/links", own), 303)
	d.Status(d.Get("/links", cookie), 200)
	w.says("a removed one", w.Provided("u1"), 400, "There is no account of elsewhere@example.org")

	w.Use("&accounts=open")
	alone := w.arrived(w.Provided("u1"), "/dashboard")
	remove.Set("remove", d.Attr(d.Get("/account", alone).Text, `name="remove" value="(\d+)"`))
	if r := d.Status(d.Post("/account/providers", remove, alone), 400); !strings.Contains(r.Text, "the only way into your account") {
		t.Error("the only way in is removed")
	}
}

// TestProviderRoles checks that a claim gives and takes roles, in an ID token
// or from userinfo, also below another claim, and leaves the last owner.
func TestProviderRoles(t *testing.T) {
	w := newAtWork(t, auth.SignUpOpen, "", "&roles=groups&moderator=share-mods&administrator=share-admins")
	d := w.AccountSite
	for i, c := range []struct {
		claim any
		want  vitrine.Role
	}{{[]string{"x", "share-mods"}, vitrine.RoleModerator}, {"share-admins", vitrine.RoleOwner},
		{[]string{"share-mods"}, vitrine.RoleModerator}, {[]any{1, "x"}, vitrine.RoleMember}, {"share-mods", vitrine.RoleModerator},
		{nil, vitrine.RoleMember}} {
		w.Control(map[string]any{"inside": i%2 == 0})
		claims := verified("ada@example.org")
		if c.claim != nil {
			claims["groups"] = c.claim
		}
		w.Person("u1", claims)
		w.arrived(w.Provided("u1"), "/dashboard")
		if got := w.account("ada@example.org").Role; got != c.want {
			t.Errorf("%v gives the role %q, want %q", c.claim, got, c.want)
		}
	}
	w.Use("&roles=realm_access.roles&administrator=boss")
	claims := verified("ada@example.org")
	claims["realm_access"] = map[string]any{"roles": []string{"boss"}}
	w.Person("u1", claims)
	w.arrived(w.Provided("u1"), "/dashboard")
	a := w.account("ada@example.org")
	if a.Role != vitrine.RoleOwner {
		t.Errorf("a claim below another gives the role %q", a.Role)
	}
	_, err := d.Server.Accounts.SetRole(t.Context(), d.Owner.Email, vitrine.RoleMember, vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	owners, err := d.Server.Accounts.List(t.Context(), vitrine.AccountQuery{Role: vitrine.RoleOwner})
	d.Check(err)
	for _, o := range owners {
		if o.ID != a.ID {
			_, err := d.Server.Accounts.SetRole(t.Context(), o.Email, vitrine.RoleMember, vitrine.Decision{By: vitrine.Administrator})
			d.Check(err)
		}
	}
	w.Person("u1", verified("ada@example.org"))
	w.arrived(w.Provided("u1"), "/dashboard")
	if w.account("ada@example.org").Role != vitrine.RoleOwner {
		t.Error("the last owner lost their role")
	}
}

// TestProviderSecondStep checks that a code is asked for after a provider, but
// not if the administrator lets a second step at the provider count.
func TestProviderSecondStep(t *testing.T) {
	w := newAtWork(t, auth.SignUpOpen, "", "&two-step=mfa,gold")
	d := w.AccountSite
	w.Person("u1", verified("ada@example.org"))
	p := d.TwoStep(w.arrived(w.Provided("u1"), "/dashboard"))
	half := w.arrived(w.Provided("u1"), "/two-step")
	d.Status(d.Get("/links", half), 303)
	r := d.Status(d.Post("/two-step", url.Values{"code": {p.Code()}}, half), 303)
	w.Person("u1", nil)
	d.Ahead.Add(int64(20 * time.Minute))
	d.Check(d.Server.Providers.Check(t.Context()))
	d.Status(d.Get("/links", webtest.Cookies(r)), 303) // it depends on the provider all the same
	w.Person("u1", verified("ada@example.org"))
	for claim, value := range map[string]any{"amr": []string{"pwd", "mfa"}, "acr": "gold"} {
		w.Control(map[string]any{"wrong": map[string]any{claim: value}})
		cookie := w.arrived(w.Provided("u1"), "/dashboard")
		key := url.Values{"name": {"x"}, "scope": {"read"}}
		d.Status(d.Post("/keys", key, cookie), 200)
		d.Ahead.Add(int64(11 * time.Minute))
		if r := d.Status(d.Post("/keys", key, cookie), 400); !strings.Contains(r.Text, "authenticator app") {
			t.Error("a key needs no fresh code")
		}
	}
	d.Server.Sessions.Factor = auth.FactorAll
	w.Person("u2", verified("bob@example.org"))
	w.Control(map[string]any{"wrong": map[string]any{}})
	cookie := w.arrived(w.Provided("u2"), "/dashboard")
	if to := d.Status(d.Get("/sign-in", cookie), 303).Header.Get("Location"); !strings.HasPrefix(to, "/account/two-step") {
		t.Errorf("without any second step it leads to %s", to)
	}
	w.Control(map[string]any{"wrong": map[string]any{"amr": "mfa"}})
	d.Status(d.Get("/links", w.arrived(w.Provided("u2"), "/dashboard")), 200)
}

// TestProviderClosed checks that nothing of a closed account's identities
// stays, and what an export says of them.
func TestProviderClosed(t *testing.T) {
	w := newAtWork(t, auth.SignUpOpen, "", "")
	d := w.AccountSite
	w.Person("u1", verified("ada@example.org"))
	cookie := w.arrived(w.Provided("u1"), "/dashboard")
	a := w.account("ada@example.org")
	var exported struct {
		Providers []struct{ Issuer, Subject, Email string }
	}
	d.Check(json.Unmarshal([]byte(inZip(t, d.Status(d.Get("/account/export", cookie), 200).Text, "account.json")), &exported))
	if got := fmt.Sprint(exported.Providers); got != fmt.Sprintf("[{%s u1 ada@example.org}]", w.Issuer) {
		t.Errorf("the export has %s", got)
	}
	d.Status(d.Post("/account/close", url.Values{"email": {"ada@example.org"}}, cookie), 200)
	d.Check(d.Server.Store.Read(t.Context(), func(tx vitrine.Tx) error {
		list, err := tx.Identities(a.ID)
		if len(list) > 0 {
			t.Errorf("a closed account has %v", list)
		}
		return err
	}))
	w.arrived(w.Provided("u1"), "/dashboard")
	if w.account("ada@example.org").ID == a.ID {
		t.Error("the closed account is open again")
	}
}

// inZip returns a file of an archive.
func inZip(t *testing.T, archive, name string) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := fs.ReadFile(z, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
