package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

func (t Tx) AddAttempt(g *vitrine.Attempt) error {
	return t.add(&g.ID, "INSERT INTO attempts (key, at) VALUES ($1, $2)", g.Key[:], sqldb.Ms(g.At))
}

func (t Tx) CountAttempts(k vitrine.AttemptKey, since, until time.Time) (n int64, oldest time.Time, err error) {
	err = t.Get([]any{&n, sqldb.Instant{Time: &oldest}},
		"SELECT count(*), min(at) FROM attempts WHERE key = $1 AND at >= $2 AND at <= $3", k[:], sqldb.Ms(since),
		sqldb.Ms(until))
	return n, oldest, err
}

func (t Tx) DeleteAttempt(id vitrine.AttemptID) error {
	return t.Put("DELETE FROM attempts WHERE id = $1", int64(id))
}

func (t Tx) DeleteAttempts(k vitrine.AttemptKey) error {
	_, err := t.Exec("DELETE FROM attempts WHERE key = $1", k[:])
	return err
}

func (t Tx) ExpireAttempts(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM attempts WHERE at < $1", sqldb.Ms(before))
}
