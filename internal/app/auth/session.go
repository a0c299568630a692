package auth

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype"
)

// SignedIn is what a browser receives after a sign-in.
type SignedIn struct {
	Account *vitrine.Account
	Session vitrine.SessionText
	Device  string // identifies the browser from now on (Client.Devices); "" if Half
	Half    bool   // the session opens nothing until a code completes the sign-in (SignInWithCode)

	newDevice bool // the browser has not signed in to the account before
}

// Sessions implements signing in and out.
type Sessions struct {
	Store  vitrine.Store
	Signer *signer.Signer
	Now    func() time.Time
	Owners *Accounts // sends messages about new devices; nil: none
	Factor FactorRule
	// Passkeys is the instance as passkeys know it; nil if they do not work at
	// its address.
	Passkeys *factor.Site
}

var (
	errSignedOut = vitrine.Errorf(vitrine.CodeUnauthorized, "You are not signed in.")
	errNoSignIn  = vitrine.Errorf(vitrine.CodeUnauthorized, "Wrong e-mail address or password.")
)

// Offer creates a token for signing in to an account once, within SignInLife.
// Errors: CodeNotFound, CodeBanned.
func (s *Sessions) Offer(ctx context.Context, email string) (vitrine.TokenText, error) {
	return addSignInToken(ctx, s.Store, email, vitrine.TokenSignIn, s.Now)
}

// SignInWithToken uses a token and begins a session. Errors: CodeUnauthorized
// for a token that is unknown, used or expired.
func (s *Sessions) SignInWithToken(ctx context.Context, offer string, g Client) (in SignedIn, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		t, a, err := accountToken(tx, offer, s.Now(), vitrine.TokenSignIn)
		if err != nil {
			return err
		}
		if in, err = s.begin(tx, a, g, true); err != nil {
			return err
		}
		return errors.Join(s.noteDevice(tx, in, g.Label), tx.DeleteOneTimeToken(t.ID))
	})
	if err == nil {
		s.Owners.notify()
	}
	return in, err
}

// accountToken finds a valid token and its account. Tokens of suspended
// accounts are invalid.
func accountToken(tx vitrine.Tx, text string, now time.Time,
	p vitrine.TokenPurpose) (*vitrine.OneTimeToken, *vitrine.Account, error) {
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

// SignInWithPassword signs in with a password. Neither its errors nor its
// duration reveal whether the address has an account.
//
// Errors: CodeUnauthorized; CodeRateLimited after too many attempts (decision
// 0015); CodeBanned if the password is right.
func (s *Sessions) SignInWithPassword(ctx context.Context, email, pw string, g Client) (in SignedIn, err error) {
	email = emailKey(email)
	a := new(vitrine.Account)
	var taken []vitrine.AttemptID
	var own []throttle.Limit
	line := password.Stranger(throttle.Subscriber(g.Addr))
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		*a = vitrine.Account{}
		found, err := tx.AccountByEmail(email)
		if err == nil {
			*a = *found
		} else if !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		var limits []throttle.Limit
		device := s.Signer.KnownDevice(a.ID, g.Devices, now)
		if own, limits = passwordLimits(s.Signer, email, g, device); device != "" {
			line = password.Known(email)
		}
		taken, err = throttle.Take(tx, now, "Too many attempts to sign in.", limits...)
		return err
	})
	if err != nil {
		return in, err
	}
	ok, stale, err := password.Check(ctx, line, a.Password, pw)
	if err != nil {
		return in, errors.Join(err, s.refundFaultless(ctx, taken))
	}
	if !ok {
		return in, errNoSignIn
	}
	hash := a.Password
	if stale {
		if hash, err = rehash(ctx, pw, a); err != nil {
			return in, err
		}
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		in, err = s.enter(tx, a, hash, g)
		if err != nil {
			return err
		}
		return errors.Join(s.noteDevice(tx, in, g.Label), throttle.Refund(tx, taken), throttle.Reset(tx, own))
	})
	if err == nil {
		s.Owners.notify()
	}
	return in, err
}

// rehash hashes a correct password again if its hash has an old cost. The rules
// for new passwords do not apply.
func rehash(ctx context.Context, pw string, a *vitrine.Account) (string, error) {
	normal, err := password.Parse(pw, a.Email)
	if err != nil {
		return a.Password, nil
	}
	return password.Hash(ctx, password.Known(a.Email), normal)
}

// enter begins a session if the account's password has not changed since it was
// checked.
func (s *Sessions) enter(tx vitrine.Tx, read *vitrine.Account, hash string, g Client) (SignedIn, error) {
	a, err := tx.Account(read.ID)
	switch {
	case err != nil:
		return SignedIn{}, err
	case a.Password != read.Password:
		return SignedIn{}, errNoSignIn
	case a.Banned:
		return SignedIn{}, vitrine.Errorf(vitrine.CodeBanned,
			"This account is suspended. Ask the administrator of this instance why.")
	}
	if a.Password != hash {
		a.Password = hash
		if err := tx.PutAccount(a); err != nil {
			return SignedIn{}, err
		}
	}
	return s.begin(tx, a, g, false)
}

// refundFaultless refunds attempts that failed through no fault of the person.
func (s *Sessions) refundFaultless(ctx context.Context, taken []vitrine.AttemptID) error {
	return s.Store.Update(context.WithoutCancel(ctx), func(tx vitrine.Tx) error { return throttle.Refund(tx, taken) })
}

// begin signs a browser in, as far as it goes without a second factor.
func (s *Sessions) begin(tx vitrine.Tx, a *vitrine.Account, g Client, byToken bool) (SignedIn, error) {
	return s.beginFrom(tx, a, g, vitrine.Session{ByToken: byToken})
}

// beginFrom is begin for a session that begins as the given one.
func (s *Sessions) beginFrom(tx vitrine.Tx, a *vitrine.Account, g Client, from vitrine.Session) (SignedIn, error) {
	if len(a.Factor) == 0 || from.Step {
		if from.Step {
			from.FactorAt = s.Now()
		}
		return s.admit(tx, a, g, &from)
	}
	now, text := s.Now(), vitrine.SessionText(newSecret())
	from.Account, from.Hash, from.Label, from.Half = a.ID, text.Hash(), filetype.OneLine(g.Label), true
	from.CreatedAt, from.UsedAt, from.ExpiresAt = now, now, now.Add(halfLife)
	return SignedIn{Account: a, Session: text, Half: true}, tx.AddSession(&from)
}

// admit signs a browser in with a new session that begins as the given one. If
// the browser has not signed in to the account before, that is added to the
// activity.
func (s *Sessions) admit(tx vitrine.Tx, a *vitrine.Account, g Client, session *vitrine.Session) (SignedIn, error) {
	now, text := s.Now(), vitrine.SessionText(newSecret())
	session.Account, session.Hash, session.Label = a.ID, text.Hash(), filetype.OneLine(g.Label)
	session.CreatedAt, session.UsedAt = now, now
	session.ExpiresAt = expiryAfterUse(session, now)
	in := SignedIn{Account: a, Session: text, Device: s.Signer.Device(a.ID, now),
		newDevice: s.Signer.KnownDevice(a.ID, g.Devices, now) == ""}
	if in.newDevice {
		if err := note(tx, now, a.ID, vitrine.Actor{}, vitrine.ActionSignIn, session.Label); err != nil {
			return in, err
		}
	}
	return in, tx.AddSession(session)
}

// Authenticate finds the account of a session in its present state. A suspended
// account has no sessions. Errors: CodeUnauthorized.
func (s *Sessions) Authenticate(ctx context.Context, text string) (*vitrine.Account, error) {
	_, a, err := s.Current(ctx, text)
	return a, err
}

// Peek authenticates requests that an open page makes by itself. Unlike
// Authenticate, it does not extend the session.
func (s *Sessions) Peek(ctx context.Context, text string) (a *vitrine.Account, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		_, a, err = s.find(tx, text)
		return err
	})
	return a, err
}

// Current finds a session and its account in their present state, and records
// the use. Errors: CodeUnauthorized.
func (s *Sessions) Current(ctx context.Context, text string) (session *vitrine.Session, a *vitrine.Account, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		session, a, err = s.find(tx, text)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if s.Now().Sub(session.UsedAt) >= vitrine.SessionUseResolution {
		s.touch(ctx, text)
	}
	return session, a, nil
}

// touch records the use of a session. A failure must not fail the request.
func (s *Sessions) touch(ctx context.Context, text string) {
	_ = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		session, _, err := s.find(tx, text)
		if err != nil {
			return err
		}
		session.UsedAt = s.Now()
		session.ExpiresAt = expiryAfterUse(session, session.UsedAt)
		return tx.PutSession(session)
	})
}

// List returns an account's valid sessions, the last used first.
func (s *Sessions) List(ctx context.Context, a vitrine.AccountID) (sessions []*vitrine.Session, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		all, err := tx.Sessions(a)
		sessions = nil
		for _, session := range all {
			if session.Valid(s.Now()) && !session.Half {
				sessions = append(sessions, session)
			}
		}
		return err
	})
	return sessions, err
}

// SignOut ends a session. It is not an error if the session has ended.
func (s *Sessions) SignOut(ctx context.Context, text string) error {
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		session, err := tx.SessionByHash(vitrine.SessionText(text).Hash())
		if err != nil {
			return vitrine.NotFoundIsNil(err)
		}
		return tx.DeleteSession(session.ID)
	})
	return err
}

// Revoke ends a session of an account, from its next request on. It changes
// nothing if the session has ended or belongs to another account.
func (s *Sessions) Revoke(ctx context.Context, a vitrine.AccountID, id vitrine.SessionID) error {
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
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

// SignOutOthers ends all sessions of an account except one, and deletes the
// tokens that would begin another.
func (s *Sessions) SignOutOthers(ctx context.Context, a *vitrine.Account, keep vitrine.SessionID) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		return errors.Join(tx.DeleteSessions(a.ID, keep), tx.DeleteOneTimeTokens(a.ID, a.Email))
	})
}

// Expire deletes expired sessions, tokens, logins, shared reports, keys that
// ended long ago, old activity, and attempts that no longer count.
func (s *Sessions) Expire(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		_, err1 := tx.ExpireSessions(now)
		_, err2 := tx.ExpireOneTimeTokens(now)
		_, err3 := tx.ExpireAttempts(now.Add(-attemptHour))
		_, err4 := tx.ExpireLogins(now)
		_, err5 := tx.ExpireSharedReports(now)
		_, err6 := tx.ExpireKeys(now.Add(-endedKeysFor))
		return errors.Join(err1, err2, err3, err4, err5, err6, tx.DeleteActivity(0, now.Add(-activityFor)))
	})
}

// find finds a valid session and its account, which need nothing more: not the
// code of a second factor, and not the factor that the instance asks for.
func (s *Sessions) find(tx vitrine.Tx, text string) (*vitrine.Session, *vitrine.Account, error) {
	session, a, err := s.open(tx, text)
	if err == nil && (session.Half || s.Factor.lacks(session, a)) {
		return nil, nil, errSignedOut
	}
	return session, a, err
}

// open finds a valid session and its account, also of a sign-in that is not
// complete.
func (s *Sessions) open(tx vitrine.Tx, text string) (*vitrine.Session, *vitrine.Account, error) {
	session, err := tx.SessionByHash(vitrine.SessionText(text).Hash())
	if errors.Is(err, vitrine.ErrNotFound) {
		return nil, nil, errSignedOut
	}
	if err != nil {
		return nil, nil, err
	}
	a, err := tx.Account(session.Account)
	if err != nil {
		return nil, nil, err
	}
	if a.Banned || !session.Valid(s.Now()) {
		return nil, nil, errSignedOut
	}
	return session, a, nil
}

// expiryAfterUse returns when a session that is used at a time ends.
func expiryAfterUse(s *vitrine.Session, now time.Time) time.Time {
	end, most := now.Add(vitrine.SessionLife), s.CreatedAt.Add(vitrine.MaxSessionLife)
	if end.After(most) {
		return most
	}
	return end
}
