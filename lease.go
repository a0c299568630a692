package vitrine

import "time"

// Lease says that a process does a piece of work, and that others leave it alone meanwhile.
type Lease struct {
	Name   string    // of the work
	Holder string    // the process
	Until  time.Time // by the holder's clock; it moves on with each renewal, and nobody compares it with another clock
}
