package main

import (
	"sync/atomic"
	"time"
)

// clock returns the time of this machine. Tests replace it for a process.
var clock = time.Now

const (
	// Clocks that differ by less than clocksAgree are treated as equal:
	// comparisons between servers have more tolerance than that.
	clocksAgree = time.Second
	// If clocks differ by more than clocksDiffer, nobody can tell which is
	// wrong. The doctor reports it.
	clocksDiffer = 2 * time.Minute
)

// sharedClock is the clock of servers that share a database. If their own
// clocks differ a little from the database's, they use the database's. So a
// view that one server recorded is not in the future of another that receives
// its beacons.
type sharedClock struct {
	own    func() time.Time
	theirs func() (now time.Time, known bool) // the database's
	ahead  atomic.Int64                       // the last measured difference; 0 means that the clocks agree or differ too much
}

// now returns the time. Do not use differences of it to measure less than
// clocksAgree, or for timeouts that must survive a change of the clock.
func (c *sharedClock) now() time.Time {
	own := c.own().Round(0) // wall clock only: after the clock is corrected, ahead changes too
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
