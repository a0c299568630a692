// Package auth admits people: accounts, passwords, sessions, API keys, one-time
// tokens, invitations, and limits on attempts (decision 0015).
package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
)

// Contents deletes what an account owns besides its own row.
type Contents interface {
	// DeleteAll deletes the links, albums and websites of a closed account. It
	// may be called again, and by several processes.
	DeleteAll(ctx context.Context, a *vitrine.Account) error
}

// Accounts implements the use cases of accounts. Commands need only Store and
// Now, and Sessions to set a password.
type Accounts struct {
	Store    vitrine.Store
	Now      func() time.Time
	Sessions *Sessions // for people who create an account or set a password

	SignUp     SignUp       // who opens accounts on the website; "": nobody
	SignUpPlan vitrine.Plan // of accounts that are opened there; "": Free

	Mail *fleet.Outbox // nil if no mail is sent
	Site string        // the host, for messages
	// Address returns where a token is used or, without one, where one is
	// requested.
	Address func(vitrine.TokenPurpose, vitrine.TokenText) string

	Contents Contents // deleted with a closed account
	Wake     func()   // if set, called when PurgeClosed has work
	Leases   *fleet.Leases
}

// Create creates an account and its first API key. The first account of an
// instance is its owner's and Lifetime, regardless of the given plan
// (contract, Plans). Any other account needs a plan, so that no account is
// created by mistake instead of a key. Errors: CodeInvalidRequest for an
// invalid or known address, and for another account without a plan (Field
// "plan").
func (s *Accounts) Create(ctx context.Context, email string,
	plan vitrine.Plan) (*vitrine.Account, KeyText, error) {
	email, err := vitrine.NormalEmail(email)
	if err != nil {
		return nil, "", err
	}
	var account *vitrine.Account
	var key KeyText
	err = s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		if err := mayAdd(tx, email, plan); err != nil {
			return err
		}
		if account, err = s.add(tx, email, plan, ""); err != nil {
			return err
		}
		first, err := addKey(tx, account.ID, KeyRequest{Name: "first key", Scope: vitrine.ScopeFull}, account.CreatedAt)
		key = first.Text
		return err
	})
	return account, key, err
}

// mayAdd returns an error for an account that Create must not create.
func mayAdd(tx vitrine.AccountTx, email string, plan vitrine.Plan) error {
	if _, err := tx.AccountByEmail(email); err == nil {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
			Message: fmt.Sprintf("There is already an account for %s.", email)}
	} else if !errors.Is(err, vitrine.ErrNotFound) {
		return err
	}
	if plan != "" {
		return nil
	}
	has, err := tx.HasAccounts()
	if err == nil && has {
		err = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "plan",
			Message: "This instance already has an account."}
	}
	return err
}

// add creates an account; the first one is the owner's and Lifetime. It deletes
// tokens that would create an account with the same address.
func (s *Accounts) add(tx vitrine.Tx, email string, plan vitrine.Plan, password string) (*vitrine.Account, error) {
	has, err := tx.HasAccounts()
	if err != nil {
		return nil, err
	}
	now := s.Now()
	a := &vitrine.Account{Email: email, Password: password, Plan: plan, ViewerKey: vitrine.RandomKey(),
		ViewerKeyAt: now, CreatedAt: now}
	if !has {
		a.Plan, a.Role = vitrine.PlanLifetime, vitrine.RoleOwner
	}
	if err := tx.AddAccount(a); errors.Is(err, vitrine.ErrExists) {
		return nil, errHasAccount
	} else if err != nil {
		return nil, err
	}
	if !has {
		err = tx.DeleteOneTimeTokens(0, "") // setup tokens
	}
	return a, errors.Join(err, tx.DeleteOneTimeTokens(0, email))
}

// AccountUsage is an account with its usage, for the owner of an instance.
type AccountUsage struct {
	*vitrine.Account
	Links, Bytes int64 // without deleted ones; a website is one link
	Sites        int64
}

// People lists the accounts that q selects, oldest first, with their usage.
func (s *Accounts) People(ctx context.Context, q vitrine.AccountQuery) (people []AccountUsage, err error) {
	if _, err := vitrine.FoldWords(q.Search); err != nil {
		return nil, err
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		list, err := tx.Accounts(q)
		people = nil
		for _, a := range list {
			p := AccountUsage{Account: a}
			if p.Links, p.Bytes, err = tx.CountLinks(a.ID); err != nil {
				return err
			}
			sites, err := tx.Sites(a.ID)
			if err != nil {
				return err
			}
			p.Sites = int64(len(sites))
			people = append(people, p)
		}
		return err
	})
	return people, err
}

// mayGovern returns an error for a person who is not an owner of the instance
// (any more).
func mayGovern(tx vitrine.AccountTx, by vitrine.Actor) error {
	if by.Kind == vitrine.ActorAdministrator {
		return nil
	}
	a, err := tx.Account(by.Account)
	if err == nil && (a.Role != vitrine.RoleOwner || a.Banned) {
		err = vitrine.Errorf(vitrine.CodeInvalidRequest, "Only the owner of the site can do this.")
	}
	return err
}

// ByEmail finds an account. Errors: CodeNotFound.
func (s *Accounts) ByEmail(ctx context.Context, email string) (a *vitrine.Account, err error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Account, error) {
		return vitrine.AccountByEmail(tx, email)
	})
}

// List lists accounts, oldest first.
func (s *Accounts) List(ctx context.Context, q vitrine.AccountQuery) (list []*vitrine.Account, err error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Account, error) {
		return tx.Accounts(q)
	})
}

// SetPlan changes the plan and the own limits (nil: the plan's) of an account,
// for the administrator or an owner. It applies from the account's next request
// on.
func (s *Accounts) SetPlan(ctx context.Context, email string, plan vitrine.Plan, limits *vitrine.Limits,
	d vitrine.Decision) (*vitrine.Account, error) {
	return s.change(ctx, email, d, func(tx vitrine.Tx, a *vitrine.Account) (vitrine.Change, error) {
		if err := mayGovern(tx, d.By); err != nil {
			return vitrine.Change{}, err
		}
		if a.Plan == plan && (a.Limits == limits || a.Limits != nil && limits != nil && *a.Limits == *limits) {
			return vitrine.Change{}, nil
		}
		a.Plan, a.Limits = plan, limits
		detail := string(plan)
		if limits != nil {
			detail += ", with limits of its own"
		}
		return vitrine.Change{Action: vitrine.ActionPlan, Detail: detail}, nil
	})
}

// SetRole changes the role of an account, for the administrator or an owner. At
// least one owner must remain. It applies from the account's next request on.
func (s *Accounts) SetRole(ctx context.Context, email string, role vitrine.Role,
	d vitrine.Decision) (*vitrine.Account, error) {
	return s.change(ctx, email, d, func(tx vitrine.Tx, a *vitrine.Account) (vitrine.Change, error) {
		if err := mayGovern(tx, d.By); err != nil {
			return vitrine.Change{}, err
		}
		if a.Role == role {
			return vitrine.Change{}, nil
		}
		if err := notLastOwner(tx, a, "have another role"); err != nil && d.By.Kind != vitrine.ActorAdministrator {
			return vitrine.Change{}, err
		}
		a.Role = role
		return vitrine.Change{Action: vitrine.ActionRole, Detail: string(role)}, nil
	})
}

// SetBanned suspends an account or ends its suspension. While suspended, its
// keys get 403, its sessions end and its links appear disabled; afterwards its
// links are as before. Moderators may suspend only members. It changes nothing
// if the account is in that state already.
func (s *Accounts) SetBanned(ctx context.Context, email string, banned bool,
	d vitrine.Decision) (*vitrine.Account, error) {
	return s.change(ctx, email, d, func(tx vitrine.Tx, a *vitrine.Account) (c vitrine.Change, err error) {
		if d.By.Kind == vitrine.ActorModerator && a.Role != vitrine.RoleMember {
			return c, vitrine.Errorf(vitrine.CodeInvalidRequest,
				"%s is a moderator: only an administrator can suspend them, on the command line.", a.Email)
		}
		if a.Banned == banned {
			return c, nil
		}
		a.Banned = banned
		if !banned {
			return vitrine.Change{Action: vitrine.ActionUnban}, nil
		}
		return vitrine.Change{Action: vitrine.ActionBan},
			errors.Join(tx.DeleteSessions(a.ID, 0), tx.DeleteOneTimeTokens(a.ID, a.Email))
	})
}

func (s *Accounts) change(ctx context.Context, email string, d vitrine.Decision,
	f func(vitrine.Tx, *vitrine.Account) (vitrine.Change, error)) (a *vitrine.Account, err error) {
	note, err := d.CheckedNote()
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if a, err = vitrine.AccountByEmail(tx, email); err != nil {
			return err
		}
		c, err := f(tx, a)
		if err != nil || c.Action == "" {
			return err
		}
		c.At, c.By, c.Account, c.Note = s.Now(), d.By, a.ID, note
		return errors.Join(tx.PutAccount(a), tx.AddChange(&c))
	})
	return a, err
}
