package sqlstore

import "context"

// Exclusive takes a named lock (1 to 64 of a-z, 0-9 and -). Among all processes
// that use the store, one caller holds it at a time. Exclusive waits for the
// lock until ctx ends.
//
// A lock in PostgreSQL belongs to a connection. If the connection is lost, the
// database gives the lock to the next caller, and the holder does not notice:
// release then returns an error. Work that must not be done twice therefore
// needs a check in its own transaction. A lock of a SQLite store is a lock on a
// file beside it, and ends with the process at the latest.
func (s *Store) Exclusive(ctx context.Context, name string) (release func() error, err error) {
	return s.DB.Lock(ctx, name, true)
}
