package vitrine

import (
	"context"
	"time"

	"vitrine/internal/filetype"
	"vitrine/report"
)

// LinkSort is an order of links.
type LinkSort string

const (
	SortNewest  LinkSort = ""
	SortOldest  LinkSort = "oldest"
	SortTitle   LinkSort = "title"
	SortSize    LinkSort = "size"    // the largest first
	SortID      LinkSort = "id"      // by ID; fast over all accounts, after LinkQuery.After
	SortViews   LinkSort = "views"   // by views of the last ViewDays; no Store supports it
	SortDeleted LinkSort = "deleted" // the last first; LinkQuery.Before is a position by DeletedAt
)

// Store stores accounts, keys, uploads and links: small rows, changed in
// transactions. Rules are in the services, in the functions that they pass; a
// store only reads and writes rows.
//
// Every backend passes the suite storetest.Run.
type Store interface {
	// Read runs f on one snapshot, which includes every Update that returned
	// before, completely. f must not write.
	Read(ctx context.Context, f func(Tx) error) error

	// Update runs f as a serializable transaction. When Update returns nil,
	// everything that f wrote is durable; after an error of f or the commit,
	// nothing is. f may run again after a conflict. It must therefore have no
	// effects outside the transaction, and set its results anew each time.
	Update(ctx context.Context, f func(Tx) error) error

	// Version returns a number that changes whenever the store may have
	// changed, and never repeats an earlier one. Equal results mean that
	// nothing changed in between. Changes through this Store value are noticed
	// at once, those of other processes within 5 seconds. Numbers of different
	// Store values cannot be compared.
	Version(ctx context.Context) (int64, error)
}

// Read returns the result of f on one snapshot of the store.
func Read[T any](ctx context.Context, s Store, f func(Tx) (T, error)) (result T, err error) {
	err = s.Read(ctx, func(tx Tx) error {
		result, err = f(tx)
		return err
	})
	return result, err
}

// Tx is a transaction. It is composed of one interface for each concept. A
// look-up that finds nothing returns ErrNotFound. An Add that violates
// uniqueness returns ErrExists, and the transaction may continue. A Put of a
// missing row returns ErrNotFound. Results are copies that belong to the
// caller. A Tx is for one goroutine, and only until its function returns.
//
// A function that needs part of a transaction takes only that interface.
type Tx interface {
	AccountTx
	SessionTx
	IdentityTx
	OneTimeTokenTx
	AttemptTx
	ExcessTx
	LoginTx
	SharedReportTx
	KeyTx
	UploadTx
	SpareTx
	LinkTx
	PlaceTx
	KnownReaderTx
	GateTx
	ReviewTx
	OldSlugTx
	RecipientTx
	ChangeTx
	EventTx
	WebhookTx
	AbuseReportTx
	SiteTx
	SitePageTx
	AlbumTx
	LeaseTx
	LetterTx
	IDTx
	SecretTx
}

// LinkQuery selects links. Zero fields do not restrict the result.
type LinkQuery struct {
	Account   AccountID
	Key       KeyID // created with this key
	State     LinkState
	Now       time.Time // if set, State is the state at this time, after [Link.ApplyExpiry]
	WithBytes bool      // only deleted links that have something left to purge, or have bytes in the trash
	NoTrash   bool      // with WithBytes: none in the trash
	Trash     bool      // only links in the trash, their versions too
	TrashEnds time.Time // with Trash: those that leave it by this time, the first to leave first
	// PreviewDue selects live links with bytes whose parts must be made.
	PreviewDue bool
	Kind       filetype.Kind
	Site       SiteID // versions of a website
	Of         LinkID // versions of a link
	Files      bool   // neither websites nor versions
	Label      string // links with this label, in any case
	// Words selects links with all of these words in the title, the file name
	// or the slug. They are as FoldWords returns them.
	Words  []string
	Sort   LinkSort // Before works only with the first order and SortDeleted
	Before LinkCursor
	After  LinkID // for SortID: links with higher IDs
	Offset int    // number of links to skip
	Limit  int    // 0 means all
}

// AccountQuery selects accounts that are not closed. Zero fields do not
// restrict the result.
type AccountQuery struct {
	Role       Role
	Banned     bool
	OwnChanged bool       // accounts with OwnChangedAt
	WeeklyDue  report.Day // accounts with an earlier Weekly
	Closing    bool       // only closed accounts with something left to delete
	Search     string     // part of the email, in any case
	After      AccountID
	Limit      int // 0 means all
}

// ReviewQuery selects links in review. Zero fields do not restrict the result.
type ReviewQuery struct {
	Reason string
	After  ReviewCursor
	Limit  int // 0 means all
}

// ReviewCursor is a position in the queue, longest waiting first. The zero
// cursor is the beginning.
type ReviewCursor struct {
	Since time.Time // Link.StateAt
	ID    LinkID
}

// LinkFacts is what a report needs to know about a link.
type LinkFacts struct {
	ID        LinkID
	Kind      filetype.Kind
	Pages     int
	CreatedAt time.Time
	Trashed   bool                // it is in the trash
	Files     map[int]report.File // by version; nil if it has none
}

// LinkCursor is a position in the order newest first; links after it are older.
// The zero cursor is the beginning.
type LinkCursor struct {
	CreatedAt time.Time
	ID        LinkID
}

// Holding is something that an unfinished upload holds of a plan.
type Holding int

// The kinds of holdings.
const (
	Slots Holding = iota // one link each; none for a version
	Bytes                // size of the file
)

// IDTx reserves the IDs of accounts and links within a transaction.
type IDTx interface {
	// ReserveIDs makes all future IDs of accounts and links higher than these.
	// It reports whether either of them was not assigned yet.
	ReserveIDs(a AccountID, l LinkID) (passed bool, err error)
}

// SecretTx reads and writes secrets of the instance within a transaction.
type SecretTx interface {
	// Secret reads a named secret of the instance. PutSecret writes one.
	Secret(name string) ([]byte, error)
	PutSecret(name string, value []byte) error
}
