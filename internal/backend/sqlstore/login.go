package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const loginColumns = "code, hash, program, machine, state, account, scope, key_expires_at, key_end_chosen, created_at, expires_at"

func readLogin(s sqldb.Scanner) (*vitrine.Login, error) {
	v := new(vitrine.Login)
	var hash []byte
	err := s.Scan(&v.ID, &v.Code, &hash, &v.Program, &v.Machine, &v.State, &v.Account, &v.Key.Scope,
		sqldb.Instant{Time: &v.Key.ExpiresAt}, &v.Key.EndChosen, sqldb.Instant{Time: &v.CreatedAt},
		sqldb.Instant{Time: &v.ExpiresAt})
	copy(v.Hash[:], hash)
	return v, err
}

func loginValues(l *vitrine.Login) []any {
	return []any{l.Code, l.Hash[:], l.Program, l.Machine, string(l.State), int64(l.Account), string(l.Key.Scope),
		sqldb.MsOrNull(l.Key.ExpiresAt), l.Key.EndChosen, sqldb.Ms(l.CreatedAt), sqldb.Ms(l.ExpiresAt)}
}

func (t Tx) AddLogin(l *vitrine.Login) error {
	return t.add(&l.ID, "INSERT INTO logins ("+loginColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		loginValues(l)...)
}

func (t Tx) LoginByCode(code string) (*vitrine.Login, error) {
	return sqldb.One(t.Tx, readLogin, "SELECT id, "+loginColumns+" FROM logins WHERE code = $1", code)
}

func (t Tx) LoginByHash(hash [32]byte) (*vitrine.Login, error) {
	return sqldb.One(t.Tx, readLogin, "SELECT id, "+loginColumns+" FROM logins WHERE hash = $1", hash[:])
}

func (t Tx) PutLogin(l *vitrine.Login) error {
	return t.Put(`UPDATE logins SET code = $1, hash = $2, program = $3, machine = $4, state = $5, account = $6, scope = $7,
		key_expires_at = $8, key_end_chosen = $9, created_at = $10, expires_at = $11 WHERE id = $12`,
		append(loginValues(l), int64(l.ID))...)
}

func (t Tx) DeleteLogin(id vitrine.LoginID) error {
	return t.Put("DELETE FROM logins WHERE id = $1", int64(id))
}

func (t Tx) ExpireLogins(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM logins WHERE expires_at < $1", sqldb.Ms(before))
}
