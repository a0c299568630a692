package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"vitrine"
)

// Tx is a transaction.
type Tx struct {
	Conn      *conn
	Dialect   *Dialect
	Err       error                    // the first failure of the database, after which nothing more is done
	hook      func(query string) error // see WithHook; may be nil
	guarded   bool                     // a failed statement leaves it unchanged
	Committed []func()                 // called after the commit, before the connection is released
}

// OnCommit registers f, which is called after the commit while the transaction
// still has its connection.
func (t *Tx) OnCommit(f func()) { t.Committed = append(t.Committed, f) }

// Scanner is a row of a result.
type Scanner interface{ Scan(dest ...any) error }

// Exec runs a statement and returns the number of changed rows. It returns
// ErrExists, and changes nothing, if a row would not be unique.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	s, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(context.Background(), t.text(args)...)
	if err != nil {
		return 0, t.Failed(err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, t.Failed(err)
	}
	return n, nil
}

// Put changes one row. It returns ErrNotFound if there is none, and ErrExists
// if it would not be unique; the transaction may continue.
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

// text returns arguments as the database can store them.
func (t *Tx) text(args []any) []any {
	if t.Dialect.text == nil {
		return args
	}
	return t.Dialect.text(args)
}

// Get reads the only row of a result. It returns ErrNotFound if there is none.
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
		return t.Failed(err)
	}
	return nil
}

// Each calls f with every row of a result until f fails.
func (t *Tx) Each(f func(Scanner) error, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), t.text(args)...)
	if err != nil {
		return t.Failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return t.Failed(err)
	}
	return nil
}

// One reads one row as a T. It returns ErrNotFound if there is none.
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
			return t.Failed(err)
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
		return nil, t.Failed(err)
	}
	return s, nil
}

// Failed converts an error of the database and marks the transaction as failed.
func (t *Tx) Failed(err error) error {
	if t.Dialect.exists(err) && (t.guarded || t.Dialect.guard == nil) {
		return vitrine.ErrExists
	}
	if t.Err == nil {
		t.Err = err
	}
	return err
}

// Placeholders returns n placeholders from a number on: $3, $4, $5.
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

// inBatches holds how many numbers a condition of InBatches has: few or many.
var inBatches = [...]int{25, 100}

var inConditions = func() (texts [len(inBatches)]string) {
	for i, n := range inBatches {
		texts[i] = "IN (" + Placeholders(1, n) + ")"
	}
	return texts
}()

// InBatches divides numbers among conditions of few texts, so that statements
// with them are prepared once. It calls f with each condition, IN ($1, …), and
// its arguments, of which the last one may be repeated.
func InBatches[N ~int64](numbers []N, f func(in string, args []any) error) error {
	for rest := numbers; len(rest) > 0; {
		size := 0
		if len(rest) > inBatches[0] {
			size = 1
		}
		args := make([]any, inBatches[size])
		for i := range args {
			args[i] = int64(rest[min(i, len(rest)-1)])
		}
		rest = rest[min(len(args), len(rest)):]
		if err := f(inConditions[size], args); err != nil {
			return err
		}
	}
	return nil
}

// Views calls f with every row of a result with link, id, record and session.
// The blobs are valid until f returns.
func (t *Tx) Views(f Visitor, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return t.Failed(err)
	}
	defer rows.Close()
	var link, id int64
	var record, session sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&link, &id, &record, &session); err != nil {
			return t.Failed(err)
		}
		if err := f(link, id, record, session); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return t.Failed(err)
	}
	return nil
}
