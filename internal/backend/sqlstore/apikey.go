package sqlstore

import (
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const keyColumns = "account, name, hash, last4, created_at, used_at, revoked_at, expires_at, scope, link_life, replaced"

func keyValues(k *vitrine.APIKey) []any {
	return []any{int64(k.Account), k.Name, k.Hash[:], k.Last4, sqldb.Ms(k.CreatedAt), sqldb.MsOrNull(k.UsedAt),
		sqldb.MsOrNull(k.RevokedAt), sqldb.MsOrNull(k.ExpiresAt),
		string(k.Scope), k.LinkLife.Milliseconds(), k.Replaced}
}

func readKey(s sqldb.Scanner) (*vitrine.APIKey, error) {
	k := new(vitrine.APIKey)
	var hash []byte
	var life int64
	err := s.Scan(&k.ID, &k.Account, &k.Name, &hash, &k.Last4, sqldb.Instant{Time: &k.CreatedAt},
		sqldb.Instant{Time: &k.UsedAt}, sqldb.Instant{Time: &k.RevokedAt}, sqldb.Instant{Time: &k.ExpiresAt},
		&k.Scope, &life, &k.Replaced)
	k.LinkLife = time.Duration(life) * time.Millisecond
	if err == nil && copy(k.Hash[:], hash) != len(hash) {
		err = fmt.Errorf("the hash of key %d has %d bytes", k.ID, len(hash))
	}
	return k, err
}

func (t Tx) AddKey(k *vitrine.APIKey) error {
	return t.add(&k.ID, "INSERT INTO keys ("+keyColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		keyValues(k)...)
}

func (t Tx) Key(id vitrine.KeyID) (*vitrine.APIKey, error) {
	return sqldb.One(t.Tx, readKey, "SELECT id, "+keyColumns+" FROM keys WHERE id = $1", int64(id))
}

func (t Tx) KeyByHash(hash [32]byte) (*vitrine.APIKey, error) {
	return sqldb.One(t.Tx, readKey, "SELECT id, "+keyColumns+" FROM keys WHERE hash = $1", hash[:])
}

func (t Tx) Keys(a vitrine.AccountID) ([]*vitrine.APIKey, error) {
	return sqldb.List(t.Tx, readKey, "SELECT id, "+keyColumns+" FROM keys WHERE account = $1 ORDER BY created_at, id",
		int64(a))
}

func (t Tx) CountKeys(a vitrine.AccountID, now, after time.Time) (inForce, created int64, first time.Time, err error) {
	err = t.Get([]any{&inForce, &created, sqldb.Instant{Time: &first}},
		`SELECT count(*) FILTER (WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)),
			count(*) FILTER (WHERE created_at > $3), min(created_at) FILTER (WHERE created_at > $3)
		FROM keys WHERE account = $1`, int64(a), sqldb.Ms(now), sqldb.Ms(after))
	return inForce, created, first, err
}

func (t Tx) PutKey(k *vitrine.APIKey) error {
	return t.Put(`UPDATE keys SET account = $1, name = $2, hash = $3, last4 = $4, created_at = $5, used_at = $6, revoked_at = $7, expires_at = $8,
		scope = $9, link_life = $10, replaced = $11 WHERE id = $12`, append(keyValues(k), int64(k.ID))...)
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
