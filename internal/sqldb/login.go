package sqldb

import (
	"time"

	"vitrine"
)

const loginColumns = "code, hash, program, machine, state, account, created_at, expires_at"

func readLogin(s scanner) (*vitrine.Login, error) {
	v := new(vitrine.Login)
	var hash []byte
	err := s.Scan(&v.ID, &v.Code, &hash, &v.Program, &v.Machine, &v.State, &v.Account, instant{Time: &v.CreatedAt}, instant{Time: &v.ExpiresAt})
	copy(v.Hash[:], hash)
	return v, err
}

func loginValues(l *vitrine.Login) []any {
	return []any{l.Code, l.Hash[:], l.Program, l.Machine, string(l.State), int64(l.Account), ms(l.CreatedAt), ms(l.ExpiresAt)}
}

func (t storeTx) AddLogin(l *vitrine.Login) error {
	return t.add(&l.ID, "INSERT INTO logins ("+loginColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", loginValues(l)...)
}

func (t storeTx) LoginByCode(code string) (*vitrine.Login, error) {
	return one(t.tx, readLogin, "SELECT id, "+loginColumns+" FROM logins WHERE code = $1", code)
}

func (t storeTx) LoginByHash(hash [32]byte) (*vitrine.Login, error) {
	return one(t.tx, readLogin, "SELECT id, "+loginColumns+" FROM logins WHERE hash = $1", hash[:])
}

func (t storeTx) PutLogin(l *vitrine.Login) error {
	return t.put("UPDATE logins SET code = $1, hash = $2, program = $3, machine = $4, state = $5, account = $6, created_at = $7, expires_at = $8 WHERE id = $9",
		append(loginValues(l), int64(l.ID))...)
}

func (t storeTx) DeleteLogin(id vitrine.LoginID) error {
	return t.put("DELETE FROM logins WHERE id = $1", int64(id))
}

func (t storeTx) ExpireLogins(before time.Time) (int64, error) {
	return t.exec("DELETE FROM logins WHERE expires_at < $1", ms(before))
}
