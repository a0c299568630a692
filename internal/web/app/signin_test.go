package app_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestSignIn checks that a link signs in once, and only with its button, so
// that programs that fetch it in advance do not use it up.
func TestSignIn(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	link := d.SignInLink(mod)
	for range 3 {
		r := d.Status(d.Get(link), 200)
		if len(r.Cookies()) > 0 || !strings.Contains(r.Text, `<form method="post"><button`) ||
			strings.Contains(r.Text, link) || strings.Contains(r.Text, mod.Email) {
			t.Errorf("cookies = %v\n%s", r.Cookies(), r.Text)
		}
		d.Status(d.Do(http.MethodHead, link, ""), 200)
	}
	r := d.Status(d.Post(link, nil), 303)
	c := r.Cookies()[0]
	if r.Header.Get("Location") != "/dashboard" || c.Name != "vitrine" || c.Path != "/" || !c.HttpOnly || c.Secure ||
		c.SameSite != http.SameSiteLaxMode ||
		c.Domain != "" || c.MaxAge != int(vitrine.MaxSessionLife/time.Second) ||
		c.Value == strings.TrimPrefix(link, "/sign-in/") {
		t.Errorf("redirected to %s with %+v", r.Header.Get("Location"), c)
	}
	d.Status(d.Get("/moderation", "Cookie: vitrine="+c.Value), 200)
	d.Status(d.Get("/moderation", "Cookie: vitrine="+strings.TrimPrefix(link, "/sign-in/")),
		303) // the link is not a session
	for name, bad := range map[string]string{"used": link, "rubbish": "/sign-in/rubbish",
		"a session": "/sign-in/" + c.Value, "long": "/sign-in/" + strings.Repeat("x", 5000)} {
		if r := d.Status(d.Post(bad, nil), 401); len(r.Cookies()) > 0 || !strings.Contains(r.Text, `href="/sign-in"`) {
			t.Errorf("%s: cookies %v: %s", name, r.Cookies(), r.Text)
		}
	}
	late := d.SignInLink(mod)
	d.Ahead.Add(int64(vitrine.SignInLife))
	d.Status(d.Post(late, nil), 401)
	d.Ahead.Add(int64(vitrine.SessionLife))
	d.Status(d.Get("/moderation", "Cookie: vitrine="+c.Value), 303)
}

// TestSignOut checks that a new sign-in ends the browser's old session, and
// that signing out ends the current one.
func TestSignOut(t *testing.T) {
	d := webtest.NewDesk(t)
	first := d.SignIn(d.Owner)
	r := d.Status(d.Post(d.SignInLink(d.Owner), nil, first), 303)
	second := "Cookie: vitrine=" + r.Cookies()[0].Value
	d.Status(d.Get("/moderation", first), 303)
	d.Status(d.Get("/moderation", second), 200)
	r = d.Status(d.Post("/sign-out", nil, second), 303)
	if c := r.Cookies(); len(c) != 1 || c[0].MaxAge >= 0 || c[0].Value != "" || r.Header.Get("Location") != "/sign-in" {
		t.Errorf("cookies = %v, redirected to %s", c, r.Header.Get("Location"))
	}
	d.Status(d.Get("/moderation", second), 303)
	d.Status(d.Post("/sign-out", nil, second), 303)
	d.Status(d.Post("/sign-out", nil), 303)
	d.Status(d.Get("/sign-in"), 200)
}

// TestSessionCookieBehindTLS checks that the cookie is limited to this host
// behind TLS.
func TestSessionCookieBehindTLS(t *testing.T) {
	d := webtest.NewDesk(t)
	public := *d.Server.PublicURL
	public.Scheme = "https"
	d.Server.PublicURL = &public
	d.Handler = d.Server.Handler()
	r := d.Status(d.Do(http.MethodPost, d.SignInLink(d.Owner), "", webtest.Form, "Sec-Fetch-Site: same-origin"), 303)
	c := r.Cookies()[0]
	if c.Name != "__Host-vitrine" || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" ||
		c.SameSite != http.SameSiteLaxMode {
		t.Errorf("session cookie = %+v", c)
	}
	d.Status(d.Get("/moderation", "Cookie: __Host-vitrine="+c.Value), 200)
	d.Status(d.Get("/moderation", "Cookie: vitrine="+c.Value), 303)
	if device := r.Cookies()[1]; device.Name != "__Host-vitrine-device" || !device.Secure || !device.HttpOnly ||
		device.Path != "/" || device.Domain != "" {
		t.Errorf("device cookie = %+v", device)
	}
}

// TestSignInOverPlainHTTP checks that the page's form works without
// Sec-Fetch-Site, which browsers send over plain HTTP only to localhost.
func TestSignInOverPlainHTTP(t *testing.T) {
	d := webtest.NewDesk(t)
	if p := d.Get(d.SignInLink(d.Owner)).Header.Get("Referrer-Policy"); p != "same-origin" { // with no-referrer browsers send "Origin: null"
		t.Errorf("Referrer-Policy = %s, want same-origin", p)
	}
	d.Status(d.Do(http.MethodPost, d.SignInLink(d.Owner), "", webtest.Form, "Origin: "+d.URL), 303)
	d.Status(d.Do(http.MethodPost, d.SignInLink(d.Owner), "", webtest.Form, "Origin: null"), 403)
}

// TestWhoModerates checks who may see and do what at each address.
func TestWhoModerates(t *testing.T) {
	d := webtest.NewDesk(t)
	mod := d.Join("mod@example.org", vitrine.RoleModerator)
	demoted := d.Join("demoted@example.org", vitrine.RoleModerator)
	suspended := d.Join("suspended@example.org", vitrine.RoleModerator)
	cookies := map[string]string{"nobody": "X-None: 1", "rubbish": "Cookie: vitrine=rubbish",
		"member": d.SignIn(d.Member), "moderator": d.SignIn(mod),
		"owner": d.SignIn(d.Owner), "role taken": d.SignIn(demoted), "suspended": d.SignIn(suspended)}
	_, err := d.Server.Accounts.SetRole(t.Context(), demoted.Email, vitrine.RoleMember,
		vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	_, err = d.Server.Accounts.SetBanned(t.Context(), suspended.Email, true, vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	l := d.Held("notes.txt", vitrine.ReasonSuspicious)
	gets := []string{"/moderation", "/moderation?reason=scan_late", "/moderation/history", webtest.CasePath(l),
		webtest.AccountPath(d.Member)}
	posts := map[string]url.Values{
		"/moderation/decide": {"do": {"clear"}}, "/moderation/undo": {"done": {"0-1"}},
		webtest.CasePath(l) + "/clear": {"seen": {"0"}}, webtest.CasePath(l) + "/reject": nil,
		webtest.CasePath(l) + "/disable": nil, webtest.CasePath(l) + "/undo": nil,
		webtest.CasePath(l) + "/reject-same":  nil,
		webtest.AccountPath(mod) + "/suspend": nil, webtest.AccountPath(mod) + "/lift": nil,
	}
	for who, want := range map[string]int{"nobody": 303, "rubbish": 303, "member": 403, "moderator": 200, "owner": 200,
		"role taken": 403, "suspended": 303} {
		for _, path := range gets {
			r := d.Status(d.Get(path, cookies[who]), want)
			if want != 200 && (strings.Contains(r.Text, l.Title) || strings.Contains(r.Text, d.Member.Email) &&
				who != "member") {
				t.Errorf("%s sees a link at %s: %s", who, path, r.Text)
			}
		}
		for path, fields := range posts {
			if r := d.Post(path, fields, cookies[who]); want != 200 && r.StatusCode != want || want == 200 &&
				(r.StatusCode == 401 || r.StatusCode == 403 && who != "owner") {
				t.Errorf("%s POST %s: status %d", who, path, r.StatusCode)
			}
		}
	}
	if d.StateOf(l) != vitrine.StateReview {
		t.Errorf("state = %s, want review", d.StateOf(l))
	}
	// Requests from another site's page, and with a wrong method, are refused.
	cookie := cookies["moderator"]
	for path, fields := range posts {
		for about, headers := range map[string][]string{
			"another site":   {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
			"a subdomain":    {"Origin: https://a.example", "Sec-Fetch-Site: same-site"},
			"a file's frame": {"Origin: null", "Sec-Fetch-Site: cross-site"},
			"an old browser": {"Origin: https://evil.example"},
		} {
			if r := d.Do(http.MethodPost, path, fields.Encode(),
				append(headers, webtest.Form, cookie)...); r.StatusCode != 403 {
				t.Errorf("%s POST %s: status %d, want 403", about, path, r.StatusCode)
			}
		}
		r := d.Status(d.Do(http.MethodDelete, path, "", cookie), 405)
		if r.Header.Get("Allow") != "POST" {
			t.Errorf("%s: Allow = %q, want POST", path, r.Header.Get("Allow"))
		}
	}
	for _, path := range gets {
		d.Status(d.Post(path, nil, cookie), 405)
	}
	d.Status(d.Do(http.MethodPost, d.SignInLink(mod), "", webtest.Form, "Origin: https://evil.example",
		"Sec-Fetch-Site: cross-site"), 403)
	d.Status(d.Do(http.MethodPut, "/sign-in/x", ""), 405)
}

// TestFormAddressesLeadToTheirPages checks that the URL of a form, which the
// browser shows with its answer, redirects to the page of the form when it is
// loaded again.
func TestFormAddressesLeadToTheirPages(t *testing.T) {
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Content: true})
	cookie := d.SignIn(d.Owner)
	for address, page := range map[string]string{"/analytics/share": "/analytics",
		"/links/abc/analytics/share": "/links/abc/analytics", "/links/abc/versions/restore": "/links/abc/versions",
		"/account/password": "/account", "/account/sessions/5": "/account",
		"/keys/5/roll": "/keys", "/people/invite": "/people", "/moderation/undo": "/moderation",
		"/moderation/links/abc/clear": "/moderation/links/abc", "/links/a%20b/delete": "/links/a%20b"} {
		if r := d.Status(d.Get(address, cookie), 303); r.Header.Get("Location") != page {
			t.Errorf("%s leads to %q", address, r.Header.Get("Location"))
		}
		d.Status(d.Do(http.MethodPut, address, "", cookie), 405)
	}
}

// TestModerationHeaders checks that these pages are not cached and not framed,
// and run only their own script.
func TestModerationHeaders(t *testing.T) {
	var logged bytes.Buffer
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Content: true})
	d.Server.Log = slog.New(slog.NewTextHandler(&logged, nil))
	cookie := d.SignIn(d.Owner)
	l := d.Held("notes.txt", vitrine.ReasonSuspicious)
	link := d.SignInLink(d.Owner)
	for _, r := range []webtest.Reply{d.Get("/moderation", cookie), d.Get(webtest.CasePath(l), cookie),
		d.Get(webtest.AccountPath(d.Member), cookie), d.Get("/moderation/history", cookie),
		d.Get(link), d.Get("/sign-in"), d.Post("/sign-in/x", nil), d.Get(webtest.CasePath(l)+"x", cookie)} {
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Robots-Tag": "noindex",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "same-origin",
			"X-Content-Type-Options": "nosniff"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s = %q, want %q", r.Request.URL, name, got, want)
			}
		}
		csp := r.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'nonce-", "form-action 'self'",
			"frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: policy lacks %s: %s", r.Request.URL, want, csp)
			}
		}
		frames, moderation := "frame-src "+d.Server.ContentURL.String()+"/c/;",
			strings.HasPrefix(r.Request.URL.Path, "/moderation")
		if strings.Contains(csp, frames) != (moderation && r.StatusCode == 200) {
			t.Errorf("%s: frame sources in %s", r.Request.URL, csp)
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(r.Text, "style=") ||
			strings.Contains(r.Text, " onclick") {
			t.Errorf("%s: inline style or script", r.Request.URL)
		}
	}
	robots := d.Get("/robots.txt").Text
	if !strings.Contains(robots, "Disallow: /moderation\n") || !strings.Contains(robots, "Disallow: /sign-in\n") {
		t.Errorf("robots.txt = %s", robots)
	}
	for _, path := range []string{"/moderation", "/sign-in", link, webtest.CasePath(l)} {
		d.Status(d.Get(d.Server.ContentURL.String()+path, cookie), 404)
	}
	d.Status(d.Post(link, nil), 303)
	secret := strings.TrimPrefix(link, "/sign-in/")
	if strings.Contains(logged.String(), secret) ||
		strings.Contains(logged.String(), strings.TrimPrefix(cookie, "Cookie: vitrine=")) {
		t.Errorf("the log contains a secret: %s", logged.String())
	}
}

// TestTabFromAddressToPassword checks that Tab moves from the email field
// directly to the password.
func TestTabFromAddressToPassword(t *testing.T) {
	d := webtest.NewDesk(t)
	page := d.Status(d.Get("/sign-in"), 200).Text
	from, to := strings.Index(page, `name="email"`), strings.Index(page, `name="password"`)
	if from < 0 || to < from {
		t.Fatalf("positions of the fields = %d and %d", from, to)
	}
	for _, focusable := range []string{"<button", "<a ", "<input", "<select", "tabindex"} {
		between := page[from:strings.LastIndex(page[:to], "<input")]
		if strings.Contains(between, focusable) {
			t.Errorf("%s can take the focus between email and password", focusable)
		}
	}
}
