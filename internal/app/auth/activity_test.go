package auth_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/fixture"
)

// TestActivity checks that each way into an account leaves an event, and a
// message that has no secret. Known browsers leave none, an administrator gives
// no message of a key, and all of it ends with time and with the account.
func TestActivity(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, true)
	ctx := t.Context()
	keys := &auth.Keys{Store: e.Store, Now: e.Clock.Now, Owners: e.Accounts}
	logins := &auth.Logins{Store: e.Store, Keys: keys, Signer: e.Sessions.Signer, Now: e.Clock.Now}
	bob, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	home := fixture.Home
	home.Label = "Firefox on Linux"
	var secrets []string
	var session *vitrine.Session
	var device string
	var key auth.NewKey
	do := func(what string, by vitrine.ActorKind, action vitrine.Action, detail, subject string,
		f func() error) {
		t.Helper()
		e.Clock.Advance(time.Minute)
		e.Must(f())
		list, err := e.Accounts.Activity(ctx, bob.ID, 100)
		e.Must(err)
		list = slices.DeleteFunc(list, func(c *vitrine.Change) bool { return !c.At.Equal(e.Clock.Now()) })
		if action == "" && len(list) > 0 || action != "" && (len(list) == 0 || !slices.ContainsFunc(list,
			func(c *vitrine.Change) bool { return c.Action == action && c.Detail == detail && c.By.Kind == by })) {
			t.Errorf("%s: activity = %+v, want %s %q by %s", what, list, action, detail, by)
		}
		name, _, _ := strings.Cut(detail, " (")
		mail := e.Post.Take()
		mail = slices.DeleteFunc(mail, func(m vitrine.Message) bool { return strings.HasPrefix(m.Subject, "Choose") })
		switch {
		case subject == "" && len(mail) > 0, subject != "" && (len(mail) != 1 || !strings.Contains(mail[0].Subject, subject)):
			t.Errorf("%s: messages = %+v, want %q", what, mail, subject)
		case subject != "" && (mail[0].To != "bob@example.org" || !strings.Contains(mail[0].Text, name)):
			t.Errorf("%s: message = %+v, want it to bob, about %q", what, mail[0], detail)
		}
		for _, m := range mail {
			for _, secret := range append(secrets, home.Addr.String()) {
				if secret != "" && strings.Contains(m.Text+m.Subject, secret) {
					t.Errorf("%s: the message has a secret or an address: %s", what, m.Text)
				}
			}
		}
	}
	owner, administrator := vitrine.ActorOwner, vitrine.ActorAdministrator
	do("a password by command", administrator, vitrine.ActionPassword, "", "",
		func() error { return e.Accounts.SetPassword(ctx, bob.Email, fixture.AnnWords) })
	signIn := func(devices ...string) func() error {
		return func() error {
			g := home
			g.Devices = devices
			in, err := e.Sessions.SignInWithPassword(ctx, bob.Email, fixture.AnnWords, g)
			e.Must(err)
			secrets, device = append(secrets, string(in.Session), in.Device), in.Device
			session, _, err = e.Sessions.Current(ctx, string(in.Session))
			return err
		}
	}
	do("a new browser", owner, vitrine.ActionSignIn, "Firefox on Linux", "new sign-in", signIn())
	do("the same browser", owner, "", "", "", signIn(device))
	do("a one-time link", owner, vitrine.ActionSignIn, "Firefox on Linux", "new sign-in", func() error {
		offer, err := e.Sessions.Offer(ctx, bob.Email)
		e.Must(err)
		return fixture.Second(e.Sessions.SignInWithToken(ctx, string(offer), home))
	})
	create := func(k *auth.Keys) func() error {
		return func() (err error) {
			key, err = k.CreateFor(ctx, bob.Email, auth.KeyRequest{Name: "nightly", Scope: vitrine.ScopePublish})
			secrets = append(secrets, string(key.Text))
			return err
		}
	}
	do("a key", owner, vitrine.ActionKey, "nightly (publish)", "new API key", func() error { return create(keys)() })
	do("a rotated key", owner, vitrine.ActionRotate, "nightly (publish)", "rotated", func() (err error) {
		key, err = keys.RotateFor(ctx, bob.Email, key.ID, time.Hour)
		secrets = append(secrets, string(key.Text))
		return err
	})
	do("a key by command", administrator, vitrine.ActionKey, "nightly (publish)", "API key of yours", func() error {
		err := create((&auth.Keys{Store: e.Store, Now: e.Clock.Now}).ByAdministrator())()
		e.Accounts.Mail.Notify() // the server looks for mail of commands, too
		return err
	})
	do("a login", owner, vitrine.ActionKey, "laptop (full)", "new API key", func() error {
		l, secret, err := logins.Begin(ctx, "vitrine 1", "laptop", auth.AnyKey, home)
		e.Must(err)
		e.Must(fixture.Second(logins.Decide(ctx, &vitrine.Session{Account: bob.ID}, bob, l.Code, &vitrine.KeyGrant{Scope: vitrine.ScopeFull}, home)))
		taken, err := logins.Take(ctx, string(secret))
		secrets = append(secrets, string(taken.Key))
		return err
	})
	do("a password", owner, vitrine.ActionPassword, "", "changed",
		func() error { return e.Accounts.ChangePassword(ctx, session, fixture.AnnWords, "another good one") })
	do("a reset", owner, vitrine.ActionPassword, "", "changed", func() error {
		text, err := e.Accounts.OfferReset(ctx, bob.Email)
		e.Must(err)
		return fixture.Second(e.Accounts.Reset(ctx, string(text), "a third good one", home))
	})
	e.Clock.Advance(180 * 24 * time.Hour)
	e.Must(e.Sessions.Expire(ctx))
	if list, err := e.Accounts.Activity(ctx, bob.ID, 100); err != nil || len(list) != 2 { // of the reset
		t.Errorf("activity after 180 days = %+v, %v, want that of the last minute", list, err)
	}
	e.Must(e.Accounts.CloseByEmail(ctx, bob.Email, fixture.Administrator("")))
	if list, err := e.Accounts.Activity(ctx, bob.ID, 100); err != nil || len(list) > 0 {
		t.Errorf("activity of a closed account = %+v, %v", list, err)
	}
}
