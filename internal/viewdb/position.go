package viewdb

import (
	"context"

	"vitrine"
)

// Position implements [vitrine.ViewLog]. A commit is visible only after it is
// durable: SQLite runs with synchronous=FULL, PostgreSQL with
// synchronous_commit on.
func (l *ViewLog) Position(ctx context.Context) (p vitrine.LogPosition, err error) {
	err = l.read(ctx, func(t logTx) error { return t.Get([]any{&p.Mark, &p.Last}, "SELECT mark, seq FROM log WHERE id = 1") })
	return p, err
}

// SetMark implements [vitrine.ViewLog].
func (l *ViewLog) SetMark(ctx context.Context, old, mark int64) error {
	return l.transact(ctx, func(t logTx) error {
		_, err := t.Exec("UPDATE log SET mark = $1 WHERE id = 1 AND mark = $2", mark, old)
		return err
	})
}
