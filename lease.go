package vitrine

import "time"

// Lease says that a process does a piece of work, and that others leave it
// alone meanwhile.
type Lease struct {
	Name   string    // of the work
	Holder string    // the process
	Until  time.Time // by the holder's clock; it moves on with each renewal, and nobody compares it with another clock
}

// LeaseTx reads and writes leases within a transaction.
type LeaseTx interface {
	// Lease reads a lease, of whatever time; PutLease writes one, whether or
	// not there is one of its name.
	Lease(name string) (*Lease, error)
	PutLease(l *Lease) error
	DeleteLease(name string) error
	// ExpireLeases removes leases that ended before a time.
	ExpireLeases(before time.Time) (int64, error)
}
