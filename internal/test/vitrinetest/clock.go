package vitrinetest

import (
	"sync"
	"time"
)

// Epoch is the time of the suites' rows: a Monday, with milliseconds.
var Epoch = time.Date(2026, 1, 5, 9, 30, 0, 250_000_000, time.UTC)

// Clock only moves when a test advances it. It may be used from several
// goroutines.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock starts a clock at a time.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock forward, or back if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
