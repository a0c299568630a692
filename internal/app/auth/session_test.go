package auth_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/fixture"
)

// TestSessions checks that a sign-in link works once, before it expires, that a
// session lasts for its own time, and that the stored values of both are no
// secrets.
func TestSessions(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	sessions := s.NewSessions()
	unauthorized := func(what string, err error) {
		t.Helper()
		if vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
			t.Errorf("%s: %v, want unauthorized", what, err)
		}
	}
	offer := func() string {
		t.Helper()
		o, err := sessions.Offer(ctx, "Ann@example.org")
		s.Must(err)
		return string(o)
	}
	signIn := func(offer string) (string, error) {
		in, err := sessions.SignInWithToken(ctx, offer, auth.Client{Label: "Firefox on\x00 Linux"})
		return string(in.Session), err
	}
	o := offer()
	_, err := sessions.Authenticate(ctx, o)
	unauthorized("an offer as a session", err)
	text, err := signIn(o)
	s.Must(err)
	if fmt.Sprint(vitrine.SessionText(text), vitrine.TokenText(o)) != "……" || text == o {
		t.Errorf("the session's text is printed as %v", text)
	}
	_, err = signIn(o)
	unauthorized("an offer twice", err)
	_, err = signIn(text)
	unauthorized("a session as an offer", err)
	session, a, err := sessions.Current(ctx, text)
	if err != nil || a.Email != "ann@example.org" || session.Label != "Firefox on Linux" || !session.ByToken {
		t.Errorf("session = %v, %v, %v", session, a, err)
	}
	for _, rubbish := range []string{"", "x", text[1:], text + "="} {
		_, err = sessions.Authenticate(ctx, rubbish)
		unauthorized("rubbish", err)
		s.Must(sessions.SignOut(ctx, rubbish))
	}
	replaced, late := offer(), offer()
	_, err = signIn(replaced)
	unauthorized("an offer that a newer one has replaced", err)
	s.Clock.Advance(vitrine.SignInLife)
	_, err = signIn(late)
	unauthorized("an offer that has expired", err)
	s.Must(sessions.Expire(ctx))

	text, err = signIn(offer())
	s.Must(err)
	s.Must(sessions.SignOut(ctx, text))
	_, err = sessions.Authenticate(ctx, text)
	unauthorized("a session that was ended", err)
	if _, err := sessions.Offer(ctx, "nobody@example.org"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Offer for an unknown account = %v, want not_found", err)
	}
}

// TestSessionsSlide checks that a session in use is extended for at most thirty
// days, and that an unused one ends after seven.
func TestSessionsSlide(t *testing.T) {
	s := fixture.New(t)
	ctx, sessions := t.Context(), s.NewSessions()
	begin := func() string {
		o, err := sessions.Offer(ctx, s.Account.Email)
		s.Must(err)
		in, err := sessions.SignInWithToken(ctx, string(o), auth.Client{})
		s.Must(err)
		return string(in.Session)
	}
	holds := func(text string) bool {
		_, err := sessions.Authenticate(ctx, text)
		if err != nil && vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
			t.Fatal(err)
		}
		return err == nil
	}
	day := 24 * time.Hour
	used, idle := begin(), begin()
	for at := 6 * day; at < vitrine.MaxSessionLife; at += 6 * day {
		s.Clock.Advance(6 * day)
		if !holds(used) {
			t.Fatalf("a session in use has ended after %v", at)
		}
		if at > vitrine.SessionLife && holds(idle) {
			t.Errorf("a session that was unused for %v is valid", at)
		}
	}
	s.Clock.Advance(6 * day)
	if holds(used) {
		t.Error("a session is valid for longer than thirty days")
	}
	idle = begin()
	s.Clock.Advance(vitrine.SessionLife - time.Millisecond)
	if !holds(idle) {
		t.Error("an unused session has ended before seven days")
	}
	// A clock that was ahead does not create a session that lasts longer.
	s.Clock.Advance(365 * day)
	ahead := begin()
	s.Clock.Advance(-365 * day)
	if holds(ahead) {
		t.Error("a session from a clock that was ahead is valid")
	}
}
