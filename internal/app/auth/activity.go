package auth

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
)

// activityFor is how long an account's activity is kept.
const activityFor = 180 * 24 * time.Hour

// Activity lists the last n events of an account's keys, sign-ins and password,
// newest first.
func (s *Accounts) Activity(ctx context.Context, a vitrine.AccountID, n int) ([]*vitrine.Change, error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Change, error) {
		return tx.Changes(vitrine.ChangeQuery{Account: a, Activity: true, Limit: n})
	})
}

// told are the events that activity is.
var told = map[vitrine.Action]vitrine.EventKind{vitrine.ActionKey: vitrine.EventKeyCreated,
	vitrine.ActionRotate: vitrine.EventKeyCreated, vitrine.ActionSignIn: vitrine.EventSignIn,
	vitrine.ActionPassword: vitrine.EventPasswordChanged, vitrine.ActionFactor: vitrine.EventFactorChanged,
	vitrine.ActionProvider: vitrine.EventProviderChanged}

// note adds an event to the activity of an account.
func note(tx vitrine.Tx, now time.Time, a vitrine.AccountID, by vitrine.Actor, action vitrine.Action,
	detail string) error {
	if by.Kind == "" {
		by = vitrine.Owner(a)
	}
	c := vitrine.Change{At: now, By: by, Action: action, Account: a, Detail: detail}
	return c.Add(tx, told[action])
}

// notePassword adds that the owner of an account set its password, and tells
// them.
func (s *Accounts) notePassword(tx vitrine.Tx, a *vitrine.Account) error {
	err := note(tx, s.Now(), a.ID, vitrine.Actor{}, vitrine.ActionPassword, "")
	if s.Mail == nil {
		return err
	}
	return errors.Join(err, s.post(tx, s.letterPasswordChanged(a.Email), ""))
}

// noteKey adds that a key was created or rotated, and tells the owner of the
// account.
func (s *Keys) noteKey(tx vitrine.Tx, a *vitrine.Account, action vitrine.Action, k *vitrine.APIKey) error {
	err := note(tx, s.Now(), a.ID, s.by, action, k.Name+" ("+string(k.Scope)+")")
	if s.by == vitrine.Administrator {
		// A command sends no mail, and does not know whether a server does.
		letter := letterKeyByAdministrator(a.Email, action, k)
		_, err2 := (&fleet.Outbox{Now: s.Now}).Post(tx, letter, s.Now().Add(24*time.Hour))
		return errors.Join(err, err2)
	}
	if s.Owners == nil || s.Owners.Mail == nil {
		return err
	}
	return errors.Join(err, s.Owners.post(tx, s.Owners.letterKey(a.Email, action, k), ""))
}

// noteDevice tells the owner of an account that a browser signed in to it for
// the first time.
func (s *Sessions) noteDevice(tx vitrine.Tx, in SignedIn, label string) error {
	if !in.newDevice || s.Owners == nil || s.Owners.Mail == nil {
		return nil
	}
	return s.Owners.post(tx, s.Owners.letterDevice(in.Account.Email, label, s.Now()), "")
}

// noteFactor adds what happened with the second factor of an account, and tells
// its owner.
func (s *Sessions) noteFactor(tx vitrine.Tx, a *vitrine.Account, detail string) error {
	err := note(tx, s.Now(), a.ID, vitrine.Actor{}, vitrine.ActionFactor, detail)
	if s.Owners == nil || s.Owners.Mail == nil {
		return err
	}
	return errors.Join(err, s.Owners.post(tx, s.Owners.letterFactor(a.Email, detail), ""))
}

// noteFactorOff adds that someone else turned off the second factor of an
// account, and tells its owner. A command sends no mail, and does not know
// whether a server does.
func (s *Accounts) noteFactorOff(tx vitrine.Tx, a *vitrine.Account, by vitrine.Actor) error {
	err := note(tx, s.Now(), a.ID, by, vitrine.ActionFactor, turnedOff)
	if by == vitrine.Administrator {
		_, err2 := (&fleet.Outbox{Now: s.Now}).Post(tx, letterFactorByAdministrator(a.Email), s.Now().Add(24*time.Hour))
		return errors.Join(err, err2)
	}
	if s.Mail == nil {
		return err
	}
	return errors.Join(err, s.post(tx, s.letterFactor(a.Email, turnedOff+" by an administrator"), ""))
}

// notify sends what was posted, after the commit.
func (s *Accounts) notify() {
	if s != nil {
		s.Mail.Notify()
	}
}
