package storetest

import (
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// endedKeys counts keys, and deletes those that have ended.
func (t storeTest) endedKeys() {
	eve, fred := t.account("eve@example.org"), t.account("fred@example.org")
	at := func(minutes int) time.Time { return vitrinetest.Epoch.Add(time.Duration(minutes) * time.Minute) }
	var keys []*vitrine.APIKey
	add := func(a *vitrine.Account, created int, revoked, expires time.Time) {
		keys = append(keys, &vitrine.APIKey{Account: a.ID, Hash: [32]byte{9, 9, byte(len(keys))},
			CreatedAt: at(created), RevokedAt: revoked, ExpiresAt: expires})
	}
	add(eve, 0, time.Time{}, time.Time{})
	add(eve, 1, at(2), time.Time{})
	add(eve, 2, time.Time{}, at(10))
	add(eve, 3, at(4), at(30))
	add(eve, 4, time.Time{}, at(30))
	add(fred, 1, at(2), time.Time{})
	t.update(func(tx vitrine.Tx) (err error) {
		for _, k := range keys {
			if err == nil {
				err = tx.AddKey(k)
			}
		}
		return err
	})
	count := func(now, after time.Time, wantInForce, wantCreated int64, wantFirst time.Time) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			inForce, created, first, err := tx.CountKeys(eve.ID, now, after)
			if inForce != wantInForce || created != wantCreated || !first.Equal(wantFirst) {
				t.Errorf("CountKeys = %d in force, %d created since %v, want %d, %d, %v", inForce, created, first,
					wantInForce, wantCreated, wantFirst)
			}
			return err
		})
	}
	left := func(a *vitrine.Account, want ...*vitrine.APIKey) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Keys(a.ID)
			vitrinetest.Equal(t, "keys that are left", got, want)
			return err
		})
	}
	count(at(9), at(1), 3, 3, at(2))
	count(at(10), at(4), 2, 0, time.Time{})
	t.update(func(tx vitrine.Tx) error { return tx.TrimKeys(eve.ID, at(10), 3) })
	left(eve, keys[0], keys[2], keys[3], keys[4])
	left(fred, keys[5])
	t.update(func(tx vitrine.Tx) error { return tx.TrimKeys(eve.ID, at(10), 100) })
	left(eve, keys[0], keys[2], keys[3], keys[4])
	t.update(func(tx vitrine.Tx) error {
		n, err := tx.ExpireKeys(at(11))
		vitrinetest.Equal(t, "keys that ended before", n, 3)
		return err
	})
	left(eve, keys[0], keys[4])
	left(fred)
}
