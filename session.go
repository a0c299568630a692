package vitrine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// Session is one signed-in browser, or a link that will sign one in. What the browser shows is a secret of which only the hash is kept.
type Session struct {
	ID      SessionID
	Account AccountID
	Hash    [sha256.Size]byte // SHA-256 of the secret
	// Offered says that it is a link still, which signs in once.
	Offered   bool
	CreatedAt time.Time
	ExpiresAt time.Time
}

const (
	// SignInLife is how long a link that signs in is good.
	SignInLife = 15 * time.Minute
	// SessionLife is how long a browser stays signed in.
	SessionLife = 7 * 24 * time.Hour
)

// SessionText is the secret of a session in clear. It prints as nothing of use.
type SessionText string

func (SessionText) String() string { return "…" }

func newSessionText() SessionText {
	var b [32]byte
	rand.Read(b[:])
	return SessionText(base64.RawURLEncoding.EncodeToString(b[:]))
}

func (t SessionText) hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// Sessions is the service of signing in to the website.
type Sessions struct {
	Store Store
	Now   func() time.Time
}

var errSignedOut = Errorf(CodeUnauthorized, "You are not signed in, or not any more.")

// Offer makes a secret that signs in as an account, once, within SignInLife. Errors: CodeNotFound, CodeBanned.
func (s *Sessions) Offer(ctx context.Context, email string) (text SessionText, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		a, err := accountByEmail(tx, email)
		if err != nil {
			return err
		}
		if a.Banned {
			return Errorf(CodeBanned, "The account %s is suspended.", a.Email)
		}
		now := s.Now()
		text = newSessionText()
		return tx.AddSession(&Session{Account: a.ID, Hash: text.hash(), Offered: true, CreatedAt: now, ExpiresAt: now.Add(SignInLife)})
	})
	return text, err
}

// SignIn takes an offer up: the offer is used, and a session begins. Errors: CodeUnauthorized for one that is unknown, used or expired.
func (s *Sessions) SignIn(ctx context.Context, offer string) (text SessionText, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		session, _, err := s.find(tx, SessionText(offer), true)
		if err != nil {
			return err
		}
		now := s.Now()
		text = newSessionText()
		session.Hash, session.Offered, session.CreatedAt, session.ExpiresAt = text.hash(), false, now, now.Add(SessionLife)
		return tx.PutSession(session)
	})
	if err != nil {
		return "", told(err)
	}
	return text, nil
}

// Authenticate finds the account of a session, as it is now: a suspended account has none. Errors: CodeUnauthorized.
func (s *Sessions) Authenticate(ctx context.Context, text string) (a *Account, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		_, a, err = s.find(tx, SessionText(text), false)
		return err
	})
	return a, told(err)
}

// End signs out. Ending what has ended is success.
func (s *Sessions) End(ctx context.Context, text string) error {
	err := s.Store.Update(ctx, func(tx Tx) error {
		session, err := tx.SessionByHash(SessionText(text).hash())
		if err != nil {
			return notFoundIsNil(err)
		}
		return tx.DeleteSession(session.ID)
	})
	return told(err)
}

// Forget removes what has expired.
func (s *Sessions) Forget(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx Tx) error {
		_, err := tx.ForgetSessions(s.Now())
		return err
	})
}

// find reads a session that holds, offered or not, and its account.
func (s *Sessions) find(tx Tx, text SessionText, offered bool) (*Session, *Account, error) {
	session, err := tx.SessionByHash(text.hash())
	if errors.Is(err, ErrNotFound) {
		return nil, nil, errSignedOut
	}
	if err != nil {
		return nil, nil, err
	}
	a, err := tx.Account(session.Account)
	if err != nil {
		return nil, nil, err
	}
	if session.Offered != offered || a.Banned || !s.Now().Before(session.ExpiresAt) {
		return nil, nil, errSignedOut
	}
	return session, a, nil
}
