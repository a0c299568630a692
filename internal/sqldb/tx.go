package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"vitrine"
)

// tx is one transaction.
type tx struct {
	conn      *conn
	dialect   *dialect
	err       error    // the first failure of the database, after which nothing more is done
	guarded   bool     // a statement that is refused leaves it as it was
	committed []func() // what is to be done, still in possession of the connection, once it is committed
}

// onCommit has f called once the transaction is committed, while it still has its
// connection.
func (t *tx) onCommit(f func()) { t.committed = append(t.committed, f) }

// scanner is one row of an answer.
type scanner interface{ Scan(dest ...any) error }

// exec changes rows and tells how many. ErrExists: one would not have been unique, and nothing was changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	s, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(context.Background(), t.text(args)...)
	if err != nil {
		return 0, t.fail(err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, t.fail(err)
	}
	return n, nil
}

// put changes one row. ErrNotFound: there is none. ErrExists: it would not have been unique; the transaction may go on.
func (t *tx) put(query string, args ...any) (err error) {
	var n int64
	change := func() error {
		n, err = t.exec(query, args...)
		return err
	}
	if t.dialect.guard == nil {
		err = change()
	} else {
		err = t.dialect.guard(t, change)
	}
	if err == nil && n == 0 {
		return vitrine.ErrNotFound
	}
	return err
}

// text is arguments of a query as the database can hold them.
func (t *tx) text(args []any) []any {
	if t.dialect.text == nil {
		return args
	}
	return t.dialect.text(args)
}

// get reads the one row of an answer. ErrNotFound: it has none.
func (t *tx) get(dest []any, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	err = s.QueryRowContext(context.Background(), t.text(args)...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return vitrine.ErrNotFound
	}
	if err != nil {
		return t.fail(err)
	}
	return nil
}

// each calls f with every row of an answer, until f fails.
func (t *tx) each(f func(scanner) error, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), t.text(args)...)
	if err != nil {
		return t.fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return t.fail(err)
	}
	return nil
}

// one reads one row as a T. ErrNotFound: there is none.
func one[T any](t *tx, read func(scanner) (*T, error), query string, args ...any) (*T, error) {
	rows, err := list(t, read, query, args...)
	if err == nil && len(rows) == 0 {
		return nil, vitrine.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// list reads rows as Ts.
func list[T any](t *tx, read func(scanner) (*T, error), query string, args ...any) (rows []*T, err error) {
	err = t.each(func(s scanner) error {
		row, err := read(s)
		if err != nil {
			return t.fail(err)
		}
		rows = append(rows, row)
		return nil
	}, query, args...)
	return rows, err
}

func (t *tx) prepare(query string) (*sql.Stmt, error) {
	if t.err != nil {
		return nil, t.err
	}
	s, err := t.conn.prepare(query)
	if err != nil {
		return nil, t.fail(err)
	}
	return s, nil
}

// fail takes an error of the database in.
func (t *tx) fail(err error) error {
	if t.dialect.exists(err) && (t.guarded || t.dialect.guard == nil) {
		return vitrine.ErrExists
	}
	if t.err == nil {
		t.err = err
	}
	return err
}

// placeholders is a list of n of them from a number on: $3, $4, $5.
func placeholders(from, n int) string {
	var b []byte
	for i := range n {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(append(b, '$'), int64(from+i), 10)
	}
	return string(b)
}

// opens calls f with every row of an answer that has link, id, open and session. The blobs are f's until it returns.
func (t *tx) opens(f visitor, query string, args ...any) error {
	s, err := t.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return t.fail(err)
	}
	defer rows.Close()
	var link, id int64
	var open, session sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&link, &id, &open, &session); err != nil {
			return t.fail(err)
		}
		if err := f(link, id, open, session); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return t.fail(err)
	}
	return nil
}
