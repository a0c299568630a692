package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var sessions = newTable("sessions", func(s *vitrine.Session) []field {
	return []field{{"id", &s.ID}, {"account", &s.Account}, {"hash", digest(s.Hash[:])}, {"label", &s.Label},
		{"by_token", &s.ByToken}, {"half", &s.Half}, {"factor_at", orNone(&s.FactorAt)},
		{"identity", &s.Identity}, {"step", &s.Step},
		{"created_at", at(&s.CreatedAt)}, {"used_at", at(&s.UsedAt)}, {"expires_at", at(&s.ExpiresAt)}}
})

func (t Tx) AddSession(s *vitrine.Session) error { return sessions.add(t, s) }
func (t Tx) PutSession(s *vitrine.Session) error { return sessions.put(t, s) }

func (t Tx) SessionByHash(hash [32]byte) (*vitrine.Session, error) {
	return sessions.one(t, "hash = $1", hash[:])
}

func (t Tx) Sessions(a vitrine.AccountID) ([]*vitrine.Session, error) {
	return sessions.list(t, " WHERE account = $1 ORDER BY used_at DESC, id DESC", int64(a))
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
