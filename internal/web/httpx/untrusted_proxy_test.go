package httpx_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestUntrustedProxyLocksNobodyOut checks that strangers behind a proxy that is
// not trusted do not use up the attempts of others, in each of the forms that
// anybody can send, and that the owner is told of the proxy.
func TestUntrustedProxyLocksNobodyOut(t *testing.T) {
	d := webtest.NewDesk(t)
	const ownWords = "a café at noon"
	d.Check(d.Server.Accounts.SetPassword(t.Context(), d.Owner.Email, ownWords))
	owner := d.SignIn(d.Owner)
	told := func(want bool) {
		t.Helper()
		page := d.Status(d.Get("/people", owner), 200).Text
		if strings.Contains(page, "--trusted-proxy") != want {
			t.Errorf("the owner is told of the proxy = %t, want %t", !want, want)
		}
	}
	told(false)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	shared := d.Status(d.Post("/analytics/share", url.Values{"label": {"Board"},
		"password": {ownWords}}, owner), 200)
	report := d.Attr(shared.Text, `(/r/[A-Za-z0-9_-]{22})`)
	const stranger, person = "X-Forwarded-For: 192.0.2.9", "X-Forwarded-For: 198.51.100.1"
	for n := range 40 {
		d.Post("/sign-in", url.Values{"email": {fmt.Sprintf("nobody%d@example.org", n)}, "password": {"wrong"}},
			stranger)
		d.Post(report, url.Values{"password": {"wrong"}}, stranger)
		d.Post("/p/"+string(l.Slug)+"/report", url.Values{"reason": {"malware"}}, stranger)
	}
	r := d.Post("/sign-in", url.Values{"email": {d.Owner.Email}, "password": {ownWords}}, person)
	webtest.Same(t, "sign-in", r.StatusCode, http.StatusSeeOther)
	webtest.Same(t, "shared report", d.Post(report, url.Values{"password": {ownWords}}, person).StatusCode,
		http.StatusSeeOther)
	webtest.Same(t, "abuse report", d.Post("/p/"+string(l.Slug)+"/report", url.Values{"reason": {"malware"}},
		person).StatusCode, http.StatusOK)
	webtest.Same(t, "reports alone hold nothing", d.StateOf(l), vitrine.StateLive)
	told(true)
	d.Ahead.Add(int64(time.Hour))
	told(false)
}
