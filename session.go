package vitrine

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// Session is one signed-in browser. What the browser shows is a secret of which only the hash is kept.
type Session struct {
	ID      SessionID
	Account AccountID
	Hash    [sha256.Size]byte // SHA-256 of the secret
	Label   string            // browser and system, for people: "Firefox on Linux"
	// ByToken says that it began with a one-time link and not with a password.
	ByToken   bool
	CreatedAt time.Time
	UsedAt    time.Time // kept to sessionGrain
	ExpiresAt time.Time // moves on as the session is used
}

const (
	// SessionLife is how long a browser stays signed in that is not used.
	SessionLife = 7 * 24 * time.Hour
	// SessionMost is how long a browser stays signed in at most.
	SessionMost = 30 * 24 * time.Hour
	// sessionGrain is how exactly it is kept when a session was last used: finer would be a write for every request.
	sessionGrain = 5 * time.Minute
	// freshTime is how long after a one-time link a session may do what else takes the password.
	freshTime = 15 * time.Minute
)

// until is when a session ends that is used at a time.
func (s *Session) until(now time.Time) time.Time {
	end, most := now.Add(SessionLife), s.CreatedAt.Add(SessionMost)
	if end.After(most) {
		return most
	}
	return end
}

// holds reports whether a session is one at a time. One from ahead of the clock was made while the clock was wrong (promise 22).
func (s *Session) holds(now time.Time) bool {
	return now.Before(s.ExpiresAt) && s.ExpiresAt.Sub(now) <= SessionMost && !s.CreatedAt.After(now.Add(clockJump))
}

// SessionText is the secret of a session in clear. It prints as nothing of use.
type SessionText string

func (SessionText) String() string { return "…" }

func (t SessionText) hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// SignedIn is what a browser is given that signs in.
type SignedIn struct {
	Account *Account
	Session SessionText
	Device  string // by which the browser is known from now on (Client.Devices)
}

// Sessions is the service of signing in to the website.
type Sessions struct {
	Store  Store
	Signer *Signer
	Now    func() time.Time
}

var (
	errSignedOut = Errorf(CodeUnauthorized, "You are not signed in, or not any more.")
	errNoSignIn  = Errorf(CodeUnauthorized, "The e-mail address or the password is not right.")
)

// Offer makes a token that signs in as an account, once, within SignInLife. Errors: CodeNotFound, CodeBanned.
func (s *Sessions) Offer(ctx context.Context, email string) (TokenText, error) {
	return offer(ctx, s.Store, email, TokenSignIn, s.Now)
}

// SignInWithToken takes an offer up: the token is used, and a session begins. Errors: CodeUnauthorized for one that is unknown, used or expired.
func (s *Sessions) SignInWithToken(ctx context.Context, offer string, g Client) (in SignedIn, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		t, a, err := accountToken(tx, offer, s.Now(), TokenSignIn)
		if err != nil {
			return err
		}
		in, err = s.begin(tx, a, g, true)
		return errors.Join(err, tx.DeleteOneTimeToken(t.ID))
	})
	return in, err
}

// accountToken reads a token that holds and its account; of one that is suspended none does.
func accountToken(tx Tx, text string, now time.Time, p TokenPurpose) (*OneTimeToken, *Account, error) {
	t, err := findOneTimeToken(tx, text, now, p)
	if err != nil {
		return nil, nil, err
	}
	a, err := tx.Account(t.Account)
	if err == nil && a.Banned {
		err = errToken
	}
	return t, a, err
}

// SignInWithPassword signs in with a password. Whether there is an account of the address is not told, by words or by time.
//
// Errors: CodeUnauthorized; CodeRateLimited after too many tries (decision 0015); CodeBanned, to who knows the password.
func (s *Sessions) SignInWithPassword(ctx context.Context, email, password string, g Client) (in SignedIn, err error) {
	email = emailKey(email)
	a := new(Account)
	var taken []AttemptID
	var bounds []rateLimit
	err = s.Store.Update(ctx, func(tx Tx) error {
		now := s.Now()
		*a = Account{}
		found, err := tx.AccountByEmail(email)
		if err == nil {
			*a = *found
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		bounds = passwordLimits(s.Signer, email, g, s.Signer.knownDevice(a.ID, g.Devices, now))
		taken, err = takeAttempt(tx, now, bounds...)
		return err
	})
	if err != nil {
		return in, err
	}
	ok, stale, err := checkPassword(ctx, a.Password, password)
	if err != nil {
		return in, errors.Join(err, s.forgive(ctx, taken))
	}
	if !ok {
		return in, errNoSignIn
	}
	hash := a.Password
	if stale {
		if hash, err = rehash(ctx, password, a); err != nil {
			return in, err
		}
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		in, err = s.enter(tx, a, hash, g)
		if err != nil {
			return err
		}
		return errors.Join(refundAttempts(tx, taken), tx.DeleteAttempts(bounds[0].key))
	})
	return in, err
}

// rehash makes the hash of a password that was right at today's cost. A password from before a rule is as good as it was.
func rehash(ctx context.Context, password string, a *Account) (string, error) {
	normal, err := ParsePassword(password, a.Email)
	if err != nil {
		return a.Password, nil
	}
	return hashPassword(ctx, normal)
}

// enter begins a session of an account whose password was right when the account was read.
func (s *Sessions) enter(tx Tx, read *Account, hash string, g Client) (SignedIn, error) {
	a, err := tx.Account(read.ID)
	switch {
	case err != nil:
		return SignedIn{}, err
	case a.Password != read.Password:
		return SignedIn{}, errNoSignIn
	case a.Banned:
		return SignedIn{}, Errorf(CodeBanned, "This account is suspended. Ask the administrator of this site why.")
	}
	if a.Password != hash {
		a.Password = hash
		if err := tx.PutAccount(a); err != nil {
			return SignedIn{}, err
		}
	}
	return s.begin(tx, a, g, false)
}

// forgive takes tries back that were not carried out, through no fault of whoever tried.
func (s *Sessions) forgive(ctx context.Context, taken []AttemptID) error {
	return s.Store.Update(context.WithoutCancel(ctx), func(tx Tx) error { return refundAttempts(tx, taken) })
}

// begin signs a browser in.
func (s *Sessions) begin(tx Tx, a *Account, g Client, byToken bool) (SignedIn, error) {
	now := s.Now()
	text := SessionText(newSecret())
	session := &Session{Account: a.ID, Hash: text.hash(), Label: oneLine(g.Label), ByToken: byToken, CreatedAt: now, UsedAt: now}
	session.ExpiresAt = session.until(now)
	return SignedIn{Account: a, Session: text, Device: s.Signer.Device(a.ID, now)}, tx.AddSession(session)
}

// Authenticate finds the account of a session, as it is now: a suspended account has none. Errors: CodeUnauthorized.
func (s *Sessions) Authenticate(ctx context.Context, text string) (*Account, error) {
	_, a, err := s.Current(ctx, text)
	return a, err
}

// Peek is Authenticate for what an open page asks by itself: it is no use of the session, which so ends in its time.
func (s *Sessions) Peek(ctx context.Context, text string) (a *Account, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		_, a, err = s.find(tx, text)
		return err
	})
	return a, err
}

// Current finds a session and its account, as they are now, and keeps that it was used. Errors: CodeUnauthorized.
func (s *Sessions) Current(ctx context.Context, text string) (session *Session, a *Account, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		session, a, err = s.find(tx, text)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if s.Now().Sub(session.UsedAt) >= sessionGrain {
		s.touch(ctx, text)
	}
	return session, a, nil
}

// touch keeps that a session was used; that it fails is no reason to refuse the request.
func (s *Sessions) touch(ctx context.Context, text string) {
	_ = s.Store.Update(ctx, func(tx Tx) error {
		session, _, err := s.find(tx, text)
		if err != nil {
			return err
		}
		session.UsedAt = s.Now()
		session.ExpiresAt = session.until(session.UsedAt)
		return tx.PutSession(session)
	})
}

// List tells an account's sessions that hold, the last used first.
func (s *Sessions) List(ctx context.Context, a AccountID) (sessions []*Session, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		all, err := tx.Sessions(a)
		sessions = nil
		for _, session := range all {
			if session.holds(s.Now()) {
				sessions = append(sessions, session)
			}
		}
		return err
	})
	return sessions, err
}

// SignOut signs out. Ending what has ended is success.
func (s *Sessions) SignOut(ctx context.Context, text string) error {
	err := s.Store.Update(ctx, func(tx Tx) error {
		session, err := tx.SessionByHash(SessionText(text).hash())
		if err != nil {
			return notFoundIsNil(err)
		}
		return tx.DeleteSession(session.ID)
	})
	return err
}

// Revoke ends one session of an account, from its next request on. Revoking what has ended, or is another's, changes nothing.
func (s *Sessions) Revoke(ctx context.Context, a AccountID, id SessionID) error {
	err := s.Store.Update(ctx, func(tx Tx) error {
		all, err := tx.Sessions(a)
		for _, session := range all {
			if session.ID == id {
				return tx.DeleteSession(id)
			}
		}
		return err
	})
	return err
}

// SignOutOthers ends all sessions of an account but one, and the tokens that would begin another.
func (s *Sessions) SignOutOthers(ctx context.Context, a *Account, keep SessionID) error {
	return s.Store.Update(ctx, func(tx Tx) error {
		return errors.Join(tx.DeleteSessions(a.ID, keep), tx.DeleteOneTimeTokens(a.ID, a.Email))
	})
}

// Expire removes what has expired: sessions, tokens, logins, and attempts that count no more.
func (s *Sessions) Expire(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx Tx) error {
		now := s.Now()
		_, err1 := tx.ExpireSessions(now)
		_, err2 := tx.ExpireOneTimeTokens(now)
		_, err3 := tx.ExpireAttempts(now.Add(-attemptHour))
		_, err4 := tx.ExpireLogins(now)
		return errors.Join(err1, err2, err3, err4)
	})
}

// find reads a session that holds and its account.
func (s *Sessions) find(tx Tx, text string) (*Session, *Account, error) {
	session, err := tx.SessionByHash(SessionText(text).hash())
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
	if a.Banned || !session.holds(s.Now()) {
		return nil, nil, errSignedOut
	}
	return session, a, nil
}
