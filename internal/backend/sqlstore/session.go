package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const sessionColumns = "account, hash, label, by_token, created_at, used_at, expires_at"

func sessionValues(s *vitrine.Session) []any {
	return []any{int64(s.Account), s.Hash[:], s.Label, s.ByToken, sqldb.Ms(s.CreatedAt), sqldb.Ms(s.UsedAt),
		sqldb.Ms(s.ExpiresAt)}
}

func readSession(s sqldb.Scanner) (*vitrine.Session, error) {
	v := new(vitrine.Session)
	var hash []byte
	err := s.Scan(&v.ID, &v.Account, &hash, &v.Label, &v.ByToken, sqldb.Instant{Time: &v.CreatedAt},
		sqldb.Instant{Time: &v.UsedAt}, sqldb.Instant{Time: &v.ExpiresAt})
	copy(v.Hash[:], hash)
	return v, err
}

func (t Tx) AddSession(s *vitrine.Session) error {
	return t.add(&s.ID, "INSERT INTO sessions ("+sessionColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7)",
		sessionValues(s)...)
}

func (t Tx) SessionByHash(hash [32]byte) (*vitrine.Session, error) {
	return sqldb.One(t.Tx, readSession, "SELECT id, "+sessionColumns+" FROM sessions WHERE hash = $1", hash[:])
}

func (t Tx) Sessions(a vitrine.AccountID) ([]*vitrine.Session, error) {
	return sqldb.List(t.Tx, readSession, "SELECT id, "+sessionColumns+
		" FROM sessions WHERE account = $1 ORDER BY used_at DESC, id DESC", int64(a))
}

func (t Tx) PutSession(s *vitrine.Session) error {
	return t.Put("UPDATE sessions SET account = $1, hash = $2, label = $3, by_token = $4, created_at = $5, used_at = $6, expires_at = $7 WHERE id = $8",
		append(sessionValues(s), int64(s.ID))...)
}

func (t Tx) DeleteSession(id vitrine.SessionID) error {
	return t.Put("DELETE FROM sessions WHERE id = $1", int64(id))
}

func (t Tx) DeleteSessions(a vitrine.AccountID, except vitrine.SessionID) error {
	_, err := t.Exec("DELETE FROM sessions WHERE account = $1 AND id <> $2", int64(a), int64(except))
	return err
}

func (t Tx) ExpireSessions(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM sessions WHERE expires_at < $1", sqldb.Ms(before))
}
