package vitrine

import "time"

// SharedReport is a read-only address of one report: of a link, or of all links
// of an account. What is kept of its secret is the hash.
type SharedReport struct {
	ID        SharedReportID
	Account   AccountID
	Link      LinkID   // 0: all links of the account
	Hash      [32]byte // SHA-256 of the secret
	Label     string   // for the owner
	Password  string   // a PHC string; "": none
	CreatedAt time.Time
	ExpiresAt time.Time // zero: good until it is revoked
}

// SharedReportTx reads and writes shared reports within a transaction.
type SharedReportTx interface {
	// AddSharedReport gives r.ID. Hashes are unique.
	AddSharedReport(r *SharedReport) error
	SharedReportByHash(hash [32]byte) (*SharedReport, error)
	// SharedReports lists those of a link, or of all links (0), newest first.
	SharedReports(a AccountID, l LinkID) ([]*SharedReport, error)
	// DeleteSharedReport deletes one of an account, or all of it (0).
	DeleteSharedReport(a AccountID, id SharedReportID) error
	// ExpireSharedReports deletes those that have expired before a time.
	ExpireSharedReports(before time.Time) (int64, error)
}
