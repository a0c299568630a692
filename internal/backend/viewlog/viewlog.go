package viewlog

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/internal/base/throttle"
)

// ViewLog implements [vitrine.ViewLog] on a SQL database.
type ViewLog struct {
	db    *sqldb.DB
	words *tables.Dict
	feed  *tables.Feed
	lives *hotDays
	kept  *tables.Answers[keptKey, state, *keptTally]
	// background is held while this process does background work. The lock
	// "rollup" excludes other processes.
	background sync.Mutex
	least      minViews
	turns      *throttle.Turns[vitrine.AccountID] // of scans of scopes with so many views
	large      int64
	news       newsPlace
}

var _ vitrine.ViewLog = (*ViewLog)(nil)

// Open opens the log in a SQLite file, or in a PostgreSQL database
// (postgres://…). It creates the schema or upgrades it. It returns an error if
// a newer version of the program has used the log. Several processes can use
// the same log.
func Open(place string) (*ViewLog, error) { return openWith(place, sqldb.UsualWaits()) }

func openWith(place string, w sqldb.Waits) (*ViewLog, error) {
	db, err := sqldb.Open(place, sqldb.ViewLogSchema, w)
	if err != nil {
		return nil, err
	}
	l := &ViewLog{db: db, words: tables.NewDict(db, tables.FirstWords, tables.OtherWords, tables.WriteWords),
		feed: tables.NewFeed(), kept: tables.NewAnswers[keptKey, state, *keptTally](keptBytes), least: defaultMinViews,
		turns: throttle.NewTurnsEach[vitrine.AccountID](2, 1), large: largeScan}
	l.lives = newLives(l)
	return l, nil
}

// Observe calls f after each transaction.
func (l *ViewLog) Observe(f sqldb.Took) { l.db.Observe(f) }

// logTx is a transaction on the log.
type logTx struct{ tables.Index }

// read runs f in a read transaction, on one snapshot.
func (l *ViewLog) read(ctx context.Context, f func(logTx) error) error {
	return readable(l.db.Read(ctx, func(t *sqldb.Tx) error { return f(logTx{tables.Index{Tx: t}}) }))
}

// readable makes an error of a damaged record an error of reading.
func readable(err error) error {
	if errors.Is(err, vitrine.ErrDamaged) && vitrine.CodeOf(err) == vitrine.CodeInternal {
		return sqldb.Unavailable(fmt.Errorf("the view log: %w: \"vitrine admin audit\" finds out what is damaged", err))
	}
	return err
}

// transact runs f in a transaction that may write. It repeats f after a
// conflict.
func (l *ViewLog) transact(ctx context.Context, f func(logTx) error) error {
	return l.db.Update(ctx, func(t *sqldb.Tx) error { return f(logTx{tables.Index{Tx: t}}) })
}

// Close waits for running transactions and closes the database.
func (l *ViewLog) Close() error { return l.db.Close() }

// Counts implements [vitrine.ViewLog].
func (l *ViewLog) Counts(ctx context.Context, links []vitrine.LinkID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	counts := make(map[vitrine.LinkID]vitrine.LinkCounts, len(links))
	err := l.read(ctx, func(t logTx) error {
		return t.CountsOf(counts, links)
	})
	return counts, err
}

// AccountCounts implements [vitrine.ViewLog].
func (l *ViewLog) AccountCounts(ctx context.Context,
	a vitrine.AccountID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	counts := map[vitrine.LinkID]vitrine.LinkCounts{}
	err := l.read(ctx, func(t logTx) error {
		return t.CountsFrom(counts, " FROM links WHERE account = $1 AND NOT deleting", []any{int64(a)})
	})
	return counts, err
}

// AccountTotals implements [vitrine.ViewLog].
func (l *ViewLog) AccountTotals(ctx context.Context, a vitrine.AccountID) (c vitrine.LinkCounts, err error) {
	err = l.read(ctx, func(t logTx) error {
		c, err = t.AccountCounts(a)
		return err
	})
	return c, err
}

// Imported implements [vitrine.ViewLog].
func (l *ViewLog) Imported(ctx context.Context, file [32]byte) (lines int64, err error) {
	err = l.read(ctx, func(t logTx) error {
		lines, err = t.Imported(file)
		return err
	})
	return lines, err
}
