package sqldb

import (
	"time"

	"vitrine"
)

const letterColumns = "message_id, recipient, subject, body, created_at, expires_at, tries, next_at"

func readLetter(s scanner) (*vitrine.Letter, error) {
	l := new(vitrine.Letter)
	m := &l.Message
	err := s.Scan(&l.ID, &m.ID, &m.To, &m.Subject, &m.Text, instant{Time: &l.CreatedAt}, instant{Time: &l.ExpiresAt}, &l.Tries, instant{Time: &l.NextAt})
	return l, err
}

func (t storeTx) AddLetter(l *vitrine.Letter) error {
	m := &l.Message
	return t.add(&l.ID, "INSERT INTO letters ("+letterColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		m.ID, m.To, m.Subject, m.Text, ms(l.CreatedAt), msOrNull(l.ExpiresAt), int64(l.Tries), ms(l.NextAt))
}

func (t storeTx) Letter(id vitrine.LetterID) (*vitrine.Letter, error) {
	return one(t.tx, readLetter, "SELECT id, "+letterColumns+" FROM letters WHERE id = $1", int64(id))
}

func (t storeTx) PutLetter(l *vitrine.Letter) error {
	m := &l.Message
	return t.put("UPDATE letters SET message_id = $1, recipient = $2, subject = $3, body = $4, created_at = $5, expires_at = $6, tries = $7, next_at = $8 WHERE id = $9",
		m.ID, m.To, m.Subject, m.Text, ms(l.CreatedAt), msOrNull(l.ExpiresAt), int64(l.Tries), ms(l.NextAt), int64(l.ID))
}

func (t storeTx) DeleteLetter(id vitrine.LetterID) error {
	return t.put("DELETE FROM letters WHERE id = $1", int64(id))
}

func (t storeTx) LettersDue(now time.Time, n int) ([]*vitrine.Letter, error) {
	return list(t.tx, readLetter, "SELECT id, "+letterColumns+" FROM letters WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2", ms(now), int64(n))
}
