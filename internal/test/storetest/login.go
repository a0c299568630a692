package storetest

import (
	"net/netip"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/vitrinetest"
)

// logins tests that a login is found by its code and by its hash, that both are
// unique, and that it expires.
func (t storeTest) logins() {
	login := func(code string, hash byte, expires time.Duration) *vitrine.Login {
		return &vitrine.Login{Code: code, Hash: [32]byte{hash, 31: 255}, Program: "vitrine 1 ✓", Machine: "laptop",
			State:     vitrine.LoginPending,
			CreatedAt: vitrinetest.Epoch, ExpiresAt: vitrinetest.Epoch.Add(expires)}
	}
	one, other := login("BCDFGHJK", 1, time.Minute), login("WXZWXZWX", 2, time.Hour)
	t.update(func(tx vitrine.Tx) error {
		for _, l := range []*vitrine.Login{one, other} {
			if err := tx.AddLogin(l); err != nil {
				return err
			}
		}
		t.is("a code again", tx.AddLogin(login(one.Code, 3, time.Hour)), vitrine.ErrExists)
		t.is("a hash again", tx.AddLogin(login("JJJJJJJJ", 2, time.Hour)), vitrine.ErrExists)
		return nil
	})
	check := func(want ...*vitrine.Login) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			for _, l := range want {
				got, err := tx.LoginByCode(l.Code)
				t.is("by code", err, nil)
				vitrinetest.Equal(t, "login by code", got, l)
				got, err = tx.LoginByHash(l.Hash)
				t.is("by hash", err, nil)
				vitrinetest.Equal(t, "login by hash", got, l)
			}
			return nil
		})
	}
	check(one, other)
	other.Key = vitrine.KeyGrant{Scope: vitrine.ScopePublish, ExpiresAt: vitrinetest.Epoch.Add(time.Hour),
		EndChosen: true}
	other.State, other.Account = vitrine.LoginAllowed, t.account("ann@example.org").ID
	t.update(func(tx vitrine.Tx) error { return tx.PutLogin(other) })
	check(one, other)
	t.update(func(tx vitrine.Tx) error {
		n, err := tx.ExpireLogins(vitrinetest.Epoch.Add(time.Minute + time.Millisecond))
		vitrinetest.Equal(t, "logins deleted", n, 1)
		return err
	})
	check(other)
	t.update(func(tx vitrine.Tx) error {
		t.is("a login that is gone", tx.DeleteLogin(one.ID), vitrine.ErrNotFound)
		t.is("a login that is gone", tx.PutLogin(one), vitrine.ErrNotFound)
		return tx.DeleteLogin(other.ID)
	})
	t.read(func(tx vitrine.Tx) error {
		_, err := tx.LoginByHash(other.Hash)
		t.is("a login that was deleted", err, vitrine.ErrNotFound)
		return nil
	})
}

// loginRace tests logins that are started, confirmed and taken in different
// processes. Only one of several concurrent callers gets the key.
func (t storeTest) loginRace(other storeTest) {
	signer, now := signer.New([]byte("a secret of the test")), func() time.Time { return vitrinetest.Epoch }
	var logins []*auth.Logins
	for _, s := range []vitrine.Store{t.store, other.store} {
		logins = append(logins, &auth.Logins{Store: s, Keys: &auth.Keys{Store: s, Now: now}, Signer: signer, Now: now})
	}
	here := auth.Client{Addr: netip.MustParseAddr("192.0.2.1")}
	for _, email := range []string{"ann@example.org", "bob@example.org",
		"eve@example.org"} { // wrong codes count by account
		who := t.account(email)
		l, secret, err := logins[0].Begin(ctx, "program", "machine", auth.AnyKey, here)
		if err != nil {
			t.Fatal(err)
		}
		var taken atomic.Int64
		vitrinetest.Race(6, func(i int) {
			_, err := logins[i%2].Decide(ctx, &vitrine.Session{Account: who.ID}, who, l.Code,
				&vitrine.KeyGrant{Scope: vitrine.ScopeFull}, here)
			if err != nil && vitrine.CodeOf(err) != vitrine.CodeNotFound {
				t.Error(err)
			}
			got, err := logins[(i+1)%2].Take(ctx, string(secret))
			if err != nil && vitrine.CodeOf(err) != vitrine.CodeNotFound {
				t.Error(err)
			}
			if got.Key != "" {
				taken.Add(1)
			}
		})
		if n := len(t.keysOf(who)); n != 1 || taken.Load() != 1 {
			t.Errorf("%d programs got %d keys, want one each", taken.Load(), n)
		}
	}
}

func (t storeTest) keysOf(a *vitrine.Account) (keys []*vitrine.APIKey) {
	t.read(func(tx vitrine.Tx) (err error) {
		keys, err = tx.Keys(a.ID)
		return err
	})
	return keys
}
