package vitrine

import "time"

// SharedReport is a read-only address of a report: of a link, or of all links
// of an account. Only the hash of its secret is stored.
type SharedReport struct {
	ID        SharedReportID
	Account   AccountID
	Link      LinkID   // 0 means all links of the account
	Hash      [32]byte // SHA-256 of the secret
	Label     string   // for the owner
	Password  string   // a PHC string; "" if none
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
