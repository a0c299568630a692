package auth_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/tier"
)

// TestCommonPasswordsRefused checks that no place where a password is chosen
// takes a common one, that each names the field, and that none is left with it.
func TestCommonPasswordsRefused(t *testing.T) {
	f, err := os.Open("password/vendor/passwords.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	e := fixture.NewEntrance(t, auth.SignUpOpen, false)
	offer, err := e.Sessions.Offer(ctx, fixture.AnnEmail)
	e.Must(err)
	in, err := e.Sessions.SignInWithToken(ctx, string(offer), fixture.Home)
	e.Must(err)
	session, _, err := e.Sessions.Current(ctx, string(in.Session))
	e.Must(err)
	reset, err := e.Accounts.OfferReset(ctx, fixture.AnnEmail)
	e.Must(err)
	invite, err := e.Accounts.Invite(ctx, "new@example.org", "", fixture.Administrator(""))
	e.Must(err)
	sessions, empty := *e.Sessions, *e.Accounts
	sessions.Store = emptyStore(t)
	empty.Store, empty.Sessions = sessions.Store, &sessions
	setup, err := empty.OfferSetup(ctx)
	e.Must(err)
	at := fixture.Home
	doors := map[string]func(pw string) error{
		"set up": func(pw string) error {
			return fixture.Second(empty.SetUp(ctx, string(setup), "a@example.org", pw, at))
		},
		"sign up": func(pw string) error { return fixture.Second(e.Accounts.Join(ctx, "bob@example.org", pw, at)) },
		"accept":  func(pw string) error { return fixture.Second(e.Accounts.Accept(ctx, string(invite), pw, at)) },
		"reset":   func(pw string) error { return fixture.Second(e.Accounts.Reset(ctx, string(reset), pw, at)) },
		"change":  func(pw string) error { return e.Accounts.ChangePassword(ctx, session, "", pw) },
		"command": func(pw string) error { return e.Accounts.SetPassword(ctx, fixture.AnnEmail, pw) },
	}
	for i, pw := range strings.Fields(string(text)) {
		if i%tier.Pick(40, 1) != 0 {
			continue
		}
		for door, f := range doors {
			err := f(pw)
			if v := new(vitrine.Error); !errors.As(err, &v) || v.Field != "password" || v.Code != vitrine.CodeInvalidRequest {
				t.Errorf("%s with %q = %v, want an error of the password", door, pw, err)
			}
		}
	}
	if a, err := e.Accounts.ByEmail(ctx, fixture.AnnEmail); err != nil || a.Password != "" {
		t.Errorf("account = %v, %v, want no password", a, err)
	}
}
