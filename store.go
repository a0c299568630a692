package vitrine

import (
	"context"
	"time"

	"vitrine/internal/filetype"
)

// Store keeps accounts, keys, uploads and links: small rows, changed in transactions. Rules live in the services, inside the
// function that they pass; a store reads and writes rows.
//
// Every backend passes the suite vitrinetest.Store.
type Store interface {
	// Read runs f over one snapshot: it sees every Update that had returned before, and none in part. f changes nothing.
	Read(ctx context.Context, f func(Tx) error) error

	// Update runs f as one serializable transaction. When it returns nil, everything f wrote is durable; when f or the commit
	// fails, nothing of it is. f may be run again after a conflict, so it has no effect outside the transaction until Update
	// returns, and sets what it returns anew each time.
	Update(ctx context.Context, f func(Tx) error) error

	// Version is another number, never one that it was before, whenever anything in the store may have changed, by whomever, since
	// it was last asked for; an Update that has returned is such a change. The numbers are of this Store value alone.
	Version(ctx context.Context) (int64, error)
}

// Tx is one transaction. A look-up that finds nothing answers ErrNotFound; an Add that breaks uniqueness, ErrExists (and the
// transaction may go on); a Put of an absent row, ErrNotFound. What is returned is the caller's own copy. A Tx is for
// one goroutine and is dead once its function returns.
type Tx interface {
	// AddAccount gives a.ID. Emails are unique.
	AddAccount(a *Account) error
	Account(id AccountID) (*Account, error)
	AccountByEmail(email string) (*Account, error)
	PutAccount(a *Account) error
	CountAccounts() (int64, error)
	// Accounts lists accounts, oldest first, as q asks.
	Accounts(q AccountQuery) ([]*Account, error)

	// AddSession gives s.ID. Hashes are unique.
	AddSession(s *Session) error
	SessionByHash(hash [32]byte) (*Session, error)
	PutSession(s *Session) error
	DeleteSession(id SessionID) error
	// EndSessions removes all sessions of an account, offered ones too.
	EndSessions(a AccountID) error
	// ForgetSessions removes sessions that have expired before a time.
	ForgetSessions(before time.Time) (int64, error)

	// AddKey gives k.ID. Hashes are unique.
	AddKey(k *APIKey) error
	KeyByHash(hash [32]byte) (*APIKey, error)
	// Keys lists an account's keys, revoked ones too, oldest first.
	Keys(a AccountID) ([]*APIKey, error)
	PutKey(k *APIKey) error

	// AddUpload: IDs are unique; so is (account, idempotency key) among rows with a key that are not Replaced.
	AddUpload(u *Upload) error
	Upload(id UploadID) (*Upload, error)
	// UploadByKey finds the account's upload with an idempotency key that is not Replaced.
	UploadByKey(a AccountID, key string) (*Upload, error)
	PutUpload(u *Upload) error
	DeleteUpload(id UploadID) error
	// CountUploads counts uploads of the account created at or after a time, in whatever state, and tells when the oldest of
	// them was created (zero: none).
	CountUploads(a AccountID, since time.Time) (n int64, oldest time.Time, err error)
	// Held counts the account's open uploads that still hold a slot at a time, and their bytes, leaving out one.
	Held(a AccountID, now time.Time, except UploadID) (n, bytes int64, err error)
	// SlugHolder finds the open upload that holds a custom slug at a time.
	SlugHolder(s Slug, now time.Time) (*Upload, error)
	// StaleUploads lists at most n uploads in a state that were created before a time, oldest first.
	StaleUploads(s UploadState, before time.Time, n int) ([]*Upload, error)

	// AddLink gives l.ID. Slugs are unique over all links, deleted ones too as long as their row keeps the slug.
	AddLink(l *Link) error
	Link(id LinkID) (*Link, error)
	// LinkBySlug finds a link whatever its state, deleted ones too.
	LinkBySlug(s Slug) (*Link, error)
	PutLink(l *Link) error
	// Links lists links that are not deleted, newest first (by creation, then ID), as q asks.
	Links(q LinkQuery) ([]*Link, error)
	// LinksBySHA256 lists at most n (0: all) links with the same bytes, newest first, deleted ones too.
	LinksBySHA256(sum string, n int) ([]*Link, error)
	// BytesRefused tells whether a link with these bytes, deleted or not, is disabled as malware or by a moderator, or in review as malware or
	// by abuse reports.
	BytesRefused(sum string) (bool, error)
	// Review lists links in review, the longest waiting first, as q asks.
	Review(q ReviewQuery) ([]*Link, error)
	// CountReview counts the links in review by their reason code.
	CountReview() (map[string]int64, error)
	// ScanDue lists at most n links with bytes in a state, by ID from the one behind after on, whose last scan was by other signatures.
	ScanDue(state LinkState, signatures string, after LinkID, n int) ([]*Link, error)
	// LinkFacts lists what an account's report needs of each link that is not deleted, in any order.
	LinkFacts(a AccountID) ([]LinkFacts, error)
	// CountLinks counts an account's links that are not deleted, and their bytes.
	CountLinks(a AccountID) (n, bytes int64, err error)
	// ReleaseSlugs takes the slug from the rows of links deleted before a time, so that it can be given again.
	ReleaseSlugs(deletedBefore time.Time) (int64, error)

	// AddChange gives c.ID, larger than any before.
	AddChange(c *Change) error
	// Changes lists changes, newest first, as q asks; without a link, ActionCreate is left out.
	Changes(q ChangeQuery) ([]*Change, error)

	// AddAbuseReport keeps a report. Earlier ones by the same reporter about the same link are emptied: they are counted, and no longer
	// listed. The link must exist.
	AddAbuseReport(r *AbuseReport) error
	// AbuseReports lists what was reported about a link at or after a time, newest first: the last report of each reporter.
	AbuseReports(l LinkID, since time.Time) ([]*AbuseReport, error)
	// CountAbuseReports counts all that a reporter reported at or after a time, and tells when the oldest of it was (zero: nothing).
	CountAbuseReports(by ReporterID, since time.Time) (n int64, oldest time.Time, err error)
	// DeleteAbuseReports removes what was reported about a link.
	DeleteAbuseReports(l LinkID) error
	// ForgetAbuseReports removes what was reported before a time about links that are live.
	ForgetAbuseReports(before time.Time) (int64, error)

	// Secret reads a named secret of the instance; PutSecret writes one.
	Secret(name string) ([]byte, error)
	PutSecret(name string, value []byte) error
}

// LinkQuery selects links. Zero members do not select.
type LinkQuery struct {
	Account   AccountID
	State     LinkState
	WithBytes bool // deleted links that still have something to be removed: those alone
	// PreviewDue selects live links with bytes whose parts are to be made.
	PreviewDue bool
	Before     LinkCursor
	Limit      int // 0: all
}

// AccountQuery selects accounts. Zero members do not select.
type AccountQuery struct {
	Role   Role
	Banned bool
	After  AccountID
	Limit  int // 0: all
}

// ReviewQuery selects links in review. Zero members do not select.
type ReviewQuery struct {
	Reason string
	After  ReviewCursor
	Limit  int // 0: all
}

// ReviewCursor is a place in the queue, longest waiting first; the zero cursor is the beginning.
type ReviewCursor struct {
	Since time.Time // Link.StateAt
	ID    LinkID
}

// LinkFacts are the members of a link that say how it is counted.
type LinkFacts struct {
	ID        LinkID
	Kind      filetype.Kind
	Pages     int
	CreatedAt time.Time
}

// LinkCursor is a place in the order newest first; links after it are older. The zero cursor is the beginning.
type LinkCursor struct {
	CreatedAt time.Time
	ID        LinkID
}
