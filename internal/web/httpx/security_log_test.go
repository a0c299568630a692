package httpx_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/events"
	"vitrine/internal/test/webtest"
)

// desk is a site whose log is read.
type desk struct {
	*webtest.AccountSite
	log bytes.Buffer
}

const deskWords = "a café at noon"

func newLogged(t *testing.T) *desk {
	t.Helper()
	d := &desk{AccountSite: webtest.NewAccountSite(t, auth.SignUpInvite, false)}
	d.Check(d.Server.Accounts.SetPassword(t.Context(), d.Member.Email, deskWords))
	d.Server.Log = slog.New(slog.NewTextHandler(&d.log, nil))
	d.Handler = d.Server.Handler()
	return d
}

// lines checks what is in the log since the last call: a line for each of the
// texts, in this order, without an address or a secret.
func (d *desk) lines(wants ...string) {
	d.T.Helper()
	text := d.log.String()
	d.log.Reset()
	list := slices.Collect(strings.Lines(text))
	is := len(list) == len(wants)
	for i := 0; is && i < len(list); i++ {
		is = strings.Contains(list[i], wants[i])
	}
	if !is {
		d.T.Errorf("log = %q, want %d lines with %q", text, len(wants), wants)
	}
	for _, secret := range []string{"127.0.0.1", d.Member.Email, "nobody", "example.net", deskWords, "café", "vtr_"} {
		if strings.Contains(text, secret) {
			d.T.Errorf("log = %s, which has %s", text, secret)
		}
	}
}

// TestSecurityLog checks that the log has a line for each sign-in, failed
// sign-in and refused key, and for each kind of event about an account, without
// an address or a secret.
func TestSecurityLog(t *testing.T) {
	d := newLogged(t)
	told := map[string]bool{}
	event := func(kind string) string {
		told[kind] = true
		return fmt.Sprintf(`msg="account event" type=account.%s account=%d event=`, kind, d.Member.ID)
	}
	d.Post("/sign-in", url.Values{"email": {"nobody@example.org"}, "password": {deskWords}})
	d.lines(`msg="sign-in failed"`)
	r := d.Status(d.Post("/sign-in", url.Values{"email": {d.Member.Email}, "password": {deskWords}}), 303)
	d.lines(event("sign_in"), `msg="signed in" account=`)
	cookie := webtest.Cookies(r)
	d.Status(d.Get("/api/v1/links", "Authorization: Bearer vtr_wrong"), 401)
	d.lines(`msg="API key refused"`)
	page := d.Status(d.Post("/keys", url.Values{"name": {"x"}, "scope": {"full"}}, cookie), 200).Text
	d.lines(event("key_created"))
	key := "Authorization: Bearer " + d.Attr(page, `id="key"[^>]*>(vtr_\w+)<`)
	d.Status(d.Do("POST", "/api/v1/keys", `{"name": "y", "scope": "read"}`, key, "Content-Type: application/json"), 200)
	d.lines(event("key_created"))
	d.Post(d.SignInLink(d.Member), nil)
	d.lines(event("sign_in"), `msg="signed in" account=`)
	d.Post("/sign-in/nothing", nil)
	d.lines(`msg="sign-in failed"`)
	session, _, err := d.Server.Sessions.Current(t.Context(), regexp.MustCompile(`\bvitrine=([^;]+)`).FindStringSubmatch(cookie)[1])
	d.Check(err)
	i := &vitrine.Identity{Account: d.Member.ID, Issuer: "https://login.example", Subject: "1"}
	d.Check(d.Server.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddIdentity(i) }))
	d.Check(d.Server.Providers.Remove(t.Context(), session, deskWords, i.ID))
	d.lines(event("provider_changed"))
	d.Check(d.Server.Accounts.ChangePassword(t.Context(), session, deskWords, "another café at noon"))
	d.lines(event("password_changed"))
	_, err = d.Server.Accounts.ChangeEmail(t.Context(), session, "another café at noon", "ann@example.net")
	d.Check(err)
	d.lines(event("email_changed"))
	d.Member.Email = "ann@example.net"
	d.TwoStep(d.SignIn(d.Member))
	d.lines(event("sign_in"), `msg="signed in" account=`, event("factor_changed"))
	for _, k := range events.Kinds {
		if kind, of := strings.CutPrefix(string(k.Name), "account."); of && !told[kind] {
			t.Errorf("nothing logs %s", k.Name)
		}
	}
}

// TestLogCannotBeFilled checks that what strangers cause as often as they like
// is a line a minute of each kind, with the number of times.
func TestLogCannotBeFilled(t *testing.T) {
	d := newLogged(t)
	for what, stranger := range map[string]func(i int){
		`msg="API key refused"`: func(i int) {
			at := []string{"/api/v1/links", "/api/v1/events", "/mcp"}[i%3]
			d.Get(at, fmt.Sprint("Authorization: Bearer vtr_", i))
		},
		`msg="sign-in failed" reason=link`: func(i int) { d.Post(fmt.Sprint("/sign-in/", i), nil) },
	} {
		for i := range 300 {
			stranger(i)
		}
		d.lines(what)
		d.Ahead.Add(int64(2 * time.Minute))
		stranger(300)
		d.lines(what)
	}
	for i := range 60 {
		d.Post("/sign-in", url.Values{"email": {fmt.Sprint("nobody", i, "@example.org")}, "password": {"x"}})
	}
	d.lines(`msg="sign-in failed" reason=unauthorized times=1`, `msg="sign-in failed" reason=rate_limited times=1`)
}
