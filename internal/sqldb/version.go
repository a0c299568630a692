package sqldb

import (
	"context"
	"time"
)

// storeVersion counts the changes of a database, or more. Anyone who has the watcher's connection has it too.
type storeVersion struct {
	number int64
	seen   int64 // the database's own number, which means something on one connection alone
	on     *conn
}

// readVersion returns a number that changes whenever the database may have changed.
func (d *db) readVersion(ctx context.Context) (number int64, err error) {
	if d.changes != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if number, err = d.changes.version(); err != nil {
			err = d.failed("open", err)
		}
		return number, err
	}
	c, err := d.watcher.acquire(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = d.failed("open", err)
		}
		return 0, err
	}
	defer func() { d.watcher.release(c, err == nil) }()
	q, err := c.prepare(d.dialect.changes)
	if err != nil {
		return 0, d.failed("prepare", err)
	}
	var seen int64
	if err := q.QueryRowContext(context.Background()).Scan(&seen); err != nil {
		return 0, d.failed("query", err)
	}
	if n := &d.version; seen != n.seen || c != n.on {
		*n = storeVersion{number: n.number + 1, seen: seen, on: c}
	}
	return d.version.number, nil
}

// time returns the time by the clock of a database that several machines share,
// and false if it has no clock of its own or has not told it lately.
func (d *db) time() (now time.Time, known bool) {
	if d.changes == nil {
		return time.Time{}, false
	}
	return d.changes.time()
}
