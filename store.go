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

// Store keeps accounts, keys, uploads and links: small rows, changed in
// transactions. Rules live in the services, inside the function that they pass;
// a store reads and writes rows.
//
// Every backend passes the suite storetest.Run.
type Store interface {
	// Read runs f over one snapshot: it sees every Update that had returned
	// before, and none in part. f changes nothing.
	Read(ctx context.Context, f func(Tx) error) error

	// Update runs f as one serializable transaction. When it returns nil,
	// everything f wrote is durable; when f or the commit fails, nothing of it
	// is. f may be run again after a conflict, so it has no effect outside the
	// transaction until Update returns, and sets what it returns anew each
	// time.
	Update(ctx context.Context, f func(Tx) error) error

	// Version returns a number that changes whenever the store may have
	// changed, and never returns to an earlier one: equal results mean that
	// nothing changed in between. It notices changes through this Store value
	// at once, and those of other processes within 5 seconds. Numbers of
	// different Store values cannot be compared.
	Version(ctx context.Context) (int64, error)
}

// Tx is one transaction, composed of what it does with each concept. A look-up
// that finds nothing returns ErrNotFound. An Add that breaks uniqueness returns
// ErrExists, and the transaction may go on. A Put of an absent row returns
// ErrNotFound. What is returned is the caller's own copy. A Tx is for one
// goroutine, and is dead once its function returns.
//
// A function that needs a part of a transaction names that part alone.
type Tx interface {
	AccountTx
	SessionTx
	OneTimeTokenTx
	AttemptTx
	LoginTx
	SharedReportTx
	KeyTx
	UploadTx
	LinkTx
	ReviewTx
	OldSlugTx
	ChangeTx
	AbuseReportTx
	SiteTx
	SitePageTx
	AlbumTx
	LeaseTx
	LetterTx
	IDTx
	SecretTx
}

// LinkQuery selects links. Zero members do not select.
type LinkQuery struct {
	Account   AccountID
	Key       KeyID // links that were made with it
	State     LinkState
	Now       time.Time // if set, links that have expired by then are in State as they are after Settle
	WithBytes bool      // deleted links that still have something to be removed: those alone
	// PreviewDue selects live links with bytes whose parts are to be made.
	PreviewDue bool
	Kind       filetype.Kind
	Site       SiteID // versions of a website
	Of         LinkID // versions of a link
	Files      bool   // links of their own, no versions
	// Words selects links of which each of these stands somewhere in the title,
	// the file's name or the slug. They are as FoldWords makes them.
	Words  []string
	Sort   LinkSort // other orders than the first have no Before
	Before LinkCursor
	After  LinkID // of SortID: links with a higher one
	Offset int    // of what is selected so many are left out
	Limit  int    // 0: all
}

// AccountQuery selects accounts that are not closed. Zero members do not
// select.
type AccountQuery struct {
	Role       Role
	Banned     bool
	OwnChanged bool   // those whose OwnChangedAt is set
	Closing    bool   // closed accounts of which something is to be removed: those alone
	Search     string // stands somewhere in the email, in whatever case
	After      AccountID
	Limit      int // 0: all
}

// ReviewQuery selects links in review. Zero members do not select.
type ReviewQuery struct {
	Reason string
	After  ReviewCursor
	Limit  int // 0: all
}

// ReviewCursor is a place in the queue, longest waiting first; the zero cursor
// is the beginning.
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

// LinkCursor is a place in the order newest first; links after it are older.
// The zero cursor is the beginning.
type LinkCursor struct {
	CreatedAt time.Time
	ID        LinkID
}

// Holding is what an unfinished upload holds of a plan.
type Holding int

// What unfinished uploads hold.
const (
	Slots Holding = iota // a link each; none for a version
	Bytes                // the size of the file
)

// IDTx reserves the IDs of accounts and links within a transaction.
type IDTx interface {
	// ReserveIDs has accounts and links be given numbers above these from now
	// on. It tells whether any of the two was still to be given.
	ReserveIDs(a AccountID, l LinkID) (passed bool, err error)
}

// SecretTx reads and writes secrets of the instance within a transaction.
type SecretTx interface {
	// Secret reads a named secret of the instance; PutSecret writes one.
	Secret(name string) ([]byte, error)
	PutSecret(name string, value []byte) error
}
