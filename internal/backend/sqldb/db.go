package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/base/durable"
)

// DB is a database: connections that write (with SQLite, one), and connections
// that read.
type DB struct {
	Dialect *Dialect
	path    string
	Writer  *pool
	Readers *pool
	words   *pool // for the dictionary of a log
	Watcher *pool // one connection that never writes, and so sees the changes of all other connections
	locks   locks
	version storeVersion
	// Hook, unless nil, is called for each statement, as that of WithHook.
	Hook    func(query string) error
	took    atomic.Pointer[Took]
	Changes *Listener // nil unless other processes can change the database unnoticed: PostgreSQL's store
	// Background, if not nil, is notified of each commit, even of one with an
	// unknown outcome, and is closed last.
	Background interface {
		committed()
		Close() error
	}
}

func newDB(d *Dialect, path string, writer *sql.DB, writers int, reader *sql.DB, readers int) *DB {
	return &DB{Dialect: d, path: path, Writer: newPool(writer, writers), Readers: newPool(reader, readers),
		words: newPool(reader, 1), Watcher: newPool(reader, 1)}
}

// Took is told of each transaction: whether it may write, how long it took with
// the wait for a connection, and its error.
type Took func(writes bool, took time.Duration, err error)

// Observe calls f after each transaction.
func (d *DB) Observe(f Took) { d.took.Store(&f) }

// exclusiveAfter is the number of the attempt from which a transaction runs
// alone.
const exclusiveAfter = 4

// Update runs f as a transaction that may write, and runs it again after
// conflicts.
func (d *DB) Update(ctx context.Context, f func(*Tx) error) error {
	for try := 1; ; try++ {
		begin := d.Dialect.beginWrite
		if try >= exclusiveAfter {
			begin = d.Dialect.beginExclusive
		}
		err := d.run(ctx, d.Writer, begin, f)
		if try == d.Dialect.tries || ctx.Err() != nil || !d.Dialect.Busy(err) {
			return err
		}
	}
}

// Read runs f over one snapshot.
func (d *DB) Read(ctx context.Context, f func(*Tx) error) error {
	return d.run(ctx, d.Readers, d.Dialect.beginRead, f)
}

// ReadAside reads on a connection of its own, for callers inside another
// transaction.
func (d *DB) ReadAside(f func(*Tx) error) error {
	return d.run(context.Background(), d.words, d.Dialect.beginRead, f)
}

// run runs f as a transaction. Once it has a connection, it ignores ctx: a
// transaction is short, and the outcome of a commit that is cut off would be
// unknown. (If the server freezes, trackedConns still ends the transaction.)
func (d *DB) run(ctx context.Context, p *pool, begin string, f func(*Tx) error) (err error) {
	if took := d.took.Load(); took != nil {
		began := time.Now()
		defer func() { (*took)(p == d.Writer, time.Since(began), err) }()
	}
	c, err := d.begin(ctx, p, begin)
	if err != nil {
		return err
	}
	usable := false
	defer func() { p.Release(c, usable) }()
	t := &Tx{Conn: c, Dialect: d.Dialect}
	if t.hook, _ = ctx.Value(hookKey{}).(func(string) error); t.hook == nil {
		t.hook = d.Hook
	}
	committed := false
	defer func() {
		t.Err = sql.ErrTxDone
		if !committed { // f failed, or panicked
			usable = d.Dialect.command(c, "ROLLBACK") == nil
		}
	}()
	err = f(t)
	switch {
	case t.Err != nil:
		// Nothing may be committed: part of what f wrote may be lost.
		return d.wrapError("query", t.Err)
	case err != nil:
		return err
	}
	if p == d.Writer {
		durable.Step("commit " + d.path)
	}
	err = d.Dialect.command(c, d.Dialect.commit)
	if p == d.Writer {
		durable.Step("committed " + d.path)
		if d.Background != nil {
			d.Background.committed()
		}
	}
	switch {
	case err != nil && d.Dialect.unknown(err):
		return vitrine.UnavailableAfter(d.wrapError("commit", err))
	case err != nil:
		return d.wrapError("commit", err)
	}
	committed, usable = true, true
	for _, f := range t.Committed {
		f()
	}
	return nil
}

// begin returns a connection on which a transaction has begun. If an idle
// connection was lost, begin opens another one.
func (d *DB) begin(ctx context.Context, p *pool, begin string) (*conn, error) {
	for {
		c, err := p.Acquire(ctx)
		if err != nil {
			if ctx.Err() == nil {
				err = d.wrapError("open", err)
			}
			return nil, err
		}
		if err = d.Dialect.command(c, begin); err == nil {
			return c, nil
		}
		old, busy := c.used, d.Dialect.Busy(err)
		p.Release(c, busy)
		if busy || !old || !d.Dialect.unknown(err) {
			return nil, d.wrapError("begin", err)
		}
	}
}

// wrapError returns the error of a failed database operation.
func (d *DB) wrapError(what string, err error) error {
	err = fmt.Errorf("database %s: %s: %w", d.path, what, err)
	if d.Dialect != SqliteDialect {
		return Unavailable(explainWrongValue(d.path, err))
	}
	return Unavailable(explainDamage(d.path, err))
}

// Close waits for running transactions. After it no transaction may begin.
func (d *DB) Close() error {
	err := errors.Join(d.Readers.close(), d.words.close(), d.Watcher.close(), d.Writer.close())
	if d.Background != nil {
		err = errors.Join(err, d.Background.Close())
	}
	return err
}
