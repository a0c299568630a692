package sqldb

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Statements of the same text that do not depend on each other run together:
// one network round trip instead of one for each.

// ExecMany runs a statement n times and returns how many rows each run changed.
// The caller must not change arguments until ExecMany returns.
func (t *Tx) ExecMany(query string, n int, args func(i int) []any) (changed []int64, err error) {
	changed = make([]int64, n)
	if t.Dialect.many != nil {
		err = t.Dialect.many(t, query, n, args, nil, func(i int, n int64) { changed[i] = n })
		return changed, err
	}
	for i := range n {
		if changed[i], err = t.Exec(query, args(i)...); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// GetMany runs a query n times and calls f with the row of each result that has
// one. The caller must not change arguments until GetMany returns.
func (t *Tx) GetMany(query string, n int, args func(i int) []any, f func(i int, row Scanner) error) error {
	if t.Dialect.many != nil {
		return t.Dialect.many(t, query, n, args, f, func(int, int64) {})
	}
	for i := range n {
		err := t.Each(func(row Scanner) error { return f(i, row) }, query, args(i)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// statementBatch is how many statements are sent together.
const statementBatch = 512

// postgresMany sends statements without waiting for earlier answers.
func postgresMany(t *Tx, query string, n int, args func(i int) []any, f func(i int, row Scanner) error,
	done func(i int, changed int64)) error {
	if err := t.ready(query); err != nil {
		return err
	}
	for from := 0; from < n; from += statementBatch {
		to := min(n, from+statementBatch)
		var batch pgx.Batch
		for i := from; i < to; i++ {
			batch.Queue(query, t.text(args(i))...)
		}
		answers := t.Conn.Postgres.SendBatch(context.Background(), &batch)
		var err error
		for i := from; i < to && err == nil; i++ {
			err = oneOfMany(answers, i, f, done)
		}
		closed := answers.Close()
		var failed rowError
		switch {
		case errors.As(err, &failed):
			return failed.error
		case err != nil:
			return t.Failed(err)
		case closed != nil:
			return t.Failed(closed)
		}
	}
	return nil
}

// rowError is an error of the function that receives the rows, not of the
// database.
type rowError struct{ error }

func oneOfMany(answers pgx.BatchResults, i int, f func(i int, row Scanner) error,
	done func(i int, changed int64)) error {
	rows, err := answers.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(i, rows); err != nil {
			return rowError{err}
		}
	}
	rows.Close()
	done(i, rows.CommandTag().RowsAffected())
	return rows.Err()
}
