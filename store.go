package vitrine

import (
	"context"
	"time"

	"vitrine/internal/filetype"
)

// LinkSort is an order of links.
type LinkSort string

const (
	SortNewest LinkSort = ""
	SortOldest LinkSort = "oldest"
	SortTitle  LinkSort = "title"
	SortSize   LinkSort = "size"  // the largest first
	SortID     LinkSort = "id"    // as they were made; it is quick over all accounts, after LinkQuery.After
	SortViews  LinkSort = "views" // most viewed of the last ViewDays first; the views are the log's, and no Store knows them
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

	// Version returns a number that changes whenever the store may have
	// changed, and never returns to an earlier one: equal results mean that
	// nothing changed in between. It notices changes through this Store value
	// at once, and those of other processes within 5 seconds. Numbers of
	// different Store values cannot be compared.
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
	// PutAccount answers ErrExists for an email that another has.
	PutAccount(a *Account) error
	// CountAccounts counts those that are not closed.
	CountAccounts() (int64, error)
	// Accounts lists accounts, oldest first, as q asks.
	Accounts(q AccountQuery) ([]*Account, error)

	// AddSession gives s.ID. Hashes are unique.
	AddSession(s *Session) error
	SessionByHash(hash [32]byte) (*Session, error)
	// Sessions lists an account's, the last used first.
	Sessions(a AccountID) ([]*Session, error)
	PutSession(s *Session) error
	DeleteSession(id SessionID) error
	// DeleteSessions removes all sessions of an account but one (0: all).
	DeleteSessions(a AccountID, except SessionID) error
	// ExpireSessions removes sessions that have expired before a time.
	ExpireSessions(before time.Time) (int64, error)

	// AddOneTimeToken gives t.ID. The token of the same purpose and email that there was is removed. Hashes are unique.
	AddOneTimeToken(t *OneTimeToken) error
	OneTimeTokenByHash(hash [32]byte) (*OneTimeToken, error)
	// OneTimeTokens lists those of a purpose, newest first.
	OneTimeTokens(p TokenPurpose) ([]*OneTimeToken, error)
	DeleteOneTimeToken(id OneTimeTokenID) error
	// DeleteOneTimeTokens removes all tokens of an account (0: of none), and all of an email.
	DeleteOneTimeTokens(a AccountID, email string) error
	// ExpireOneTimeTokens removes tokens that have expired before a time.
	ExpireOneTimeTokens(before time.Time) (int64, error)

	// AddAttempt gives g.ID.
	AddAttempt(g *Attempt) error
	// CountAttempts counts the attempts of a key from a time to another, both included, and tells when the oldest of them was (zero: none).
	CountAttempts(k AttemptKey, since, until time.Time) (n int64, oldest time.Time, err error)
	DeleteAttempt(id AttemptID) error
	// DeleteAttempts removes all attempts of a key.
	DeleteAttempts(k AttemptKey) error
	// ExpireAttempts removes attempts from before a time.
	ExpireAttempts(before time.Time) (int64, error)

	// AddLogin gives l.ID. Codes are unique, and so are hashes.
	AddLogin(l *Login) error
	LoginByCode(code string) (*Login, error)
	LoginByHash(hash [32]byte) (*Login, error)
	PutLogin(l *Login) error
	DeleteLogin(id LoginID) error
	// ExpireLogins removes logins that have expired before a time.
	ExpireLogins(before time.Time) (int64, error)

	// AddKey gives k.ID. Hashes are unique.
	AddKey(k *APIKey) error
	KeyByHash(hash [32]byte) (*APIKey, error)
	// Keys lists an account's keys, revoked ones too, oldest first.
	Keys(a AccountID) ([]*APIKey, error)
	PutKey(k *APIKey) error
	// DeleteKeys removes all keys of an account.
	DeleteKeys(a AccountID) error

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
	// Held counts the account's open uploads that still hold a slot at a time, and their bytes, leaving out one. Those of websites hold bytes
	// alone.
	Held(a AccountID, now time.Time, except UploadID) (n, bytes int64, err error)
	// HeldUntil returns when the uploads that Held counts have released n of their slots, or of their bytes; zero if they hold less.
	HeldUntil(a AccountID, now time.Time, except UploadID, what Holding, n int64) (time.Time, error)
	// Lapsed sums the bytes of the account's open uploads whose hold has ended at a time, and returns the one whose hold ended first; nil
	// with 0.
	Lapsed(a AccountID, now time.Time) (bytes int64, oldest *Upload, err error)
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
	// BytesRefused reports whether a link with these bytes, deleted or not, is disabled as malware or by a moderator, or in review as malware or
	// by abuse reports.
	BytesRefused(sum string) (bool, error)
	// Review lists links in review, the longest waiting first, as q asks.
	Review(q ReviewQuery) ([]*Link, error)
	// CountReview counts the links in review by their reason code.
	CountReview() (map[string]int64, error)
	// ScanDue lists at most n links with bytes in a state, by ID from the one behind after on, whose last scan was by other signatures.
	ScanDue(state LinkState, signatures string, after LinkID, n int) ([]*Link, error)
	// LinkIDs is Links, telling no more than which they are, in no order and all of them: Sort, Before, Offset and Limit do not count.
	LinkIDs(q LinkQuery) ([]LinkID, error)
	// LinkFacts lists what an account's report needs of each link that is not deleted, in any order; versions of websites are left out.
	LinkFacts(a AccountID) ([]LinkFacts, error)
	// CountLinks counts an account's links that are not deleted, and their bytes. A website that is not deleted is one link, whatever its
	// versions; the bytes are theirs, too.
	CountLinks(a AccountID) (n, bytes int64, err error)
	// ReleaseSlugs takes the slug from the rows of links, websites and albums deleted before a time, so that it can be given again, and tells
	// from how many.
	ReleaseSlugs(deletedBefore time.Time) (int64, error)

	// PutOldSlug keeps a slug that was a link's, in place of what was kept of the same slug. The link must exist.
	PutOldSlug(o *OldSlug) error
	// OldSlug finds a slug that was a link's and still leads to it at a time: its Until is later.
	OldSlug(s Slug, now time.Time) (*OldSlug, error)
	// OldSlugs lists the slugs of a link (0: of any) that still lead to it at a time, those first that do so longest.
	OldSlugs(l LinkID, now time.Time) ([]*OldSlug, error)
	DeleteOldSlug(s Slug) error
	// ExpireOldSlugs removes those that lead nowhere any more at a time.
	ExpireOldSlugs(now time.Time) (int64, error)

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
	// ExpireAbuseReports removes what was reported before a time about links that are live.
	ExpireAbuseReports(before time.Time) (int64, error)

	// AddSite gives s.ID. Slugs are unique over all websites, deleted ones too as long as their row keeps the slug.
	AddSite(s *Site) error
	Site(id SiteID) (*Site, error)
	// SiteBySlug finds a website, deleted or not.
	SiteBySlug(s Slug) (*Site, error)
	PutSite(s *Site) error
	// Sites lists an account's (0: all) websites that are not deleted, newest first (by creation, then ID).
	Sites(a AccountID) ([]*Site, error)

	SitePageTx

	// AddAlbum gives a.ID. Slugs are unique over all albums, deleted ones too as long as their row keeps the slug.
	AddAlbum(a *Album) error
	// AlbumBySlug finds an album, deleted or not.
	AlbumBySlug(s Slug) (*Album, error)
	PutAlbum(a *Album) error
	// Albums lists an account's (0: all) albums that are not deleted, newest first (by creation, then ID).
	Albums(a AccountID) ([]*Album, error)
	// PutAlbumLinks makes links, each named once, all that is in an album, in this order. The album and the links must exist.
	PutAlbumLinks(a AlbumID, links []LinkID) error
	// AlbumLinks lists the links in an album that are not deleted, in their order, at most n (0: all).
	AlbumLinks(a AlbumID, n int) ([]*Link, error)
	// AlbumSizes counts the links that are not deleted in each of an account's albums that has any.
	AlbumSizes(a AccountID) (map[AlbumID]int64, error)

	// Lease reads a lease, of whatever time; PutLease writes one, whether or not there is one of its name.
	Lease(name string) (*Lease, error)
	PutLease(l *Lease) error
	DeleteLease(name string) error
	// ExpireLeases removes leases that ended before a time.
	ExpireLeases(before time.Time) (int64, error)

	// AddLetter gives l.ID.
	AddLetter(l *Letter) error
	Letter(id LetterID) (*Letter, error)
	PutLetter(l *Letter) error
	DeleteLetter(id LetterID) error
	// LettersDue lists at most n letters that are to be sent at or before a time, those first that are due longest.
	LettersDue(now time.Time, n int) ([]*Letter, error)

	// ReserveIDs has accounts and links be given numbers above these from now on. It tells whether any of the two was still to be given.
	ReserveIDs(a AccountID, l LinkID) (passed bool, err error)

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
	Kind       filetype.Kind
	Site       SiteID // versions of a website
	Files      bool   // links that are no versions of websites
	// Words selects links of which each of these stands somewhere in the title, the file's name or the slug. They are as FoldWords makes them.
	Words  []string
	Sort   LinkSort // other orders than the first have no Before
	Before LinkCursor
	After  LinkID // of SortID: links with a higher one
	Offset int    // of what is selected so many are left out
	Limit  int    // 0: all
}

// AccountQuery selects accounts that are not closed. Zero members do not select.
type AccountQuery struct {
	Role    Role
	Banned  bool
	Closing bool   // closed accounts of which something is to be removed: those alone
	Search  string // stands somewhere in the email, in whatever case
	After   AccountID
	Limit   int // 0: all
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

// Holding is what an unfinished upload holds of a plan.
type Holding int

// What unfinished uploads hold.
const (
	Slots Holding = iota // a link each; none for a website
	Bytes                // the size of the file
)
