package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype"
)

// loginLetters are the letters of codes: without vowels, so that codes are not
// words, and without letters that look alike (RFC 8628, section 6.1). Eight of
// them are 34 bits.
const (
	loginLetters    = "BCDFGHJKLMNPQRSTVWXZ"
	loginCodeLength = 8
)

func newLoginCode() string {
	b := make([]byte, loginCodeLength)
	for i := range b {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(loginLetters))))
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		b[i] = loginLetters[n.Int64()]
	}
	return string(b)
}

var codeSeparators = strings.NewReplacer("-", "", " ", "", "\u2010", "", "\u2011", "")

// ParseLoginCode parses a code as people type it: in any case, with or without
// spaces and dashes. It reports whether the code is well-formed.
func ParseLoginCode(s string) (string, bool) {
	if len(s) > 100 {
		return "", false
	}
	s = strings.ToUpper(codeSeparators.Replace(strings.TrimSpace(s)))
	return s, len(s) == loginCodeLength && strings.Trim(s, loginLetters) == ""
}

// ShownLoginCode returns a code in two halves, for display.
func ShownLoginCode(code string) string {
	if len(code) != loginCodeLength {
		return code
	}
	return code[:loginCodeLength/2] + "-" + code[loginCodeLength/2:]
}

// Logins lets programs get API keys that a person confirms in a browser, as in
// the device grant of OAuth (RFC 8628): a program that listens on localhost
// would fail over SSH and in containers. The code gives no access to the key,
// which the program takes with its secret. The key is created when it is taken,
// so it is never stored. If that answer is lost, the login must be repeated.
type Logins struct {
	Store  vitrine.Store
	Keys   *Keys
	Signer *signer.Signer
	Now    func() time.Time
}

var (
	errLoginCode = &vitrine.Error{Code: vitrine.CodeNotFound, Field: "code",
		Message: "This code is not valid: it was mistyped, was used, or has expired after ten minutes. " +
			"Compare it with the one in the terminal, or start again there."}
	errLoginOver = vitrine.Errorf(vitrine.CodeNotFound, "This code has expired, or its key was taken. Start again.")
)

const loginNameRunes = vitrine.KeyNameRunes

// AnyKey is the grant of a program that asks for nothing in particular: the
// person may choose every scope, and every end.
var AnyKey = vitrine.KeyGrant{Scope: vitrine.ScopeFull}

// checkGrant returns an error unless a grant has a scope, expires after a time,
// and exceeds neither the scope of another one nor, if it was chosen, its end.
func checkGrant(g, most vitrine.KeyGrant, after time.Time) error {
	wrong := func(field, message string) error {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: message}
	}
	switch {
	case !slices.Contains(vitrine.Scopes, g.Scope):
		return errScope
	case !most.Scope.Allows(g.Scope):
		return wrong("scope", fmt.Sprintf("The program asks only for the scope %s: the key cannot have a larger one.",
			most.Scope))
	case !g.ExpiresAt.IsZero() && !g.ExpiresAt.After(after):
		return wrong("expiresAt", "The key would expire before it can be taken. Choose a later time.")
	case most.EndChosen && !most.ExpiresAt.IsZero() && (g.ExpiresAt.IsZero() || g.ExpiresAt.After(most.ExpiresAt)):
		return wrong("expiresAt", fmt.Sprintf("The program asks for a key that expires at %s: it cannot expire later.",
			most.ExpiresAt.UTC().Format(time.RFC3339)))
	}
	return nil
}

// Begin creates a code for a program to show, and the secret with which it
// takes its key, which exceeds asked in nothing. Errors: CodeInvalidRequest;
// CodeRateLimited.
func (s *Logins) Begin(ctx context.Context, program, machine string, asked vitrine.KeyGrant,
	g Client) (l *vitrine.Login, secret vitrine.LoginSecret, err error) {
	for field, v := range map[string]string{"program": program, "machine": machine} {
		if v == "" || utf8.RuneCountInString(v) > loginNameRunes || filetype.HasControl(v) {
			return nil, "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field,
				Message: "Program and machine must each have 1 to 100 characters and no control characters."}
		}
	}
	if err := checkGrant(asked, AnyKey, s.Now().Add(vitrine.LoginLife)); err != nil {
		return nil, "", err
	}
	secret = vitrine.LoginSecret(newSecret())
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		if _, err := throttle.Take(tx, now, "Too many codes were requested from your network.",
			throttle.ByNetwork(s.Signer.AttemptKey, g.Addr, loginsByNetwork, attemptTime,
				"login by network")...); err != nil {
			return err
		}
		l = &vitrine.Login{Code: newLoginCode(), Hash: secret.Hash(), Program: program, Machine: machine,
			State: vitrine.LoginPending, Key: asked,
			CreatedAt: now, ExpiresAt: now.Add(vitrine.LoginLife)}
		err := tx.AddLogin(l)
		for errors.Is(err, vitrine.ErrExists) { // an expired code that was not swept yet
			l.Code = newLoginCode()
			err = tx.AddLogin(l)
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return l, secret, nil
}

// Find returns the pending request with a code. A wrong code counts as an
// attempt of the account and its network. Errors: CodeNotFound for a code that
// is unknown, used or expired; CodeRateLimited.
func (s *Logins) Find(ctx context.Context, me *vitrine.Account, code string, g Client) (*vitrine.Login, error) {
	return s.update(ctx, me, code, g, func(vitrine.Tx, *vitrine.Login) error { return nil })
}

// Decide allows the request with a code for an account, with a grant and a
// session of the account, which must be fresh (GiveFactor), or refuses it
// without them. Repeating a decision is not an error, and the first grant
// stays. Errors: those of Find; CodeInvalidRequest for a grant that is wrong or
// exceeds what the program asks for; CodeInvalidRequest or CodeRateLimited if
// the account may not have another key now.
func (s *Logins) Decide(ctx context.Context, session *vitrine.Session, me *vitrine.Account, code string,
	grant *vitrine.KeyGrant, g Client) (*vitrine.Login, error) {
	allow := grant != nil
	return s.update(ctx, me, code, g, func(tx vitrine.Tx, l *vitrine.Login) error {
		state := vitrine.LoginRefused
		if allow {
			state = vitrine.LoginAllowed
		}
		switch {
		case l.State == state && l.Account == me.ID:
			return nil
		case l.State != vitrine.LoginPending:
			return errLoginCode
		}
		current, err := tx.Account(me.ID)
		switch {
		case err != nil:
			return err
		case current.Banned:
			return vitrine.ErrBanned
		case allow:
			if err := needFresh(current, session, s.Now()); err != nil {
				return err
			}
			if err := checkGrant(*grant, l.Key, l.ExpiresAt); err != nil {
				return err
			}
			if err := s.Keys.checkLimit(tx, me.ID); err != nil {
				return err
			}
		}
		l.State, l.Account = state, me.ID
		if allow {
			l.Key = *grant
		}
		return tx.PutLogin(l)
	})
}

// update calls f with the login of a code. It counts the attempt before, and
// refunds it if the code exists.
func (s *Logins) update(ctx context.Context, me *vitrine.Account, typed string, g Client,
	f func(vitrine.Tx, *vitrine.Login) error) (l *vitrine.Login, err error) {
	code, ok := ParseLoginCode(typed)
	if !ok {
		return nil, errLoginCode
	}
	var missing bool
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		missing = false
		taken, err := throttle.Take(tx, now, "Too many wrong codes.",
			append(throttle.ByNetwork(s.Signer.AttemptKey, g.Addr, loginCodesByNetwork, attemptTime,
				"login code by network"),
				throttle.Limit{Key: s.Signer.AttemptKey("login code by account", me.Email),
					Max: loginCodesByAccount, Within: attemptHour})...)
		if err != nil {
			return err
		}
		l, err = tx.LoginByCode(code)
		if errors.Is(err, vitrine.ErrNotFound) || err == nil &&
			(!l.Valid(now) || l.State != vitrine.LoginPending && l.Account != me.ID) {
			missing = true // the attempt stays counted
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(throttle.Refund(tx, taken), f(tx, l))
	})
	if err == nil && missing {
		err = errLoginCode
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// TakenLogin is the answer to a program that asks for its key.
type TakenLogin struct {
	State   vitrine.LoginState
	Key     KeyText // only with LoginAllowed
	Name    string  // of the key
	Account vitrine.AccountID
	Email   string // of its account
}

// Take returns the key of an allowed request once: of several concurrent
// callers, one gets it. It returns LoginPending until someone decides. Errors:
// CodeNotFound for a secret that is unknown, expired or used; CodeBanned;
// CodeInvalidRequest if the account has MaxKeys.
func (s *Logins) Take(ctx context.Context, secret string) (taken TakenLogin, err error) {
	look := func(tx vitrine.Tx) (l *vitrine.Login, err error) {
		l, err = tx.LoginByHash(vitrine.LoginSecret(secret).Hash())
		if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.Valid(s.Now()) {
			return nil, errLoginOver
		}
		return l, err
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		l, err := look(tx)
		if err == nil {
			taken = TakenLogin{State: l.State}
		}
		return err
	})
	if err != nil || taken.State != vitrine.LoginAllowed {
		return taken, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l, err := look(tx)
		if err != nil {
			return err
		}
		a, err := tx.Account(l.Account)
		if err != nil {
			return err
		}
		if a.Banned {
			return vitrine.ErrBanned
		}
		r := KeyRequest{Name: l.Machine, Scope: l.Key.Scope, ExpiresAt: l.Key.ExpiresAt}
		key, err := s.Keys.addLimited(tx, a, vitrine.ActionKey, r)
		if err != nil {
			return err
		}
		taken = TakenLogin{State: l.State, Key: key.Text, Name: l.Machine, Account: a.ID, Email: a.Email}
		return tx.DeleteLogin(l.ID)
	})
	if err != nil {
		return TakenLogin{}, err
	}
	s.Keys.Owners.notify()
	return taken, nil
}
