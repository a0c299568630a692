package sqldb

import (
	"context"
	"sync"
	"time"
)

// storeVersion counts the changes of a database, or more. The holder of the
// watcher's connection holds its numbers too.
type storeVersion struct {
	number int64
	seen   int64 // from the database; comparable only on one connection
	on     *conn

	mu   sync.Mutex
	next *versionRead // which has not begun; callers that come now share it
}

// versionRead is a read of the version for all that asked before it began.
type versionRead struct {
	done   chan struct{}
	number int64
	err    error
	again  bool // the caller that was to read has given up
}

// join returns the next read. The first one to join it is the one to read.
func (v *storeVersion) join() (r *versionRead, first bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.next == nil {
		v.next, first = &versionRead{done: make(chan struct{})}, true
	}
	return v.next, first
}

// begin lets later callers join another read.
func (v *storeVersion) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.next = nil
}

// ReadVersion returns a number that changes whenever the database may have
// changed. Callers that wait share one read.
func (d *DB) ReadVersion(ctx context.Context) (number int64, err error) {
	if d.Changes != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if number, err = d.Changes.version(); err != nil {
			err = d.wrapError("open", err)
		}
		return number, err
	}
	for {
		r, first := d.version.join()
		if first {
			c, err := d.Watcher.Acquire(ctx)
			d.version.begin()
			if err == nil {
				r.number, r.err = d.readVersion(c)
			} else if r.err = err; ctx.Err() == nil {
				r.err = d.wrapError("open", err)
			} else {
				r.again = true
			}
			close(r.done)
			return r.number, r.err
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if !r.again {
			return r.number, r.err
		}
	}
}

// readVersion reads the version on the watcher's connection, and releases it.
func (d *DB) readVersion(c *conn) (number int64, err error) {
	defer func() { d.Watcher.Release(c, err == nil) }()
	q, err := c.prepare(d.Dialect.changes)
	if err != nil {
		return 0, d.wrapError("prepare", err)
	}
	var seen int64
	if err := q.QueryRowContext(context.Background()).Scan(&seen); err != nil {
		return 0, d.wrapError("query", err)
	}
	n := &d.version
	if seen != n.seen || c != n.on {
		n.number, n.seen, n.on = n.number+1, seen, c
	}
	return n.number, nil
}

// Time returns the time by the clock of a database server. It reports false if
// the database has none, or has not reported it lately.
func (d *DB) Time() (now time.Time, known bool) {
	if d.Changes == nil {
		return time.Time{}, false
	}
	return d.Changes.time()
}
