package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// locks are named locks that hold over all processes which use a database.
type locks interface {
	// lock takes a lock. With wait it waits until ctx ends; without wait it
	// returns ErrHeld if another process has the lock. unlock returns an error
	// if the lock was lost before.
	lock(ctx context.Context, name string, wait bool) (unlock func() error, err error)
}

// ErrHeld is the error of Lock without wait.
var ErrHeld = errors.New("another process has the lock")

// lockName matches valid names of locks: a name becomes part of a file name.
var lockName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// Lock takes a named lock (1 to 64 of a-z, 0-9 and -). Among all processes that
// use the database, one caller holds it at a time. With wait it waits for the
// lock until ctx ends; without wait it returns ErrHeld if another has it.
//
// A lock in PostgreSQL belongs to a connection. If the connection is lost, the
// database gives the lock to the next caller, and the holder does not notice:
// unlock then returns an error. Work that must not be done twice therefore
// needs a check in its own transaction. A lock of SQLite is a lock on a file
// beside the database, and ends with the process at the latest.
func (d *DB) Lock(ctx context.Context, name string, wait bool) (unlock func() error, err error) {
	if !lockName.MatchString(name) {
		return nil, fmt.Errorf("%q is not the name of a lock", name)
	}
	let, err := d.locks.lock(ctx, name, wait)
	switch {
	case err == nil:
		return once(func() error {
			if err := let(); err != nil {
				return d.wrapError("unlock "+name, err)
			}
			return nil
		}), nil
	case errors.Is(err, ErrHeld):
		return nil, err
	case ctx.Err() != nil: // the driver may report a bad connection instead
		return nil, ctx.Err()
	}
	return nil, d.wrapError("lock "+name, err)
}

// once returns a function that calls f only the first time.
func once(f func() error) func() error {
	var once sync.Once
	return func() (err error) {
		once.Do(func() { err = f() })
		return err
	}
}

// postgresLocks are advisory locks, each held by a connection of its own, which
// is reused for later locks. In each process one goroutine at a time asks for a
// lock.
type postgresLocks struct {
	handle *sql.DB
	inside insideLocks
}

func (l *postgresLocks) lock(ctx context.Context, name string, wait bool) (unlock func() error, err error) {
	leave, err := l.inside.enter(ctx, name, wait)
	if err != nil {
		return nil, err
	}
	c, err := l.handle.Conn(ctx)
	if err != nil {
		leave()
		return nil, err
	}
	// A failed connection has lost its locks, and is closed.
	end := func() {
		_ = c.Raw(func(any) error { return driver.ErrBadConn })
		_ = c.Close()
		leave()
	}
	got, key := true, lockKey("lock "+name)
	if wait {
		_, err = c.ExecContext(ctx, "SELECT pg_advisory_lock($1)", key)
	} else {
		err = c.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&got)
	}
	if err == nil && !got {
		err = ErrHeld
	}
	if err != nil {
		end()
		return nil, err
	}
	return func() error {
		var had bool
		err := c.QueryRowContext(context.Background(), "SELECT pg_advisory_unlock($1)", key).Scan(&had)
		if err == nil && !had {
			err = errors.New("the lock was lost")
		}
		if err != nil {
			end()
			return err
		}
		leave()
		return c.Close()
	}, nil
}

// insideLocks are named locks within a process.
type insideLocks struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when it is dropped
}

// enter takes a lock.
func (l *insideLocks) enter(ctx context.Context, name string, wait bool) (leave func(), err error) {
	for {
		l.mu.Lock()
		held := l.held[name]
		if held == nil {
			defer l.mu.Unlock()
			if l.held == nil {
				l.held = map[string]chan struct{}{}
			}
			mine := make(chan struct{})
			l.held[name] = mine
			return func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.held, name)
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		if !wait {
			return nil, ErrHeld
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-held:
		}
	}
}
