package vitrinetest

import (
	"sync"
	"time"
)

// Epoch is when a Clock starts: a Monday, with milliseconds that do not vanish.
var Epoch = time.Date(2026, 1, 5, 9, 30, 0, 250_000_000, time.UTC)

// Clock stands still until it is told otherwise. The zero Clock shows Epoch. It is safe for several goroutines at once.
type Clock struct {
	mu     sync.Mutex
	passed time.Duration
}

// Now is the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Epoch.Add(c.passed)
}

// Advance sets the clock forward, or with a negative d back.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed += d
}
