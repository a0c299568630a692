package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var letters = newTable("letters", func(l *vitrine.Letter) []field {
	m := &l.Message
	return []field{{"id", &l.ID}, {"message_id", &m.ID}, {"recipient", &m.To}, {"subject", &m.Subject},
		{"body", &m.Text}, {"html", &m.HTML}, {"stop", &m.Stop},
		{"created_at", at(&l.CreatedAt)}, {"expires_at", orNone(&l.ExpiresAt)},
		{"tries", &l.Tries}, {"next_at", at(&l.NextAt)}}
})

func (t Tx) AddLetter(l *vitrine.Letter) error { return letters.add(t, l) }
func (t Tx) PutLetter(l *vitrine.Letter) error { return letters.put(t, l) }

func (t Tx) Letter(id vitrine.LetterID) (*vitrine.Letter, error) {
	return letters.one(t, "id = $1", int64(id))
}

func (t Tx) DeleteLetter(id vitrine.LetterID) error {
	return t.Put("DELETE FROM letters WHERE id = $1", int64(id))
}

func (t Tx) LettersDue(now time.Time, n int) ([]*vitrine.Letter, error) {
	return letters.list(t, " WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2", sqldb.Ms(now), int64(n))
}
