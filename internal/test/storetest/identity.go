package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// identities tests that an identity is found by its issuer and subject alone,
// each as it is written, and when its provider is asked again.
func (t storeTest) identities() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	const issuer = "https://login.example/realms/acme"
	identity := func(a *vitrine.Account, issuer, subject string, due time.Duration) *vitrine.Identity {
		return &vitrine.Identity{Account: a.ID, Issuer: issuer, Subject: subject, Email: "Ann.Ö@example.org",
			Tokens: []byte{0, 1, 255}, CreatedAt: vitrinetest.Epoch, CheckedAt: vitrinetest.Epoch.Add(time.Minute),
			CheckAt: vitrinetest.Epoch.Add(due)}
	}
	one, two, other := identity(ann, issuer, "a", 2*time.Hour), identity(ann, issuer+"/", "a", time.Hour),
		identity(bob, issuer, "A", 3*time.Hour)
	other.CheckAt, other.Tokens, other.Email = time.Time{}, nil, ""
	t.update(func(tx vitrine.Tx) error {
		err := errors.Join(tx.AddIdentity(one), tx.AddIdentity(two), tx.AddIdentity(other))
		t.is("a second identity of a person", tx.AddIdentity(identity(bob, issuer, "a", 0)), vitrine.ErrExists)
		return err
	})
	check := func(now time.Duration, due ...*vitrine.Identity) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.IdentitiesDue(vitrinetest.Epoch.Add(now), 2)
			vitrinetest.Equal(t, "identities that are due", got, due)
			return err
		})
	}
	check(time.Hour - time.Millisecond)
	check(time.Hour, two)
	check(9*time.Hour, two, one)
	t.read(func(tx vitrine.Tx) error {
		for _, want := range []*vitrine.Identity{one, two, other} {
			got, err := tx.Identity(want.Issuer, want.Subject)
			vitrinetest.Equal(t, "an identity", got, want)
			if err != nil {
				return err
			}
		}
		_, err := tx.Identity(issuer, "b")
		t.is("an identity that nobody has", err, vitrine.ErrNotFound)
		list, err := tx.Identities(ann.ID)
		vitrinetest.Equal(t, "identities of an account", list, []*vitrine.Identity{one, two})
		return err
	})
	two.Email, two.Tokens, two.CheckAt, two.CheckedAt = "x", nil, time.Time{}, vitrinetest.Epoch.Add(time.Hour)
	t.update(func(tx vitrine.Tx) error {
		t.is("Put of no identity", tx.PutIdentity(&vitrine.Identity{ID: 999, Account: ann.ID}), vitrine.ErrNotFound)
		t.is("the end of no identity", tx.DeleteIdentity(999), vitrine.ErrNotFound)
		return errors.Join(tx.PutIdentity(two), tx.DeleteIdentity(one.ID))
	})
	check(9 * time.Hour)
	t.read(func(tx vitrine.Tx) error {
		list, err := tx.Identities(ann.ID)
		vitrinetest.Equal(t, "identities of an account", list, []*vitrine.Identity{two})
		return err
	})
}
