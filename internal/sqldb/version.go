package sqldb

import "context"

// storeVersion counts the changes of a database, or more. Anyone who has the watcher's connection has it too.
type storeVersion struct {
	number int64
	seen   int64 // the database's own number, which means something on one connection alone
	on     *conn
}

// Version implements [vitrine.Store]. A failure of the database is vitrine.Unavailable.
func (s *Store) Version(ctx context.Context) (number int64, err error) {
	if s.changes != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if number, err = s.changes.version(); err != nil {
			err = s.db.failed("open", err)
		}
		return number, err
	}
	c, err := s.db.watcher.acquire(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = s.db.failed("open", err)
		}
		return 0, err
	}
	defer func() { s.db.watcher.release(c, err == nil) }()
	q, err := c.prepare(s.db.dialect.changes)
	if err != nil {
		return 0, s.db.failed("prepare", err)
	}
	var seen int64
	if err := q.QueryRowContext(context.Background()).Scan(&seen); err != nil {
		return 0, s.db.failed("query", err)
	}
	if n := &s.version; seen != n.seen || c != n.on {
		*n = storeVersion{number: n.number + 1, seen: seen, on: c}
	}
	return s.version.number, nil
}
