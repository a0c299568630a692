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

func (t *faultyTx) ForgetSessions(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ForgetSessions(before) })
}

func (t *faultyTx) ForgetLogins(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ForgetLogins(before) })
}

func (t *faultyTx) ForgetTickets(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ForgetTickets(before) })
}

func (t *faultyTx) ForgetGuesses(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ForgetGuesses(before) })
}
