package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/durable"
)

// db is one database: connections that write (of SQLite one), and some that read.
type db struct {
	dialect *dialect
	path    string
	writer  *pool
	readers *pool
	words   *pool // for the dictionary of a log
	watcher *pool // one connection that never writes, to see changes by others: every other connection is one
	locks   locks
	version storeVersion
	changes *listener // if others change it without this process's knowing: PostgreSQL's store
	// background, if there is one, wants to know of commits, also of those whose outcome is unknown, and is closed last.
	background interface {
		committed()
		Close() error
	}
}

func newDB(d *dialect, path string, writer *sql.DB, writers int, reader *sql.DB, readers int) *db {
	return &db{dialect: d, path: path, writer: newPool(writer, writers), readers: newPool(reader, readers), words: newPool(reader, 1), watcher: newPool(reader, 1)}
}

// aloneFrom is from which try on a transaction is alone.
const aloneFrom = 4

// update runs f as a transaction that may write, again when others are in the way.
func (d *db) update(ctx context.Context, f func(*tx) error) error {
	for try := 1; ; try++ {
		begin := d.dialect.beginWrite
		if try >= aloneFrom {
			begin = d.dialect.beginAlone
		}
		err := d.run(ctx, d.writer, begin, f)
		if try == d.dialect.tries || ctx.Err() != nil || !d.dialect.busy(err) {
			return err
		}
	}
}

// read runs f over one snapshot.
func (d *db) read(ctx context.Context, f func(*tx) error) error {
	return d.run(ctx, d.readers, d.dialect.beginRead, f)
}

// readAside is read for a caller that is in the middle of another transaction:
// it has a connection of its own.
func (d *db) readAside(f func(*tx) error) error {
	return d.run(context.Background(), d.words, d.dialect.beginRead, f)
}

// run runs f as a transaction. Once it has a connection, ctx no longer counts: a transaction is short, and one that is cut
// off in its commit would leave open what became of it. (A server that is frozen ends it all the same: lines.)
func (d *db) run(ctx context.Context, p *pool, begin string, f func(*tx) error) (err error) {
	c, err := d.begin(ctx, p, begin)
	if err != nil {
		return err
	}
	usable := false
	defer func() { p.release(c, usable) }()
	t := &tx{conn: c, dialect: d.dialect}
	committed := false
	defer func() {
		t.err = sql.ErrTxDone
		if !committed { // f failed, or panicked
			usable = d.dialect.command(c, "ROLLBACK") == nil
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
	if p == d.writer {
		durable.Step("commit " + d.path)
	}
	err = d.dialect.command(c, d.dialect.commit)
	if p == d.writer {
		durable.Step("committed " + d.path)
		if d.background != nil {
			d.background.committed()
		}
	}
	switch {
	case err != nil && d.dialect.unknown(err):
		return &vitrine.Error{Code: vitrine.CodeUnavailable, Err: d.failed("commit", err), RetryAfter: 5 * time.Second,
			Message: "The connection to the database was lost while this was saved. Check whether your change was saved before you try again."}
	case err != nil:
		return d.failed("commit", err)
	}
	committed, usable = true, true
	for _, f := range t.committed {
		f()
	}
	return nil
}

// begin gives a connection on which a transaction has begun. A connection that was lost while it was idle is no failure of whoever meets it.
func (d *db) begin(ctx context.Context, p *pool, begin string) (*conn, error) {
	for {
		c, err := p.acquire(ctx)
		if err != nil {
			if ctx.Err() == nil {
				err = d.failed("open", err)
			}
			return nil, err
		}
		if err = d.dialect.command(c, begin); err == nil {
			return c, nil
		}
		old, busy := c.used, d.dialect.busy(err)
		p.release(c, busy)
		if busy || !old || !d.dialect.unknown(err) {
			return nil, d.failed("begin", err)
		}
	}
}

// failed says that the database did not do what it was asked to.
func (d *db) failed(what string, err error) error {
	return vitrine.Unavailable(explainDamage(d.path, fmt.Errorf("database %s: %s: %w", d.path, what, err)))
}

// Close waits for running transactions. No other may be begun after it.
func (d *db) Close() error {
	err := errors.Join(d.readers.close(), d.words.close(), d.watcher.close(), d.writer.close())
	if d.background != nil {
		err = errors.Join(err, d.background.Close())
	}
	return err
}
