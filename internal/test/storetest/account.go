package storetest

import (
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// accountsClosed tests that closed accounts are listed only on request, and
// that search excludes them.
func (t storeTest) accountsClosed() {
	ann, bob, eve := t.account("ann@example.org"), t.account("b_b%@example.org"), t.account("eve@example.com")
	eve.Email, eve.ClosedAt, eve.Closing, eve.ViewerKey, eve.ViewerKeyAt = "account 3 (closed)",
		vitrinetest.Epoch.Add(time.Hour), true, nil, time.Time{}
	t.update(func(tx vitrine.Tx) error { return tx.PutAccount(eve) })
	check := func(q vitrine.AccountQuery, want ...*vitrine.Account) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Accounts(q)
			vitrinetest.Equal(t, fmt.Sprintf("accounts %+v", q), got, want)
			return err
		})
	}
	check(vitrine.AccountQuery{}, ann, bob)
	check(vitrine.AccountQuery{Closing: true}, eve)
	check(vitrine.AccountQuery{Search: "EXAMPLE.org"}, ann, bob)
	check(vitrine.AccountQuery{Search: "nn@"}, ann)
	check(vitrine.AccountQuery{Search: "_"}, bob)
	check(vitrine.AccountQuery{Search: "b%"}, bob)
	check(vitrine.AccountQuery{Search: `\`})
	check(vitrine.AccountQuery{Search: "closed"})
	check(vitrine.AccountQuery{Search: "org", After: ann.ID, Limit: 1}, bob)
	t.read(func(tx vitrine.Tx) error {
		has, err1 := tx.HasAccounts()
		vitrinetest.Equal(t, "accounts that are not closed", has, true)
		got, err2 := tx.Account(eve.ID)
		vitrinetest.Equal(t, "closed account", got, eve)
		return errors.Join(err1, err2)
	})
	eve.Closing, eve.TimeZone, eve.Dismissed, eve.Weekly = false, "Asia/Kathmandu", "scanner", 20_000
	bob.CountOwn, bob.OwnChangedAt, bob.Weekly, bob.NoMail = true, vitrinetest.Epoch, 7, "weekly alert"
	bob.Mailed = `{"review":7}`
	t.update(func(tx vitrine.Tx) error { return tx.PutAccount(bob) })
	check(vitrine.AccountQuery{OwnChanged: true}, bob)
	check(vitrine.AccountQuery{WeeklyDue: 7}, ann)
	check(vitrine.AccountQuery{WeeklyDue: 8}, ann, bob)
	t.update(func(tx vitrine.Tx) error { return tx.PutAccount(eve) })
	check(vitrine.AccountQuery{Closing: true})
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.Account(eve.ID)
		vitrinetest.Equal(t, "changed account", got, eve)
		return err
	})
}

// oneTimeTokens tests that an address has one token for each purpose, found
// only by its hash.
func (t storeTest) oneTimeTokens() {
	ann := t.account("ann@example.org")
	token := func(p vitrine.TokenPurpose, hash byte, email string, age time.Duration) *vitrine.OneTimeToken {
		return &vitrine.OneTimeToken{Purpose: p, Hash: [32]byte{hash, 31: 255}, Email: email,
			CreatedAt: vitrinetest.Epoch.Add(-age), ExpiresAt: vitrinetest.Epoch.Add(time.Hour - age)}
	}
	reset, old := token(vitrine.TokenPassword, 1, ann.Email, 0),
		token(vitrine.TokenInvite, 2, "bob@example.org", time.Hour)
	newer, setup := token(vitrine.TokenInvite, 3, "eve@example.org", 0), token(vitrine.TokenSetup, 4, "", 0)
	move := token(vitrine.TokenEmail, 5, "ann@example.com", 0)
	reset.Account, move.Account, old.By, old.Plan, setup.ExpiresAt = ann.ID, ann.ID, ann.ID, vitrine.PlanPro,
		time.Time{}
	all := []*vitrine.OneTimeToken{reset, old, newer, setup, move}
	t.update(func(tx vitrine.Tx) error {
		for _, v := range all {
			if err := tx.AddOneTimeToken(v); err != nil {
				return err
			}
		}
		same := *newer
		same.Email = "other@example.org"
		t.is("a hash again", tx.AddOneTimeToken(&same), vitrine.ErrExists)
		return nil
	})
	check := func(want ...*vitrine.OneTimeToken) {
		t.Helper()
		there := map[*vitrine.OneTimeToken]bool{}
		for _, v := range want {
			there[v] = true
		}
		t.read(func(tx vitrine.Tx) error {
			for _, v := range all {
				got, err := tx.OneTimeTokenByHash(v.Hash)
				if !there[v] {
					t.is("a token that is gone", err, vitrine.ErrNotFound)
					continue
				}
				vitrinetest.Equal(t, "token", got, v)
			}
			return nil
		})
	}
	check(all...)
	t.read(func(tx vitrine.Tx) error {
		invites, err1 := tx.OneTimeTokens(vitrine.TokenInvite)
		vitrinetest.Equal(t, "invitations, newest first", invites, []*vitrine.OneTimeToken{newer, old})
		none, err2 := tx.OneTimeTokens(vitrine.TokenSignUp)
		vitrinetest.Equal(t, "tokens of a purpose that has none", len(none), 0)
		return errors.Join(err1, err2)
	})
	again := token(vitrine.TokenInvite, 6, newer.Email, 0)
	all = append(all, again)
	t.update(func(tx vitrine.Tx) error { return tx.AddOneTimeToken(again) })
	check(reset, old, setup, move, again)
	t.update(func(tx vitrine.Tx) error {
		n, err := tx.ExpireOneTimeTokens(vitrinetest.Epoch.Add(time.Millisecond))
		vitrinetest.Equal(t, "tokens deleted", n, 1)
		t.is("no token", tx.DeleteOneTimeToken(old.ID), vitrine.ErrNotFound)
		return errors.Join(err, tx.DeleteOneTimeTokens(0, ""))
	})
	check(reset, move, again)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteOneTimeTokens(ann.ID, "nobody@example.org") })
	check(again)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteOneTimeToken(again.ID) })
	check()
}
