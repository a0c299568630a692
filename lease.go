package vitrine

import "time"

// Lease records that a process does a piece of work, so that others do not do
// it at the same time.
type Lease struct {
	Name   string    // of the work
	Holder string    // the process
	Until  time.Time // by the holder's clock, later with each renewal; never compared with another clock
}

// LeaseTx reads and writes leases within a transaction.
type LeaseTx interface {
	// Lease reads a lease, even an old one. PutLease writes one and replaces a
	// lease of the same name.
	Lease(name string) (*Lease, error)
	PutLease(l *Lease) error
	DeleteLease(name string) error
	// ExpireLeases deletes leases that ended before a time.
	ExpireLeases(before time.Time) (int64, error)
}
