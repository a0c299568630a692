package vitrine

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"vitrine/report"
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
	Recipients    int64 `json:"recipients"`     // recipients of a link that are not revoked
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
	pro := Limits{FileBytes: 2 * GB, StorageBytes: 100 * GB, HourlyUploads: 200, Versions: 10,
		Recipients: 500}
	return Plans{
		PlanFree: {Links: 10, FileBytes: 25 * MB, StorageBytes: 250 * MB, HourlyUploads: 20, Versions: 1,
			Recipients: 500},
		PlanPro:      pro,
		PlanLifetime: pro,
	}
}

// Account owns links and keys.
type Account struct {
	ID        AccountID
	Email     string // unique, as NormalEmail returns it; of a closed account ClosedName
	Password  string // PHC string of its hash; "" if it signs in by link only
	Factor    []byte // second factor, as package internal/app/auth/factor stores it; nil if none
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
	ClosedAt     time.Time  // zero means open; a closed account is suspended permanently
	CountOwn     bool       // whether views by the owner count
	Closing      bool       // closed, but not everything is deleted yet
	Dismissed    string     // dismissed notice; "" if none
	OwnChangedAt time.Time  // when CountOwn changed; zero once all views are updated
	NoMail       string     // mails that it does not want, by name (package internal/app/notify), with spaces between
	Weekly       report.Day // the last Monday on which the week before was summed up
	Mailed       string     // JSON: which problems and when it was mailed as administrator or moderator (same package)
}

// Zone returns the time zone of the account's days: UTC if it has chosen none,
// or one that is not known any more.
func (a *Account) Zone() *time.Location {
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
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

// ErrBanned is the answer to whatever a suspended account asks for.
var ErrBanned = Errorf(CodeBanned, "This account is suspended.")

// ClosedName replaces the email address of a closed account.
func ClosedName(id AccountID) string { return fmt.Sprintf("account %d (closed)", id) }

// AccountByEmail finds the account of an address as a person wrote it. Error:
// CodeNotFound, with a message for that person.
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

// RandomKey returns a new key of 32 bytes.
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
	// HasAccounts reports whether there are accounts that are not closed.
	HasAccounts() (bool, error)
	// Accounts lists the accounts that q selects, oldest first.
	Accounts(q AccountQuery) ([]*Account, error)
}

// KeyPrefix is the prefix of every API key (contract, Names).
const KeyPrefix = "vtr_"

// KeyNameRunes is the longest name of a key, in characters.
const KeyNameRunes = 100

// APIKey is a stored API key. The key itself is shown once and never stored.
type APIKey struct {
	ID        KeyID
	Account   AccountID
	Name      string
	Hash      [sha256.Size]byte // SHA-256 of the whole key
	Last4     string
	CreatedAt time.Time
	UsedAt    time.Time // zero if never; stored to the minute
	RevokedAt time.Time // zero if not revoked
	ExpiresAt time.Time // zero if never
	Scope     KeyScope
	// LinkLife limits how long after their creation links that the key creates
	// or edits may be public; 0 means no limit.
	LinkLife time.Duration
	Replaced bool   // replaced by another key; valid until ExpiresAt
	Code     string // hash of the code that a program got it for (auth.Grants); "" if a person copied it
}

// KeyScope is what a key may do. Each scope includes those before it.
type KeyScope string

const (
	ScopeRead    KeyScope = "read"    // list links and read reports
	ScopePublish KeyScope = "publish" // also upload and edit
	ScopeFull    KeyScope = "full"    // also delete links and manage keys
)

// Scopes lists all scopes, the smallest first.
var Scopes = []KeyScope{ScopeRead, ScopePublish, ScopeFull}

// Allows reports whether a scope includes another.
func (s KeyScope) Allows(need KeyScope) bool {
	return slices.Contains(Scopes, need) && slices.Index(Scopes, s) >= slices.Index(Scopes, need)
}

// InForce reports whether the key is valid at a time.
func (k *APIKey) InForce(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// KeyTx reads and writes API keys within a transaction.
type KeyTx interface {
	// AddKey sets k.ID. Hashes are unique.
	AddKey(k *APIKey) error
	Key(id KeyID) (*APIKey, error)
	KeyByHash(hash [32]byte) (*APIKey, error)
	// CountKeys counts an account's keys in force at a time, and those created
	// after another time, whose oldest was created at first (zero: none).
	CountKeys(a AccountID, now, after time.Time) (inForce, created int64, first time.Time, err error)
	// Keys lists an account's keys, including revoked ones, oldest first.
	Keys(a AccountID) ([]*APIKey, error)
	PutKey(k *APIKey) error
	// DeleteKeys deletes all keys of an account.
	DeleteKeys(a AccountID) error
	// TrimKeys deletes an account's ended keys, but not its newest n keys.
	TrimKeys(a AccountID, now time.Time, n int) error
	// ExpireKeys deletes keys that ended before a time.
	ExpireKeys(before time.Time) (int64, error)
}
