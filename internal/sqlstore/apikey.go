package sqlstore

import (
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/sqldb"
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

func (t Tx) KeyByHash(hash [32]byte) (*vitrine.APIKey, error) {
	return sqldb.One(t.Tx, readKey, "SELECT id, "+keyColumns+" FROM keys WHERE hash = $1", hash[:])
}

func (t Tx) Keys(a vitrine.AccountID) ([]*vitrine.APIKey, error) {
	return sqldb.List(t.Tx, readKey, "SELECT id, "+keyColumns+" FROM keys WHERE account = $1 ORDER BY created_at, id",
		int64(a))
}

func (t Tx) PutKey(k *vitrine.APIKey) error {
	return t.Put(`UPDATE keys SET account = $1, name = $2, hash = $3, last4 = $4, created_at = $5, used_at = $6, revoked_at = $7, expires_at = $8,
		scope = $9, link_life = $10, replaced = $11 WHERE id = $12`, append(keyValues(k), int64(k.ID))...)
}

func (t Tx) DeleteKeys(a vitrine.AccountID) error {
	_, err := t.Exec("DELETE FROM keys WHERE account = $1", int64(a))
	return err
}
