package auth

import (
	"time"

	"vitrine"
)

// factorFresh is how long after a code a session may do what needs one.
const factorFresh = 10 * time.Minute

// needFresh is the rule for all that lets a person stay in an account, or
// closes it: a session of an account with a second factor must have shown it
// shortly before (GiveFactor). Errors: CodeUnauthorized if the session is
// missing or another account's; CodeInvalidRequest at the field "code".
func needFresh(a *vitrine.Account, session *vitrine.Session, now time.Time) error {
	switch {
	case session == nil || session.Account != a.ID || session.Half:
		return errSignedOut
	case len(a.Factor) > 0 && !freshFactor(session, now):
		return errNeedCode
	}
	return nil
}

func freshFactor(session *vitrine.Session, now time.Time) bool {
	age := now.Sub(session.FactorAt)
	return age < factorFresh && age > -vitrine.ClockJump
}

// FreshFactor reports whether a session has shown its second factor shortly
// before.
func (s *Sessions) FreshFactor(session *vitrine.Session) bool { return freshFactor(session, s.Now()) }
