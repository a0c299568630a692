package vitrine

import "time"

// AbuseReason is what a reader reports about a link.
type AbuseReason string

const (
	AbuseMalware   AbuseReason = "malware"
	AbusePhishing  AbuseReason = "phishing"
	AbuseCopyright AbuseReason = "copyright"
	AbuseIllegal   AbuseReason = "illegal"
	AbusePrivate   AbuseReason = "private_data"
	AbuseOther     AbuseReason = "other"
)

// AbuseReasons lists all reasons in the order of the form.
var AbuseReasons = []AbuseReason{AbuseMalware, AbusePhishing, AbuseCopyright, AbuseIllegal, AbusePrivate, AbuseOther}

// AbuseReport is a reader's report about a link.
type AbuseReport struct {
	Link     LinkID
	Reporter ReporterID
	Reason   AbuseReason
	Note     string // at most MaxAbuseNote characters, on one line
	At       time.Time
}

// ReporterID distinguishes the reporters of a day without identifying them
// (promise 10).
type ReporterID uint64

// AbuseReportTx reads and writes abuse reports within a transaction.
type AbuseReportTx interface {
	// AddAbuseReport adds a report. Earlier reports by the same reporter about
	// the same link are emptied: they still count but are not listed. The link
	// must exist.
	AddAbuseReport(r *AbuseReport) error
	// AbuseReports lists the reports about a link at or after a time, newest
	// first: the last one of each reporter.
	AbuseReports(l LinkID, since time.Time) ([]*AbuseReport, error)
	// CountAbuseReports counts the reports by a reporter at or after a time,
	// and returns the time of the oldest (zero: none).
	CountAbuseReports(by ReporterID, since time.Time) (n int64, oldest time.Time, err error)
	// DeleteAbuseReports deletes the reports about a link.
	DeleteAbuseReports(l LinkID) error
	// ExpireAbuseReports deletes reports about live links from before a time.
	ExpireAbuseReports(before time.Time) (int64, error)
}
