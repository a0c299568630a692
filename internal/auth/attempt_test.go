package auth_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/password"
	"vitrine/internal/vitrinetest/fixture"
)

// A password signs in; whatever else is wrong says the same, but that an
// account is suspended, to who knows the password.
func TestEnter(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	e.Code("no password is set", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "")), vitrine.CodeUnauthorized)
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	in, err := e.Enter(fixture.Home, "  Ann@Example.org ",
		"a cafe\u0301 at noon") // the same characters, from another keyboard
	e.Must(err)
	a, err := e.Sessions.Authenticate(ctx, string(in.Session))
	if err != nil || a.Email != fixture.AnnEmail || !strings.HasPrefix(a.Password, "$argon2id$v=19$m=64,t=1,p=1$") ||
		strings.Contains(a.Password, "noon") {
		t.Errorf("%+v, %v", a, err)
	}
	wrong := e.Code("wrong", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "a café at nine")),
		vitrine.CodeUnauthorized)
	nobody := e.Code("nobody", fixture.Second(e.Enter(fixture.Home, "bob@example.org", fixture.AnnWords)),
		vitrine.CodeUnauthorized)
	nonsense := e.Code("nonsense", fixture.Second(e.Enter(fixture.Home, "nonsense", strings.Repeat("x", 5000))),
		vitrine.CodeUnauthorized)
	if *wrong != *nobody || *wrong != *nonsense {
		t.Errorf("%+v, %+v, %+v", wrong, nobody, nonsense)
	}
	_, err = e.Accounts.SetBanned(ctx, fixture.AnnEmail, true, fixture.Operator(""))
	e.Must(err)
	e.Code("suspended, and wrong", fixture.Second(e.Enter(fixture.ClientAt("192.0.2.99", in.Device), fixture.AnnEmail,
		"x")), vitrine.CodeUnauthorized)
	e.Code("suspended", fixture.Second(e.Enter(fixture.ClientAt("192.0.2.99", in.Device), fixture.AnnEmail,
		fixture.AnnWords)), vitrine.CodeBanned)
}

// Anyone who signs in has their password kept at today's cost, which is what
// OWASP recommends at least.
func TestRehash(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	defer password.SetCost(password.Memory, password.Passes)()
	for range 2 {
		if _, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords); err != nil {
			t.Fatal(err)
		}
		if a, err := e.Accounts.ByEmail(ctx, fixture.AnnEmail); err != nil ||
			!strings.HasPrefix(a.Password, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("%v, %v", a, err)
		}
	}
}

// Passwords are what people choose, but for those that everybody tries first.
func TestParsePassword(t *testing.T) {
	for in, ok := range map[string]bool{
		"123456789": false, "ten chars!": true, strings.Repeat("ab cd", 40): true,
		strings.Repeat("ab cd", 40) + "x": false, "ann@example.org": false, "ANN@Example.org": false,
		"Password123": false, "aaaaaaaaaaaa": false, "日本語のパスワードです": true, "with \x00 and \t in it": true,
		"bad \xff utf-8 here": false, "qwertyuiop": false, "          ": false,
	} {
		if _, err := password.Parse(in, "ann@example.org"); (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// Tries are bounded by address and network, by network and by address; a
// browser that is known has a bound of its own, which nobody else can use up,
// and a new one gets in by a link at any time.
func TestAttemptsAreLimited(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	in, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords)
	e.Must(err)
	for range 5 {
		e.Code("within the bound", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "wrong")),
			vitrine.CodeUnauthorized)
	}
	limited := e.Code("too often", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords)),
		vitrine.CodeRateLimited)
	if limited.RetryAfter != 15*time.Minute {
		t.Errorf("after %v", limited.RetryAfter)
	}
	e.Code("a neighbour in the same network", fixture.Second(e.Enter(fixture.ClientAt("192.0.2.200"), fixture.AnnEmail,
		fixture.AnnWords)), vitrine.CodeRateLimited)
	for range 5 { // it is counted alike where there is no account
		e.Code("nobody", fixture.Second(e.Enter(fixture.Home, "nobody@example.org", "wrong")), vitrine.CodeUnauthorized)
	}
	e.Code("nobody, too often", fixture.Second(e.Enter(fixture.Home, "nobody@example.org", "wrong")),
		vitrine.CodeRateLimited)

	if _, err := e.Enter(fixture.ClientAt("192.0.2.1", "rubbish", in.Device), fixture.AnnEmail,
		fixture.AnnWords); err != nil {
		t.Errorf("a known browser is kept out: %v", err)
	}
	offer, err := e.Sessions.Offer(ctx, fixture.AnnEmail)
	e.Must(err)
	if _, err := e.Sessions.SignInWithToken(ctx, string(offer), fixture.Home); err != nil {
		t.Errorf("a link is kept out: %v", err)
	}
	e.Clock.Advance(15*time.Minute + time.Millisecond)
	if _, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	for range 4 {
		e.Code("wrong", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "wrong")), vitrine.CodeUnauthorized)
	}
	if _, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords); err != nil {
		t.Error(err)
	}
	e.Code("a right one begins the count anew", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "wrong")),
		vitrine.CodeUnauthorized)
}

// The known browser's own bound, and that its cookie opens nothing and is
// nobody else's.
func TestKnownBrowser(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	_, _, err := e.Accounts.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.Must(err)
	e.Must(errors.Join(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords),
		e.Accounts.SetPassword(ctx, "bob@example.org", fixture.AnnWords)))
	in, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords)
	e.Must(err)
	known := fixture.ClientAt("198.51.100.7", in.Device)
	for range 10 {
		e.Code("known", fixture.Second(e.Enter(known, fixture.AnnEmail, "wrong")), vitrine.CodeUnauthorized)
	}
	if l := e.Code("known, too often", fixture.Second(e.Enter(known, fixture.AnnEmail, fixture.AnnWords)),
		vitrine.CodeRateLimited); l.RetryAfter != time.Hour {
		t.Errorf("after %v", l.RetryAfter)
	}
	for range 5 {
		e.Code("of another account", fixture.Second(e.Enter(known, "bob@example.org", "wrong")),
			vitrine.CodeUnauthorized)
	}
	e.Code("of another account it is no known browser",
		fixture.Second(e.Enter(known, "bob@example.org", fixture.AnnWords)), vitrine.CodeRateLimited)
	e.Code("the device is no session", fixture.Second(e.Sessions.Authenticate(ctx, in.Device)),
		vitrine.CodeUnauthorized)
	e.Clock.Advance(vitrine.DeviceLife)
	for range 5 {
		e.Code("forgotten", fixture.Second(e.Enter(known, fixture.AnnEmail, "wrong")), vitrine.CodeUnauthorized)
	}
	e.Code("forgotten after a year", fixture.Second(e.Enter(known, fixture.AnnEmail, fixture.AnnWords)),
		vitrine.CodeRateLimited)
}

// Of many who try at once no more pass than may.
func TestAttemptsAtOnce(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	e.Must(e.Accounts.SetPassword(t.Context(), fixture.AnnEmail, fixture.AnnWords))
	var tried, limited atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			switch vitrine.CodeOf(fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "wrong"))) {
			case vitrine.CodeUnauthorized:
				tried.Add(1)
			case vitrine.CodeRateLimited:
				limited.Add(1)
			}
		})
	}
	wg.Wait()
	if tried.Load() != 5 || limited.Load() != 15 {
		t.Errorf("%d were tried, %d not", tried.Load(), limited.Load())
	}
}
