package main

import (
	"sync/atomic"
	"time"
)

// clock returns the time of this machine. Tests replace it.
var clock = time.Now

const (
	// clocksAgree is the difference below which clocks are treated as equal.
	// Comparisons between servers tolerate more.
	clocksAgree = time.Second
	// clocksDiffer is the difference from which it is unknown which clock is
	// wrong. The doctor reports it.
	clocksDiffer = 2 * time.Minute
)

// sharedClock is the clock of servers that share a database. If a server's
// clock differs slightly from the database's, it uses the database's. So a view
// that one server recorded is not in the future of another server that receives
// its beacons.
type sharedClock struct {
	own    func() time.Time
	theirs func() (now time.Time, known bool) // time of the database
	ahead  atomic.Int64                       // last measured difference; 0 if the clocks agree or differ too much
}

// now returns the time. Do not use it to measure less than clocksAgree, or for
// timeouts that must survive a clock change.
func (c *sharedClock) now() time.Time {
	own := c.own().Round(0) // without the monotonic reading, so that a corrected clock also changes ahead
	if theirs, known := c.theirs(); known {
		switch ahead := theirs.Sub(own); {
		case ahead.Abs() > clocksDiffer:
			c.ahead.Store(0)
		case (ahead - time.Duration(c.ahead.Load())).Abs() >= clocksAgree:
			c.ahead.Store(int64(ahead))
		}
	}
	return own.Add(time.Duration(c.ahead.Load()))
}
