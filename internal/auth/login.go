package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/signer"
)

// loginLetters are those of codes: without vowels, so that no code is a word,
// and without letters that look alike (RFC 8628, section 6.1). Eight of them
// are 34 bits.
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

// ParseLoginCode reads a code as a person types it: in any case, with or
// without spaces and dashes. It reports whether it can be one.
func ParseLoginCode(s string) (string, bool) {
	if len(s) > 100 {
		return "", false
	}
	s = strings.ToUpper(strings.NewReplacer("-", "", " ", "", "\u2010", "", "\u2011", "").Replace(strings.TrimSpace(s)))
	return s, len(s) == loginCodeLength && strings.Trim(s, loginLetters) == ""
}

// ShownLoginCode is a code as people read it, in two halves.
func ShownLoginCode(code string) string {
	if len(code) != loginCodeLength {
		return code
	}
	return code[:loginCodeLength/2] + "-" + code[loginCodeLength/2:]
}

// Logins is the service by which programs get API keys that a person has
// confirmed in a browser.
type Logins struct {
	Store  vitrine.Store
	Keys   *Keys
	Signer *signer.Signer
	Now    func() time.Time
}

var (
	errLoginCode = &vitrine.Error{Code: vitrine.CodeNotFound, Field: "code",
		Message: "This code is not valid: it was mistyped, it was used, or its ten minutes are over. " +
			"Compare it with the one in the terminal, or start again there."}
	errLoginOver = vitrine.Errorf(vitrine.CodeNotFound, "This code has expired, or its key was taken. Start again.")
)

const loginNameRunes = vitrine.KeyNameRunes

// Begin makes a code for a program to show, and the secret with which it takes
// its key. Errors: CodeInvalidRequest; CodeRateLimited.
func (s *Logins) Begin(ctx context.Context, program, machine string,
	g Client) (l *vitrine.Login, secret vitrine.LoginSecret, err error) {
	for field, v := range map[string]string{"program": program, "machine": machine} {
		if v == "" || utf8.RuneCountInString(v) > loginNameRunes || vitrine.HasControl(v) {
			return nil, "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field,
				Message: "Program and machine have 1 to 100 characters each, no control characters."}
		}
	}
	secret = vitrine.LoginSecret(newSecret())
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		if _, err := takeAttempt(tx, now, rateLimit{s.Signer.AttemptKey("login by network", g.network()),
			loginsByNetwork, attemptTime}); err != nil {
			return tooOften(err, "Many codes have been asked for from your network.")
		}
		l = &vitrine.Login{Code: newLoginCode(), Hash: secret.Hash(), Program: program, Machine: machine,
			State:     vitrine.LoginPending,
			CreatedAt: now, ExpiresAt: now.Add(vitrine.LoginLife)}
		err := tx.AddLogin(l)
		for errors.Is(err, vitrine.ErrExists) { // the code of another that was not swept yet
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

// Find reads the pending request of a code for a person to look at. A code that
// is wrong counts as a try of the account and of its network. Errors:
// CodeNotFound for a code that is unknown, used or expired; CodeRateLimited.
func (s *Logins) Find(ctx context.Context, me *vitrine.Account, code string, g Client) (*vitrine.Login, error) {
	return s.with(ctx, me, code, g, func(vitrine.Tx, *vitrine.Login) error { return nil })
}

// Decide allows or refuses the request of a code in the name of an account. The
// same answer given twice by the same account is success. Errors: Find's;
// CodeInvalidRequest when the account has as many keys as it may have.
func (s *Logins) Decide(ctx context.Context, me *vitrine.Account, code string, allow bool,
	g Client) (*vitrine.Login, error) {
	return s.with(ctx, me, code, g, func(tx vitrine.Tx, l *vitrine.Login) error {
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
		now, err := tx.Account(me.ID)
		switch {
		case err != nil:
			return err
		case now.Banned:
			return vitrine.ErrBanned
		case allow:
			if err := s.Keys.room(tx, me.ID); err != nil {
				return err
			}
		}
		l.State, l.Account = state, me.ID
		return tx.PutLogin(l)
	})
}

// with finds the login of a code and has f look at it. The try is counted
// before, and not counted if there is such a code.
func (s *Logins) with(ctx context.Context, me *vitrine.Account, typed string, g Client,
	f func(vitrine.Tx, *vitrine.Login) error) (l *vitrine.Login, err error) {
	code, ok := ParseLoginCode(typed)
	if !ok {
		return nil, errLoginCode
	}
	var missing bool
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		missing = false
		taken, err := takeAttempt(tx, now,
			rateLimit{s.Signer.AttemptKey("login code by account", me.Email), loginCodesByAccount, attemptHour},
			rateLimit{s.Signer.AttemptKey("login code by network", g.network()), loginCodesByNetwork, attemptTime})
		if err != nil {
			return tooOften(err, "Too many codes were wrong.")
		}
		l, err = tx.LoginByCode(code)
		if errors.Is(err, vitrine.ErrNotFound) || err == nil &&
			(!l.Holds(now) || l.State != vitrine.LoginPending && l.Account != me.ID) {
			missing = true // the try stays counted
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(refundAttempts(tx, taken), f(tx, l))
	})
	if err == nil && missing {
		err = errLoginCode
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// TakenLogin is what a program learns that asks for its key.
type TakenLogin struct {
	State vitrine.LoginState
	Key   vitrine.KeyText // with LoginAllowed alone
	Name  string          // of the key
	Email string          // of its account
}

// Take returns the key of a request that was allowed, once: of programs that
// ask at the same time one gets it. As long as nobody has decided it returns
// LoginPending. Errors: CodeNotFound for a secret that is unknown, expired or
// used; CodeBanned; CodeInvalidRequest when the account has as many keys as it
// may have.
func (s *Logins) Take(ctx context.Context, secret string) (taken TakenLogin, err error) {
	look := func(tx vitrine.Tx) (l *vitrine.Login, err error) {
		l, err = tx.LoginByHash(vitrine.LoginSecret(secret).Hash())
		if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.Holds(s.Now()) {
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
		key, err := s.Keys.further(tx, a, KeyRequest{Name: l.Machine})
		if err != nil {
			return err
		}
		taken = TakenLogin{State: l.State, Key: key, Name: l.Machine, Email: a.Email}
		return tx.DeleteLogin(l.ID)
	})
	if err != nil {
		return TakenLogin{}, err
	}
	return taken, nil
}
