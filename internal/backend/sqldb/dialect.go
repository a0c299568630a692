package sqldb

import (
	"database/sql/driver"

	"github.com/pressly/goose/v3/database"
)

// Dialect describes the differences between databases, except the migrations.
type Dialect struct {
	goose database.Dialect
	// beginWrite begins a serializable transaction that may write, beginRead
	// one that reads a snapshot. beginExclusive is beginWrite after conflicts;
	// it waits until no other transaction writes.
	beginWrite, beginExclusive, beginRead, commit string
	// command runs one of these statements.
	command func(c *conn, statements string) error
	// busy reports whether the transaction may be repeated after an error. It
	// is repeated up to tries times.
	Busy  func(error) bool
	tries int
	// unknown reports whether an error of a commit leaves the outcome of the
	// transaction unknown.
	unknown func(error) bool
	// exists reports that a row was refused because it is not unique.
	exists func(error) bool
	// guard runs a statement so that an error leaves the transaction usable, or
	// nil if that is always so.
	guard func(t *Tx, statement func() error) error
	// many runs a statement many times without waiting for each; nil means the
	// database is local.
	many func(t *Tx, query string, n int, args func(i int) []any, f func(i int, row Scanner) error,
		done func(i int, changed int64)) error
	// text replaces what the database cannot store in arguments, or nil if it
	// can store everything.
	text func(args []any) []any
	// UseEngaged follows the name of the table views in a query. It makes the
	// planner use the index views_engaged.
	UseEngaged string
	// changes queries a number that differs if another connection has changed
	// the database since the last query.
	changes string
	// visit calls f with the columns of every row that a FROM clause selects.
	// Strings and blobs among them are f's until it returns.
	Visit func(t *Tx, columns, from string, args []any, f func([]driver.Value) error) error
}

// Visitor is called with the stored form of a view; session is empty for a view
// without engagement.
type Visitor func(link, id int64, record, session []byte) error

// Visit calls f with the columns of each row of a FROM clause.
func (t *Tx) Visit(columns, from string, args []any, f func([]driver.Value) error) error {
	return t.Dialect.Visit(t, columns, from, args, f)
}

// VisitViews calls f with every view that a FROM clause selects under the alias
// o. The blobs are valid until f returns.
func (t *Tx) VisitViews(f Visitor, from string, args []any) error {
	return t.Dialect.Visit(t, "o.link, o.id, o.record, o.session", from, args, func(row []driver.Value) error {
		session, _ := row[3].([]byte)
		return f(row[0].(int64), row[1].(int64), row[2].([]byte), session)
	})
}
