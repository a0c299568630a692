package vitrine

import (
	"context"
	"errors"
	"strings"
)

// What somebody changes of their own account: password, address, and that it is there.

// Forgot has a message sent to an address with a link that sets a new password, if there is an account of it. What it returns is the
// same, and takes as long. Errors: CodeInvalidRequest (no address), CodeRateLimited.
func (s *Accounts) Forgot(ctx context.Context, address string, g Guesser) error {
	email, err := NormalEmail(address)
	if err != nil {
		return err
	}
	var m *Message
	err = s.Store.Update(ctx, func(tx Tx) error {
		m = nil
		now := s.Now()
		if _, err := takeGuess(tx, now, s.Sessions.Signer.letters("reset", email, g)...); err != nil {
			return tooOften(err, "Messages have been asked for often enough. If the address has an account, the link that was sent last still works.")
		}
		a, err := tx.AccountByEmail(email)
		if err != nil || a.Banned || s.Mail == nil {
			return notFoundIsNil(err)
		}
		text, err := addTicket(tx, Ticket{Purpose: TicketPassword, Account: a.ID, Email: a.Email}, now)
		m = s.letterReset(email, text)
		return err
	})
	if err == nil {
		s.send(m)
	}
	return told(err)
}

// OfferReset makes a ticket that sets a new password of an account, for the operator to hand over. Errors: CodeNotFound, CodeBanned.
func (s *Accounts) OfferReset(ctx context.Context, email string) (text TicketText, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		a, err := accountByEmail(tx, email)
		if err != nil {
			return err
		}
		if a.Banned {
			return Errorf(CodeBanned, "The account %s is suspended.", a.Email)
		}
		text, err = addTicket(tx, Ticket{Purpose: TicketPassword, Account: a.ID, Email: a.Email}, s.Now())
		return err
	})
	return text, err
}

// ResetGood reads the ticket of a new password: the address of its account. Errors: CodeUnauthorized.
func (s *Accounts) ResetGood(ctx context.Context, text string) (email string, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		_, a, err := accountTicket(tx, text, s.Now(), TicketPassword)
		if err == nil {
			email = a.Email
		}
		return err
	})
	return email, told(err)
}

// Reset sets the password of a ticket's account, ends all its sessions and signs in. Errors: CodeUnauthorized for the ticket;
// CodeInvalidRequest for the password.
func (s *Accounts) Reset(ctx context.Context, text, password string, g Guesser) (in SignedIn, err error) {
	email, err := s.ResetGood(ctx, text)
	if err != nil {
		return in, err
	}
	_, hash, err := s.chosen(ctx, email, password)
	if err != nil {
		return in, told(err)
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		_, a, err := accountTicket(tx, text, s.Now(), TicketPassword)
		if err != nil {
			return err
		}
		a.Password = hash
		if err := errors.Join(tx.PutAccount(a), tx.EndSessions(a.ID, 0), tx.EndTickets(a.ID, a.Email)); err != nil {
			return err
		}
		in, err = s.Sessions.begin(tx, a, g, false)
		return err
	})
	if err != nil {
		return SignedIn{}, told(err)
	}
	s.send(s.letterPasswordChanged(email))
	return in, nil
}

// SetPassword sets an account's password, by the operator, and ends its sessions. Errors: CodeNotFound, CodeInvalidRequest.
func (s *Accounts) SetPassword(ctx context.Context, email, password string) error {
	email, hash, err := s.chosen(ctx, email, password)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx Tx) error {
		a, err := accountByEmail(tx, email)
		if err != nil {
			return err
		}
		a.Password = hash
		return errors.Join(tx.PutAccount(a), tx.EndSessions(a.ID, 0), tx.EndTickets(a.ID, a.Email))
	})
}

// confirm makes sure that whoever uses a session is whose account it is: by the current password, or because the session has just begun with
// a one-time link. It returns the account as it was then; what is done then is done to this account with this password alone.
//
// Errors: CodeInvalidRequest at the field "current"; CodeRateLimited.
func (s *Accounts) confirm(ctx context.Context, session *Session, password string) (*Account, error) {
	var a *Account
	var taken []GuessID
	err := s.Store.Update(ctx, func(tx Tx) (err error) {
		taken = nil
		if a, err = tx.Account(session.Account); err != nil || s.fresh(session) {
			return err
		}
		taken, err = takeGuess(tx, s.Now(), s.Sessions.Signer.inside(a.ID))
		return tooOften(err, "The current password was tried too often.")
	})
	if err != nil || s.fresh(session) {
		return a, err
	}
	ok, _, err := checkPassword(ctx, a.Password, password)
	if err != nil {
		return nil, err
	}
	if !ok {
		e := &Error{Code: CodeInvalidRequest, Field: "current", Message: "This is not your current password."}
		if a.Password == "" {
			e.Message = "Your account has no password yet. Sign in again with a one-time link, and set one within fifteen minutes."
		}
		return nil, e
	}
	return a, s.Store.Update(ctx, func(tx Tx) error { return giveBack(tx, taken) })
}

// fresh tells whether a session has just begun with a one-time link.
func (s *Accounts) fresh(session *Session) bool {
	return session.ByTicket && s.Now().Sub(session.CreatedAt) < freshTime
}

// Fresh tells whether a session may change its account without the current password.
func (s *Accounts) Fresh(session *Session) bool { return s.fresh(session) }

// again reads an account that was confirmed. Errors: CodeInvalidRequest when its password has been changed meanwhile.
func again(tx Tx, confirmed *Account) (*Account, error) {
	a, err := tx.Account(confirmed.ID)
	if err == nil && (a.Password != confirmed.Password || a.Banned) {
		err = Errorf(CodeInvalidRequest, "Your account has been changed meanwhile. Look at it again.")
	}
	return a, err
}

// ChangePassword sets another password and ends all other sessions. Errors: CodeInvalidRequest, CodeRateLimited.
func (s *Accounts) ChangePassword(ctx context.Context, session *Session, current, password string) error {
	a, err := s.confirm(ctx, session, current)
	if err != nil {
		return told(err)
	}
	_, hash, err := s.chosen(ctx, a.Email, password)
	if err != nil {
		return told(err)
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		a, err := again(tx, a)
		if err != nil {
			return err
		}
		a.Password = hash
		return errors.Join(tx.PutAccount(a), tx.EndSessions(a.ID, session.ID), tx.EndTickets(a.ID, a.Email))
	})
	if err == nil {
		s.send(s.letterPasswordChanged(a.Email))
	}
	return told(err)
}

// ChangeEmail gives an account another address: at once, or where mail is sent, once a link is opened that was sent there (asked). Errors:
// CodeInvalidRequest, CodeRateLimited.
func (s *Accounts) ChangeEmail(ctx context.Context, session *Session, current, address string) (asked bool, err error) {
	email, err := NormalEmail(address)
	if err != nil {
		return false, err
	}
	a, err := s.confirm(ctx, session, current)
	if err != nil {
		return false, told(err)
	}
	if email == a.Email {
		return false, &Error{Code: CodeInvalidRequest, Field: "email", Message: "This is your address already."}
	}
	if s.Mail == nil {
		return false, told(s.Store.Update(ctx, func(tx Tx) error {
			a, err := again(tx, a)
			if err != nil {
				return err
			}
			return moveTo(tx, a, email)
		}))
	}
	var m *Message
	err = s.Store.Update(ctx, func(tx Tx) error {
		a, err := again(tx, a)
		if err != nil {
			return err
		}
		g := Guesser{} // one is signed in: the account takes the place of the network
		if _, err := takeGuess(tx, s.Now(), s.Sessions.Signer.letters("address of "+a.Email, email, g)...); err != nil {
			return tooOften(err, "Messages have been asked for often enough. The link that was sent last still works.")
		}
		if _, err := tx.AccountByEmail(email); err == nil {
			m = s.letterAddressInUse(email)
			return nil
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		text, err := addTicket(tx, Ticket{Purpose: TicketEmail, Account: a.ID, Email: email}, s.Now())
		m = s.letterNewAddress(email, text)
		return err
	})
	if err == nil {
		s.send(m)
	}
	return true, told(err)
}

// ConfirmEmail gives the account of whoever is signed in the address that a ticket was sent to. Errors: CodeUnauthorized for the ticket,
// another account's too.
func (s *Accounts) ConfirmEmail(ctx context.Context, me *Account, text string) error {
	old := ""
	err := s.Store.Update(ctx, func(tx Tx) error {
		t, a, err := accountTicket(tx, text, s.Now(), TicketEmail)
		if err == nil && a.ID != me.ID {
			err = errTicket
		}
		if err != nil {
			return err
		}
		old = a.Email
		return moveTo(tx, a, t.Email)
	})
	if err == nil {
		s.send(s.letterAddressChanged(old))
	}
	return told(err)
}

// moveTo gives an account another address. What was sent to the old one is of no use any more.
func moveTo(tx Tx, a *Account, email string) error {
	if err := errors.Join(tx.EndTickets(a.ID, a.Email), tx.EndTickets(0, email)); err != nil {
		return err
	}
	a.Email = email
	err := tx.PutAccount(a)
	if errors.Is(err, ErrExists) {
		return &Error{Code: CodeInvalidRequest, Field: "email", Message: "Your account cannot have this address."}
	}
	return err
}

// Close closes an account for good: it is gone from the site at once, and what belongs to it is removed in the background (Empty). email is
// what its owner has typed, to be sure. Errors: CodeInvalidRequest, also for the last owner; CodeRateLimited.
func (s *Accounts) Close(ctx context.Context, session *Session, current, email string) error {
	a, err := s.confirm(ctx, session, current)
	if err != nil {
		return told(err)
	}
	if !strings.EqualFold(strings.TrimSpace(email), a.Email) {
		return &Error{Code: CodeInvalidRequest, Field: "email", Message: "This is not the address of your account. Type it to confirm."}
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		a, err := again(tx, a)
		if err != nil {
			return err
		}
		if err := notLastOwner(tx, a, "be closed"); err != nil {
			return err
		}
		return s.close(tx, a)
	})
	if err == nil && s.Wake != nil {
		s.Wake()
	}
	return told(err)
}

func (s *Accounts) close(tx Tx, a *Account) error {
	now := s.Now()
	if err := errors.Join(tx.EndSessions(a.ID, 0), tx.EndTickets(a.ID, a.Email), tx.DeleteKeys(a.ID)); err != nil {
		return err
	}
	a.Email, a.Password, a.Role = closedName(a.ID), "", RoleMember
	a.Banned, a.ClosedAt, a.Closing = true, now, true // suspended for good: nothing of it works in any place
	return errors.Join(tx.PutAccount(a), tx.AddChange(&Change{At: now, By: Owner(a.ID), Action: ActionClose, Account: a.ID}))
}

// notLastOwner refuses what would leave an instance without an owner.
func notLastOwner(tx Tx, a *Account, what string) error {
	if a.Role != RoleOwner {
		return nil
	}
	owners, err := tx.Accounts(AccountQuery{Role: RoleOwner})
	if err != nil {
		return err
	}
	for _, o := range owners {
		if o.ID != a.ID && !o.Banned {
			return nil
		}
	}
	return Errorf(CodeInvalidRequest, "This is the only owner of the site, which cannot %s. Make another account an owner's first.", what)
}

// OnlyOwner tells whether an account is the only owner of an instance.
func (s *Accounts) OnlyOwner(ctx context.Context, a *Account) (only bool, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		err := notLastOwner(tx, a, "")
		only = CodeOf(err) == CodeInvalidRequest
		if only {
			err = nil
		}
		return err
	})
	return only, told(err)
}

// Empty removes what closed accounts have left. What is interrupted is gone on with the next time.
func (s *Accounts) Empty(ctx context.Context) error {
	var closing []*Account
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		closing, err = tx.Accounts(AccountQuery{Closing: true})
		return err
	})
	var failed []error // one account that cannot be emptied keeps no other
	for _, a := range closing {
		failed = append(failed, s.empty(ctx, a))
	}
	return errors.Join(append(failed, err)...)
}

// emptyCollections removes the albums and websites of a closed account, versions too.
func (s *Accounts) emptyCollections(ctx context.Context, a *Account) error {
	var albums []*Album
	var sites []*Site
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		if albums, err = tx.Albums(a.ID); err != nil {
			return err
		}
		sites, err = tx.Sites(a.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, album := range albums {
		err := (&Albums{Store: s.Store, Now: s.Now}).Delete(ctx, a, string(album.Slug))
		if err != nil && CodeOf(err) != CodeNotFound {
			return err
		}
	}
	for _, site := range sites {
		err := (&Sites{Store: s.Store, Links: s.Links, Now: s.Now}).Delete(ctx, a, string(site.Slug))
		if err != nil && CodeOf(err) != CodeNotFound {
			return err
		}
	}
	return nil
}

// delete deletes a link of a closed account, whatever its state, and what it has left. One that is deleted already is success.
func (s *Links) delete(ctx context.Context, id LinkID) error {
	var l *Link
	err := s.Store.Update(ctx, func(tx Tx) (err error) {
		if l, err = tx.Link(id); err != nil || !l.DeletedAt.IsZero() {
			return err
		}
		l.DeletedAt, l.HasBytes = s.Now(), true
		if err := tx.DeleteAbuseReports(l.ID); err != nil {
			return err
		}
		return l.change(tx, l.DeletedAt, Change{By: Owner(l.Account), Action: ActionDelete})
	})
	if err != nil {
		return err
	}
	return s.purge(ctx, l)
}

// emptyAtOnce bounds the links that are read at once.
const emptyAtOnce = 100

func (s *Accounts) empty(ctx context.Context, a *Account) error {
	if err := s.emptyCollections(ctx, a); err != nil {
		return err
	}
	for {
		var links []*Link
		err := s.Store.Read(ctx, func(tx Tx) (err error) {
			links, err = tx.Links(LinkQuery{Account: a.ID, Limit: emptyAtOnce})
			return err
		})
		if err != nil {
			return err
		}
		for _, l := range links {
			if err := s.Links.delete(ctx, l.ID); err != nil {
				return err
			}
		}
		if len(links) == 0 {
			break
		}
	}
	return s.Store.Update(ctx, func(tx Tx) error {
		now, err := tx.Account(a.ID)
		if err != nil {
			return err
		}
		now.Closing, now.ViewerKey = false, nil
		return tx.PutAccount(now)
	})
}
