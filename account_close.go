package vitrine

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// What becomes of an account that its owner closes.

// Close closes an account for good: it is gone from the site at once, and what belongs to it is removed in the background (Empty). email is
// what its owner has typed, to be sure. Errors: CodeInvalidRequest, also for the last owner; CodeRateLimited.
func (s *Accounts) Close(ctx context.Context, session *Session, current, email string) error {
	a, err := s.confirm(ctx, session, current)
	if err != nil {
		return err
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
	return err
}

func (s *Accounts) close(tx Tx, a *Account) error {
	now := s.Now()
	if err := errors.Join(tx.DeleteSessions(a.ID, 0), tx.DeleteOneTimeTokens(a.ID, a.Email), tx.DeleteKeys(a.ID)); err != nil {
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

// OnlyOwner reports whether an account is the only owner of an instance.
func (s *Accounts) OnlyOwner(ctx context.Context, a *Account) (only bool, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		err := notLastOwner(tx, a, "")
		only = CodeOf(err) == CodeInvalidRequest
		if only {
			err = nil
		}
		return err
	})
	return only, err
}

// PurgeClosed removes what closed accounts have left. What is interrupted is gone on with the next time. Several processes share the accounts; what is
// removed twice is gone.
func (s *Accounts) PurgeClosed(ctx context.Context) error {
	var closing []*Account
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		closing, err = tx.Accounts(AccountQuery{Closing: true})
		return err
	})
	var failed []error // one account that cannot be emptied keeps no other
	for _, a := range closing {
		_, err := s.Leases.Hold(ctx, fmt.Sprintf("empty %d", a.ID), func(tx Tx) (bool, error) {
			now, err := tx.Account(a.ID)
			return err == nil && now.Closing, err
		}, func(ctx context.Context) error { return s.empty(ctx, a) })
		failed = append(failed, err)
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
