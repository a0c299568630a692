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

func (t *faultyTx) EndSessions(a vitrine.AccountID, except vitrine.SessionID) error {
	return t.do(func() error { return t.Tx.EndSessions(a, except) })
}

func (t *faultyTx) AddTicket(v *vitrine.Ticket) error {
	return t.do(func() error { return t.Tx.AddTicket(v) })
}

func (t *faultyTx) TicketByHash(hash [32]byte) (*vitrine.Ticket, error) {
	return value(t.do, func() (*vitrine.Ticket, error) { return t.Tx.TicketByHash(hash) })
}

func (t *faultyTx) Tickets(p vitrine.TicketPurpose) ([]*vitrine.Ticket, error) {
	return value(t.do, func() ([]*vitrine.Ticket, error) { return t.Tx.Tickets(p) })
}

func (t *faultyTx) DeleteTicket(id vitrine.TicketID) error {
	return t.do(func() error { return t.Tx.DeleteTicket(id) })
}

func (t *faultyTx) EndTickets(a vitrine.AccountID, email string) error {
	return t.do(func() error { return t.Tx.EndTickets(a, email) })
}

func (t *faultyTx) AddGuess(g *vitrine.Guess) error {
	return t.do(func() error { return t.Tx.AddGuess(g) })
}

func (t *faultyTx) CountGuesses(k vitrine.GuessKey, since, until time.Time) (n int64, oldest time.Time, err error) {
	err = t.do(func() error { n, oldest, err = t.Tx.CountGuesses(k, since, until); return err })
	return n, oldest, err
}

func (t *faultyTx) DeleteGuess(id vitrine.GuessID) error {
	return t.do(func() error { return t.Tx.DeleteGuess(id) })
}

func (t *faultyTx) ClearGuesses(k vitrine.GuessKey) error {
	return t.do(func() error { return t.Tx.ClearGuesses(k) })
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
