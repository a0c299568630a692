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

// ReporterID distinguishes the reporters of a day, and says nothing of who they are (promise 10).
type ReporterID uint64
