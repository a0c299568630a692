package sqldb

import (
	"context"
	"time"
)

// storeVersion counts the changes of a database, or more. The holder of the
// watcher's connection holds it too.
type storeVersion struct {
	number int64
	seen   int64 // from the database; comparable only on one connection
	on     *conn
}

// ReadVersion returns a number that changes whenever the database may have
// changed.
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
	c, err := d.Watcher.Acquire(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = d.wrapError("open", err)
		}
		return 0, err
	}
	defer func() { d.Watcher.Release(c, err == nil) }()
	q, err := c.prepare(d.Dialect.changes)
	if err != nil {
		return 0, d.wrapError("prepare", err)
	}
	var seen int64
	if err := q.QueryRowContext(context.Background()).Scan(&seen); err != nil {
		return 0, d.wrapError("query", err)
	}
	if n := &d.version; seen != n.seen || c != n.on {
		*n = storeVersion{number: n.number + 1, seen: seen, on: c}
	}
	return d.version.number, nil
}

// Time returns the time by the clock of a database server. It reports false if
// the database has none, or has not reported it lately.
func (d *DB) Time() (now time.Time, known bool) {
	if d.Changes == nil {
		return time.Time{}, false
	}
	return d.Changes.time()
}
