package vitrine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
)

// Plan determines what an account may do (contract, Plans).
type Plan string

const (
	PlanFree     Plan = "free"
	PlanPro      Plan = "pro"
	PlanLifetime Plan = "lifetime"
)

// Pro reports whether the plan has custom slugs and analytics. Lifetime counts
// as Pro (contract, Plans).
func (p Plan) Pro() bool { return p == PlanPro || p == PlanLifetime }

// Limits are the limits of a plan. Zero means no limit.
type Limits struct {
	Links         int64 `json:"links"`          // not deleted
	FileBytes     int64 `json:"file_bytes"`     // size of one file
	StorageBytes  int64 `json:"storage_bytes"`  // size of all files
	HourlyUploads int64 `json:"hourly_uploads"` // uploads started in any 60 minutes
	Versions      int64 `json:"versions"`       // versions of a file besides the current one
}

// Plans maps each plan to its limits.
type Plans map[Plan]Limits

const (
	MB = 1_000_000
	GB = 1_000_000_000
)

// DefaultPlans returns the limits of an instance without configured ones
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
	Email     string // unique, as NormalEmail returns it; of a closed account ClosedName
	Password  string // PHC string of its hash; "" if it signs in by link only
	Plan      Plan
	Limits    *Limits // replaces the limits of the plan; nil means the plan's
	Role      Role
	Banned    bool
	ViewerKey []byte // 32 bytes; distinguishes viewers within this account only
	// ViewerKeyAt is when the key was created. A key of a configured age is
	// replaced; IDs made with it can no longer be matched.
	ViewerKeyAt  time.Time
	TimeZone     string // of the app, an IANA name; "" means UTC for days, and the browser's for moments
	CreatedAt    time.Time
	ClosedAt     time.Time // zero means open; a closed account is suspended permanently
	CountOwn     bool      // whether views by the owner count
	Closing      bool      // closed, but not everything is deleted yet
	Dismissed    string    // dismissed notice; "" if none
	OwnChangedAt time.Time // when CountOwn changed; zero once all views are updated
}

// Role is what an account may do in the dashboard beyond its own links.
type Role string

const (
	RoleMember    Role = ""
	RoleModerator Role = "moderator" // decides about links in review and suspends members
	RoleOwner     Role = "owner"     // owns the instance: a moderator whom no moderator can suspend
)

// Moderates reports whether the account may moderate now.
func (a *Account) Moderates() bool {
	return (a.Role == RoleModerator || a.Role == RoleOwner) && !a.Banned
}

// LimitsOf returns the limits of an account.
func (p Plans) LimitsOf(a *Account) Limits {
	if a.Limits != nil {
		return *a.Limits
	}
	return p[a.Plan]
}

// NormalEmail checks an address and returns the form that is stored and
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

// ClosedName replaces the email address of a closed account.
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

// MayChooseSlug returns an error if the account's plan has no custom slugs
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
	// AddAccount sets a.ID. Emails are unique.
	AddAccount(a *Account) error
	Account(id AccountID) (*Account, error)
	AccountByEmail(email string) (*Account, error)
	// PutAccount returns ErrExists if another account has the email.
	PutAccount(a *Account) error
	// CountAccounts counts accounts that are not closed.
	CountAccounts() (int64, error)
	// Accounts lists the accounts that q selects, oldest first.
	Accounts(q AccountQuery) ([]*Account, error)
}
