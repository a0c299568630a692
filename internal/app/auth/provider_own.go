package auth

import (
	"context"
	"errors"
	"slices"

	"vitrine"
)

// ConnectedIdentity is an identity of an account, for its page.
type ConnectedIdentity struct {
	*vitrine.Identity
	Provider string // its ID; "" if the instance does not have it any more
	Name     string // of the provider
}

// Connected lists the identities of an account, the oldest first.
func (s *Providers) Connected(ctx context.Context, a vitrine.AccountID) ([]ConnectedIdentity, error) {
	list, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Identity, error) {
		return tx.Identities(a)
	})
	var connected []ConnectedIdentity
	for _, i := range list {
		c := ConnectedIdentity{Identity: i, Name: s.nameOf(i)}
		if p := s.of(i); p != nil {
			c.Provider = p.ID
		}
		connected = append(connected, c)
	}
	return connected, err
}

// Remove removes an identity of the own account. The other sessions that began
// with it end. It changes nothing if there is no such identity. Errors:
// CodeInvalidRequest, also for the only way in; CodeRateLimited.
func (s *Providers) Remove(ctx context.Context, session *vitrine.Session, current string, id vitrine.IdentityID) error {
	confirmed, err := s.Accounts.confirm(ctx, session, current)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := reloadConfirmed(tx, confirmed)
		if err != nil {
			return err
		}
		list, err := tx.Identities(a.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(i *vitrine.Identity) bool { return i.ID == id })
		if at < 0 {
			return nil
		}
		if a.Password == "" && len(list) == 1 {
			return vitrine.Errorf(vitrine.CodeInvalidRequest,
				"This is the only way into your account. Set a password first.")
		}
		return s.remove(tx, list[at], session)
	})
}

func (s *Providers) remove(tx vitrine.Tx, i *vitrine.Identity, here *vitrine.Session) error {
	all, err := tx.Sessions(i.Account)
	if err != nil {
		return err
	}
	for _, session := range all {
		switch {
		case session.Identity != i.ID:
		case session.ID != here.ID:
			err = errors.Join(err, tx.DeleteSession(session.ID))
		default:
			session.Identity, session.Step = 0, false
			err = errors.Join(err, tx.PutSession(session))
		}
	}
	return errors.Join(err, tx.DeleteIdentity(i.ID),
		note(tx, s.Now(), i.Account, vitrine.Actor{}, vitrine.ActionProvider, s.nameOf(i)+" removed"))
}

// deleteIdentities deletes all identities of an account.
func deleteIdentities(tx vitrine.IdentityTx, a vitrine.AccountID) error {
	list, err := tx.Identities(a)
	for _, i := range list {
		err = errors.Join(err, tx.DeleteIdentity(i.ID))
	}
	return err
}
