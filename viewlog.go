package vitrine

import (
	"context"
	"time"

	"vitrine/report"
)

// ViewLog stores every view of every link, its engagement, and the counts of
// links. Views are from 1970 or later.
//
// Every backend passes the suite viewlogtest.Run.
type ViewLog interface {
	// Append stores a batch. When it returns nil, everything is durable except
	// what the outcome lists; after an error, nothing is stored.
	//
	//   - Views are stored first, then snapshots, downloads and reclasses.
	//   - A view with a stored (Link, ID) and the same content is counted once.
	//     With other content it is refused with ErrExists. A view of an expired
	//     day is refused with ErrDayExpired.
	//   - Append decides View.Returning, whatever the caller set, from the
	//     views of the link by people so far: the viewer has one, and none
	//     began within report.ReturnMs before. Excluded views do not matter.
	//   - A snapshot is merged by Engagement.Apply. What snapshots, downloads
	//     and reclasses change in whether a view counts is the rule of
	//     report.Class.Decide. When a view is included, Append decides whether
	//     its viewer returns; when a reclass includes it, any other view by the
	//     viewer that counts makes it one that does.
	//   - A download counts once for each (Link, ID). One that waited counts
	//     with the view's ID if the view is included. A download without a view
	//     is an event of its account's link.
	//   - A snapshot or download without a stored view is early: it is returned
	//     in the outcome. If the day of its view has expired and the log knows
	//     the link's account, it is dropped.
	Append(ctx context.Context, b Batch) (Outcome, error)

	// Tally returns a summary of the views and downloads of a scope over the
	// days of a query. A viewer day whose previous day is before the first one
	// may be reported as the viewer's first. The tally of an account has no
	// pages, media and scroll depth; that of a link has no links. With a cap,
	// only the newest views of the window count; truncated reports whether
	// others exist. A narrow query reads single views. It leaves out expired
	// days and then reports truncated.
	Tally(ctx context.Context, q TallyQuery) (t *report.Tally, truncated bool, err error)

	// DailyViews returns, for the given links of an account, the counted views
	// of each step of a query.
	DailyViews(ctx context.Context, q TallyQuery, links []LinkID) (map[LinkID][]int64, error)

	// RollUp is background work. It stores the days before a day in their
	// final, compact form. Results of other methods do not change. It is meant
	// for days whose views rarely change: later changes are possible but cost
	// more. The next call continues an interrupted one.
	RollUp(ctx context.Context, before report.Day) error

	// Expire is background work. It deletes the views of rolled-up days before
	// a day, or of somewhat fewer days. Tallies and counts remain. The days of
	// an account still include links that are deleted later. Recent and Views
	// omit expired days, and nothing can be added to them.
	Expire(ctx context.Context, before report.Day) error

	// RetainedFrom returns the day from which the views of an account are kept.
	// Earlier days have expired.
	RetainedFrom(ctx context.Context, a AccountID) (from report.Day, err error)

	// Recent lists the newest views of a link, or counted ones of an account,
	// newest first. Only it sets Downloaded, on views with a download event.
	Recent(ctx context.Context, q RecentQuery) ([]report.View, error)

	// Views calls f with each view of a link in [from, to), oldest first. A
	// view is valid until f returns.
	Views(ctx context.Context, l LinkID, from, to report.Day, f func(*report.View) error) error

	// Recipients calls f with each counted view of a link through the address
	// of a recipient, in any order, with Downloaded, and returns the downloads
	// without a view by recipient. It is like Each.
	Recipients(ctx context.Context, l LinkID, f func(*report.View) error) (map[RecipientID]int64, error)

	// Each calls download with each download event of a scope in [from, to),
	// and then view with each view, both in any order, while it reads: they
	// must not call the log. Views of expired days are missing. A view is valid
	// until view returns.
	Each(ctx context.Context, s Scope, from, to ViewID, download func(Download) error,
		view func(*report.View) error) error

	// Counts returns the all-time counts of links, without links that were
	// never viewed.
	Counts(ctx context.Context, links []LinkID) (map[LinkID]LinkCounts, error)

	// AccountCounts is Counts for all links of an account. AccountTotals is
	// their sum.
	AccountCounts(ctx context.Context, a AccountID) (map[LinkID]LinkCounts, error)
	AccountTotals(ctx context.Context, a AccountID) (LinkCounts, error)

	// Import stores views of another system's history and the progress of the
	// receipt in one transaction. Returning is taken as given, and a session
	// with Downloaded adds a download event at the time of the view. It is
	// fastest for views ordered by account, link and time. A batch that does
	// not exceed the stored progress of the file adds nothing. A view of an
	// expired day fails the batch with ErrDayExpired. A view whose ID is taken
	// gets the next free one of its millisecond.
	Import(ctx context.Context, receipt ImportReceipt, views []ViewRecord) error

	// Imported returns how many lines of the file with a SHA-256 are imported,
	// or 0 if none.
	Imported(ctx context.Context, file [32]byte) (lines int64, err error)

	// DeleteLink deletes everything about a link.
	DeleteLink(ctx context.Context, l LinkID) error

	// HighestIDs returns the highest IDs of an account and a link in the log,
	// without websites (SitePage), or 0 if none. It is fast for any size of the
	// log.
	HighestIDs(ctx context.Context) (a AccountID, l LinkID, err error)

	// EachScope calls f with each link in the log and its account, and with
	// each account (Link 0). It may omit what is added or deleted concurrently.
	EachScope(ctx context.Context, f func(Scope) error) error

	// Position returns the mark of the log and the number of its last change.
	// It is fast. A change that Position includes is durable.
	Position(ctx context.Context) (LogPosition, error)

	// SetMark replaces the mark of the log if it equals old, and otherwise
	// changes nothing. A new log has the mark 0.
	SetMark(ctx context.Context, old, mark int64) error

	// Audit recounts derived data, either all stored tallies or a sample. It
	// calls fault with a sentence for each difference, and whether it concerns
	// a stored tally, which Rebuild can replace.
	Audit(ctx context.Context, all bool, fault func(text string, tally bool)) error

	// Rebuild recounts every stored tally. If one of an account is wrong or
	// missing, it marks that day and all later ones as stale, calls rebuilt,
	// and builds the tallies again. Others may write at the same time.
	Rebuild(ctx context.Context, rebuilt func(AccountID, report.Day)) error
}

// LogPosition identifies a log and its last change.
type LogPosition struct {
	// Mark is a random number of this log, or 0 if none yet.
	Mark int64
	// Last is the number of the last change. Each append, import or deletion
	// has a higher number than those before it.
	Last int64
}

// Scope is what a tally covers: one link, or all links of an account (Link 0).
type Scope struct {
	Account AccountID
	Link    LinkID
}

// TallyQuery selects views for a tally.
type TallyQuery struct {
	Scope
	From, To report.Day // exclusive
	// Brief asks only for what a comparison needs: the counters, and the days
	// with their views, sessions, downloads and viewer days. The tally may
	// contain more.
	Brief bool
	Cap   int // most views to count; 0 means all
	report.Lens
}

// RecentQuery selects single views of a link, or of an account (Link 0).
type RecentQuery struct {
	Scope
	From, To ViewID // exclusive
	N        int
	Engaged  bool // only views with engagement data, without the owner's excluded ones
	Counted  bool // only counted views, as always of an account
	Viewer   *uint64
	Filter   report.Filter
}

// Batch is what Append stores at once.
type Batch struct {
	Views     []ViewRecord
	Snapshots []Snapshot
	Downloads []Download
	Reclasses []Reclass `json:",omitempty"`
}

// Len returns the number of entries.
func (b *Batch) Len() int {
	return len(b.Views) + len(b.Snapshots) + len(b.Downloads) + len(b.Reclasses)
}

// Add appends the entries of another batch.
func (b *Batch) Add(c Batch) {
	b.Views = append(b.Views, c.Views...)
	b.Snapshots = append(b.Snapshots, c.Snapshots...)
	b.Downloads = append(b.Downloads, c.Downloads...)
	b.Reclasses = append(b.Reclasses, c.Reclasses...)
}

// Outcome lists the entries of a batch that were not stored. The zero Outcome:
// all were.
type Outcome struct {
	// Refused holds, for each view of the batch, the reason for its refusal or
	// nil. It is nil if no view was refused.
	Refused []error
	// Early holds snapshots and downloads that arrived before their views, in
	// the order of the batch.
	Early Batch
}

// ViewRecord is a view and its account. A view that the server writes when it
// serves a page has no session.
type ViewRecord struct {
	Account AccountID
	report.View
}

// ImportReceipt identifies the imported file of a batch, and the progress of
// the import once the batch is stored.
type ImportReceipt struct {
	File  [32]byte // SHA-256 of the whole file
	Lines int64    // views stored so far; at the end, the lines of the file
	At    time.Time
}

// Download is the event that a file was downloaded.
type Download struct {
	ID      ViewID // of the event
	Link    LinkID
	View    ViewID    // its view; 0 if the file was fetched without its page
	Account AccountID `json:",omitempty"` // of the link; needed only without a View
	// Recipient is the recipient through whose address the file was fetched;
	// needed only without a View.
	Recipient RecipientID `json:",omitempty"`
}

// Reclass gives a stored view another class.
type Reclass struct {
	Link LinkID
	View ViewID
	report.Reclass
}

// LinkCounts are the all-time counts of a link, without bots.
type LinkCounts struct {
	Views, Downloads int64
}

// SharedReport is a read-only address of a report: of a link, or of all links
// of an account. Only the hash of its secret is stored.
type SharedReport struct {
	ID        SharedReportID
	Account   AccountID
	Link      LinkID   // 0 means all links of the account
	Hash      [32]byte // SHA-256 of the secret
	Label     string   // for the owner
	Password  string   // a PHC string; "" if none
	Query     string   // its days and filter, as parameters; "": any days, and no filter
	CreatedAt time.Time
	ExpiresAt time.Time // zero means valid until revoked
}

// SharedReportTx reads and writes shared reports within a transaction.
type SharedReportTx interface {
	// AddSharedReport sets r.ID. Hashes are unique.
	AddSharedReport(r *SharedReport) error
	SharedReportByHash(hash [32]byte) (*SharedReport, error)
	// SharedReports lists the shared reports of a link, or of all links
	// together (0), newest first.
	SharedReports(a AccountID, l LinkID) ([]*SharedReport, error)
	// DeleteSharedReport deletes one of an account, or all of them (0).
	DeleteSharedReport(a AccountID, id SharedReportID) error
	// ExpireSharedReports deletes shared reports that expired before a time.
	ExpireSharedReports(before time.Time) (int64, error)
}
