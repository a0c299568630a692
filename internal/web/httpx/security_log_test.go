package httpx_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestSecurityLog checks that the log has one line for each sign-in, failed
// sign-in, refused key and new key, without an address or a secret.
func TestSecurityLog(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	const words = "a café at noon"
	d.Check(d.Server.Accounts.SetPassword(t.Context(), d.Member.Email, words))
	var log bytes.Buffer
	d.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	d.Handler = d.Server.Handler()
	line := func(want string) {
		t.Helper()
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
			t.Errorf("log = %q, want one line with %s", text, want)
		}
		for _, secret := range []string{"127.0.0.1", d.Member.Email, "nobody", words, "café", "vtr_"} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("log = %s, which has %s", &log, secret)
			}
		}
		log.Reset()
	}
	d.Post("/sign-in", url.Values{"email": {"nobody@example.org"}, "password": {words}})
	line(`msg="sign-in failed"`)
	r := d.Status(d.Post("/sign-in", url.Values{"email": {d.Member.Email}, "password": {words}}), 303)
	line(`msg="signed in" account=`)
	var cookie string
	for _, c := range r.Cookies() {
		if c.Name == "vitrine" {
			cookie = "Cookie: vitrine=" + c.Value
		}
	}
	d.Status(d.Get("/api/v1/links", "Authorization: Bearer vtr_wrong"), 401)
	line(`msg="API key refused"`)
	page := d.Status(d.Post("/keys", url.Values{"name": {"x"}, "scope": {"full"}}, cookie), 200).Text
	line(`msg="API key created" account=`)
	key := "Authorization: Bearer " + d.Attr(page, `id="key"[^>]*>(vtr_\w+)<`)
	d.Status(d.Do("POST", "/api/v1/keys", `{"name": "y", "scope": "read"}`, key, "Content-Type: application/json"), 200)
	line(`msg="API key created" account=`)
	d.Post(d.SignInLink(d.Member), nil)
	line(`msg="signed in" account=`)
	d.Post("/sign-in/nothing", nil)
	line(`msg="sign-in failed"`)
}
