package sqldb

import (
	"database/sql/driver"

	"github.com/pressly/goose/v3/database"
)

// Dialect is what differs between databases, beside the migrations.
type Dialect struct {
	goose database.Dialect
	// beginWrite begins a serializable transaction that may write, beginRead
	// one that reads one snapshot. beginAlone is beginWrite for one that met
	// others in its way, and waits until nobody is.
	beginWrite, beginAlone, beginRead, commit string
	// command does one of those.
	command func(c *conn, statements string) error
	// busy tells an error after which the same transaction may be tried again
	// from the start, which is done up to tries times.
	Busy  func(error) bool
	tries int
	// unknown tells of an error of a commit that it leaves open what became of
	// the transaction.
	unknown func(error) bool
	// exists reports that a row was refused because it is not unique.
	exists func(error) bool
	// guard has a statement that is refused leave the transaction as it was;
	// nil: every statement does.
	guard func(t *Tx, statement func() error) error
	// many runs a statement many times, without waiting for each; nil: there is
	// nothing to wait for.
	many func(t *Tx, query string, n int, args func(i int) []any, f func(i int, row Scanner) error,
		done func(i int, changed int64)) error
	// text makes arguments of a query such that the database can hold them;
	// nil: it holds all.
	text func(args []any) []any
	// UseEngaged follows the name of the table opens in a query. It makes the
	// planner use the index opens_engaged.
	UseEngaged string
	// changes is a query for a number that is another one when another
	// connection has changed the database since this one asked.
	changes string
	// visit calls f with the columns of every row that a FROM clause selects.
	// Strings and blobs among them are f's until it returns.
	Visit func(t *Tx, columns, from string, args []any, f func([]driver.Value) error) error
}

type Visitor func(link, id int64, open, session []byte) error

// Visit calls f with each row of some columns of a FROM clause.
func (t *Tx) Visit(columns, from string, args []any, f func([]driver.Value) error) error {
	return t.Dialect.Visit(t, columns, from, args, f)
}

// VisitOpens calls f with every row of views that a FROM clause selects under
// the name o. The blobs are f's until it returns.
func (t *Tx) VisitOpens(f Visitor, from string, args []any) error {
	return t.Dialect.Visit(t, "o.link, o.id, o.open, o.session", from, args, func(row []driver.Value) error {
		session, _ := row[3].([]byte)
		return f(row[0].(int64), row[1].(int64), row[2].([]byte), session)
	})
}
