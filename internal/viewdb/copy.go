package viewdb

import (
	"context"

	"vitrine/internal/sqldb"
)

// viewlogTables are the tables of a log.
var viewlogTables = []string{"accounts", "links", "words", "opens", "viewers", "packs", "runs", "visits", "tallies", "times", "daily_views", "downloads",
	"imports", sqldb.LogTable}

// Fits is Store's of a log.
func (l *ViewLog) Fits(ctx context.Context, to *ViewLog) error {
	_, _, err := sqldb.Fits(ctx, l.db, to.db, viewlogTables)
	return err
}

// CopyTo is Store's of a log.
func (l *ViewLog) CopyTo(ctx context.Context, to *ViewLog, told sqldb.Copied) error {
	return sqldb.CopyDB(ctx, l.db, to.db, viewlogTables, told)
}

// Compare is Store's of a log.
func (l *ViewLog) Compare(ctx context.Context, to *ViewLog) ([]string, error) {
	return sqldb.CompareDB(ctx, l.db, to.db, viewlogTables)
}
