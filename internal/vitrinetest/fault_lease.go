package vitrinetest

import (
	"time"

	"vitrine"
)

func (t *faultyTx) Lease(name string) (*vitrine.Lease, error) {
	return value(t.do, func() (*vitrine.Lease, error) { return t.Tx.Lease(name) })
}

func (t *faultyTx) PutLease(l *vitrine.Lease) error {
	return t.do(func() error { return t.Tx.PutLease(l) })
}

func (t *faultyTx) DeleteLease(name string) error {
	return t.do(func() error { return t.Tx.DeleteLease(name) })
}

func (t *faultyTx) ExpireLeases(before time.Time) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.ExpireLeases(before) })
}

func (t *faultyTx) AddLetter(l *vitrine.Letter) error {
	return t.do(func() error { return t.Tx.AddLetter(l) })
}

func (t *faultyTx) Letter(id vitrine.LetterID) (*vitrine.Letter, error) {
	return value(t.do, func() (*vitrine.Letter, error) { return t.Tx.Letter(id) })
}

func (t *faultyTx) PutLetter(l *vitrine.Letter) error {
	return t.do(func() error { return t.Tx.PutLetter(l) })
}

func (t *faultyTx) DeleteLetter(id vitrine.LetterID) error {
	return t.do(func() error { return t.Tx.DeleteLetter(id) })
}

func (t *faultyTx) LettersDue(now time.Time, n int) ([]*vitrine.Letter, error) {
	return value(t.do, func() ([]*vitrine.Letter, error) { return t.Tx.LettersDue(now, n) })
}
