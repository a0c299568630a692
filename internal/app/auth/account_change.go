package auth

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/base/throttle"
)

// Changes that people make to their own account: password and address.

// SendReset sends a link for setting a new password to an address, if it has an
// account. Its result and duration do not depend on that. Errors:
// CodeInvalidRequest (not an address), CodeRateLimited.
func (s *Accounts) SendReset(ctx context.Context, address string, g Client) error {
	email, err := vitrine.NormalEmail(address)
	if err != nil {
		return err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		const tooMany = "You’ve requested several messages. If the address has an account, the last link still works."
		if _, err := throttle.Take(tx, now, tooMany,
			letterLimits(s.Sessions.Signer, "reset", email, g)...); err != nil {
			return err
		}
		a, err := tx.AccountByEmail(email)
		if err != nil || a.Banned || s.Mail == nil {
			return vitrine.NotFoundIsNil(err)
		}
		text, err := addOneTimeToken(tx, vitrine.OneTimeToken{Purpose: vitrine.TokenPassword, Account: a.ID,
			Email: a.Email}, now)
		if err != nil {
			return err
		}
		return s.post(tx, s.letterReset(email, text), vitrine.TokenPassword)
	})
	if err == nil {
		s.Mail.Notify()
	}
	return err
}

// OfferReset creates a token for setting a new password, which the
// administrator passes on. Errors: CodeNotFound, CodeBanned.
func (s *Accounts) OfferReset(ctx context.Context, email string) (vitrine.TokenText, error) {
	return addSignInToken(ctx, s.Store, email, vitrine.TokenPassword, s.Now)
}

// ResetGood returns the address for a token that sets a new password. Errors:
// CodeUnauthorized.
func (s *Accounts) ResetGood(ctx context.Context, text string) (email string, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		_, a, err := accountToken(tx, text, s.Now(), vitrine.TokenPassword)
		if err == nil {
			email = a.Email
		}
		return err
	})
	return email, err
}

// Reset sets the password of a token's account, ends all its sessions and signs
// in. Errors: CodeUnauthorized for the token; CodeInvalidRequest for the
// password.
func (s *Accounts) Reset(ctx context.Context, text, password string, g Client) (in SignedIn, err error) {
	email, err := s.ResetGood(ctx, text)
	if err != nil {
		return in, err
	}
	_, hash, err := s.checkCredentials(ctx, email, password)
	if err != nil {
		return in, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		_, a, err := accountToken(tx, text, s.Now(), vitrine.TokenPassword)
		if err != nil {
			return err
		}
		a.Password = hash
		if err := errors.Join(tx.PutAccount(a), tx.DeleteSessions(a.ID, 0),
			tx.DeleteOneTimeTokens(a.ID, a.Email)); err != nil {
			return err
		}
		if in, err = s.Sessions.begin(tx, a, g, false); err != nil {
			return err
		}
		return s.notePassword(tx, a)
	})
	if err != nil {
		return SignedIn{}, err
	}
	s.Mail.Notify()
	return in, nil
}

// SetPassword sets an account's password, for the administrator, and ends its
// sessions. Errors: CodeNotFound, CodeInvalidRequest.
func (s *Accounts) SetPassword(ctx context.Context, email, password string) error {
	email, hash, err := s.checkCredentials(ctx, email, password)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := vitrine.AccountByEmail(tx, email)
		if err != nil {
			return err
		}
		a.Password = hash
		return errors.Join(tx.PutAccount(a), tx.DeleteSessions(a.ID, 0), tx.DeleteOneTimeTokens(a.ID, a.Email),
			note(tx, s.Now(), a.ID, vitrine.Administrator, vitrine.ActionPassword, ""))
	})
}

// confirm checks that the user of a session owns the account: by the current
// password, or because the session has just begun with a one-time link; and by
// the second factor, if the account has one, which the session must have shown
// shortly before (GiveFactor). It returns the account as it was then. The
// caller must apply its change only to this account with this password.
//
// Errors: CodeInvalidRequest at the field "current" or "code"; CodeRateLimited.
func (s *Accounts) confirm(ctx context.Context, session *vitrine.Session, pw string) (*vitrine.Account, error) {
	a, err := s.confirmPassword(ctx, session, pw)
	if err == nil {
		err = needFresh(a, session, s.Now())
	}
	return a, err
}

func (s *Accounts) confirmPassword(ctx context.Context, session *vitrine.Session, pw string) (*vitrine.Account, error) {
	var a *vitrine.Account
	var taken []vitrine.AttemptID
	err := s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		taken = nil
		if a, err = tx.Account(session.Account); err != nil || s.fresh(session) {
			return err
		}
		taken, err = throttle.Take(tx, s.Now(), "Too many attempts at the current password.",
			signedInLimit(s.Sessions.Signer, a.ID))
		return err
	})
	if err != nil || s.fresh(session) {
		return a, err
	}
	ok, _, err := password.Check(ctx, password.Known(a.Email), a.Password, pw)
	if err != nil {
		return nil, err
	}
	if !ok {
		e := &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "current",
			Message: "This is not your current password."}
		if a.Password == "" {
			e.Message = "Your account has no password yet. Sign in again with a one-time link, and set one within fifteen minutes."
		}
		return nil, e
	}
	return a, s.Store.Update(ctx, func(tx vitrine.Tx) error { return throttle.Refund(tx, taken) })
}

// fresh reports whether a session has just begun with a one-time link or a
// passkey alone.
func (s *Accounts) fresh(session *vitrine.Session) bool {
	return session.ByToken && s.Now().Sub(session.CreatedAt) < vitrine.FreshTime
}

// Fresh reports whether a session may change its account without the current
// password.
func (s *Accounts) Fresh(session *vitrine.Session) bool { return s.fresh(session) }

// reloadConfirmed reads a confirmed account. Errors: CodeInvalidRequest if its
// password has changed since.
func reloadConfirmed(tx vitrine.AccountTx, confirmed *vitrine.Account) (*vitrine.Account, error) {
	a, err := tx.Account(confirmed.ID)
	if err == nil && (a.Password != confirmed.Password || a.Banned) {
		err = vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Your account was changed in the meantime. Reload the page and try again.")
	}
	return a, err
}

// ChangePassword sets another password and ends all other sessions. Errors:
// CodeInvalidRequest, CodeRateLimited.
func (s *Accounts) ChangePassword(ctx context.Context, session *vitrine.Session, current, password string) error {
	a, err := s.confirm(ctx, session, current)
	if err != nil {
		return err
	}
	_, hash, err := s.checkCredentials(ctx, a.Email, password)
	if err != nil {
		return err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := reloadConfirmed(tx, a)
		if err != nil {
			return err
		}
		a.Password = hash
		if err := errors.Join(tx.PutAccount(a), tx.DeleteSessions(a.ID, session.ID),
			tx.DeleteOneTimeTokens(a.ID, a.Email)); err != nil {
			return err
		}
		return s.notePassword(tx, a)
	})
	if err == nil {
		s.Mail.Notify()
	}
	return err
}

// ChangeEmail changes the address of an account: immediately or, with mail,
// when a link sent to the new address is used (asked). Errors:
// CodeInvalidRequest, CodeRateLimited.
func (s *Accounts) ChangeEmail(ctx context.Context, session *vitrine.Session,
	current, address string) (asked bool, err error) {
	email, err := vitrine.NormalEmail(address)
	if err != nil {
		return false, err
	}
	a, err := s.confirm(ctx, session, current)
	if err != nil {
		return false, err
	}
	if email == a.Email {
		return false, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
			Message: "This is already your address."}
	}
	if s.Mail == nil {
		return false, s.takeAddress(ctx, a, email)
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := reloadConfirmed(tx, a)
		if err != nil {
			return err
		}
		// The person is signed in: the account replaces the network.
		own, kind := s.Sessions.Signer, "address of "+a.Email
		if _, err := throttle.Take(tx, s.Now(), "You’ve requested several messages. The last link still works.",
			throttle.Limit{Key: own.AttemptKey(kind + " by account"), Max: lettersByAccount, Within: attemptHour},
			lettersTo(own, kind, email)); err != nil {
			return err
		}
		if _, err := tx.AccountByEmail(email); err == nil {
			return s.post(tx, s.letterAddressInUse(email), "")
		} else if !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		text, err := addOneTimeToken(tx, vitrine.OneTimeToken{Purpose: vitrine.TokenEmail, Account: a.ID, Email: email},
			s.Now())
		if err != nil {
			return err
		}
		return s.post(tx, s.letterNewAddress(email, text), vitrine.TokenEmail)
	})
	if err == nil {
		s.Mail.Notify()
	}
	return true, err
}

// takeAddress gives an account an unverified address. Each attempt counts,
// because the result reveals whether the address has an account. An address
// that was invited by someone else cannot be taken. Errors: CodeInvalidRequest,
// CodeRateLimited.
func (s *Accounts) takeAddress(ctx context.Context, confirmed *vitrine.Account, email string) error {
	var refused error
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := reloadConfirmed(tx, confirmed)
		if err != nil {
			return err
		}
		limit := throttle.Limit{
			Key: s.Sessions.Signer.AttemptKey("address taken by", strconv.FormatInt(int64(a.ID), 10)),
			Max: addressesTaken, Within: attemptHour}
		if _, err := throttle.Take(tx, s.Now(), "You have tried several addresses in the last hour.",
			limit); err != nil {
			return err
		}
		_, refused = tx.AccountByEmail(email)
		if refused == nil {
			refused = errAddress
			return nil
		} else if !errors.Is(refused, vitrine.ErrNotFound) {
			return refused
		}
		invitations, err := validInvitations(tx, s.Now())
		if err != nil {
			return err
		}
		if refused = nil; slices.ContainsFunc(invitations,
			func(t *vitrine.OneTimeToken) bool { return t.Email == email }) {
			refused = errAddress
			return nil
		}
		return moveTo(tx, a, email, s.Now())
	})
	return cmp.Or(err, refused)
}

// ConfirmEmail gives the signed-in account the address to which a token was
// sent. Errors: CodeUnauthorized for the token, also for another account's.
func (s *Accounts) ConfirmEmail(ctx context.Context, me *vitrine.Account, text string) error {
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		t, a, err := accountToken(tx, text, s.Now(), vitrine.TokenEmail)
		if err == nil && a.ID != me.ID {
			err = errToken
		}
		if err != nil {
			return err
		}
		old := a.Email
		if err := moveTo(tx, a, t.Email, s.Now()); err != nil || s.Mail == nil {
			return err
		}
		return s.post(tx, s.letterAddressChanged(old), "")
	})
	if err == nil {
		s.Mail.Notify()
	}
	return err
}

// moveTo changes the address of an account and deletes the tokens sent to the
// old one.
func moveTo(tx vitrine.Tx, a *vitrine.Account, email string, now time.Time) error {
	if err := errors.Join(tx.DeleteOneTimeTokens(a.ID, a.Email), tx.DeleteOneTimeTokens(0, email)); err != nil {
		return err
	}
	a.Email = email
	err := tx.PutAccount(a)
	if errors.Is(err, vitrine.ErrExists) {
		return errAddress
	}
	last, err2 := tx.LastEvent(a.ID)
	return errors.Join(err, err2, tx.AddEvent(&vitrine.Event{Account: a.ID, At: now, Kind: vitrine.EventEmailChanged,
		Ref: last + 1, Data: []byte("{}")})) // Ref only distinguishes it from the change before
}

var errAddress = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
	Message: "Your account cannot have this address."}
