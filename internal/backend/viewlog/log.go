package viewlog

import (
	"context"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/tables"
)

// update runs f as a write transaction and publishes its changes to the feed.
func (l *ViewLog) update(ctx context.Context, f func(logTx, *tables.Changes) error) error {
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
var viewlogTables = []string{"accounts", "account_counts", "links", "words", "views", "viewers", "segments", "runs",
	"viewer_days", "tallies", "times", "daily_views", "downloads", "imports", "changes", "news", sqldb.LogTable}

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

// websites is the first number that websites use. Accounts and links have
// smaller ones.
const websites = int64(vitrine.FirstSitePage)

// HighestIDs implements [vitrine.ViewLog]. Each maximum is read from the end of
// an index.
func (l *ViewLog) HighestIDs(ctx context.Context) (account vitrine.AccountID, link vitrine.LinkID, err error) {
	err = l.read(ctx, func(t logTx) error {
		var ofLinks, ofStates vitrine.AccountID
		err := t.Get([]any{&link, &ofLinks, &ofStates}, `SELECT coalesce((SELECT max(link) FROM links WHERE link < $1), 0),
			coalesce((SELECT max(account) FROM links WHERE account < $2), 0),
			coalesce((SELECT max(account) FROM accounts WHERE account < $3), 0)`, websites, websites, websites)
		account = max(ofLinks, ofStates)
		return err
	})
	return account, link, err
}

// scopesBatch is the number of rows that are read before they are passed on.
const scopesBatch = 10_000

// EachScope implements [vitrine.ViewLog].
func (l *ViewLog) EachScope(ctx context.Context, f func(vitrine.Scope) error) error {
	for _, each := range []struct {
		query string // selects rows of a number and an account, after a number
		scope func(number, account int64) vitrine.Scope
	}{
		{"SELECT link, account FROM links WHERE link > $1 ORDER BY link LIMIT $2",
			func(link, account int64) vitrine.Scope {
				return vitrine.Scope{Account: vitrine.AccountID(account), Link: vitrine.LinkID(link)}
			}},
		{"SELECT account, account FROM accounts WHERE account > $1 ORDER BY account LIMIT $2",
			func(account, _ int64) vitrine.Scope {
				return vitrine.Scope{Account: vitrine.AccountID(account)}
			}},
	} {
		var last int64
		for more := true; more; {
			var some []vitrine.Scope
			err := l.read(ctx, func(t logTx) error {
				some = some[:0]
				return t.Each(func(row sqldb.Scanner) error {
					var number, account int64
					if err := row.Scan(&number, &account); err != nil {
						return err
					}
					some, last = append(some, each.scope(number, account)), number
					return nil
				}, each.query, last, scopesBatch)
			})
			if err != nil {
				return err
			}
			for _, s := range some {
				if err := f(s); err != nil {
					return err
				}
			}
			more = len(some) == scopesBatch
		}
	}
	return ctx.Err()
}
