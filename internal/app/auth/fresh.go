package auth

import (
	"time"

	"vitrine"
)

// factorFresh is how long after a code a session may do what needs one.
const factorFresh = 10 * time.Minute

// needFresh is the rule for what gives lasting access to an account, or ends
// it: a session of an account with a second factor must have shown it shortly
// before (GiveFactor). Errors: CodeUnauthorized if the session is missing or
// another account's; CodeInvalidRequest at the field "code".
func needFresh(a *vitrine.Account, session *vitrine.Session, now time.Time) error {
	switch {
	case session == nil || session.Account != a.ID || session.Half:
		return errSignedOut
	case len(a.Factor) > 0 && !freshFactor(session, now):
		return errNeedCode
	}
	return nil
}

// freshAccount returns the account of a session, if needFresh allows it.
func freshAccount(tx vitrine.AccountTx, session *vitrine.Session, now time.Time) (*vitrine.Account, error) {
	if session == nil {
		return nil, errSignedOut
	}
	a, err := tx.Account(session.Account)
	if err == nil {
		err = needFresh(a, session, now)
	}
	return a, err
}

func freshFactor(session *vitrine.Session, now time.Time) bool {
	age := now.Sub(session.FactorAt)
	return age < factorFresh && age > -vitrine.ClockJump
}

// FreshFactor reports whether a session has shown its second factor shortly
// before.
func (s *Sessions) FreshFactor(session *vitrine.Session) bool { return freshFactor(session, s.Now()) }
