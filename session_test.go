package vitrine_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine"
)

// An offer signs in once, within its time; a session holds for its own; and what is kept of either is no secret.
func TestSessions(t *testing.T) {
	s := newScanning(t)
	ctx := t.Context()
	sessions := &vitrine.Sessions{Store: s.store, Now: s.clock.Now}
	unauthorized := func(what string, err error) {
		t.Helper()
		if vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
			t.Errorf("%s: %v", what, err)
		}
	}
	offer := func() string {
		t.Helper()
		o, err := sessions.Offer(ctx, "Ann@example.org")
		s.must(err)
		return string(o)
	}
	o := offer()
	_, err := sessions.Authenticate(ctx, o)
	unauthorized("an offer as a session", err)
	text, err := sessions.SignIn(ctx, o)
	s.must(err)
	if fmt.Sprint(text) != "…" || string(text) == o {
		t.Errorf("the session shows %v", text)
	}
	_, err = sessions.SignIn(ctx, o)
	unauthorized("an offer twice", err)
	_, err = sessions.SignIn(ctx, string(text))
	unauthorized("a session as an offer", err)
	a, err := sessions.Authenticate(ctx, string(text))
	if err != nil || a.Email != "ann@example.org" {
		t.Errorf("%v, %v", a, err)
	}
	for _, rubbish := range []string{"", "x", string(text)[1:], string(text) + "="} {
		_, err = sessions.Authenticate(ctx, rubbish)
		unauthorized("rubbish", err)
		s.must(sessions.End(ctx, rubbish))
	}
	late := offer()
	s.clock.Advance(vitrine.SignInLife)
	_, err = sessions.SignIn(ctx, late)
	unauthorized("an offer that has expired", err)
	s.clock.Advance(vitrine.SessionLife - vitrine.SignInLife - time.Second)
	_, err = sessions.Authenticate(ctx, string(text))
	s.must(err)
	s.clock.Advance(time.Second)
	_, err = sessions.Authenticate(ctx, string(text))
	unauthorized("a session that has expired", err)
	s.must(sessions.Forget(ctx))

	text, err = sessions.SignIn(ctx, offer())
	s.must(err)
	s.must(sessions.End(ctx, string(text)))
	_, err = sessions.Authenticate(ctx, string(text))
	unauthorized("a session that was ended", err)
	if _, err := sessions.Offer(ctx, "nobody@example.org"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("an offer to nobody: %v", err)
	}
}
