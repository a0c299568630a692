// Package auth lets people in: accounts, passwords, sessions, API keys,
// one-time tokens, invitations, and limits on attempts (decision 0015).
package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/lease"
	"vitrine/internal/outbox"
)

// Contents deletes what an account owns besides its own row.
type Contents interface {
	// DeleteAll deletes the links, albums and websites of a closed account. It
	// is called again after a failure, and by several processes.
	DeleteAll(ctx context.Context, a *vitrine.Account) error
}

// Accounts is the service of accounts. Store and Now are all that the
// operator's verbs need, Sessions apart where a password is set.
type Accounts struct {
	Store    vitrine.Store
	Now      func() time.Time
	Sessions *Sessions // in which people find themselves who open an account or set a password

	SignUp     SignUp       // who opens accounts on the website; "": nobody
	SignUpPlan vitrine.Plan // of accounts that are opened there; "": Free

	Mail *outbox.Outbox // nil: no mail is sent
	Site string         // the host, as messages name it
	// Address is where a token is used; without one, where to ask for one.
	Address func(vitrine.TokenPurpose, vitrine.TokenText) string

	Contents Contents // deleted with a closed account
	Wake     func()   // if set, called when there is something to be removed (Empty)
	Leases   *lease.Leases
}

// Create makes an account with its first API key. The first account of a fresh
// instance is Lifetime, whatever plan is asked for (contract, Plans), and its
// owner's. A further one needs a plan, so that no account is made by mistake
// where a key was wanted. Errors: CodeInvalidRequest for a bad or known
// address, and for a further account without a plan (Field "plan").
func (s *Accounts) Create(ctx context.Context, email string,
	plan vitrine.Plan) (*vitrine.Account, vitrine.KeyText, error) {
	email, err := vitrine.NormalEmail(email)
	if err != nil {
		return nil, "", err
	}
	var account *vitrine.Account
	var key vitrine.KeyText
	err = s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		if err := mayAdd(tx, email, plan); err != nil {
			return err
		}
		if account, err = s.add(tx, email, plan, ""); err != nil {
			return err
		}
		key, err = addKey(tx, account.ID, KeyRequest{Name: "first key"}, account.CreatedAt)
		return err
	})
	return account, key, err
}

// mayAdd refuses an account that Create is not to make.
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
	n, err := tx.CountAccounts()
	if err == nil && n > 0 {
		err = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "plan",
			Message: "This instance already has an account."}
	}
	return err
}

// add makes an account; the first is Lifetime and its owner's. Tokens that
// would make one of the same address are of no use any more.
func (s *Accounts) add(tx vitrine.Tx, email string, plan vitrine.Plan, password string) (*vitrine.Account, error) {
	n, err := tx.CountAccounts()
	if err != nil {
		return nil, err
	}
	now := s.Now()
	a := &vitrine.Account{Email: email, Password: password, Plan: plan, ViewerKey: vitrine.RandomKey(),
		ViewerKeyAt: now, CreatedAt: now}
	if n == 0 {
		a.Plan, a.Role = vitrine.PlanLifetime, vitrine.RoleOwner
	}
	if err := tx.AddAccount(a); errors.Is(err, vitrine.ErrExists) {
		return nil, errHasAccount
	} else if err != nil {
		return nil, err
	}
	if n == 0 {
		err = tx.DeleteOneTimeTokens(0, "") // of set-up
	}
	return a, errors.Join(err, tx.DeleteOneTimeTokens(0, email))
}

// AccountUsage is an account as the owner of an instance sees it among others.
type AccountUsage struct {
	*vitrine.Account
	Links, Bytes int64 // that are not deleted
}

// People lists accounts as q asks, oldest first, with what they keep.
func (s *Accounts) People(ctx context.Context, q vitrine.AccountQuery) (people []AccountUsage, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		list, err := tx.Accounts(q)
		people = nil
		for _, a := range list {
			p := AccountUsage{Account: a}
			if p.Links, p.Bytes, err = tx.CountLinks(a.ID); err != nil {
				return err
			}
			people = append(people, p)
		}
		return err
	})
	return people, err
}

// mayGovern refuses whoever, on the website, is no owner of the instance any
// more.
func mayGovern(tx vitrine.AccountTx, by vitrine.Actor) error {
	if by.Kind == vitrine.ActorOperator {
		return nil
	}
	a, err := tx.Account(by.Account)
	if err == nil && (a.Role != vitrine.RoleOwner || a.Banned) {
		err = vitrine.Errorf(vitrine.CodeInvalidRequest, "This is for the owner of the site.")
	}
	return err
}

// ByEmail finds an account. Errors: CodeNotFound.
func (s *Accounts) ByEmail(ctx context.Context, email string) (a *vitrine.Account, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		a, err = vitrine.AccountByEmail(tx, email)
		return err
	})
	return a, err
}

// List lists accounts, oldest first.
func (s *Accounts) List(ctx context.Context, q vitrine.AccountQuery) (list []*vitrine.Account, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		list, err = tx.Accounts(q)
		return err
	})
	return list, err
}

// SetPlan changes an account's plan and its own limits (nil: the plan's), by
// the operator or an owner. It holds from the account's next request on.
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

// SetRole changes what an account may do on the website, by the operator or an
// owner, who leave one owner at least. It holds from the account's next request
// on.
func (s *Accounts) SetRole(ctx context.Context, email string, role vitrine.Role,
	d vitrine.Decision) (*vitrine.Account, error) {
	return s.change(ctx, email, d, func(tx vitrine.Tx, a *vitrine.Account) (vitrine.Change, error) {
		if err := mayGovern(tx, d.By); err != nil {
			return vitrine.Change{}, err
		}
		if a.Role == role {
			return vitrine.Change{}, nil
		}
		if err := notLastOwner(tx, a, "have another role"); err != nil && d.By.Kind != vitrine.ActorOperator {
			return vitrine.Change{}, err
		}
		a.Role = role
		return vitrine.Change{Action: vitrine.ActionRole, Detail: string(role)}, nil
	})
}

// SetBanned suspends an account or lifts that. While it is suspended its keys
// answer 403, its sessions are over and its links show as disabled; lifted, its
// links are as before. A moderator may suspend members alone. Nothing is
// changed, or written, when it is so already.
func (s *Accounts) SetBanned(ctx context.Context, email string, banned bool,
	d vitrine.Decision) (*vitrine.Account, error) {
	return s.change(ctx, email, d, func(tx vitrine.Tx, a *vitrine.Account) (c vitrine.Change, err error) {
		if d.By.Kind == vitrine.ActorModerator && a.Role != vitrine.RoleMember {
			return c, vitrine.Errorf(vitrine.CodeInvalidRequest,
				"%s is a moderator: only the operator can suspend them, on the command line.", a.Email)
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
