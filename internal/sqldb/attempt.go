package sqldb

import (
	"time"

	"vitrine"
)

func (t storeTx) AddAttempt(g *vitrine.Attempt) error {
	return t.add(&g.ID, "INSERT INTO attempts (key, at) VALUES ($1, $2)", g.Key[:], ms(g.At))
}

func (t storeTx) CountAttempts(k vitrine.AttemptKey, since, until time.Time) (n int64, oldest time.Time, err error) {
	err = t.get([]any{&n, instant{Time: &oldest}}, "SELECT count(*), min(at) FROM attempts WHERE key = $1 AND at >= $2 AND at <= $3", k[:], ms(since), ms(until))
	return n, oldest, err
}

func (t storeTx) DeleteAttempt(id vitrine.AttemptID) error {
	return t.put("DELETE FROM attempts WHERE id = $1", int64(id))
}

func (t storeTx) DeleteAttempts(k vitrine.AttemptKey) error {
	_, err := t.exec("DELETE FROM attempts WHERE key = $1", k[:])
	return err
}

func (t storeTx) ExpireAttempts(before time.Time) (int64, error) {
	return t.exec("DELETE FROM attempts WHERE at < $1", ms(before))
}
