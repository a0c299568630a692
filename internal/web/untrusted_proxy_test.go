package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
)

// TestUntrustedProxyLocksNobodyOut checks that strangers behind a proxy that is
// not trusted do not use up the attempts of others, in each of the forms that
// anybody can send, and that the owner is told of the proxy.
func TestUntrustedProxyLocksNobodyOut(t *testing.T) {
	d := newDesk(t)
	const ownWords = "a café at noon"
	d.check(d.server.Accounts.SetPassword(t.Context(), d.owner.Email, ownWords))
	owner := d.signIn(d.owner)
	told := func(want bool) {
		t.Helper()
		page := d.status(d.get("/people", owner), 200).body
		if strings.Contains(page, "--trusted-proxy") != want {
			t.Errorf("the owner is told of the proxy = %t, want %t", !want, want)
		}
	}
	told(false)
	l := d.publish("notes.txt", samples["notes.txt"])
	shared := d.status(d.post("/analytics/share", url.Values{"label": {"Board"},
		"password": {ownWords}}, owner), 200)
	report := d.attr(shared.body, `(/r/[A-Za-z0-9_-]{22})`)
	const stranger, person = "X-Forwarded-For: 192.0.2.9", "X-Forwarded-For: 198.51.100.1"
	for n := range 40 {
		d.post("/sign-in", url.Values{"email": {fmt.Sprintf("nobody%d@example.org", n)}, "password": {"wrong"}}, stranger)
		d.post(report, url.Values{"password": {"wrong"}}, stranger)
		d.post("/p/"+string(l.Slug)+"/report", url.Values{"reason": {"malware"}}, stranger)
	}
	r := d.post("/sign-in", url.Values{"email": {d.owner.Email}, "password": {ownWords}}, person)
	same(t, "sign-in", r.StatusCode, http.StatusSeeOther)
	same(t, "shared report", d.post(report, url.Values{"password": {ownWords}}, person).StatusCode,
		http.StatusSeeOther)
	same(t, "abuse report", d.post("/p/"+string(l.Slug)+"/report", url.Values{"reason": {"malware"}}, person).StatusCode,
		http.StatusOK)
	same(t, "reports alone hold nothing", d.stateOf(l), vitrine.StateLive)
	told(true)
	d.ahead.Add(int64(time.Hour))
	told(false)
}
