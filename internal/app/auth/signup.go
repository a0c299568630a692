package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"
)

// SignUp determines who may create an account on the instance.
type SignUp string

const (
	SignUpOpen   SignUp = "open"   // anybody
	SignUpInvite SignUp = "invite" // who was invited
	SignUpClosed SignUp = "closed" // nobody: accounts are created on the command line
)

var (
	errNotSetUp   = vitrine.Errorf(vitrine.CodeInvalidRequest, "This site has no owner yet. Set it up first.")
	errSetUp      = vitrine.Errorf(vitrine.CodeUnauthorized, "This site has been set up already. Sign in.")
	errSignUp     = vitrine.Errorf(vitrine.CodeInvalidRequest, "New accounts cannot be created here.")
	errHasAccount = vitrine.Errorf(vitrine.CodeInvalidRequest,
		"There is an account with this address already. Sign in.")
)

// setUp returns an error before the first account exists, because the first
// account becomes the owner's.
func setUp(tx vitrine.AccountTx) error {
	has, err := tx.HasAccounts()
	if err == nil && !has {
		err = errNotSetUp
	}
	return err
}

// IsSetUp reports whether an instance has an account.
func (s *Accounts) IsSetUp(ctx context.Context) (bool, error) {
	return vitrine.Read(ctx, s.Store, vitrine.Tx.HasAccounts)
}

// OfferSetup creates the token for creating the first account, and replaces an
// earlier one. Errors: CodeInvalidRequest if there is an account.
func (s *Accounts) OfferSetup(ctx context.Context) (text vitrine.TokenText, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		has, err := tx.HasAccounts()
		if err != nil {
			return err
		}
		if has {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "This instance has been set up: it has an account.")
		}
		text, err = s.addSetup(tx)
		return err
	})
	return text, err
}

// Setup returns the token for creating the first account, or "" if there is an
// account. All servers of an instance return the same token, whenever they
// started.
func (s *Accounts) Setup(ctx context.Context) (text vitrine.TokenText, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		text = ""
		has, err := tx.HasAccounts()
		if err != nil || has {
			return err
		}
		old, err := tx.OneTimeTokens(vitrine.TokenSetup)
		if err != nil {
			return err
		}
		if len(old) > 0 {
			if text = s.setupText(old[0].CreatedAt); text.Hash() == old[0].Hash {
				return nil
			}
		}
		text, err = s.addSetup(tx)
		return err
	})
	return text, err
}

// setupText returns the secret of the setup token of a time. It is derived, so
// that every process of an instance can compute it, and nobody else.
func (s *Accounts) setupText(at time.Time) vitrine.TokenText {
	ms, own := strconv.FormatInt(at.UnixMilli(), 10), s.Sessions.Signer
	return vitrine.TokenText(base64.RawURLEncoding.EncodeToString(append(own.MAC(signer.PurposeSetup, ms, "1"),
		own.MAC(signer.PurposeSetup, ms, "2")...)))
}

// addSetup adds a setup token with a time that no token had before.
func (s *Accounts) addSetup(tx vitrine.OneTimeTokenTx) (vitrine.TokenText, error) {
	at := s.Now()
	old, err := tx.OneTimeTokens(vitrine.TokenSetup)
	if err != nil {
		return "", err
	}
	if len(old) > 0 && at.UnixMilli() <= old[0].CreatedAt.UnixMilli() {
		at = old[0].CreatedAt.Add(time.Millisecond)
	}
	text := s.setupText(at)
	return text, tx.AddOneTimeToken(&vitrine.OneTimeToken{Purpose: vitrine.TokenSetup, Plan: vitrine.PlanLifetime,
		Hash: text.Hash(), CreatedAt: at})
}

// SetupGood reports whether a token would set up. Errors: CodeUnauthorized.
func (s *Accounts) SetupGood(ctx context.Context, text string) error {
	return s.Store.Read(ctx, func(tx vitrine.Tx) error { return s.setupGood(tx, text) })
}

func (s *Accounts) setupGood(tx vitrine.Tx, text string) error {
	has, err := tx.HasAccounts()
	if err != nil {
		return err
	}
	if has {
		return errSetUp
	}
	_, err = findOneTimeToken(tx, text, s.Now(), vitrine.TokenSetup)
	return err
}

// SetUp creates the first account, which is Lifetime and the owner's, and signs
// in. Of two concurrent calls one succeeds. Errors: CodeUnauthorized for the
// token; CodeInvalidRequest.
func (s *Accounts) SetUp(ctx context.Context, text, email, password string, g Client) (in SignedIn, err error) {
	if err := s.SetupGood(ctx, text); err != nil {
		return in, err
	}
	email, hash, err := s.checkCredentials(ctx, email, password)
	if err != nil {
		return in, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if err := s.setupGood(tx, text); err != nil {
			return err
		}
		a, err := s.add(tx, email, vitrine.PlanLifetime, hash)
		if err != nil {
			return err
		}
		in, err = s.Sessions.begin(tx, a, g, false)
		return err
	})
	return in, err
}

// checkCredentials checks an address and a password that someone who is known
// has chosen, and hashes the password.
func (s *Accounts) checkCredentials(ctx context.Context, address, pw string) (email, hash string, err error) {
	if email, pw, err = parseCredentials(address, pw); err != nil {
		return "", "", err
	}
	hash, err = password.Hash(ctx, password.Known(email), pw)
	return email, hash, err
}

func parseCredentials(address, typed string) (email, pw string, err error) {
	if email, err = vitrine.NormalEmail(address); err != nil {
		return "", "", err
	}
	pw, err = password.Parse(typed, email)
	return email, pw, err
}

// AskSignUp sends a message to an address: a link that creates an account, or
// the remark that there is one. Its result does not depend on that. Errors:
// CodeInvalidRequest (not an address, or sign-up is closed), CodeRateLimited.
func (s *Accounts) AskSignUp(ctx context.Context, address string, g Client) error {
	email, err := vitrine.NormalEmail(address)
	if err != nil {
		return err
	}
	if s.SignUp != SignUpOpen || s.Mail == nil {
		return errSignUp
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if err := setUp(tx); err != nil {
			return err
		}
		now := s.Now()
		if _, err := throttle.Take(tx, now, "You’ve requested several messages. The last link still works.",
			letterLimits(s.Sessions.Signer, "sign-up", email, g)...); err != nil {
			return err
		}
		_, err := tx.AccountByEmail(email)
		if err == nil {
			return s.post(tx, s.letterKnown(email), "")
		}
		if !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		text, err := addOneTimeToken(tx, vitrine.OneTimeToken{Purpose: vitrine.TokenSignUp, Email: email,
			Plan: s.NewPlan()}, now)
		if err != nil {
			return err
		}
		return s.post(tx, s.letterSignUp(email, text), vitrine.TokenSignUp)
	})
	if err == nil {
		s.Mail.Notify()
	}
	return err
}

// Join creates an account immediately, without mail. The attempt counts before
// the password is hashed, which is expensive. Errors: CodeInvalidRequest, also
// for an address with an account; CodeRateLimited.
func (s *Accounts) Join(ctx context.Context, address, password string, g Client) (in SignedIn, err error) {
	if s.SignUp != SignUpOpen || s.Mail != nil {
		return in, errSignUp
	}
	email, password, err := parseCredentials(address, password)
	if err != nil {
		return in, err
	}
	var taken []vitrine.AttemptID
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if err := setUp(tx); err != nil {
			return err
		}
		taken, err = throttle.Take(tx, s.Now(), "Several accounts were created from your network in the last hour.",
			throttle.ByNetwork(s.Sessions.Signer.AttemptKey, g.Addr, signUpsByNetwork, attemptHour,
				"join by network")...)
		return err
	})
	if err != nil {
		return in, err
	}
	in, err = s.join(ctx, email, password, g)
	if vitrine.CodeOf(err) == vitrine.CodeUnavailable {
		err = errors.Join(err, s.Sessions.refundFaultless(ctx, taken))
	}
	return in, err
}

// join creates the account of an attempt that was counted.
func (s *Accounts) join(ctx context.Context, email, pw string, g Client) (in SignedIn, err error) {
	hash, err := password.Hash(ctx, password.Stranger(throttle.Subscriber(g.Addr)), pw)
	if err != nil {
		return in, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := s.add(tx, email, s.NewPlan(), hash)
		if err != nil {
			return err
		}
		in, err = s.Sessions.begin(tx, a, g, false)
		return err
	})
	if errors.Is(err, errHasAccount) {
		err = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
			Message: "No new account can be created with this address. If it is yours, sign in."}
	}
	return in, err
}

// Invited reads a token for creating an account: its address. Errors:
// CodeUnauthorized.
func (s *Accounts) Invited(ctx context.Context, text string) (t *vitrine.OneTimeToken, err error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.OneTimeToken, error) {
		return s.invited(tx, text)
	})
}

func (s *Accounts) invited(tx vitrine.Tx, text string) (*vitrine.OneTimeToken, error) {
	t, err := findOneTimeToken(tx, text, s.Now(), vitrine.TokenSignUp, vitrine.TokenInvite)
	if err != nil {
		return nil, err
	}
	if s.SignUp == SignUpClosed || t.Purpose == vitrine.TokenSignUp && s.SignUp != SignUpOpen {
		return nil, errToken
	}
	stands, err := invitationValid(tx, t, s.Now())
	if err == nil && !stands {
		err = errToken
	}
	return t, err
}

// invitationValid reports whether an invitation is still valid: it has not
// expired, and the inviting account may still invite. It is true for other
// tokens.
func invitationValid(tx vitrine.AccountTx, t *vitrine.OneTimeToken, now time.Time) (bool, error) {
	if t.Purpose != vitrine.TokenInvite {
		return true, nil
	}
	if !now.Before(t.ExpiresAt) {
		return false, nil
	}
	if t.By == 0 {
		return true, nil
	}
	by, err := tx.Account(t.By)
	return err == nil && by.Role == vitrine.RoleOwner && !by.Banned, vitrine.NotFoundIsNil(err)
}

// Accept creates the account of an invitation or a confirmed address, and signs
// in. Errors: CodeUnauthorized for the token; CodeInvalidRequest.
func (s *Accounts) Accept(ctx context.Context, text, password string, g Client) (in SignedIn, err error) {
	t, err := s.Invited(ctx, text)
	if err != nil {
		return in, err
	}
	email, hash, err := s.checkCredentials(ctx, t.Email, password)
	if err != nil {
		return in, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		t, err := s.invited(tx, text)
		if err != nil {
			return err
		}
		a, err := s.add(tx, email, t.Plan, hash)
		if err != nil {
			return err
		}
		in, err = s.Sessions.begin(tx, a, g, false)
		return err
	})
	return in, err
}

// NewPlan returns the plan of accounts that anybody can create.
func (s *Accounts) NewPlan() vitrine.Plan {
	if s.SignUpPlan == "" {
		return vitrine.PlanFree
	}
	return s.SignUpPlan
}

// inviterPlan returns the plan of the inviting account; for the administrator,
// that of the oldest owner.
func inviterPlan(tx vitrine.AccountTx, by *vitrine.Account) (vitrine.Plan, error) {
	if by != nil {
		return by.Plan, nil
	}
	owners, err := tx.Accounts(vitrine.AccountQuery{Role: vitrine.RoleOwner, Limit: 1})
	if err != nil || len(owners) == 0 {
		return vitrine.PlanFree, err
	}
	return owners[0].Plan, nil
}

// Invite creates a token for creating an account with an address, and sends it
// if mail is configured. Without a plan ("") the account gets that of the
// inviter. An earlier invitation to the address becomes invalid. Errors:
// CodeInvalidRequest.
func (s *Accounts) Invite(ctx context.Context, address string, plan vitrine.Plan,
	d vitrine.Decision) (text vitrine.TokenText, err error) {
	email, err := vitrine.NormalEmail(address)
	if err != nil {
		return "", err
	}
	if s.SignUp == SignUpClosed {
		return "", vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Invitations are off, because sign-up is closed (--sign-up).")
	}
	by := ""
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if err := mayGovern(tx, d.By); err != nil {
			return err
		}
		var inviter *vitrine.Account
		if d.By.Account != 0 {
			if inviter, err = tx.Account(d.By.Account); err != nil {
				return err
			}
			by = inviter.Email
		}
		plan := plan
		if plan == "" {
			if plan, err = inviterPlan(tx, inviter); err != nil {
				return err
			}
		}
		if _, err := tx.AccountByEmail(email); err == nil {
			return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
				Message: fmt.Sprintf("There is already an account for %s.", email)}
		} else if !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		if text, err = addOneTimeToken(tx, vitrine.OneTimeToken{Purpose: vitrine.TokenInvite, Email: email, Plan: plan,
			By: d.By.Account}, s.Now()); err != nil || s.Mail == nil {
			return err
		}
		return s.post(tx, s.letterInvite(email, text, by), vitrine.TokenInvite)
	})
	if err != nil {
		return "", err
	}
	s.Mail.Notify()
	return text, nil
}

// Invitations lists the valid, unused invitations, newest first.
func (s *Accounts) Invitations(ctx context.Context) (list []*vitrine.OneTimeToken, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		list, err = validInvitations(tx, s.Now())
		return err
	})
	return list, err
}

func validInvitations(tx vitrine.Tx, now time.Time) (list []*vitrine.OneTimeToken, err error) {
	all, err := tx.OneTimeTokens(vitrine.TokenInvite)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		stands, err := invitationValid(tx, t, now)
		if err != nil {
			return nil, err
		}
		if stands {
			list = append(list, t)
		}
	}
	return list, nil
}

// Withdraw deletes an invitation. It succeeds if there is no such invitation.
func (s *Accounts) Withdraw(ctx context.Context, id vitrine.OneTimeTokenID, d vitrine.Decision) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if err := mayGovern(tx, d.By); err != nil {
			return err
		}
		all, err := tx.OneTimeTokens(vitrine.TokenInvite)
		for _, t := range all {
			if t.ID == id {
				return tx.DeleteOneTimeToken(id)
			}
		}
		return err
	})
}
