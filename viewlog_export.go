package vitrine

import (
	"context"

	"vitrine/report"
)

// LogExporter is a log that can be copied into a log of another kind. Nobody
// may write to it at the same time.
type LogExporter interface {
	// Forgotten returns the day before which the views of all accounts have
	// expired and only tallies remain, or 0 if none. It returns an error, with
	// a remedy, if the log keeps earlier views of one account than of another.
	Forgotten(ctx context.Context) (report.Day, error)

	// Export calls f with every entry, always in the same order, and returns
	// the first error of f. An entry is valid until f returns. First come the
	// receipts, then, for each account, the expired days, the last visits on
	// them, and for each link its views, its downloads and finally its counts.
	Export(ctx context.Context, f func(LogEntry) error) error
}

// LogEntry is one of *ImportReceipt, *ExpiredDay, *LastSeen, *LoggedView,
// *LoggedDownload and *CountedLink.
type LogEntry any

// ExpiredDay is the tally of a day whose views have expired, for a link or
// (Link 0) all links of an account, including deleted ones.
type ExpiredDay struct {
	Scope
	Day   report.Day
	Tally *report.Tally // with engaged times; its visits refer to earlier days of any age
}

// LastSeen is the last expired day on which a viewer came to a link or (Link 0)
// to any link of an account, including deleted ones.
type LastSeen struct {
	Scope
	Viewer uint64
	Day    report.Day
}

// LoggedView is a view and the decisions of the log about it.
type LoggedView struct {
	ViewRecord         // Returning and Session are as stored
	StartMs      int64 // Engagement.StartMs
	SelfReported bool  // a bot by its own beacon
	Imported     bool
	Decided      bool // decided after the view was stored
	Waits        bool // has a download that counts if the view is included
}

// LoggedDownload is a download event and its account.
type LoggedDownload struct {
	Account AccountID
	Download
}

// CountedLink is the all-time counts of a link.
type CountedLink struct {
	Scope
	LinkCounts
}
