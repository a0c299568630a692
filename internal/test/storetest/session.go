package storetest

import (
	"errors"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// sessions tests that a session is found only by its hash, and that sessions
// are deleted one by one, by account and by time.
func (t storeTest) sessions() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	session := func(a *vitrine.Account, hash byte, left time.Duration) *vitrine.Session {
		return &vitrine.Session{Account: a.ID, Hash: [32]byte{hash, 31: 255}, Label: "Firefox on Linux ✓",
			ByToken: true, Half: hash == 2, FactorAt: vitrinetest.Epoch.Add(left / 3),
			Identity: vitrine.IdentityID(hash), Step: hash == 3, CreatedAt: vitrinetest.Epoch,
			UsedAt: vitrinetest.Epoch.Add(left / 2), ExpiresAt: vitrinetest.Epoch.Add(left)}
	}
	one, two, three, bobs := session(ann, 1, time.Hour), session(ann, 2, 2*time.Hour), session(ann, 3, 3*time.Hour),
		session(bob, 4, time.Hour)
	all := []*vitrine.Session{one, two, three, bobs}
	t.update(func(tx vitrine.Tx) error {
		err := errors.Join(tx.AddSession(one), tx.AddSession(two), tx.AddSession(three), tx.AddSession(bobs))
		same := *one
		t.is("a second session with a hash", tx.AddSession(&same), vitrine.ErrExists)
		return err
	})
	check := func(there ...*vitrine.Session) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			for _, s := range all {
				got, err := tx.SessionByHash(s.Hash)
				if !slices.Contains(there, s) {
					t.is("a session that has ended", err, vitrine.ErrNotFound)
					continue
				}
				if err != nil {
					return err
				}
				vitrinetest.Equal(t, "session", got, s)
			}
			return nil
		})
	}
	list := func(a *vitrine.Account, want ...*vitrine.Session) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Sessions(a.ID)
			vitrinetest.Equal(t, "sessions, the last used first", got, want)
			return err
		})
	}
	check(all...)
	list(ann, three, two, one)
	old := one.Hash
	one.Hash, one.ByToken, one.Label, one.UsedAt, one.ExpiresAt = [32]byte{9}, false, "",
		vitrinetest.Epoch.Add(4*time.Hour), vitrinetest.Epoch.Add(5*time.Hour)
	t.update(func(tx vitrine.Tx) error {
		t.is("Put of no session", tx.PutSession(&vitrine.Session{ID: 999, Account: ann.ID}), vitrine.ErrNotFound)
		return tx.PutSession(one)
	})
	check(all...)
	list(ann, one, three, two)
	t.update(func(tx vitrine.Tx) error {
		_, err := tx.SessionByHash(old)
		t.is("a session by its former hash", err, vitrine.ErrNotFound)
		t.is("the end of no session", tx.DeleteSession(999), vitrine.ErrNotFound)
		return tx.DeleteSession(two.ID)
	})
	check(one, three, bobs)
	t.update(func(tx vitrine.Tx) error {
		n, err := tx.ExpireSessions(vitrinetest.Epoch.Add(time.Hour + time.Millisecond))
		vitrinetest.Equal(t, "sessions deleted", n, 1)
		return err
	})
	check(one, three)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteSessions(ann.ID, one.ID) })
	check(one)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteSessions(ann.ID, 0) })
	check()
}

// attempts tests that attempts are counted by key and time window.
func (t storeTest) attempts() {
	one, other := vitrine.AttemptKey{1, 15: 255}, vitrine.AttemptKey{2}
	first, second := &vitrine.Attempt{Key: one, At: vitrinetest.Epoch},
		&vitrine.Attempt{Key: one, At: vitrinetest.Epoch.Add(time.Minute)}
	third, stranger := &vitrine.Attempt{Key: one, At: vitrinetest.Epoch.Add(time.Minute)},
		&vitrine.Attempt{Key: other, At: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddAttempt(first), tx.AddAttempt(second), tx.AddAttempt(third), tx.AddAttempt(stranger))
	})
	if second.ID == third.ID || second.ID < 1 {
		t.Fatalf("IDs = %d and %d, want different ones", second.ID, third.ID)
	}
	count := func(k vitrine.AttemptKey, since, until time.Time, n int64, oldest time.Time) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, at, err := tx.CountAttempts(k, since, until)
			if got != n || !at.Equal(oldest) {
				t.Errorf("%d attempts since %v, the oldest at %v, want %d at %v", got, since, at, n, oldest)
			}
			return err
		})
	}
	late, ms := vitrinetest.Epoch.Add(time.Hour), time.Millisecond
	count(one, vitrinetest.Epoch, late, 3, first.At)
	count(one, vitrinetest.Epoch.Add(ms), late, 2, second.At)
	count(one, vitrinetest.Epoch, second.At.Add(-ms), 1, first.At)
	count(one, vitrinetest.Epoch, vitrinetest.Epoch, 1, first.At)
	count(one, second.At.Add(ms), late, 0, time.Time{})
	count(other, vitrinetest.Epoch, late, 1, vitrinetest.Epoch)
	t.update(func(tx vitrine.Tx) error {
		t.is("no attempt", tx.DeleteAttempt(999), vitrine.ErrNotFound)
		return tx.DeleteAttempt(second.ID)
	})
	count(one, vitrinetest.Epoch, late, 2, first.At)
	t.update(func(tx vitrine.Tx) error {
		n, err := tx.ExpireAttempts(vitrinetest.Epoch.Add(ms))
		vitrinetest.Equal(t, "attempts deleted", n, 2)
		return err
	})
	count(one, vitrinetest.Epoch, late, 1, third.At)
	count(other, vitrinetest.Epoch, late, 0, time.Time{})
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.DeleteAttempts(one), tx.DeleteAttempts(other)) })
	count(one, vitrinetest.Epoch, late, 0, time.Time{})
}
