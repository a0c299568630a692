package vitrinetest

import (
	"time"

	"vitrine"
)

func (t *faultyTx) Sessions(a vitrine.AccountID) ([]*vitrine.Session, error) {
	return value(t.do, func() ([]*vitrine.Session, error) { return t.Tx.Sessions(a) })
}

func (t *faultyTx) DeleteSession(id vitrine.SessionID) error {
	return t.do(func() error { return t.Tx.DeleteSession(id) })
}

func (t *faultyTx) DeleteSessions(a vitrine.AccountID, except vitrine.SessionID) error {
	return t.do(func() error { return t.Tx.DeleteSessions(a, except) })
}

func (t *faultyTx) AddOneTimeToken(v *vitrine.OneTimeToken) error {
	return t.do(func() error { return t.Tx.AddOneTimeToken(v) })
}

func (t *faultyTx) OneTimeTokenByHash(hash [32]byte) (*vitrine.OneTimeToken, error) {
	return value(t.do, func() (*vitrine.OneTimeToken, error) { return t.Tx.OneTimeTokenByHash(hash) })
}

func (t *faultyTx) OneTimeTokens(p vitrine.TokenPurpose) ([]*vitrine.OneTimeToken, error) {
	return value(t.do, func() ([]*vitrine.OneTimeToken, error) { return t.Tx.OneTimeTokens(p) })
}

func (t *faultyTx) DeleteOneTimeToken(id vitrine.OneTimeTokenID) error {
	return t.do(func() error { return t.Tx.DeleteOneTimeToken(id) })
}

func (t *faultyTx) DeleteOneTimeTokens(a vitrine.AccountID, email string) error {
	return t.do(func() error { return t.Tx.DeleteOneTimeTokens(a, email) })
}

func (t *faultyTx) AddAttempt(g *vitrine.Attempt) error {
	return t.do(func() error { return t.Tx.AddAttempt(g) })
}

func (t *faultyTx) CountAttempts(k vitrine.AttemptKey, since, until time.Time) (n int64, oldest time.Time, err error) {
	err = t.do(func() error { n, oldest, err = t.Tx.CountAttempts(k, since, until); return err })
	return n, oldest, err
}

func (t *faultyTx) DeleteAttempt(id vitrine.AttemptID) error {
	return t.do(func() error { return t.Tx.DeleteAttempt(id) })
}

func (t *faultyTx) DeleteAttempts(k vitrine.AttemptKey) error {
	return t.do(func() error { return t.Tx.DeleteAttempts(k) })
}

func (t *faultyTx) AddLogin(l *vitrine.Login) error {
	return t.do(func() error { return t.Tx.AddLogin(l) })
}

func (t *faultyTx) LoginByCode(code string) (*vitrine.Login, error) {
	return value(t.do, func() (*vitrine.Login, error) { return t.Tx.LoginByCode(code) })
}

func (t *faultyTx) LoginByHash(hash [32]byte) (*vitrine.Login, error) {
	return value(t.do, func() (*vitrine.Login, error) { return t.Tx.LoginByHash(hash) })
}

func (t *faultyTx) PutLogin(l *vitrine.Login) error {
	return t.do(func() error { return t.Tx.PutLogin(l) })
}

func (t *faultyTx) DeleteLogin(id vitrine.LoginID) error {
	return t.do(func() error { return t.Tx.DeleteLogin(id) })
}

func (t *faultyTx) DeleteKeys(a vitrine.AccountID) error {
	return t.do(func() error { return t.Tx.DeleteKeys(a) })
}
