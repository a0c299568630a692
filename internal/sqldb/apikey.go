package sqldb

import (
	"fmt"

	"vitrine"
)

const keyColumns = "account, name, hash, last4, created_at, used_at, revoked_at, expires_at"

func keyValues(k *vitrine.APIKey) []any {
	return []any{int64(k.Account), k.Name, k.Hash[:], k.Last4, ms(k.CreatedAt), msOrNull(k.UsedAt), msOrNull(k.RevokedAt), msOrNull(k.ExpiresAt)}
}

func readKey(s scanner) (*vitrine.APIKey, error) {
	k := new(vitrine.APIKey)
	var hash []byte
	err := s.Scan(&k.ID, &k.Account, &k.Name, &hash, &k.Last4, instant{Time: &k.CreatedAt}, instant{Time: &k.UsedAt}, instant{Time: &k.RevokedAt}, instant{Time: &k.ExpiresAt})
	if err == nil && copy(k.Hash[:], hash) != len(hash) {
		err = fmt.Errorf("the hash of key %d has %d bytes", k.ID, len(hash))
	}
	return k, err
}

func (t storeTx) AddKey(k *vitrine.APIKey) error {
	return t.add(&k.ID, "INSERT INTO keys ("+keyColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", keyValues(k)...)
}

func (t storeTx) KeyByHash(hash [32]byte) (*vitrine.APIKey, error) {
	return one(t.tx, readKey, "SELECT id, "+keyColumns+" FROM keys WHERE hash = $1", hash[:])
}

func (t storeTx) Keys(a vitrine.AccountID) ([]*vitrine.APIKey, error) {
	return list(t.tx, readKey, "SELECT id, "+keyColumns+" FROM keys WHERE account = $1 ORDER BY created_at, id", int64(a))
}

func (t storeTx) PutKey(k *vitrine.APIKey) error {
	return t.put(`UPDATE keys SET account = $1, name = $2, hash = $3, last4 = $4, created_at = $5, used_at = $6, revoked_at = $7, expires_at = $8
		WHERE id = $9`, append(keyValues(k), int64(k.ID))...)
}

func (t storeTx) DeleteKeys(a vitrine.AccountID) error {
	_, err := t.exec("DELETE FROM keys WHERE account = $1", int64(a))
	return err
}
