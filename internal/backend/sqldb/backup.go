package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"vitrine/internal/base/durable"

	"modernc.org/sqlite"
)

// Snapshot is the state of a SQLite file at one moment; later writes do not
// change it. While a snapshot is held, the write-ahead log grows with each
// write; it shrinks afterwards.
type Snapshot struct {
	db   *sql.DB
	conn *conn
	path string
}

// HoldSnapshot takes a snapshot of an existing database file.
func HoldSnapshot(ctx context.Context, path string) (_ *Snapshot, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	s := &Snapshot{db: sql.OpenDB(SqliteFile(SqliteName(path, ReaderCache, "query_only(1)"))), path: path}
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	c, err := s.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s.conn = &conn{Conn: c, Statements: map[string]*sql.Stmt{}}
	if err := s.conn.exec("BEGIN"); err != nil {
		return nil, explainDamage(path, fmt.Errorf("read %s: %w", path, err))
	}
	// The first read sets the moment of the snapshot.
	var n int64
	if err := c.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&n); err != nil {
		return nil, explainDamage(path, fmt.Errorf("read %s: %w", path, err))
	}
	return s, nil
}

// Read calls f with a transaction over the snapshot.
func (s *Snapshot) Read(f func(*Tx) error) error {
	t := &Tx{Conn: s.conn, Dialect: SqliteDialect}
	err := f(t)
	if t.Err != nil {
		return fmt.Errorf("read %s: %w", s.path, t.Err)
	}
	return err
}

// Count counts the rows of a table that meet a condition.
func (s *Snapshot) Count(ctx context.Context, table, condition string) (n int64, err error) {
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+table+" WHERE "+condition).Scan(&n); err != nil {
		return 0, fmt.Errorf("read %s: %w", s.path, err)
	}
	return n, nil
}

// Views counts the single views of a log.
func (s *Snapshot) Views(ctx context.Context) (n int64, err error) {
	const query = "SELECT (SELECT count(*) FROM views) + (SELECT coalesce(sum(views), 0) FROM segments)"
	if err := s.conn.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("read %s: %w", s.path, err)
	}
	return n, nil
}

// copiedPages is the number of pages copied between two checks of the context
// and two reports of progress: 4 MiB.
const copiedPages = 1024

// onlineBackup is the part of SQLite's driver that database/sql does not have.
type onlineBackup interface {
	NewBackup(to string) (*sqlite.Backup, error)
}

// CopyTo copies the snapshot to a new file. If it returns nil, the copy is
// complete and durable; after an error the caller removes the file. CopyTo
// calls progress with the number of bytes copied and of all bytes.
func (s *Snapshot) CopyTo(ctx context.Context, path string, progress func(done, all int64)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	// A partial copy is deleted, so the copy needs no journal.
	to := url.URL{Scheme: "file", Path: filepath.ToSlash(path),
		RawQuery: url.Values{"_pragma": {"journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)"}}.Encode()}
	err = s.conn.Raw(func(c any) error {
		b, err := c.(onlineBackup).NewBackup(to.String())
		if err != nil {
			return err
		}
		return finish(b, copyPages(ctx, b, progress))
	})
	if err != nil {
		return fmt.Errorf("copy %s to %s: %w", s.path, path, err)
	}
	return syncFile(path)
}

func copyPages(ctx context.Context, b *sqlite.Backup, progress func(done, all int64)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := b.Step(copiedPages)
		if err != nil {
			return err
		}
		all := b.PageCount()
		progress(int64(all-b.Remaining())*pageBytes, int64(all)*pageBytes)
		if !more {
			return nil
		}
	}
}

// pageBytes is the size of a page of the databases.
const pageBytes = 4096

// finish ends a copy. An earlier error takes precedence over its own.
func finish(b *sqlite.Backup, err error) error {
	if end := b.Finish(); err == nil {
		err = end
	}
	return err
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return durable.Sync(f)
}

// Close releases the snapshot.
func (s *Snapshot) Close() error {
	if s.conn != nil {
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn }) // with its transaction
		_ = s.conn.Close()
	}
	return s.db.Close()
}
