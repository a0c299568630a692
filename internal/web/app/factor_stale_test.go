package app_test

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/test/webtest"
)

// TestStaleFactorChangesNothing sends each form that needs a fresh second
// factor, except the one that connects a provider, with a session that showed
// its own too long ago. It checks that each is refused and changes nothing.
func TestStaleFactorChangesNothing(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	ctx, store := t.Context(), d.Server.Sessions.Store
	device := d.WithPasskeys()
	d.Join("second-owner@example.org", vitrine.RoleOwner) // so that the account can be closed
	a := d.WithPassword(d.Owner)
	cookie := d.SignIn(a)
	d.Status(d.AddPasskey(device, cookie, "phone"), 200)
	member := d.WithPassword(d.Member)
	d.TwoStep(d.SignIn(member))
	key, err := d.Server.Keys.CreateFor(ctx, a.Email, auth.KeyRequest{Name: "old", Scope: vitrine.ScopeRead})
	d.Check(err)
	login, _, err := d.Server.Logins.Begin(ctx, "vitrine", "laptop", auth.AnyKey, auth.Client{})
	d.Check(err)
	identity := &vitrine.Identity{Account: a.ID, Issuer: "https://login.example", Subject: "1"}
	d.Check(store.Update(ctx, func(tx vitrine.Tx) error {
		d.Check(tx.AddIdentity(identity))
		all, err := tx.Sessions(a.ID)
		for _, s := range all {
			s.FactorAt = s.FactorAt.Add(-10 * time.Minute)
			d.Check(tx.PutSession(s))
		}
		return err
	}))
	state := func() (all string) {
		d.Check(store.Read(ctx, func(tx vitrine.Tx) error {
			for _, id := range []vitrine.AccountID{a.ID, member.ID} {
				now, err := tx.Account(id)
				d.Check(err)
				all += fmt.Sprintf("%+v\n", *now)
			}
			l, err := tx.LoginByCode(login.Code)
			d.Check(err)
			connected, err := tx.Identities(a.ID)
			d.Check(err)
			all += fmt.Sprintf("%+v\n%d connected\n", *l, len(connected))
			keys, err := tx.Keys(a.ID)
			for _, k := range keys {
				all += fmt.Sprintf("%+v\n", *k)
			}
			return err
		}))
		return all
	}
	secret, offer := d.Server.Accounts.OfferFactor(a)
	made := html.UnescapeString(d.Attr(d.Status(d.Get("/account/two-step", cookie), 200).Text,
		`data-passkey="([^"]+)" data-new`))
	before := state()
	for _, form := range []struct {
		action string
		fields url.Values
	}{
		{"/device", url.Values{"code": {login.Code}, "answer": {"allow"}, "scope": {"read"}, "expires": {"90d"}}},
		{"/oauth/authorize?" + d.GrantQuery().Encode(), url.Values{"answer": {"allow"}, "scope": {"read"},
			"expires": {"90d"}}},
		{"/keys", url.Values{"name": {"x"}, "scope": {"read"}}},
		{fmt.Sprintf("/keys/%d/roll", key.ID), url.Values{"grace": {"now"}}},
		{"/people/two-step-off", url.Values{"email": {member.Email}}},
		{"/account/two-step", url.Values{"do": {"add"}, "current": {webtest.Words},
			"offer": {base64.RawURLEncoding.EncodeToString(offer)}, "code": {secret.Code(factor.Step(d.Server.Sessions.Now()))}}},
		{"/account/two-step", url.Values{"do": {"passkey"}, "current": {webtest.Words}, "name": {"second"},
			"made": {device.Make(made)}}},
		{"/account/two-step", url.Values{"do": {"codes"}, "current": {webtest.Words}}},
		{"/account/two-step", url.Values{"do": {"remove"}, "current": {webtest.Words}}},
		{"/account/email", url.Values{"current": {webtest.Words}, "email": {"new@example.org"}}},
		{"/account/password", url.Values{"current": {webtest.Words}, "password": {"another good one"}}},
		{"/account/providers", url.Values{"current": {webtest.Words}, "remove": {fmt.Sprint(identity.ID)}}},
		{"/account/close", url.Values{"current": {webtest.Words}, "email": {a.Email}}},
	} {
		if r := d.Post(form.action, form.fields, cookie); r.StatusCode != 400 {
			t.Errorf("%s %s = %d, want 400", form.action, form.fields.Get("do"), r.StatusCode)
		}
		if after := state(); after != before {
			t.Errorf("%s %s has changed\n%s\nto\n%s", form.action, form.fields.Get("do"), before, after)
			before = after
		}
	}
}
