package vitrine

import (
	"context"
	"time"

	"vitrine/report"
)

// ViewLog keeps every view of every link, what is known of how it was read, and
// the counts on the link rows. Views are of 1970 or later.
//
// Every backend passes the suite viewlogtest.Run.
type ViewLog interface {
	// Append stores a batch; durable, all of it but what the outcome names,
	// when nil, and nothing of it otherwise.
	//
	//   - A view whose (Link, ID) is stored with the same content is there already: success, and nothing is counted twice. With
	//     other content it is refused alone, with ErrExists.
	//   - View.Returning is decided here, in the same transaction, from all views of the link by people so far; what the
	//     caller set is ignored. A view with Bot set neither returns nor makes others return.
	//   - A view of a day that is forgotten (Forget) is refused alone, too, with ErrForgotten.
	//   - A snapshot goes to its view by Engagement.Apply. A snapshot with Bot set makes the view a bot's: it and its downloads leave
	//     the counts. One that brings a view with BotUndecided to DecidedMs makes it a person's; whether its viewer returns is
	//     decided then.
	//   - A reclass changes the class of a view as View.Reclassed says. Whether one that becomes a person's returns is decided then.
	//   - A download of an excluded view is no event. It waits, but for BotAutomation: it is an event, with the view's ID, once
	//     the view is a person's. Each (Link, ID) counts once. A download without a view is an event of its account's link.
	//   - A snapshot or download whose view is not there is early: it is not stored, and the outcome has it. If its view is of a
	//     forgotten day it is dropped instead, provided that the log knows the account of the link.
	//   - Within a batch views come first, then snapshots, downloads and own views.
	Append(ctx context.Context, b Batch) (Outcome, error)

	// Tally summarises the views of a scope over the days of a query and its
	// downloads of those days. A visit whose previous day lies before the first
	// may be given as never. Of an account's tally the pages, media and scroll
	// are left out, of a link's the links. With a cap only the newest views of
	// the window are counted, and truncated tells whether any was left out. A
	// narrow query is answered from single views: those of forgotten days are
	// left out of it, and that counts as truncated.
	Tally(ctx context.Context, q TallyQuery) (t *report.Tally, truncated bool, err error)

	// DailyViews are the counted views of each step of a query of an account, of
	// some of its links.
	DailyViews(ctx context.Context, q TallyQuery, links []LinkID) (map[LinkID][]int64, error)

	// RollUp is background work: it puts what is known of days before one away
	// in its final form, so that it takes little room and is quickly summed.
	// Nothing that any other method tells changes by it. It is for days whose
	// views change no more, mostly: any change of them is still possible, and
	// costs more. One that ctx or a failure ends goes on with the next.
	RollUp(ctx context.Context, before report.Day) error

	// Expire is background work: it removes the views of days before one, or of
	// somewhat fewer, once they are settled. Tallies and counts stay as they
	// are, but for links that are erased later: what they were of is still in
	// the forgotten days of their account. Recent and Views leave those days
	// out, and nothing can be added to them.
	Expire(ctx context.Context, before report.Day) error

	// RetainedFrom tells from which day on views of an account are kept; days
	// before are forgotten.
	RetainedFrom(ctx context.Context, a AccountID) (from report.Day, err error)

	// Recent lists the newest views of a link, newest first. Downloaded is set of
	// those that a download event belongs to; no other method sets it.
	Recent(ctx context.Context, q RecentQuery) ([]report.View, error)

	// Views calls f with every view of a link in [from, to), oldest first; f
	// keeps nothing of what it is given.
	Views(ctx context.Context, l LinkID, from, to report.Day, f func(*report.View) error) error

	// Counts are the all-time counts of links; links never opened are left out.
	Counts(ctx context.Context, links []LinkID) (map[LinkID]LinkCounts, error)

	// AccountCounts is Counts of all links of an account.
	AccountCounts(ctx context.Context, a AccountID) (map[LinkID]LinkCounts, error)

	// Import stores views of another system's history, Returning as given and a
	// downloaded session as one download event at the view's time, in one
	// transaction with the receipt's progress. It is quickest when views come
	// in the order of account, link, time. A batch that does not go beyond the
	// file's stored progress adds nothing. A view of a forgotten day fails the
	// batch: ErrForgotten. An ID that its link has already moves on to the next
	// free one of its millisecond.
	Import(ctx context.Context, receipt ImportReceipt, views []ViewRecord) error

	// Imported tells how far the file with a SHA-256 was imported: 0 when never
	// begun.
	Imported(ctx context.Context, file [32]byte) (lines int64, err error)

	// DeleteLink removes everything of a link.
	DeleteLink(ctx context.Context, l LinkID) error

	// HighestIDs are the highest numbers of an account and of a link that the
	// log knows anything of, websites (SitePage) left out; 0: of none. It is
	// quick, whatever the log's size.
	HighestIDs(ctx context.Context) (a AccountID, l LinkID, err error)

	// EachScope calls f with every link that the log knows anything of and
	// whose it is there, and with every account (Link 0). What comes or goes
	// meanwhile may be left out.
	EachScope(ctx context.Context, f func(Scope) error) error

	// Position returns the mark of the log and the number of its last change.
	// It is quick. A change that Position has seen is durable.
	Position(ctx context.Context) (LogPosition, error)

	// SetMark replaces the mark of the log if it is old, and changes nothing
	// otherwise. A log that was just created has the mark 0.
	SetMark(ctx context.Context, old, mark int64) error

	// Audit recounts what is derived in the log, of stored tallies a sample or
	// all, and calls fault with a sentence for each difference. It also passes
	// whether that is a stored tally, which Rebuild makes again.
	Audit(ctx context.Context, all bool, fault func(text string, tally bool)) error

	// Rebuild recounts every stored tally. Of each account of which one is
	// wrong or missing it marks that day and all later ones as stale, calls
	// rebuilt with the account and the day, and makes the tallies again. It is
	// safe while others write.
	Rebuild(ctx context.Context, rebuilt func(AccountID, report.Day)) error
}

// LogPosition identifies a log and how far it was written.
type LogPosition struct {
	// Mark is a random number that belongs to this log. 0: it has none yet.
	Mark int64
	// Last is the number of the last change: each append, import or deletion
	// has a higher number than those before it.
	Last int64
}

// Scope is what a tally is over: one link, or all links of an account (Link =
// 0).
type Scope struct {
	Account AccountID
	Link    LinkID
}

// TallyQuery asks for a tally.
type TallyQuery struct {
	Scope
	From, To report.Day // exclusive
	// Brief asks for no more than a comparison needs: the counters, and the
	// days with their views, sessions, downloads and visits. The tally may have
	// more.
	Brief bool
	Cap   int // most views to count; 0: all
	report.Lens
}

// RecentQuery asks for single views of a link.
type RecentQuery struct {
	Link     LinkID
	From, To ViewID // exclusive
	N        int
	Engaged  bool // those with engagement data alone, without excluded ones of the owner
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

// Len is how many entries a batch has.
func (b *Batch) Len() int {
	return len(b.Views) + len(b.Snapshots) + len(b.Downloads) + len(b.Reclasses)
}

// Add adds the entries of another batch.
func (b *Batch) Add(c Batch) {
	b.Views = append(b.Views, c.Views...)
	b.Snapshots = append(b.Snapshots, c.Snapshots...)
	b.Downloads = append(b.Downloads, c.Downloads...)
	b.Reclasses = append(b.Reclasses, c.Reclasses...)
}

// Outcome is what became of the entries of a batch that were not stored. The
// zero Outcome: all of them were.
type Outcome struct {
	// Refused has for each view of the batch why it was refused, or nil. As
	// long as the batch's Views; nil when none was.
	Refused []error
	// Early are snapshots and downloads that came before their views, in the
	// order of the batch.
	Early Batch
}

// ViewRecord is a view and whose it is. One that the server writes when a page
// is served has no session.
type ViewRecord struct {
	Account AccountID
	report.View
}

// ImportReceipt says which file a batch of imported views is from, and how far
// the import is once the batch is stored.
type ImportReceipt struct {
	File  [32]byte // SHA-256 of the whole file
	Lines int64    // views stored so far; with the last batch, the lines of the file
	At    time.Time
}

// Download is the event that a file was downloaded.
type Download struct {
	ID      ViewID // of the event
	Link    LinkID
	View    ViewID    // the open it belongs to; 0: none, the file was fetched without its page
	Account AccountID `json:",omitempty"` // whose the link is; needed only without a View
}

// Reclass changes the class of a view: whether one by the link's owner counts,
// or why another one that was excluded is so (Reason), or no more (Count).
type Reclass struct {
	Link   LinkID
	View   ViewID
	Count  bool
	Reason string
}

// LinkCounts stand on the link's row: all-time, bots left out.
type LinkCounts struct {
	Views, Downloads int64
}
