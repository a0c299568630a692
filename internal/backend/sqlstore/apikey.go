package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var keys = newTable("keys", func(k *vitrine.APIKey) []field {
	return []field{{"id", &k.ID}, {"account", &k.Account}, {"name", &k.Name}, {"hash", digest(k.Hash[:])},
		{"last4", &k.Last4}, {"created_at", at(&k.CreatedAt)}, {"used_at", orNone(&k.UsedAt)},
		{"revoked_at", orNone(&k.RevokedAt)}, {"expires_at", orNone(&k.ExpiresAt)}, {"scope", &k.Scope},
		{"link_life", millis{&k.LinkLife}}, {"replaced", &k.Replaced},
		{"code", &k.Code}}
})

func (t Tx) AddKey(k *vitrine.APIKey) error { return keys.add(t, k) }
func (t Tx) PutKey(k *vitrine.APIKey) error { return keys.put(t, k) }

func (t Tx) Key(id vitrine.KeyID) (*vitrine.APIKey, error) { return keys.one(t, "id = $1", int64(id)) }

func (t Tx) KeyByHash(hash [32]byte) (*vitrine.APIKey, error) {
	return keys.one(t, "hash = $1", hash[:])
}

func (t Tx) Keys(a vitrine.AccountID) ([]*vitrine.APIKey, error) {
	return keys.list(t, " WHERE account = $1 ORDER BY created_at, id", int64(a))
}

func (t Tx) CountKeys(a vitrine.AccountID, now, after time.Time) (inForce, created int64, first time.Time, err error) {
	err = t.Get([]any{&inForce, &created, sqldb.Instant{Time: &first}},
		`SELECT count(*) FILTER (WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)),
			count(*) FILTER (WHERE created_at > $3), min(created_at) FILTER (WHERE created_at > $3)
		FROM keys WHERE account = $1`, int64(a), sqldb.Ms(now), sqldb.Ms(after))
	return inForce, created, first, err
}

func (t Tx) DeleteKeys(a vitrine.AccountID) error {
	_, err := t.Exec("DELETE FROM keys WHERE account = $1", int64(a))
	return err
}

// TrimKeys leaves a key that was created in the same millisecond as the nth.
func (t Tx) TrimKeys(a vitrine.AccountID, now time.Time, n int) error {
	_, err := t.Exec(`DELETE FROM keys WHERE account = $1 AND (revoked_at IS NOT NULL OR expires_at <= $2) AND created_at <
		(SELECT created_at FROM keys WHERE account = $1 ORDER BY created_at DESC LIMIT 1 OFFSET $3)`,
		int64(a), sqldb.Ms(now), n-1)
	return err
}

func (t Tx) ExpireKeys(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM keys WHERE revoked_at < $1 OR expires_at < $1", sqldb.Ms(before))
}
