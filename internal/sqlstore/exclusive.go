package sqlstore

import "context"

// Exclusive takes a named lock (1 to 64 of a-z, 0-9 and -), which one caller
// has at a time, of all processes that use this store. It waits until ctx ends.
//
// A lock in PostgreSQL lives with a connection of its own. Where that is lost
// the database gives the lock to the next one while its holder, who cannot
// know, goes on: release then answers an error, and what must not be done by
// two needs a check of its own in the transaction that does it. A lock of a
// SQLite store is one on a file beside it, and lives as long as the process.
func (s *Store) Exclusive(ctx context.Context, name string) (release func() error, err error) {
	return s.DB.Lock(ctx, name, true)
}
