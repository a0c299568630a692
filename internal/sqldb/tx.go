package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"vitrine"
)

// Tx is one transaction.
type Tx struct {
	Conn      *conn
	Dialect   *Dialect
	Err       error                    // the first failure of the database, after which nothing more is done
	hook      func(query string) error // see WithHook; may be nil
	guarded   bool                     // a statement that is refused leaves it as it was
	Committed []func()                 // what is to be done, still in possession of the connection, once it is committed
}

// OnCommit has f called once the transaction is committed, while it still has
// its connection.
func (t *Tx) OnCommit(f func()) { t.Committed = append(t.Committed, f) }

// Scanner is one row of an answer.
type Scanner interface{ Scan(dest ...any) error }

// Exec changes rows and tells how many. ErrExists: one would not have been
// unique, and nothing was changed.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	s, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(context.Background(), t.text(args)...)
	if err != nil {
		return 0, t.Fail(err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, t.Fail(err)
	}
	return n, nil
}

// Put changes one row. ErrNotFound: there is none. ErrExists: it would not have
// been unique; the transaction may go on.
func (t *Tx) Put(query string, args ...any) (err error) {
	var n int64
	change := func() error {
		n, err = t.Exec(query, args...)
		return err
	}
	if t.Dialect.guard == nil {
		err = change()
	} else {
		err = t.Dialect.guard(t, change)
	}
	if err == nil && n == 0 {
		return vitrine.ErrNotFound
	}
	return err
}

// text is arguments of a query as the database can hold them.
func (t *Tx) text(args []any) []any {
	if t.Dialect.text == nil {
		return args
	}
	return t.Dialect.text(args)
}

// Get reads the one row of an answer. ErrNotFound: it has none.
func (t *Tx) Get(dest []any, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	err = s.QueryRowContext(context.Background(), t.text(args)...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return vitrine.ErrNotFound
	}
	if err != nil {
		return t.Fail(err)
	}
	return nil
}

// Each calls f with every row of an answer, until f fails.
func (t *Tx) Each(f func(Scanner) error, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), t.text(args)...)
	if err != nil {
		return t.Fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return t.Fail(err)
	}
	return nil
}

// One reads one row as a T. ErrNotFound: there is none.
func One[T any](t *Tx, read func(Scanner) (*T, error), query string, args ...any) (*T, error) {
	rows, err := List(t, read, query, args...)
	if err == nil && len(rows) == 0 {
		return nil, vitrine.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// List reads rows as Ts.
func List[T any](t *Tx, read func(Scanner) (*T, error), query string, args ...any) (rows []*T, err error) {
	err = t.Each(func(s Scanner) error {
		row, err := read(s)
		if err != nil {
			return t.Fail(err)
		}
		rows = append(rows, row)
		return nil
	}, query, args...)
	return rows, err
}

func (t *Tx) prepare(query string) (*sql.Stmt, error) {
	if err := t.ready(query); err != nil {
		return nil, err
	}
	s, err := t.Conn.prepare(query)
	if err != nil {
		return nil, t.Fail(err)
	}
	return s, nil
}

// Fail takes an error of the database in.
func (t *Tx) Fail(err error) error {
	if t.Dialect.exists(err) && (t.guarded || t.Dialect.guard == nil) {
		return vitrine.ErrExists
	}
	if t.Err == nil {
		t.Err = err
	}
	return err
}

// Placeholders is a list of n of them from a number on: $3, $4, $5.
func Placeholders(from, n int) string {
	var b []byte
	for i := range n {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(append(b, '$'), int64(from+i), 10)
	}
	return string(b)
}

// Opens calls f with every row of an answer that has link, id, open and
// session. The blobs are f's until it returns.
func (t *Tx) Opens(f Visitor, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return t.Fail(err)
	}
	defer rows.Close()
	var link, id int64
	var open, session sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&link, &id, &open, &session); err != nil {
			return t.Fail(err)
		}
		if err := f(link, id, open, session); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return t.Fail(err)
	}
	return nil
}
