package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/base/notation"
	"vitrine/internal/base/throttle"
)

// Second factors: codes of an authenticator app, passkeys (passkey.go), and
// recovery codes.

// FactorRule says who must have a second factor.
type FactorRule string

const (
	FactorOptional   FactorRule = "nobody"
	FactorModerators FactorRule = "moderators" // and owners
	FactorAll        FactorRule = "all"
)

// lacks reports whether an account needs a second factor that it does not have.
// Until it has one, its sessions open nothing but the page where it is added.
// A second step at the provider of the session replaces it.
func (r FactorRule) lacks(session *vitrine.Session, a *vitrine.Account) bool {
	return len(a.Factor) == 0 && !session.Step && (r == FactorAll || r == FactorModerators && a.Moderates())
}

const (
	// halfLife is how long a code can complete a sign-in.
	halfLife = 10 * time.Minute
	// offerLife is how long the secret on the page of a new factor can be used.
	offerLife = time.Hour
)

var (
	errNeedCode = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "code",
		Message: "Type the code that your authenticator app shows now, or use a passkey."}
	errWrongCode = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "code",
		Message: "This code is wrong, too old, or was used already. Wait for the next one, or use a recovery code."}
	errFactorLost = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "code",
		Message: "Codes of your app cannot be checked any more, because the secret of this instance was replaced. " +
			"Use a recovery code, or ask the administrator to remove the second factor."}
	errNoFactor = vitrine.Errorf(vitrine.CodeInvalidRequest, "Your account has no second factor.")
)

// Waiting returns the account of a sign-in that is not complete: code reports
// whether it needs a code; otherwise the account must add a second factor
// first. Errors: CodeUnauthorized if there is no such sign-in.
func (s *Sessions) Waiting(ctx context.Context, text string) (a *vitrine.Account, code bool, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		session, of, err := s.open(tx, text)
		if err == nil && !session.Half && !s.Factor.lacks(session, of) {
			err = errSignedOut
		}
		if err == nil {
			a, code = of, session.Half
		}
		return err
	})
	return a, code, err
}

// Entering finds a session and its account, as Current does, also if the
// account must add a second factor first. Errors: CodeUnauthorized.
func (s *Sessions) Entering(ctx context.Context, text string) (session *vitrine.Session, a *vitrine.Account,
	err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		session, a, err = s.open(tx, text)
		if err == nil && session.Half {
			err = errSignedOut
		}
		return err
	})
	return session, a, err
}

// SignInWithCode completes a sign-in with a code, a recovery code, or the
// answer to AskPasskey. Errors:
// CodeUnauthorized if there is no such sign-in; CodeInvalidRequest at the field
// "code"; CodeRateLimited.
func (s *Sessions) SignInWithCode(ctx context.Context, half, typed string, g Client) (in SignedIn, err error) {
	var wrong error
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		wrong = nil
		session, a, err := s.open(tx, half)
		if err == nil && (!session.Half || len(a.Factor) == 0) {
			err = errSignedOut
		}
		if err != nil {
			return err
		}
		limits := codeLimits(s.Signer, a.ID, g, s.Now())
		if wrong, err = s.useCode(tx, a, typed, limits); err != nil || wrong != nil {
			return errors.Join(err, s.tellWrong(tx, a, limits[0]))
		}
		in, err = s.admit(tx, a, g, &vitrine.Session{ByToken: session.ByToken,
			Identity: session.Identity, FactorAt: s.Now()})
		return errors.Join(err, tx.DeleteSession(session.ID), s.noteDevice(tx, in, g.Label),
			throttle.Reset(tx, limits[:1]))
	})
	s.Owners.notify()
	return in, cmp.Or(err, wrong)
}

// tellWrong tells the owner of an account once that several codes were wrong
// after the right password.
func (s *Sessions) tellWrong(tx vitrine.Tx, a *vitrine.Account, l throttle.Limit) error {
	now := s.Now()
	n, _, err := tx.CountAttempts(l.Key, now.Add(-l.Within), now.Add(vitrine.ClockJump))
	if err != nil || n != codesTold || s.Owners == nil || s.Owners.Mail == nil {
		return err
	}
	return s.Owners.post(tx, s.Owners.letterWrongCodes(a.Email), "")
}

// GiveFactor makes a session fresh with a code or the answer to AskPasskey,
// before what needs a second factor. It needs none if the account has no factor
// or the session is fresh.
// Errors: CodeInvalidRequest at the field "code"; CodeRateLimited.
func (s *Sessions) GiveFactor(ctx context.Context, session *vitrine.Session, typed string) error {
	var wrong error
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		wrong = nil
		a, err := tx.Account(session.Account)
		if err != nil || len(a.Factor) == 0 || s.FreshFactor(session) {
			return err
		}
		if strings.TrimSpace(typed) == "" {
			wrong = errNeedCode
			return nil
		}
		if wrong, err = s.useCode(tx, a, typed, codeInside(s.Signer, a.ID)); err != nil || wrong != nil {
			return err
		}
		return s.shown(tx, session)
	})
	s.Owners.notify()
	return cmp.Or(err, wrong)
}

// shown records that a session has shown its second factor.
func (s *Sessions) shown(tx vitrine.Tx, session *vitrine.Session) error {
	current, err := tx.SessionByHash(session.Hash)
	if err != nil {
		return err
	}
	current.FactorAt, session.FactorAt = s.Now(), s.Now()
	return tx.PutSession(current)
}

// useCode uses up a code or recovery code of an account, or the answer of a
// passkey. wrong says what is wrong with it; the attempt stays counted then.
// Error: CodeRateLimited.
func (s *Sessions) useCode(tx vitrine.Tx, a *vitrine.Account, typed string,
	limits []throttle.Limit) (wrong, err error) {
	taken, err := throttle.Take(tx, s.Now(), "Too many wrong codes.", limits...)
	var e *vitrine.Error
	if errors.As(err, &e) {
		e.Field = "code"
	}
	if err != nil {
		return nil, err
	}
	state, err := factor.Parse(a.Factor)
	if err != nil {
		return nil, err
	}
	if isAnswer(typed) {
		if wrong, err = s.answerOfAccount(tx, a, &state, typed); err != nil || wrong != nil {
			return wrong, err
		}
		return nil, throttle.Refund(tx, taken)
	}
	if state.UseCode(typed) {
		a.Factor = state.Stored()
		detail := fmt.Sprintf("A recovery code was used: %d left", len(state.Codes))
		return nil, errors.Join(tx.PutAccount(a), throttle.Refund(tx, taken),
			s.noteFactor(tx, a, detail))
	}
	if !state.HasApp() {
		return errWrongCode, nil
	}
	secret, err := s.Signer.Open(state.Sealed, sealedFor(a))
	if err != nil {
		return errFactorLost, nil
	}
	step, ok := factor.Secret(secret).Match(typed, s.Now(), state.Last)
	if !ok {
		return errWrongCode, nil
	}
	state.Last = step
	a.Factor = state.Stored()
	return nil, errors.Join(tx.PutAccount(a), throttle.Refund(tx, taken))
}

func sealedFor(a *vitrine.Account) string { return "factor " + strconv.FormatInt(int64(a.ID), 10) }

// OfferFactor makes the secret of a new second factor, and the text with which
// AddFactor takes it.
func (s *Accounts) OfferFactor(a *vitrine.Account) (secret factor.Secret, offer []byte) {
	secret = factor.NewSecret()
	end := strconv.FormatInt(s.Now().Add(offerLife).Unix(), 10)
	return secret, s.Sessions.Signer.Seal([]byte(end+" "+string(secret)), "new "+sealedFor(a))
}

// OfferedFactor reads the text of an offer. Errors: CodeInvalidRequest.
func (s *Accounts) OfferedFactor(a *vitrine.Account, offer []byte) (factor.Secret, error) {
	text, err := s.Sessions.Signer.Open(offer, "new "+sealedFor(a))
	end, secret, _ := strings.Cut(string(text), " ")
	until, err2 := strconv.ParseInt(end, 10, 64)
	if err != nil || err2 != nil || !s.Now().Before(time.Unix(until, 0)) {
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest, "This page is too old. Scan its new code.")
	}
	return factor.Secret(secret), nil
}

// AddFactor adds an app as a second factor, which shows a code. It returns
// recovery codes, if the account has no other factor. All other sessions end
// then; otherwise the session must be fresh (GiveFactor). Errors:
// CodeInvalidRequest; CodeRateLimited.
func (s *Accounts) AddFactor(ctx context.Context, session *vitrine.Session, current string, offer []byte,
	typed string) (codes []string, err error) {
	a, err := s.confirmPassword(ctx, session, current)
	if err != nil {
		return nil, err
	}
	secret, err := s.OfferedFactor(a, offer)
	if err != nil {
		return nil, err
	}
	step, ok := secret.Match(typed, s.Now(), 0)
	if !ok {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "code",
			Message: "This is not the code that the app shows now. If it is, set the clock of the phone."}
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		codes, err = s.extend(tx, session, a, "App added", func(_ *vitrine.Account, state *factor.State) error {
			if state.HasApp() {
				return vitrine.Errorf(vitrine.CodeInvalidRequest, "Your account has an authenticator app already.")
			}
			state.Sealed, state.Last = s.Sessions.Signer.Seal(secret, sealedFor(a)), step
			return nil
		})
		return err
	})
	s.notify()
	return codes, err
}

// extend adds to the second factor of a confirmed account, which gets recovery
// codes with the first that is added.
func (s *Accounts) extend(tx vitrine.Tx, session *vitrine.Session, confirmed *vitrine.Account, detail string,
	add func(*vitrine.Account, *factor.State) error) (codes []string, err error) {
	a, err := reloadConfirmed(tx, confirmed)
	if err != nil {
		return nil, err
	}
	state, first := factor.State{Since: s.Now()}, len(a.Factor) == 0
	if !first {
		state, err = factor.Parse(a.Factor)
	}
	if err = cmp.Or(err, needFresh(a, session, s.Now())); err != nil {
		return nil, err
	}
	if err := add(a, &state); err != nil {
		return nil, err
	}
	if first {
		codes, detail = state.NewCodes(), "Turned on"
		err = errors.Join(tx.DeleteSessions(a.ID, session.ID), s.Sessions.shown(tx, session))
	}
	a.Factor = state.Stored()
	return codes, errors.Join(err, tx.PutAccount(a), s.Sessions.noteFactor(tx, a, detail))
}

// RemoveFactor removes the second factor of the own account with all that it
// consists of: with the current password and a code, even if the session is
// fresh. Errors: CodeInvalidRequest; CodeRateLimited.
func (s *Accounts) RemoveFactor(ctx context.Context, session *vitrine.Session, current, typed string) error {
	return s.changeFactor(ctx, session, current, typed, func(a *vitrine.Account, _ *factor.State) (string, error) {
		a.Factor = nil
		return turnedOff, nil
	})
}

const turnedOff = "Turned off"

// RemoveFromFactor removes a passkey, or the app if id is nil, as RemoveFactor.
// off reports that nothing else is left, so that the second factor is off.
func (s *Accounts) RemoveFromFactor(ctx context.Context, session *vitrine.Session, current, typed string,
	id []byte) (off bool, err error) {
	err = s.changeFactor(ctx, session, current, typed, func(a *vitrine.Account, f *factor.State) (string, error) {
		name, was := f.Remove(id)
		if off = !f.Any(); !was {
			return "", vitrine.Errorf(vitrine.CodeInvalidRequest, "Your account does not have it any more. Reload the page.")
		}
		if a.Factor = f.Stored(); off {
			a.Factor = nil
			return turnedOff, nil
		}
		return "Removed: " + notation.Shorten(name, shownName), nil
	})
	return off, err
}

// NewRecoveryCodes replaces the recovery codes of the own account, as
// RemoveFactor.
func (s *Accounts) NewRecoveryCodes(ctx context.Context, session *vitrine.Session, current,
	typed string) (codes []string, err error) {
	err = s.changeFactor(ctx, session, current, typed, func(a *vitrine.Account, f *factor.State) (string, error) {
		codes = f.NewCodes()
		a.Factor = f.Stored()
		return "New recovery codes", nil
	})
	return codes, err
}

// changeFactor changes the second factor of the own account. change returns
// what the owner is told.
func (s *Accounts) changeFactor(ctx context.Context, session *vitrine.Session, current, typed string,
	change func(*vitrine.Account, *factor.State) (string, error)) error {
	confirmed, err := s.confirmPassword(ctx, session, current)
	if err != nil {
		return err
	}
	var wrong error
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		wrong = nil
		a, err := reloadConfirmed(tx, confirmed)
		if err != nil {
			return err
		}
		if len(a.Factor) == 0 {
			return errNoFactor
		}
		wrong, err = s.Sessions.useCode(tx, a, typed, codeInside(s.Sessions.Signer, a.ID))
		if err != nil || wrong != nil {
			return err
		}
		state, err := factor.Parse(a.Factor)
		if err != nil {
			return err
		}
		detail, err := change(a, &state)
		if err != nil {
			return err
		}
		return errors.Join(tx.PutAccount(a), s.Sessions.noteFactor(tx, a, detail))
	})
	s.notify()
	return cmp.Or(err, wrong)
}

// RemoveFactorOf removes the second factor of an account, for an owner of the
// instance, whose session must be fresh (GiveFactor), and ends its sessions.
// Errors: CodeNotFound; CodeInvalidRequest if it has none, or for anyone else.
func (s *Accounts) RemoveFactorOf(ctx context.Context, session *vitrine.Session, email string) error {
	return s.removeFactorOf(ctx, email, func(tx vitrine.Tx) (vitrine.Actor, error) {
		owner, err := freshAccount(tx, session, s.Now())
		if err != nil {
			return vitrine.Actor{}, err
		}
		by := vitrine.Moderator(owner)
		return by, mayGovern(tx, by)
	})
}

// RemoveFactorFor is RemoveFactorOf for the administrator.
func (s *Accounts) RemoveFactorFor(ctx context.Context, email string) error {
	return s.removeFactorOf(ctx, email, func(vitrine.Tx) (vitrine.Actor, error) { return vitrine.Administrator, nil })
}

func (s *Accounts) removeFactorOf(ctx context.Context, email string,
	allow func(vitrine.Tx) (vitrine.Actor, error)) error {
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		by, err := allow(tx)
		if err != nil {
			return err
		}
		a, err := vitrine.AccountByEmail(tx, email)
		if err != nil {
			return err
		}
		if len(a.Factor) == 0 {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "%s has no second factor.", a.Email)
		}
		a.Factor = nil
		return errors.Join(tx.PutAccount(a), tx.DeleteSessions(a.ID, 0), s.noteFactorOff(tx, a, by))
	})
	s.notify()
	return err
}

// FactorOf returns the second factor of an account, for its pages; nil if none.
func FactorOf(a *vitrine.Account) *factor.State {
	state, err := factor.Parse(a.Factor)
	if err != nil {
		return nil
	}
	return &state
}
