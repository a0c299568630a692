package vitrine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
)

// Plan is what an account may do (contract, Plans).
type Plan string

const (
	PlanFree     Plan = "free"
	PlanPro      Plan = "pro"
	PlanLifetime Plan = "lifetime"
)

// Pro reports whether the plan has custom slugs and analytics. Lifetime counts as Pro (contract, Plans).
func (p Plan) Pro() bool { return p == PlanPro || p == PlanLifetime }

// Limits are a plan's bounds. Zero means: no bound.
type Limits struct {
	Links         int64 `json:"links"`          // links that are not deleted
	FileBytes     int64 `json:"file_bytes"`     // of one file
	StorageBytes  int64 `json:"storage_bytes"`  // of all files together
	HourlyUploads int64 `json:"hourly_uploads"` // uploads begun in any 60 minutes
}

// Plans are the limits of each plan.
type Plans map[Plan]Limits

const (
	MB = 1_000_000
	GB = 1_000_000_000
)

// DefaultPlans are the limits of an instance whose operator sets none (contract, Plans).
func DefaultPlans() Plans {
	pro := Limits{FileBytes: 2 * GB, StorageBytes: 100 * GB, HourlyUploads: 200}
	return Plans{
		PlanFree:     {Links: 10, FileBytes: 25 * MB, StorageBytes: 250 * MB, HourlyUploads: 20},
		PlanPro:      pro,
		PlanLifetime: pro,
	}
}

// Account owns links and keys.
type Account struct {
	ID        AccountID
	Email     string // as NormalEmail makes it; unique. Of a closed account words that are no address
	Password  string // hash of it, a PHC string; "": it has none, and one signs in with a link
	Plan      Plan
	Limits    *Limits // the account's own in place of its plan's; nil: the plan's
	Role      Role
	Banned    bool
	ViewerKey []byte // 32 bytes; viewers are distinguished with it, within this account alone
	// ViewerKeyAt is when the key was made; past a configured age it is replaced and the ids made with it become noise.
	ViewerKeyAt time.Time
	CreatedAt   time.Time
	ClosedAt    time.Time // zero: it is open. One that is closed is suspended for good
	Closing     bool      // it is closed, and something of it is still to be removed
}

// Role is what an account may do on the website beyond its own links.
type Role string

const (
	RoleMember    Role = ""
	RoleModerator Role = "moderator" // decides about links in review, and suspends members
	RoleOwner     Role = "owner"     // of the instance: a moderator whom no moderator can suspend
)

// Moderates reports whether an account may moderate now.
func (a *Account) Moderates() bool {
	return (a.Role == RoleModerator || a.Role == RoleOwner) && !a.Banned
}

// LimitsOf are the bounds that hold for an account.
func (p Plans) LimitsOf(a *Account) Limits {
	if a.Limits != nil {
		return *a.Limits
	}
	return p[a.Plan]
}

// NormalEmail checks an address and folds it to the form that is stored and compared: lower case, without a display name.
func NormalEmail(s string) (string, error) {
	s = strings.TrimSpace(s)
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 || strings.ContainsAny(s, "<>\" ") {
		return "", Errorf(CodeInvalidRequest, "%q is not an e-mail address.", s)
	}
	return strings.ToLower(s), nil
}

var errBanned = Errorf(CodeBanned, "This account is suspended.")

// closedName is in place of the address of a closed account.
func closedName(id AccountID) string { return fmt.Sprintf("account %d (closed)", id) }

// Accounts is the service of accounts. Store and Now are all that the operator's verbs need, Sessions apart where a password is set.
type Accounts struct {
	Store    Store
	Now      func() time.Time
	Sessions *Sessions // in which people find themselves who open an account or set a password

	SignUp     SignUp // who opens accounts on the website; "": nobody
	SignUpPlan Plan   // of accounts that are opened there; "": Free

	Mail *Outbox // nil: no mail is sent
	Site string  // the host, as messages name it
	// Address is where a token is used; without one, where to ask for one.
	Address func(TokenPurpose, TokenText) string

	Links  *Links // that go with a closed account
	Wake   func() // if set, called when there is something to be removed (Empty)
	Leases *Leases
}

// Create makes an account with its first API key. The first account of a fresh instance is Lifetime, whatever plan is asked for
// (contract, Plans), and its owner's. A further one needs a plan, so that no account is made by mistake where a key was wanted.
// Errors: CodeInvalidRequest for a bad or known address, and for a further account without a plan (Field "plan").
func (s *Accounts) Create(ctx context.Context, email string, plan Plan) (*Account, KeyText, error) {
	email, err := NormalEmail(email)
	if err != nil {
		return nil, "", err
	}
	var account *Account
	var key KeyText
	err = s.Store.Update(ctx, func(tx Tx) (err error) {
		if err := mayAdd(tx, email, plan); err != nil {
			return err
		}
		if account, err = s.add(tx, email, plan, ""); err != nil {
			return err
		}
		key, err = addKey(tx, account.ID, "first key", account.CreatedAt)
		return err
	})
	return account, key, err
}

// mayAdd refuses an account that Create is not to make.
func mayAdd(tx Tx, email string, plan Plan) error {
	if _, err := tx.AccountByEmail(email); err == nil {
		return &Error{Code: CodeInvalidRequest, Field: "email", Message: fmt.Sprintf("There is an account of %s already.", email)}
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	if plan != "" {
		return nil
	}
	n, err := tx.CountAccounts()
	if err == nil && n > 0 {
		err = &Error{Code: CodeInvalidRequest, Field: "plan", Message: "This instance has an account already. A further one needs a plan."}
	}
	return err
}

// add makes an account; the first is Lifetime and its owner's. Tokens that would make one of the same address are of no use any more.
func (s *Accounts) add(tx Tx, email string, plan Plan, password string) (*Account, error) {
	n, err := tx.CountAccounts()
	if err != nil {
		return nil, err
	}
	now := s.Now()
	a := &Account{Email: email, Password: password, Plan: plan, ViewerKey: randomKey(), ViewerKeyAt: now, CreatedAt: now}
	if n == 0 {
		a.Plan, a.Role = PlanLifetime, RoleOwner
	}
	if err := tx.AddAccount(a); errors.Is(err, ErrExists) {
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
	*Account
	Links, Bytes int64 // that are not deleted
}

// People lists accounts as q asks, oldest first, with what they keep.
func (s *Accounts) People(ctx context.Context, q AccountQuery) (people []AccountUsage, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
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

// mayGovern refuses whoever, on the website, is no owner of the instance any more.
func mayGovern(tx Tx, by Actor) error {
	if by.Kind == ActorOperator {
		return nil
	}
	a, err := tx.Account(by.Account)
	if err == nil && (a.Role != RoleOwner || a.Banned) {
		err = Errorf(CodeInvalidRequest, "This is for the owner of the site.")
	}
	return err
}

// ByEmail finds an account. Errors: CodeNotFound.
func (s *Accounts) ByEmail(ctx context.Context, email string) (a *Account, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		a, err = accountByEmail(tx, email)
		return err
	})
	return a, err
}

// List lists accounts, oldest first.
func (s *Accounts) List(ctx context.Context, q AccountQuery) (list []*Account, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		list, err = tx.Accounts(q)
		return err
	})
	return list, err
}

// SetPlan changes an account's plan and its own limits (nil: the plan's), by the operator or an owner. It holds from the account's next request on.
func (s *Accounts) SetPlan(ctx context.Context, email string, plan Plan, limits *Limits, d Decision) (*Account, error) {
	return s.change(ctx, email, d, func(tx Tx, a *Account) (Change, error) {
		if err := mayGovern(tx, d.By); err != nil {
			return Change{}, err
		}
		if a.Plan == plan && (a.Limits == limits || a.Limits != nil && limits != nil && *a.Limits == *limits) {
			return Change{}, nil
		}
		a.Plan, a.Limits = plan, limits
		detail := string(plan)
		if limits != nil {
			detail += ", with limits of its own"
		}
		return Change{Action: ActionPlan, Detail: detail}, nil
	})
}

// SetRole changes what an account may do on the website, by the operator or an owner, who leave one owner at least. It holds from the account's
// next request on.
func (s *Accounts) SetRole(ctx context.Context, email string, role Role, d Decision) (*Account, error) {
	return s.change(ctx, email, d, func(tx Tx, a *Account) (Change, error) {
		if err := mayGovern(tx, d.By); err != nil {
			return Change{}, err
		}
		if a.Role == role {
			return Change{}, nil
		}
		if err := notLastOwner(tx, a, "have another role"); err != nil && d.By.Kind != ActorOperator {
			return Change{}, err
		}
		a.Role = role
		return Change{Action: ActionRole, Detail: string(role)}, nil
	})
}

// SetBanned suspends an account or lifts that. While it is suspended its keys answer 403, its sessions are over and its links show as
// disabled; lifted, its links are as before. A moderator may suspend members alone. Nothing is changed, or written, when it is so already.
func (s *Accounts) SetBanned(ctx context.Context, email string, banned bool, d Decision) (*Account, error) {
	return s.change(ctx, email, d, func(tx Tx, a *Account) (c Change, err error) {
		if d.By.Kind == ActorModerator && a.Role != RoleMember {
			return c, Errorf(CodeInvalidRequest, "%s is a moderator: only the operator can suspend them, on the command line.", a.Email)
		}
		if a.Banned == banned {
			return c, nil
		}
		a.Banned = banned
		if !banned {
			return Change{Action: ActionUnban}, nil
		}
		return Change{Action: ActionBan}, errors.Join(tx.DeleteSessions(a.ID, 0), tx.DeleteOneTimeTokens(a.ID, a.Email))
	})
}

func (s *Accounts) change(ctx context.Context, email string, d Decision, f func(Tx, *Account) (Change, error)) (a *Account, err error) {
	note, err := d.note()
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		if a, err = accountByEmail(tx, email); err != nil {
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

func accountByEmail(tx Tx, email string) (*Account, error) {
	email, err := NormalEmail(email)
	if err != nil {
		return nil, err
	}
	a, err := tx.AccountByEmail(email)
	if errors.Is(err, ErrNotFound) {
		return nil, Errorf(CodeNotFound, "There is no account of %s.", email)
	}
	return a, err
}

func randomKey() []byte {
	b := make([]byte, 32)
	rand.Read(b)
	return b
}

// MayChooseSlug refuses accounts whose plan has no custom slugs (contract, Slugs).
func (a *Account) MayChooseSlug() error {
	if a.Plan.Pro() {
		return nil
	}
	return &Error{Code: CodeProRequired, Field: "slug", Upgrade: true, Message: "Custom slugs are part of the Pro plan."}
}
