package vitrine

import (
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

// Pro reports whether the plan has custom slugs and analytics. Lifetime counts
// as Pro (contract, Plans).
func (p Plan) Pro() bool { return p == PlanPro || p == PlanLifetime }

// Limits are a plan's bounds. Zero means: no bound.
type Limits struct {
	Links         int64 `json:"links"`          // links that are not deleted
	FileBytes     int64 `json:"file_bytes"`     // of one file
	StorageBytes  int64 `json:"storage_bytes"`  // of all files together
	HourlyUploads int64 `json:"hourly_uploads"` // uploads begun in any 60 minutes
	Versions      int64 `json:"versions"`       // of a link's file, besides the current one
}

// Plans are the limits of each plan.
type Plans map[Plan]Limits

const (
	MB = 1_000_000
	GB = 1_000_000_000
)

// DefaultPlans are the limits of an instance whose operator sets none
// (contract, Plans).
func DefaultPlans() Plans {
	pro := Limits{FileBytes: 2 * GB, StorageBytes: 100 * GB, HourlyUploads: 200, Versions: 10}
	return Plans{
		PlanFree:     {Links: 10, FileBytes: 25 * MB, StorageBytes: 250 * MB, HourlyUploads: 20, Versions: 1},
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
	// ViewerKeyAt is when the key was made; past a configured age it is
	// replaced and the ids made with it become noise.
	ViewerKeyAt  time.Time
	TimeZone     string // of days and hours of its reports in the app, an IANA name; "": UTC
	CreatedAt    time.Time
	ClosedAt     time.Time // zero: it is open. One that is closed is suspended for good
	CountOwn     bool      // the owner's own views count
	Closing      bool      // it is closed, and something of it is still to be removed
	OwnChangedAt time.Time // when CountOwn was changed, until all views follow it
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

// NormalEmail checks an address and folds it to the form that is stored and
// compared: lower case, without a display name.
func NormalEmail(s string) (string, error) {
	s = strings.TrimSpace(s)
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 || strings.ContainsAny(s, "<>\" ") {
		return "", Errorf(CodeInvalidRequest, "%q is not an e-mail address.", s)
	}
	return strings.ToLower(s), nil
}

var ErrBanned = Errorf(CodeBanned, "This account is suspended.")

// ClosedName is in place of the address of a closed account.
func ClosedName(id AccountID) string { return fmt.Sprintf("account %d (closed)", id) }

func AccountByEmail(tx AccountTx, email string) (*Account, error) {
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

func RandomKey() []byte {
	b := make([]byte, 32)
	rand.Read(b)
	return b
}

// MayChooseSlug refuses accounts whose plan has no custom slugs
// (contract, Slugs).
func (a *Account) MayChooseSlug() error {
	if a.Plan.Pro() {
		return nil
	}
	return &Error{Code: CodeProRequired, Field: "slug", Upgrade: true,
		Message: "Custom addresses are part of the Pro plan."}
}

// AccountTx reads and writes accounts within a transaction.
type AccountTx interface {
	// AddAccount gives a.ID. Emails are unique.
	AddAccount(a *Account) error
	Account(id AccountID) (*Account, error)
	AccountByEmail(email string) (*Account, error)
	// PutAccount answers ErrExists for an email that another has.
	PutAccount(a *Account) error
	// CountAccounts counts those that are not closed.
	CountAccounts() (int64, error)
	// Accounts lists accounts, oldest first, as q asks.
	Accounts(q AccountQuery) ([]*Account, error)
}
