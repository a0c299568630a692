package vitrine

import (
	"context"
	"time"

	"vitrine/report"
)

// ViewLog keeps every open of every link, what is known of how it was read, and the counts on the link rows.
//
// Every backend passes the suite vitrinetest.ViewLog.
type ViewLog interface {
	// Append stores a batch; durable, all of it, when nil, and nothing of it otherwise.
	//
	//   - An open whose (Link, ID) is stored with the same content is there already: success, and nothing is counted twice. With
	//     other content it is refused alone: its place in the returned slice (as long as b.Opens; nil when none) is ErrExists.
	//   - Open.Returning is decided here, in the same transaction, from all opens of the link by people so far; what the
	//     caller set is ignored. An open with Bot set neither returns nor makes others return.
	//   - A snapshot goes to its open by Engagement.Apply; one whose open is unknown is dropped. A snapshot with Bot set
	//     makes the open a bot's: its views and downloads leave the counts.
	//   - A download whose open is unknown or a bot's is not an event. Each (Link, ID) counts once.
	//   - Within a batch opens come first, then snapshots, then downloads.
	Append(ctx context.Context, b Batch) ([]error, error)

	// Tally summarises the opens of a scope over the days [from, to) and its downloads of those days. A visit whose previous
	// day lies before from may be given as never. With cap > 0 only the newest cap opens of the window are read, and truncated
	// tells whether any was left out.
	Tally(ctx context.Context, s Scope, from, to report.Day, cap int) (t *report.Tally, truncated bool, err error)

	// Recent lists the newest n opens of a link in [from, to) that have engagement data, newest first.
	Recent(ctx context.Context, l LinkID, from, to report.Day, n int) ([]report.Open, error)

	// Opens calls f with every open of a link in [from, to), oldest first; f keeps nothing of what it is given.
	Opens(ctx context.Context, l LinkID, from, to report.Day, f func(*report.Open) error) error

	// Counts are the all-time counts of links; links never opened are left out.
	Counts(ctx context.Context, links []LinkID) (map[LinkID]LinkCounts, error)

	// Import stores opens of another system's history, Returning as given and a downloaded session as one download event at the
	// open's time, in one transaction with the receipt's progress. A batch that does not go beyond the file's stored progress
	// adds nothing. An ID that its link has already moves on to the next free one of its millisecond.
	Import(ctx context.Context, receipt ImportReceipt, opens []NewOpen) error

	// Imported tells how far the file with a SHA-256 was imported: 0 when never begun.
	Imported(ctx context.Context, file [32]byte) (lines int64, err error)

	// Erase removes everything of a link.
	Erase(ctx context.Context, l LinkID) error

	// Audit recounts what is derived in the log and calls fault with a sentence for each difference.
	Audit(ctx context.Context, fault func(string)) error
}

// Scope is what a tally is over: one link, or all links of an account (Link = 0).
type Scope struct {
	Account AccountID
	Link    LinkID
}

// Batch is what Append stores at once.
type Batch struct {
	Opens     []NewOpen
	Snapshots []Snapshot
	Downloads []Download
}

// NewOpen is an open and whose it is. One that the server writes when a page is served has no session.
type NewOpen struct {
	Account AccountID
	report.Open
}

// ImportReceipt says which file a batch of imported opens is from, and up to which line it reaches once the batch is stored.
type ImportReceipt struct {
	File  [32]byte // SHA-256 of the whole file
	Lines int64
	At    time.Time
}

// Download is the event that a file was downloaded by whoever opened a page.
type Download struct {
	ID   ViewID // of the event
	Link LinkID
	Open ViewID // the open it belongs to
}

// LinkCounts stand on the link's row: all-time, bots left out.
type LinkCounts struct {
	Views, Downloads int64
}
