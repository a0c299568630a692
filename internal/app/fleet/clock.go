package fleet

import (
	"sync/atomic"
	"time"
)

const (
	// agree is the difference below which clocks are treated as equal.
	// Comparisons between servers tolerate more.
	agree = time.Second
	// differ is the difference from which it is unknown which clock is
	// wrong. The doctor reports it.
	differ = 2 * time.Minute
)

// Clock is the clock of a server that shares a database with others. If a
// server's clock differs slightly from the database's, it uses the database's.
// So a view that one server recorded is not in the future of another server
// that receives its beacons.
type Clock struct {
	Own    func() time.Time
	Theirs func() (now time.Time, known bool) // time of the database
	ahead  atomic.Int64                       // last measured difference; 0 if the clocks agree or differ too much
}

// Now returns the time. Do not use it to measure less than agree, or for
// timeouts that must survive a clock change.
func (c *Clock) Now() time.Time {
	own := c.Own().Round(0) // without the monotonic reading, so that a corrected clock also changes ahead
	if theirs, known := c.Theirs(); known {
		switch ahead := theirs.Sub(own); {
		case ahead.Abs() > differ:
			c.ahead.Store(0)
		case (ahead - time.Duration(c.ahead.Load())).Abs() >= agree:
			c.ahead.Store(int64(ahead))
		}
	}
	return own.Add(time.Duration(c.ahead.Load()))
}
