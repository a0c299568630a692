package app_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestProviderLeavers checks that sessions of a person end at the next check
// once the provider does not know them any more, with and without refresh
// tokens, and that a provider that is down ends none within a day. Other
// sessions and keys stay.
func TestProviderLeavers(t *testing.T) {
	w := newAtWork(t, auth.SignUpOpen, "/realms/acme", "&roles=groups&moderator=mods")
	d := w.AccountSite
	later := func(by time.Duration) {
		t.Helper()
		d.Ahead.Add(int64(by))
		w.Control(map[string]any{"ahead": time.Duration(d.Ahead.Load()).Seconds()})
		d.Check(d.Server.Providers.Check(t.Context()))
	}
	in := func(cookie string) bool { return d.Get("/links", cookie).StatusCode == 200 }
	for _, refresh := range []bool{true, false} {
		w.Control(map[string]any{"refresh": refresh})
		w.Person("u1", verified("ada@example.org"))
		one, two := w.arrived(w.Provided("u1"), "/dashboard"), w.arrived(w.Provided("u1"), "/dashboard")
		a := w.account("ada@example.org")
		other := d.SignIn(a)
		key, err := d.Server.Keys.CreateFor(t.Context(), a.Email, auth.KeyRequest{Name: "one", Scope: vitrine.ScopeRead})
		d.Check(err)
		asked := w.Control(map[string]any{})
		later(14 * time.Minute)
		for path, n := range w.Control(map[string]any{}) {
			if n != asked[path] {
				t.Errorf("asked %s before it was time", path)
			}
		}
		claims := verified("ada@example.org")
		claims["groups"] = "mods"
		w.Person("u1", claims)
		later(time.Minute)
		if !in(one) || !in(two) || w.account(a.Email).Role != vitrine.RoleModerator {
			t.Fatalf("refresh %t: a known person is signed out, or keeps an old role", refresh)
		}
		w.Person("u1", verified("ada@example.org"))
		later(16 * time.Minute)
		w.Control(map[string]any{"down": true})
		later(16 * time.Minute)
		later(4 * time.Minute)
		if !in(one) {
			t.Errorf("refresh %t: a provider that is down ends sessions at once", refresh)
		}
		w.Control(map[string]any{"down": false})
		w.Person("nobody", nil)
		later(5 * time.Minute)
		if in(one) || in(two) || !in(other) {
			t.Errorf("refresh %t: removed at the provider: signed in %t, %t, and otherwise %t", refresh, in(one), in(two), in(other))
		}
		d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 200)
		if page := d.Get("/account", other).Text; !strings.Contains(page, "Acme no longer confirms the sign-in") {
			t.Error("the activity does not say why")
		}
		d.Suspend(a, true)
		d.Status(d.Get("/api/v1/links", "Authorization: Bearer "+string(key.Text)), 403)
		d.Suspend(a, false)
	}
	w.Control(map[string]any{"refresh": true})
	w.Person("u1", verified("ada@example.org"))
	one := w.arrived(w.Provided("u1"), "/dashboard")
	w.Control(map[string]any{"down": true})
	later(24 * time.Hour)
	if !in(one) {
		t.Error("a provider that is down for less than a day and 15 minutes ends sessions")
	}
	later(15 * time.Minute)
	if in(one) {
		t.Error("a provider that is down for a day does not end sessions")
	}
	w.Control(map[string]any{"down": false})
	one = w.arrived(w.Provided("u1"), "/dashboard")
	d.Server.Providers.List = nil
	later(15 * time.Minute)
	if in(one) {
		t.Error("a session of a provider that was removed from the settings goes on")
	}
	page := d.Status(d.Get("/account", d.SignIn(w.account("ada@example.org"))), 200).Text
	if u, err := url.Parse(w.Issuer); err != nil || !strings.Contains(page, u.Host) || !strings.Contains(page, `name="remove"`) {
		t.Error("a connection with a provider that was removed cannot be removed")
	}
}

// TestProviderIsolation checks that nobody but the signed-in person connects or
// removes a provider, whatever they send.
func TestProviderIsolation(t *testing.T) {
	t.Parallel()
	d := webtest.NewAccountSite(t, auth.SignUpOpen, false)
	i := &vitrine.Identity{Account: d.Member.ID, Issuer: "https://login.example", Subject: "1"}
	d.Check(d.Server.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddIdentity(i) }))
	remove := url.Values{"remove": {"1"}}
	moderator := d.Join("moderator2@example.org", vitrine.RoleModerator)
	for _, other := range []*vitrine.Account{d.Owner, moderator} {
		d.Status(d.Post("/account/providers", remove, d.SignIn(other)), 303)
		if page := d.Get("/account", d.SignIn(other)).Text; strings.Contains(page, "login.example") {
			t.Errorf("%s sees it", other.Email)
		}
	}
	d.Status(d.Post("/account/providers", remove), 303) // to the sign-in page
	key, err := d.Server.Keys.CreateFor(t.Context(), d.Member.Email, auth.KeyRequest{Name: "one", Scope: vitrine.ScopeFull})
	d.Check(err)
	d.Status(d.Post("/account/providers", remove, "Authorization: Bearer "+string(key.Text)), 303)
	for _, bad := range []url.Values{nil, {"remove": {"x"}}, {"remove": {"-1"}, "connect": {""}}, {"connect": {"nothing"}}} {
		if r := d.Post("/account/providers", bad, d.SignIn(d.Member)); r.StatusCode < 400 || r.StatusCode > 404 {
			t.Errorf("%v: status %d", bad, r.StatusCode)
		}
	}
	d.Check(d.Server.Store.Read(t.Context(), func(tx vitrine.Tx) error {
		list, err := tx.Identities(d.Member.ID)
		if len(list) != 1 {
			t.Errorf("there are %d", len(list))
		}
		return err
	}))
	d.Status(d.Post("/account/providers", remove, d.SignIn(d.WithPassword(d.Member))), 303)
	if page := d.Get("/account", d.SignIn(d.Member)).Text; strings.Contains(page, `name="remove"`) {
		t.Error("its owner cannot remove it")
	}
}
