package auth

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/base/notation"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype"
)

// Passkeys: as a second factor, and alone (decision 0056). A challenge is a
// time that the instance has sealed, so that nothing is stored for those that
// nobody answers. An answer uses its challenge up, also a wrong one.

// challengeLife is how long a browser may take to answer.
const challengeLife = 15 * time.Minute

var (
	errNoPasskey = vitrine.Errorf(vitrine.CodeUnauthorized,
		"This passkey does not sign in here. It may have been removed from its account. Sign in another way.")
	errWrongPasskey = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "code",
		Message: "This passkey does not belong to your account here, or is not valid. Use another one, or a recovery code."}
	errOldChallenge = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "code",
		Message: "The page was open for too long, or was used already. Use the passkey again."}
	errCopied = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "code",
		Message: "There may be a copy of this passkey, so it is refused. Sign in another way, and remove it."}
	errNoPasskeys = vitrine.Errorf(vitrine.CodeInvalidRequest, "Passkeys do not work at the address of this instance.")
)

// isAnswer reports whether a typed text is the answer of a browser instead: no
// code has braces.
func isAnswer(typed string) bool { return strings.HasPrefix(typed, "{") }

const signInOwner = "challenge to sign in"

func askedOf(a *vitrine.Account) string { return "challenge to " + sealedFor(a) }
func offeredTo(a *vitrine.Account) string {
	return "challenge to extend " + sealedFor(a)
}

func (s *Sessions) newChallenge(owner string) []byte {
	return s.Signer.Seal([]byte(strconv.FormatInt(s.Now().Add(challengeLife).Unix(), 10)), owner)
}

// useChallenge uses a challenge up. wrong is an error if it is not the owner's,
// is too old, or was answered before.
func (s *Sessions) useChallenge(tx vitrine.Tx, challenge []byte, owner string) (wrong, err error) {
	text, err := s.Signer.Open(challenge, owner)
	end, err2 := strconv.ParseInt(string(text), 10, 64)
	if until := time.Unix(end, 0); err != nil || err2 != nil || !s.Now().Before(until) ||
		until.Sub(s.Now()) > challengeLife+vitrine.ClockJump {
		return errOldChallenge, nil
	}
	_, err = throttle.Take(tx, s.Now(), "", throttle.Limit{Key: s.Signer.AttemptKey("challenge", string(challenge)),
		Max: 1, Within: attemptHour})
	if vitrine.CodeOf(err) == vitrine.CodeRateLimited {
		return errOldChallenge, nil
	}
	return nil, err
}

// AskPasskey returns what a browser needs to show a passkey of an account: for
// SignInWithCode, GiveFactor and the changes of the factor. It is "" if the
// account has none that works at the address of the instance.
func (s *Sessions) AskPasskey(a *vitrine.Account) string {
	if s.Passkeys == nil || len(a.Factor) == 0 {
		return ""
	}
	state, err := factor.Parse(a.Factor)
	have := state.At(s.Passkeys.Domain)
	if err != nil || len(have) == 0 {
		return ""
	}
	return s.Passkeys.Ask(have, s.newChallenge(askedOf(a)))
}

// AskSignIn returns what a browser needs to sign in with a passkey alone; "" if
// passkeys do not work at the address of the instance.
func (s *Sessions) AskSignIn() string {
	if s.Passkeys == nil {
		return ""
	}
	return s.Passkeys.Ask(nil, s.newChallenge(signInOwner))
}

// SignInWithPasskey signs in with the answer to AskSignIn: it shows both who
// one is and a second factor. Errors: CodeUnauthorized; CodeInvalidRequest;
// CodeRateLimited; CodeBanned if the passkey is right.
func (s *Sessions) SignInWithPasskey(ctx context.Context, answer string, g Client) (in SignedIn, err error) {
	if s.Passkeys == nil {
		return in, errNoPasskeys
	}
	got, err := factor.ParseAnswer(answer)
	if err != nil {
		return in, errNoPasskey
	}
	var wrong error
	err = s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		in, wrong = SignedIn{}, nil
		taken, err := throttle.Take(tx, s.Now(), "Too many attempts to sign in.",
			throttle.ByNetwork(s.Signer.AttemptKey, g.Addr, attemptsByNetwork, attemptTime, "passkey by network")...)
		if err != nil {
			return err
		}
		if wrong, err = s.useChallenge(tx, got.Challenge, signInOwner); err != nil || wrong != nil {
			return err
		}
		a, err := tx.Account(got.Account)
		if errors.Is(err, vitrine.ErrNotFound) || err == nil && len(a.Factor) == 0 {
			wrong = errNoPasskey
			return nil
		}
		if err != nil {
			return err
		}
		state, err := factor.Parse(a.Factor)
		if err != nil {
			return err
		}
		if wrong, err = s.usePasskey(tx, a, &state, got, true); err != nil || wrong != nil {
			return err
		}
		if a.Banned {
			wrong = vitrine.Errorf(vitrine.CodeBanned,
				"This account is suspended. Ask the administrator of this instance why.")
			return nil
		}
		in, err = s.admit(tx, a, g, &vitrine.Session{ByToken: true, FactorAt: s.Now()})
		return errors.Join(err, s.noteDevice(tx, in, g.Label), throttle.Refund(tx, taken))
	})
	s.Owners.notify()
	var e *vitrine.Error
	if errors.As(wrong, &e) && e.Field != "" { // this page has no field for a code
		wrong = &vitrine.Error{Code: e.Code, Message: e.Message}
	}
	return in, cmp.Or(err, wrong)
}

// answerOfAccount checks the answer to AskPasskey, and uses its challenge up.
func (s *Sessions) answerOfAccount(tx vitrine.Tx, a *vitrine.Account, state *factor.State,
	answer string) (wrong, err error) {
	got, err := factor.ParseAnswer(answer)
	if err != nil || s.Passkeys == nil {
		return errWrongPasskey, nil
	}
	if wrong, err = s.useChallenge(tx, got.Challenge, askedOf(a)); err != nil || wrong != nil {
		return wrong, err
	}
	wrong, err = s.usePasskey(tx, a, state, got, false)
	if errors.Is(wrong, errNoPasskey) {
		wrong = errWrongPasskey
	}
	return wrong, err
}

// usePasskey checks an answer with the passkeys of an account and records the
// use. A passkey whose count went back is refused from then on, and its owner
// is told.
func (s *Sessions) usePasskey(tx vitrine.Tx, a *vitrine.Account, state *factor.State, got factor.Answer,
	alone bool) (wrong, err error) {
	p, err := s.Passkeys.Check(a.ID, state.At(s.Passkeys.Domain), got, alone)
	if err != nil {
		return errNoPasskey, nil
	}
	stored := state.Passkey(p.ID)
	switch {
	case stored.Copied:
		return errCopied, nil
	case p.Copied:
		stored.Copied = true
		a.Factor = state.Stored()
		return errCopied, errors.Join(tx.PutAccount(a),
			s.noteFactor(tx, a, "There may be a copy of the passkey "+notation.Shorten(p.Name, shownName)+
				". It is refused from now on"))
	}
	p.Used = s.Now()
	*stored = p
	a.Factor = state.Stored()
	return nil, tx.PutAccount(a)
}

// OfferPasskey returns what a browser needs to make a passkey for an account;
// "" if passkeys do not work at the address of the instance, or the account has
// as many as it may have.
func (s *Accounts) OfferPasskey(a *vitrine.Account) string {
	state := factor.State{}
	if f := FactorOf(a); f != nil {
		state = *f
	}
	site := s.Sessions.Passkeys
	if site == nil || len(state.Passkeys) >= factor.MaxPasskeys {
		return ""
	}
	return site.Offer(a, state.At(site.Domain), s.Sessions.newChallenge(offeredTo(a)))
}

// AddPasskey adds the passkey that a browser made for OfferPasskey to the
// second factor, as AddFactor. Errors: CodeInvalidRequest; CodeRateLimited.
func (s *Accounts) AddPasskey(ctx context.Context, session *vitrine.Session, current, name,
	answer string) (codes []string, err error) {
	site := s.Sessions.Passkeys
	if site == nil {
		return nil, errNoPasskeys
	}
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > vitrine.KeyNameRunes || filetype.HasControl(name) {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "name",
			Message: "A name must have 1 to 100 characters and no control characters."}
	}
	a, err := s.confirmPassword(ctx, session, current)
	if err != nil {
		return nil, err
	}
	challenge := factor.ChallengeOf(answer)
	var wrong error
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		codes = nil
		if wrong, err = s.Sessions.useChallenge(tx, challenge, offeredTo(a)); err != nil || wrong != nil {
			return err
		}
		made, err := site.Made(a, answer, challenge)
		if err != nil {
			wrong = vitrine.Errorf(vitrine.CodeInvalidRequest, "This is not a passkey that works here. Try another device.")
			return nil
		}
		made.Name, made.Since = name, s.Now()
		codes, err = s.extend(tx, session, a, "Passkey added: "+notation.Shorten(name, shownName),
			func(_ *vitrine.Account, state *factor.State) error {
				switch {
				case state.Passkey(made.ID) != nil:
					return vitrine.Errorf(vitrine.CodeInvalidRequest, "Your account has this passkey already.")
				case len(state.Passkeys) >= factor.MaxPasskeys:
					return vitrine.Errorf(vitrine.CodeInvalidRequest,
						"Your account has %d passkeys. Remove one first.", factor.MaxPasskeys)
				}
				state.Passkeys = append(state.Passkeys, made)
				return nil
			})
		return err
	})
	s.notify()
	return codes, cmp.Or(err, wrong)
}
