package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"vitrine"
)

// db is one database: one connection that writes, some that read.
type db struct {
	dialect *dialect
	path    string
	writer  *pool
	readers *pool
	words   *pool // for the dictionary of a log
	watcher *pool // one connection that never writes, to see changes by others: every other connection is one
	// background, if there is one, wants to know of commits, and is closed first.
	background interface {
		committed()
		close() error
	}
}

func newDB(d *dialect, path string, writer, reader *sql.DB, readers int) *db {
	return &db{dialect: d, path: path, writer: newPool(writer, 1), readers: newPool(reader, readers), words: newPool(reader, 1), watcher: newPool(reader, 1)}
}

// busyTries bounds how often a transaction is begun that finds the database locked by another process, each time after the
// dialect's own waiting.
const busyTries = 3

// update runs f as a transaction that may write, again when another process is in the way.
func (d *db) update(ctx context.Context, f func(*tx) error) error {
	for try := 1; ; try++ {
		err := d.run(ctx, d.writer, d.dialect.beginWrite, f)
		if try == busyTries || ctx.Err() != nil || !d.dialect.busy(err) {
			return err
		}
	}
}

// read runs f over one snapshot.
func (d *db) read(ctx context.Context, f func(*tx) error) error {
	return d.run(ctx, d.readers, d.dialect.beginRead, f)
}

// run runs f as a transaction. Once it has a connection, ctx no longer counts: a transaction is short, and one that is cut
// off in its commit would leave open what became of it.
func (d *db) run(ctx context.Context, p *pool, begin string, f func(*tx) error) (err error) {
	c, err := p.acquire(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = d.failed("open", err)
		}
		return err
	}
	usable := false
	defer func() { p.release(c, usable) }()
	if err := c.exec(begin); err != nil {
		usable = d.dialect.busy(err)
		return d.failed("begin", err)
	}
	t := &tx{conn: c, dialect: d.dialect}
	committed := false
	defer func() {
		t.err = sql.ErrTxDone
		if !committed { // f failed, or panicked
			usable = c.exec("ROLLBACK") == nil
		}
	}()
	err = f(t)
	switch {
	case t.err != nil:
		// Whatever f made of it, nothing may be committed: part of what f wrote may be gone already.
		return d.failed("query", t.err)
	case err != nil:
		return err
	}
	if err := c.exec("COMMIT"); err != nil {
		return d.failed("commit", err)
	}
	committed, usable = true, true
	for _, f := range t.committed {
		f()
	}
	if p == d.writer && d.background != nil {
		d.background.committed()
	}
	return nil
}

// failed says that the database did not do what it was asked to.
func (d *db) failed(what string, err error) error {
	return vitrine.Unavailable(fmt.Errorf("database %s: %s: %w", d.path, what, err))
}

// close waits for running transactions. No other may be begun after it.
func (d *db) close() (err error) {
	if d.background != nil {
		err = d.background.close()
	}
	return errors.Join(err, d.readers.close(), d.words.close(), d.watcher.close(), d.writer.close())
}
