package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine"
)

// Closing an account.

// Close closes an account permanently. It disappears at once, and PurgeClosed
// deletes its contents in the background. email is what the owner typed to
// confirm. Errors: CodeInvalidRequest, also for the last owner;
// CodeRateLimited.
func (s *Accounts) Close(ctx context.Context, session *vitrine.Session, current, email string) error {
	a, err := s.confirm(ctx, session, current)
	if err != nil {
		return err
	}
	if !strings.EqualFold(strings.TrimSpace(email), a.Email) {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
			Message: "This is not the address of your account. Type it to confirm."}
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := reloadConfirmed(tx, a)
		if err != nil {
			return err
		}
		if err := notLastOwner(tx, a, "be closed"); err != nil {
			return err
		}
		c, err := s.close(tx, a)
		c.At, c.By, c.Account = s.Now(), vitrine.Owner(a.ID), a.ID
		return errors.Join(err, tx.PutAccount(a), tx.AddChange(&c))
	})
	if err == nil && s.Wake != nil {
		s.Wake()
	}
	return err
}

// CloseByEmail closes an account, as Close does, for the administrator: even
// that of the last owner. Errors: CodeNotFound.
func (s *Accounts) CloseByEmail(ctx context.Context, email string, d vitrine.Decision) error {
	_, err := s.change(ctx, email, d, s.close)
	return err
}

// close deletes the sessions, tokens and keys of an account, and changes the
// account to a closed one. The caller stores both.
func (s *Accounts) close(tx vitrine.Tx, a *vitrine.Account) (vitrine.Change, error) {
	err := errors.Join(deleteIdentities(tx, a.ID), tx.DeleteSessions(a.ID, 0), tx.DeleteOneTimeTokens(a.ID, a.Email),
		tx.DeleteKeys(a.ID),
		tx.DeleteSharedReport(a.ID, 0), tx.DeleteWebhooks(a.ID, 0), tx.DeleteActivity(a.ID, s.Now().Add(activityFor)))
	a.Email, a.Password, a.Factor, a.Role = vitrine.ClosedName(a.ID), "", nil, vitrine.RoleMember
	a.Banned, a.ClosedAt, a.Closing = true, s.Now(), true // a closed account is permanently suspended
	return vitrine.Change{Action: vitrine.ActionClose}, err
}

// notLastOwner returns an error if a change would leave an instance without an
// owner.
func notLastOwner(tx vitrine.AccountTx, a *vitrine.Account, what string) error {
	if a.Role != vitrine.RoleOwner {
		return nil
	}
	owners, err := tx.Accounts(vitrine.AccountQuery{Role: vitrine.RoleOwner})
	if err != nil {
		return err
	}
	for _, o := range owners {
		if o.ID != a.ID && !o.Banned {
			return nil
		}
	}
	return vitrine.Errorf(vitrine.CodeInvalidRequest,
		"This is the only owner of the instance, who cannot %s. Give another account the role owner first.", what)
}

// OnlyOwner reports whether an account is the only owner of an instance.
func (s *Accounts) OnlyOwner(ctx context.Context, a *vitrine.Account) (only bool, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		err := notLastOwner(tx, a, "")
		only = vitrine.CodeOf(err) == vitrine.CodeInvalidRequest
		if only {
			err = nil
		}
		return err
	})
	return only, err
}

// PurgeClosed deletes the contents of closed accounts. The next call continues
// an interrupted one, and several processes may run it at once.
func (s *Accounts) PurgeClosed(ctx context.Context) error {
	closing, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Account, error) {
		return tx.Accounts(vitrine.AccountQuery{Closing: true})
	})
	var failed []error // a failing account does not stop the others
	for _, a := range closing {
		_, err := s.Leases.Hold(ctx, fmt.Sprintf("empty %d", a.ID), func(tx vitrine.Tx) (bool, error) {
			current, err := tx.Account(a.ID)
			return err == nil && current.Closing, err
		}, func(ctx context.Context) error { return s.purgeContents(ctx, a) })
		failed = append(failed, err)
	}
	return errors.Join(append(failed, err)...)
}

// purgeContents deletes the contents of a closed account, and then the rest of
// its row.
func (s *Accounts) purgeContents(ctx context.Context, a *vitrine.Account) error {
	if err := s.Contents.DeleteAll(ctx, a); err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Account(a.ID)
		if err != nil {
			return err
		}
		current.Closing, current.ViewerKey = false, nil
		return errors.Join(tx.PutAccount(current), tx.DeleteEvents(a.ID, s.Now().Add(time.Hour)))
	})
}
