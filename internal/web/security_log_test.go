package web_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app/auth"
)

// TestSecurityLog checks that the log has one line for each sign-in, failed
// sign-in, refused key and new key, without an address or a secret.
func TestSecurityLog(t *testing.T) {
	d := newAccountSite(t, auth.SignUpInvite, false)
	const words = "a café at noon"
	d.check(d.server.Accounts.SetPassword(t.Context(), d.member.Email, words))
	var log bytes.Buffer
	d.server.Log = slog.New(slog.NewTextHandler(&log, nil))
	d.handler = d.server.Handler()
	line := func(want string) {
		t.Helper()
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
			t.Errorf("log = %q, want one line with %s", text, want)
		}
		for _, secret := range []string{"127.0.0.1", d.member.Email, "nobody", words, "café", "vtr_"} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("log = %s, which has %s", &log, secret)
			}
		}
		log.Reset()
	}
	d.post("/sign-in", url.Values{"email": {"nobody@example.org"}, "password": {words}})
	line(`msg="sign-in failed"`)
	r := d.status(d.post("/sign-in", url.Values{"email": {d.member.Email}, "password": {words}}), 303)
	line(`msg="signed in" account=`)
	var cookie string
	for _, c := range r.Cookies() {
		if c.Name == "vitrine" {
			cookie = "Cookie: vitrine=" + c.Value
		}
	}
	d.status(d.get("/api/v1/links", "Authorization: Bearer vtr_wrong"), 401)
	line(`msg="API key refused"`)
	page := d.status(d.post("/keys", url.Values{"name": {"x"}, "scope": {"full"}}, cookie), 200).body
	line(`msg="API key created" account=`)
	key := "Authorization: Bearer " + d.attr(page, `id="key"[^>]*>(vtr_\w+)<`)
	d.status(d.do("POST", "/api/v1/keys", `{"name": "y", "scope": "read"}`, key, "Content-Type: application/json"), 200)
	line(`msg="API key created" account=`)
	d.post(d.signInLink(d.member), nil)
	line(`msg="signed in" account=`)
	d.post("/sign-in/nothing", nil)
	line(`msg="sign-in failed"`)
}
