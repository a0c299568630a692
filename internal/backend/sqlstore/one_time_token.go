package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const tokenColumns = "purpose, hash, account, email, plan, invited_by, created_at, expires_at"

func readToken(s sqldb.Scanner) (*vitrine.OneTimeToken, error) {
	v := new(vitrine.OneTimeToken)
	var hash []byte
	err := s.Scan(&v.ID, &v.Purpose, &hash, &v.Account, &v.Email, &v.Plan, &v.By, sqldb.Instant{Time: &v.CreatedAt},
		sqldb.Instant{Time: &v.ExpiresAt})
	copy(v.Hash[:], hash)
	return v, err
}

func (t Tx) AddOneTimeToken(v *vitrine.OneTimeToken) error {
	if _, err := t.OneTimeTokenByHash(v.Hash); err != vitrine.ErrNotFound {
		if err == nil {
			err = vitrine.ErrExists
		}
		return err
	}
	if _, err := t.Exec("DELETE FROM one_time_tokens WHERE purpose = $1 AND email = $2", string(v.Purpose),
		v.Email); err != nil {
		return err
	}
	return t.add(&v.ID, "INSERT INTO one_time_tokens ("+tokenColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		string(v.Purpose), v.Hash[:], int64(v.Account), v.Email, string(v.Plan), int64(v.By), sqldb.Ms(v.CreatedAt),
		sqldb.MsOrNull(v.ExpiresAt))
}

func (t Tx) OneTimeTokenByHash(hash [32]byte) (*vitrine.OneTimeToken, error) {
	return sqldb.One(t.Tx, readToken, "SELECT id, "+tokenColumns+" FROM one_time_tokens WHERE hash = $1", hash[:])
}

func (t Tx) OneTimeTokens(p vitrine.TokenPurpose) ([]*vitrine.OneTimeToken, error) {
	return sqldb.List(t.Tx, readToken, "SELECT id, "+tokenColumns+
		" FROM one_time_tokens WHERE purpose = $1 ORDER BY created_at DESC, id DESC", string(p))
}

func (t Tx) DeleteOneTimeToken(id vitrine.OneTimeTokenID) error {
	return t.Put("DELETE FROM one_time_tokens WHERE id = $1", int64(id))
}

func (t Tx) DeleteOneTimeTokens(a vitrine.AccountID, email string) error {
	_, err := t.Exec("DELETE FROM one_time_tokens WHERE account = $1 AND account <> 0 OR email = $2", int64(a), email)
	return err
}

func (t Tx) ExpireOneTimeTokens(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM one_time_tokens WHERE expires_at < $1", sqldb.Ms(before))
}
