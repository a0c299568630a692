package sqldb

import (
	"time"

	"vitrine"
)

func readSession(s scanner) (*vitrine.Session, error) {
	v := new(vitrine.Session)
	var hash []byte
	err := s.Scan(&v.ID, &v.Account, &hash, &v.Offered, instant{&v.CreatedAt}, instant{&v.ExpiresAt})
	copy(v.Hash[:], hash)
	return v, err
}

func (t storeTx) AddSession(s *vitrine.Session) error {
	return t.add(&s.ID, "INSERT INTO sessions (account, hash, offered, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
		int64(s.Account), s.Hash[:], s.Offered, ms(s.CreatedAt), ms(s.ExpiresAt))
}

func (t storeTx) SessionByHash(hash [32]byte) (*vitrine.Session, error) {
	return one(t.tx, readSession, "SELECT id, account, hash, offered, created_at, expires_at FROM sessions WHERE hash = $1", hash[:])
}

func (t storeTx) PutSession(s *vitrine.Session) error {
	return t.put("UPDATE sessions SET account = $1, hash = $2, offered = $3, created_at = $4, expires_at = $5 WHERE id = $6",
		int64(s.Account), s.Hash[:], s.Offered, ms(s.CreatedAt), ms(s.ExpiresAt), int64(s.ID))
}

func (t storeTx) DeleteSession(id vitrine.SessionID) error {
	return t.put("DELETE FROM sessions WHERE id = $1", int64(id))
}

func (t storeTx) EndSessions(a vitrine.AccountID) error {
	_, err := t.exec("DELETE FROM sessions WHERE account = $1", int64(a))
	return err
}

func (t storeTx) ForgetSessions(before time.Time) (int64, error) {
	return t.exec("DELETE FROM sessions WHERE expires_at < $1", ms(before))
}
