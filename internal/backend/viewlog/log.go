package viewlog

import (
	"context"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/feed"
)

// update runs f as a write transaction and publishes its changes to the feed.
func (l *ViewLog) update(ctx context.Context, f func(logTx, *feed.Changes) error) error {
	return l.transact(ctx, func(t logTx) error {
		c := l.feed.Begin()
		if err := f(t, c); err != nil {
			return err
		}
		if err := t.record(c); err != nil {
			return err
		}
		t.OnCommit(func() { l.feed.Publish(c) })
		return nil
	})
}

// Position implements [vitrine.ViewLog]. A commit is visible only after it is
// durable: SQLite runs with synchronous=FULL, PostgreSQL with
// synchronous_commit on.
func (l *ViewLog) Position(ctx context.Context) (p vitrine.LogPosition, err error) {
	err = l.read(ctx, func(t logTx) error {
		return t.Get([]any{&p.Mark, &p.Last}, "SELECT mark, seq FROM log WHERE id = 1")
	})
	return p, err
}

// SetMark implements [vitrine.ViewLog].
func (l *ViewLog) SetMark(ctx context.Context, old, mark int64) error {
	return l.transact(ctx, func(t logTx) error {
		_, err := t.Exec("UPDATE log SET mark = $1 WHERE id = 1 AND mark = $2", mark, old)
		return err
	})
}

// viewlogTables lists the tables of a view log.
var viewlogTables = []string{"accounts", "links", "words", "opens", "viewers", "packs", "runs", "visits", "tallies",
	"times", "daily_views", "downloads",
	"imports", "changes", sqldb.LogTable}

// Fits checks whether the log can be copied to another database, as Store.Fits
// does.
func (l *ViewLog) Fits(ctx context.Context, to *ViewLog) error {
	_, _, err := sqldb.Fits(ctx, l.db, to.db, viewlogTables)
	return err
}

// CopyTo copies the log, as Store.CopyTo does.
func (l *ViewLog) CopyTo(ctx context.Context, to *ViewLog, copied sqldb.Copied) error {
	return sqldb.CopyDB(ctx, l.db, to.db, viewlogTables, copied)
}

// Compare compares the copy with the log, as Store.Compare does.
func (l *ViewLog) Compare(ctx context.Context, to *ViewLog) ([]string, error) {
	return sqldb.CompareDB(ctx, l.db, to.db, viewlogTables)
}
