package main

import (
	"sync/atomic"
	"time"
)

// clock is what time this machine has it. A test has another for a process.
var clock = time.Now

const (
	// Clocks that differ by less than clocksAgree need no regard: what servers
	// compare has more room than that.
	clocksAgree = time.Second
	// By more than clocksDiffer they are so wrong that nobody can tell which;
	// the doctor says so.
	clocksDiffer = 2 * time.Minute
)

// sharedClock is the clock of servers that share a database: they go by that of
// the database where their own are somewhat off. So a view that one has
// counted is not in the future of the other that is told how it was read.
type sharedClock struct {
	own    func() time.Time
	theirs func() (now time.Time, known bool) // the database's
	ahead  atomic.Int64                       // by how much that was last seen to be ahead; 0: they agree, or differ too much
}

// now returns the time. Do not use differences of it to measure less than
// clocksAgree, or for timeouts that must survive a change of the clock.
func (c *sharedClock) now() time.Time {
	own := c.own().Round(0) // by the wall alone: once the wall is set right, ahead is another
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
