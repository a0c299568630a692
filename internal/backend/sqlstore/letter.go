package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const letterColumns = "message_id, recipient, subject, body, created_at, expires_at, tries, next_at"

func readLetter(s sqldb.Scanner) (*vitrine.Letter, error) {
	l := new(vitrine.Letter)
	m := &l.Message
	err := s.Scan(&l.ID, &m.ID, &m.To, &m.Subject, &m.Text, sqldb.Instant{Time: &l.CreatedAt},
		sqldb.Instant{Time: &l.ExpiresAt}, &l.Tries, sqldb.Instant{Time: &l.NextAt})
	return l, err
}

func (t Tx) AddLetter(l *vitrine.Letter) error {
	m := &l.Message
	return t.add(&l.ID, "INSERT INTO letters ("+letterColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		m.ID, m.To, m.Subject, m.Text, sqldb.Ms(l.CreatedAt), sqldb.MsOrNull(l.ExpiresAt), int64(l.Tries),
		sqldb.Ms(l.NextAt))
}

func (t Tx) Letter(id vitrine.LetterID) (*vitrine.Letter, error) {
	return sqldb.One(t.Tx, readLetter, "SELECT id, "+letterColumns+" FROM letters WHERE id = $1", int64(id))
}

func (t Tx) PutLetter(l *vitrine.Letter) error {
	m := &l.Message
	return t.Put("UPDATE letters SET message_id = $1, recipient = $2, subject = $3, body = $4, created_at = $5, expires_at = $6, tries = $7, next_at = $8 WHERE id = $9",
		m.ID, m.To, m.Subject, m.Text, sqldb.Ms(l.CreatedAt), sqldb.MsOrNull(l.ExpiresAt), int64(l.Tries),
		sqldb.Ms(l.NextAt), int64(l.ID))
}

func (t Tx) DeleteLetter(id vitrine.LetterID) error {
	return t.Put("DELETE FROM letters WHERE id = $1", int64(id))
}

func (t Tx) LettersDue(now time.Time, n int) ([]*vitrine.Letter, error) {
	return sqldb.List(t.Tx, readLetter, "SELECT id, "+letterColumns+
		" FROM letters WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2", sqldb.Ms(now), int64(n))
}
