package vitrine

import "time"

// AbuseReason is what a reader finds wrong with a link.
type AbuseReason string

const (
	AbuseMalware   AbuseReason = "malware"
	AbusePhishing  AbuseReason = "phishing"
	AbuseCopyright AbuseReason = "copyright"
	AbuseIllegal   AbuseReason = "illegal"
	AbusePrivate   AbuseReason = "private_data"
	AbuseOther     AbuseReason = "other"
)

// AbuseReasons are all of them, in the order in which they are offered.
var AbuseReasons = []AbuseReason{AbuseMalware, AbusePhishing, AbuseCopyright, AbuseIllegal, AbusePrivate, AbuseOther}

// AbuseReport is what a reader told of a link.
type AbuseReport struct {
	Link     LinkID
	Reporter ReporterID
	Reason   AbuseReason
	Note     string // at most MaxAbuseNote characters, on one line
	At       time.Time
}

// ReporterID distinguishes the reporters of a day, and says nothing of who they
// are (promise 10).
type ReporterID uint64

// AbuseReportTx reads and writes abuse reports within a transaction.
type AbuseReportTx interface {
	// AddAbuseReport keeps a report. Earlier ones by the same reporter about
	// the same link are emptied: they are counted, and no longer listed. The
	// link must exist.
	AddAbuseReport(r *AbuseReport) error
	// AbuseReports lists what was reported about a link at or after a time,
	// newest first: the last report of each reporter.
	AbuseReports(l LinkID, since time.Time) ([]*AbuseReport, error)
	// CountAbuseReports counts all that a reporter reported at or after a time,
	// and tells when the oldest of it was (zero: nothing).
	CountAbuseReports(by ReporterID, since time.Time) (n int64, oldest time.Time, err error)
	// DeleteAbuseReports removes what was reported about a link.
	DeleteAbuseReports(l LinkID) error
	// ExpireAbuseReports removes what was reported before a time about links
	// that are live.
	ExpireAbuseReports(before time.Time) (int64, error)
}
