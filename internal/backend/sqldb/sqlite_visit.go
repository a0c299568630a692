package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
)

// Millions of rows go through SQLite's own loop: an aggregate function is
// called with each, its blobs where they lie in the page. That takes half the
// time of fetching rows through database/sql.

// sqliteDriver has the function; the driver that is registered for everyone
// stays unchanged.
var sqliteDriver = func() *sqlite.Driver {
	d := new(sqlite.Driver)
	d.MustRegisterFunction("visit", &sqlite.FunctionImpl{
		NArgs:         -1, // number of the visit, columns
		VolatileArgs:  true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return new(sqliteVisits), nil },
	})
	return d
}()

// SqliteFile opens connections to a database.
type SqliteFile string

func (f SqliteFile) Connect(context.Context) (driver.Conn, error) {
	return sqliteDriver.Open(string(f))
}
func (f SqliteFile) Driver() driver.Driver { return sqliteDriver }

// visit is the call of a function for one query.
type visit struct {
	f        func([]driver.Value) error
	err      error
	panicked any
}

var (
	visits     sync.Map // int64 to *visit
	lastVisit  atomic.Int64
	errVisited = errors.New("visit ended")
)

func sqliteVisit(t *Tx, columns, from string, args []any, f func([]driver.Value) error) error {
	v, number := &visit{f: f}, lastVisit.Add(1)
	visits.Store(number, v)
	defer visits.Delete(number)
	s, err := t.prepare("SELECT visit(" + Placeholders(len(args)+1, 1) + ", " + columns + ")" + from)
	if err != nil {
		return err
	}
	var rows int64
	err = s.QueryRowContext(context.Background(), append(args, number)...).Scan(&rows)
	switch {
	case v.panicked != nil:
		if wrong, ok := v.panicked.(*runtime.TypeAssertionError); ok { // of a column
			return t.Failed(damaged{fmt.Errorf("a column of %q has another type than its table: %w", columns, wrong)})
		}
		panic(v.panicked)
	case v.err != nil:
		return v.err
	case err != nil:
		return t.Failed(err)
	}
	return nil
}

// row calls f. A panic is kept until SQLite, which holds locks, has ended the
// query.
func (v *visit) row(args []driver.Value) (err error) {
	defer func() {
		if v.panicked = recover(); v.panicked != nil {
			err = errVisited
		}
	}()
	if v.err = v.f(args[1:]); v.err != nil {
		return errVisited
	}
	return nil
}

// sqliteVisits is a run of the aggregate function; its value is the number of
// rows.
type sqliteVisits struct {
	visit *visit
	rows  int64
}

func (s *sqliteVisits) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	if s.visit == nil {
		found, ok := visits.Load(args[0])
		if !ok {
			return errors.New("visit is for the log's own queries")
		}
		s.visit = found.(*visit)
	}
	s.rows++
	return s.visit.row(args)
}

func (s *sqliteVisits) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("visit is no window function")
}

func (s *sqliteVisits) WindowValue(*sqlite.FunctionContext) (driver.Value, error) { return s.rows, nil }
func (s *sqliteVisits) Final(*sqlite.FunctionContext)                             {}
