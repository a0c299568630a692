package metrics

import (
	"context"
	"sync"
	"time"
)

const (
	// ReadEvery is how long what was read from a database is shown again,
	// however often the metrics are asked for.
	ReadEvery = 10 * time.Second
	// readTime is how long a database may take. After it, it is shown as down.
	readTime = 3 * time.Second
	// answerTime is how long an answer waits for a database. After it, it has
	// what was read before.
	answerTime = time.Second
)

// cached is what was last read from a database. One goroutine reads at a time.
type cached[T any] struct {
	mu      sync.Mutex
	value   T
	up      bool          // the last reading succeeded in time
	at      time.Time     // when it ended; zero before the first
	reading chan struct{} // closed when the reading under way has ended; nil if there is none
}

// get returns the value, and whether the database is up. known is false until
// a reading has ended.
func (c *cached[T]) get(read func(context.Context) (T, error)) (value T, up, known bool) {
	c.mu.Lock()
	if c.at.IsZero() || time.Since(c.at) >= ReadEvery {
		if c.reading == nil {
			c.reading = make(chan struct{})
			go c.refresh(read, c.reading)
		}
		ended := c.reading
		c.mu.Unlock()
		select {
		case <-ended:
		case <-time.After(answerTime):
		}
		c.mu.Lock()
	}
	defer c.mu.Unlock()
	return c.value, c.up, !c.at.IsZero()
}

// refresh reads. A database that is frozen may hold the transaction for longer
// than readTime; no other reading begins until it has ended.
func (c *cached[T]) refresh(read func(context.Context) (T, error), ended chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	late := time.AfterFunc(readTime, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.reading == ended {
			var none T
			c.value, c.up, c.at = none, false, time.Now()
		}
	})
	defer late.Stop()
	value, err := read(ctx)
	if err != nil {
		var none T
		value = none
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value, c.up, c.at, c.reading = value, err == nil, time.Now(), nil
	close(ended)
}
