package auth_test

import (
	"errors"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/fixture"
)

// TestKeysAreBounded checks that an account creates at most a hundred keys an
// hour, however many it revokes, that ended keys are kept for 90 days, and no
// more than a thousand keys.
func TestKeysAreBounded(t *testing.T) {
	e := fixture.NewEntrance(t, auth.SignUpInvite, false)
	ctx := t.Context()
	keys := &auth.Keys{Store: e.Store, Now: e.Clock.Now}
	list := func() []*vitrine.APIKey {
		t.Helper()
		all, err := keys.List(ctx, fixture.AnnEmail)
		e.Must(err)
		return all
	}
	e.Clock.Advance(time.Hour)
	before := len(list())
	for range 100 {
		k, err := keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "job", Scope: vitrine.ScopeRead})
		e.Must(err)
		e.Must(fixture.Second(keys.Revoke(ctx, fixture.AnnEmail, k.ID)))
	}
	_, err := keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "job", Scope: vitrine.ScopeRead})
	e.Code("after 100 in an hour", err, vitrine.CodeRateLimited)
	if refused := new(vitrine.Error); !errors.As(err, &refused) || refused.RetryAfter != time.Hour {
		t.Errorf("refused with %+v, want an hour to wait", err)
	}
	_, err = keys.RotateFor(ctx, fixture.AnnEmail, list()[0].ID, 0)
	e.Code("a rotation after 100 in an hour", err, vitrine.CodeRateLimited)
	e.Clock.Advance(time.Hour)
	e.Must(fixture.Second(keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "job", Scope: vitrine.ScopeRead})))
	if got := len(list()); got != before+101 {
		t.Errorf("%d keys are listed, want %d", got, before+101)
	}
	e.Must(e.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		for n := 0; n < 5000 && err == nil; n++ {
			at := e.Clock.Now().Add(time.Duration(n) * time.Millisecond)
			err = tx.AddKey(&vitrine.APIKey{Account: e.Account.ID, Hash: [32]byte{1, byte(n >> 8), byte(n)},
				CreatedAt: at, RevokedAt: at, Scope: vitrine.ScopeRead})
		}
		return err
	}))
	e.Clock.Advance(2 * time.Hour)
	e.Must(fixture.Second(keys.CreateFor(ctx, fixture.AnnEmail, auth.KeyRequest{Name: "job", Scope: vitrine.ScopeRead})))
	if got := len(list()); got != before+1002 { // those in force, and one more than was there before
		t.Errorf("%d keys are kept, want %d", got, before+1002)
	}
	e.Clock.Advance(90*24*time.Hour - 2*time.Hour)
	e.Must(e.Sessions.Expire(ctx))
	if got := len(list()); got != before+1002 {
		t.Errorf("%d keys are left within 90 days of their end, want all", got)
	}
	e.Clock.Advance(time.Minute)
	e.Must(e.Sessions.Expire(ctx))
	if got := len(list()); got != before+2 {
		t.Errorf("%d keys are left, want the %d in force", got, before+2)
	}
}
