package vitrinetest

import (
	"time"

	"vitrine"
)

func (t *faultyTx) Review(q vitrine.ReviewQuery) ([]*vitrine.Link, error) {
	return value(t.do, func() ([]*vitrine.Link, error) { return t.Tx.Review(q) })
}

func (t *faultyTx) CountReview() (map[string]int64, error) {
	return value(t.do, func() (map[string]int64, error) { return t.Tx.CountReview() })
}

func (t *faultyTx) BytesRefused(sum string) (bool, error) {
	return value(t.do, func() (bool, error) { return t.Tx.BytesRefused(sum) })
}

func (t *faultyTx) ExpireSessions(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ExpireSessions(before) })
}

func (t *faultyTx) ExpireLogins(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ExpireLogins(before) })
}

func (t *faultyTx) ExpireOneTimeTokens(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ExpireOneTimeTokens(before) })
}

func (t *faultyTx) ExpireAttempts(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ExpireAttempts(before) })
}
