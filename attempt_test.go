package vitrine_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
)

// A password signs in; whatever else is wrong says the same, but that an account is suspended, to who knows the password.
func TestEnter(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	e.code("no password is set", second(e.enter(home, annEmail, "")), vitrine.CodeUnauthorized)
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	in, err := e.enter(home, "  Ann@Example.org ", "a cafe\u0301 at noon") // the same characters, from another keyboard
	e.must(err)
	a, err := e.in.Authenticate(ctx, string(in.Session))
	if err != nil || a.Email != annEmail || !strings.HasPrefix(a.Password, "$argon2id$v=19$m=64,t=1,p=1$") || strings.Contains(a.Password, "noon") {
		t.Errorf("%+v, %v", a, err)
	}
	wrong := e.code("wrong", second(e.enter(home, annEmail, "a café at nine")), vitrine.CodeUnauthorized)
	nobody := e.code("nobody", second(e.enter(home, "bob@example.org", annWords)), vitrine.CodeUnauthorized)
	nonsense := e.code("nonsense", second(e.enter(home, "nonsense", strings.Repeat("x", 5000))), vitrine.CodeUnauthorized)
	if *wrong != *nobody || *wrong != *nonsense {
		t.Errorf("%+v, %+v, %+v", wrong, nobody, nonsense)
	}
	_, err = e.acc.SetBanned(ctx, annEmail, true, operator(""))
	e.must(err)
	e.code("suspended, and wrong", second(e.enter(from("192.0.2.99", in.Device), annEmail, "x")), vitrine.CodeUnauthorized)
	e.code("suspended", second(e.enter(from("192.0.2.99", in.Device), annEmail, annWords)), vitrine.CodeBanned)
}

// Anyone who signs in has their password kept at today's cost, which is what OWASP recommends at least.
func TestRehash(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	defer vitrine.UsualHashing()()
	for range 2 {
		if _, err := e.enter(home, annEmail, annWords); err != nil {
			t.Fatal(err)
		}
		if a, err := e.acc.ByEmail(ctx, annEmail); err != nil || !strings.HasPrefix(a.Password, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("%v, %v", a, err)
		}
	}
}

func second[A any](_ A, err error) error { return err }

// Passwords are what people choose, but for those that everybody tries first.
func TestParsePassword(t *testing.T) {
	for in, ok := range map[string]bool{
		"123456789": false, "ten chars!": true, strings.Repeat("ab cd", 40): true, strings.Repeat("ab cd", 40) + "x": false, "ann@example.org": false, "ANN@Example.org": false,
		"Password123": false, "aaaaaaaaaaaa": false, "日本語のパスワードです": true, "with \x00 and \t in it": true, "bad \xff utf-8 here": false, "qwertyuiop": false, "          ": false,
	} {
		if _, err := vitrine.ParsePassword(in, "ann@example.org"); (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// Tries are bounded by address and network, by network and by address; a browser that is known has a bound of its own, which nobody else can
// use up, and a new one gets in by a link at any time.
func TestAttemptsAreLimited(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	e.must(e.acc.SetPassword(ctx, annEmail, annWords))
	in, err := e.enter(home, annEmail, annWords)
	e.must(err)
	for range 5 {
		e.code("within the bound", second(e.enter(home, annEmail, "wrong")), vitrine.CodeUnauthorized)
	}
	limited := e.code("too often", second(e.enter(home, annEmail, annWords)), vitrine.CodeRateLimited)
	if limited.RetryAfter != 15*time.Minute {
		t.Errorf("after %v", limited.RetryAfter)
	}
	e.code("a neighbour in the same network", second(e.enter(from("192.0.2.200"), annEmail, annWords)), vitrine.CodeRateLimited)
	for range 5 { // it is counted alike where there is no account
		e.code("nobody", second(e.enter(home, "nobody@example.org", "wrong")), vitrine.CodeUnauthorized)
	}
	e.code("nobody, too often", second(e.enter(home, "nobody@example.org", "wrong")), vitrine.CodeRateLimited)

	if _, err := e.enter(from("192.0.2.1", "rubbish", in.Device), annEmail, annWords); err != nil {
		t.Errorf("a known browser is kept out: %v", err)
	}
	offer, err := e.in.Offer(ctx, annEmail)
	e.must(err)
	if _, err := e.in.SignInWithToken(ctx, string(offer), home); err != nil {
		t.Errorf("a link is kept out: %v", err)
	}
	e.clock.Advance(15*time.Minute + time.Millisecond)
	if _, err := e.enter(home, annEmail, annWords); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	for range 4 {
		e.code("wrong", second(e.enter(home, annEmail, "wrong")), vitrine.CodeUnauthorized)
	}
	if _, err := e.enter(home, annEmail, annWords); err != nil {
		t.Error(err)
	}
	e.code("a right one begins the count anew", second(e.enter(home, annEmail, "wrong")), vitrine.CodeUnauthorized)
}

// The known browser's own bound, and that its cookie opens nothing and is nobody else's.
func TestKnownBrowser(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	ctx := t.Context()
	_, _, err := e.acc.Create(ctx, "bob@example.org", vitrine.PlanFree)
	e.must(err)
	e.must(errors.Join(e.acc.SetPassword(ctx, annEmail, annWords), e.acc.SetPassword(ctx, "bob@example.org", annWords)))
	in, err := e.enter(home, annEmail, annWords)
	e.must(err)
	known := from("198.51.100.7", in.Device)
	for range 10 {
		e.code("known", second(e.enter(known, annEmail, "wrong")), vitrine.CodeUnauthorized)
	}
	if l := e.code("known, too often", second(e.enter(known, annEmail, annWords)), vitrine.CodeRateLimited); l.RetryAfter != time.Hour {
		t.Errorf("after %v", l.RetryAfter)
	}
	for range 5 {
		e.code("of another account", second(e.enter(known, "bob@example.org", "wrong")), vitrine.CodeUnauthorized)
	}
	e.code("of another account it is no known browser", second(e.enter(known, "bob@example.org", annWords)), vitrine.CodeRateLimited)
	e.code("the device is no session", second(e.in.Authenticate(ctx, in.Device)), vitrine.CodeUnauthorized)
	e.clock.Advance(vitrine.DeviceLife)
	for range 5 {
		e.code("forgotten", second(e.enter(known, annEmail, "wrong")), vitrine.CodeUnauthorized)
	}
	e.code("forgotten after a year", second(e.enter(known, annEmail, annWords)), vitrine.CodeRateLimited)
}

// Of many who try at once no more pass than may.
func TestAttemptsAtOnce(t *testing.T) {
	e := newEntrance(t, vitrine.SignUpInvite, false)
	e.must(e.acc.SetPassword(t.Context(), annEmail, annWords))
	var tried, limited atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			switch vitrine.CodeOf(second(e.enter(home, annEmail, "wrong"))) {
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
