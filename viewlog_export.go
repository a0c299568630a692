package vitrine

import (
	"context"

	"vitrine/report"
)

// LogExporter is a log whose everything can be brought into one of another
// kind. Nobody writes to it meanwhile.
type LogExporter interface {
	// Forgotten is the day before which the views of all accounts are gone, and
	// their tallies are all there is; 0: none are. A log that keeps earlier
	// views of one account than of another cannot be exported, and the error
	// says what to do.
	Forgotten(ctx context.Context) (report.Day, error)

	// Export calls f with every entry, the same ones in the same order each
	// time, and ends with the first error of f, which keeps nothing of what it
	// is given. First come the receipts; then account by account the forgotten
	// days, who was last seen on them, and link by link its views, its
	// downloads and, last, its counts.
	Export(ctx context.Context, f func(LogEntry) error) error
}

// LogEntry is a thing that a log has: one of *ImportReceipt, *ForgottenDay,
// *LastSeen, *LoggedOpen, *LoggedDownload and *CountedLink.
type LogEntry any

// ForgottenDay is what is known of a day whose opens are gone, of a link or
// (Link 0) of all links of an account, erased ones included.
type ForgottenDay struct {
	Scope
	Day   report.Day
	Tally *report.Tally // with its engaged times; its visits tell of days before, however long ago
}

// LastSeen is the last of the forgotten days on which a viewer came to a link
// or (Link 0) to any link of an account, erased ones included.
type LastSeen struct {
	Scope
	Viewer uint64
	Day    report.Day
}

// LoggedView is a view as a log has decided on it.
type LoggedView struct {
	ViewRecord       // Returning and Session are as they are stored
	StartMs    int64 // Engagement.StartMs
	Told       bool  // a bot by its own beacon's word
	Imported   bool
	Decided    bool // what it is was decided after it was stored
	Waits      bool // a download waits until it is a person's
}

// LoggedDownload is a download event and whose it is.
type LoggedDownload struct {
	Account AccountID
	Download
}

// CountedLink are the all-time counts of a link.
type CountedLink struct {
	Scope
	LinkCounts
}
