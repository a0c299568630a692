package auth_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/test/fixture"
)

// TestEnter checks that a password signs in, and that all other failures have
// the same error, except for a suspended account with the right password.
func TestEnter(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	e.Code("no password is set", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "")), vitrine.CodeUnauthorized)
	e.Must(e.Accounts.SetPassword(ctx, fixture.AnnEmail, fixture.AnnWords))
	in, err := e.Enter(fixture.Home, "  Ann@Example.org ",
		"a cafe\u0301 at noon") // the same characters, typed on another keyboard
	e.Must(err)
	a, err := e.Sessions.Authenticate(ctx, string(in.Session))
	if err != nil || a.Email != fixture.AnnEmail || !strings.HasPrefix(a.Password, "$argon2id$v=19$m=64,t=1,p=1$") ||
		strings.Contains(a.Password, "noon") {
		t.Errorf("Enter = %+v, %v", a, err)
	}
	wrong := e.Code("wrong", fixture.Second(e.Enter(fixture.Home, fixture.AnnEmail, "a café at nine")),
		vitrine.CodeUnauthorized)
	nobody := e.Code("nobody", fixture.Second(e.Enter(fixture.Home, "bob@example.org", fixture.AnnWords)),
		vitrine.CodeUnauthorized)
	nonsense := e.Code("nonsense", fixture.Second(e.Enter(fixture.Home, "nonsense", strings.Repeat("x", 5000))),
		vitrine.CodeUnauthorized)
	if *wrong != *nobody || *wrong != *nonsense {
		t.Errorf("errors %+v, %+v, %+v, want the same", wrong, nobody, nonsense)
	}
	_, err = e.Accounts.SetBanned(ctx, fixture.AnnEmail, true, fixture.Administrator(""))
	e.Must(err)
	e.Code("suspended, and wrong", fixture.Second(e.Enter(fixture.ClientAt("192.0.2.99", in.Device), fixture.AnnEmail,
		"x")), vitrine.CodeUnauthorized)
	e.Code("suspended", fixture.Second(e.Enter(fixture.ClientAt("192.0.2.99", in.Device), fixture.AnnEmail,
		fixture.AnnWords)), vitrine.CodeBanned)
}

// TestRehash checks that a sign-in hashes the password again if its cost is
// below the current one, the minimum that OWASP recommends.
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
			t.Errorf("account = %v, %v, want a hash of the current cost", a, err)
		}
	}
}

// TestParsePassword checks that users may choose any password, except for those
// that attackers try first.
func TestParsePassword(t *testing.T) {
	for in, ok := range map[string]bool{
		"123456789": false, "ten chars!": true, strings.Repeat("ab cd", 40): true,
		strings.Repeat("ab cd", 40) + "x": false, "ann@example.org": false, "ANN@Example.org": false,
		"Password123": false, "aaaaaaaaaaaa": false, "日本語のパスワードです": true, "with \x00 and \t in it": true,
		"bad \xff utf-8 here": false, "qwertyuiop": false, "          ": false,
	} {
		if _, err := password.Parse(in, "ann@example.org"); (err == nil) != ok {
			t.Errorf("Parse(%q) = %v", in, err)
		}
	}
}

// TestAttemptsAreLimited checks the limits of attempts by address and network,
// by network, and by address. A known browser has its own limit, which nobody
// else can use up, and a sign-in link always works for a new one.
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
		t.Errorf("RetryAfter = %v, want 15m", limited.RetryAfter)
	}
	e.Code("a neighbour in the same network", fixture.Second(e.Enter(fixture.ClientAt("192.0.2.200"), fixture.AnnEmail,
		fixture.AnnWords)), vitrine.CodeRateLimited)
	for range 5 { // addresses without an account count, too
		e.Code("nobody", fixture.Second(e.Enter(fixture.Home, "nobody@example.org", "wrong")), vitrine.CodeUnauthorized)
	}
	e.Code("nobody, too often", fixture.Second(e.Enter(fixture.Home, "nobody@example.org", "wrong")),
		vitrine.CodeRateLimited)

	if _, err := e.Enter(fixture.ClientAt("192.0.2.1", "rubbish", in.Device), fixture.AnnEmail,
		fixture.AnnWords); err != nil {
		t.Errorf("Enter with a known browser = %v", err)
	}
	offer, err := e.Sessions.Offer(ctx, fixture.AnnEmail)
	e.Must(err)
	if _, err := e.Sessions.SignInWithToken(ctx, string(offer), fixture.Home); err != nil {
		t.Errorf("SignInWithToken = %v, want nil", err)
	}
	e.Clock.Advance(15*time.Minute + time.Millisecond)
	if _, err := e.Enter(fixture.Home, fixture.AnnEmail, fixture.AnnWords); err != nil {
		t.Errorf("Enter after the wait = %v, want nil", err)
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

// TestKnownBrowser checks the limit of a known browser, and that its cookie is
// no session and is valid only for its account.
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
		t.Errorf("RetryAfter = %v, want 1h", l.RetryAfter)
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

// TestAttemptsAtOnce checks that concurrent attempts do not exceed the limit.
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
		t.Errorf("%d attempts, %d limited, want 5 and 15", tried.Load(), limited.Load())
	}
}
