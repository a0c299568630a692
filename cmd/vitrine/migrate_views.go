package main

import (
	"context"

	"vitrine/internal/clickhouse"
	"vitrine/internal/viewdb"
)

// viewsFit returns an error if the target log has other views.
func (m *migration) viewsFit(ctx context.Context) error {
	from := m.from.log.(*viewdb.ViewLog)
	switch to := m.to.log.(type) {
	case *clickhouse.ViewLog:
		if _, err := from.Forgotten(ctx); err != nil {
			return err
		}
		return to.Fillable(ctx)
	default:
		return from.Fits(ctx, to.(*viewdb.ViewLog))
	}
}

// views copies the views. Views in ClickHouse are rolled up immediately.
func (m *migration) views(ctx context.Context) error {
	from, progress := m.from.log.(*viewdb.ViewLog), m.startRowProgress("views")
	switch to := m.to.log.(type) {
	case *clickhouse.ViewLog:
		if err := to.Fill(ctx, from, func(rows, bytes int64) { progress("", rows, bytes) }); err != nil {
			return withHint(err)
		}
		position, err := from.Position(ctx)
		if err != nil {
			return err
		}
		return to.Continue(ctx, position)
	default:
		return from.CopyTo(ctx, to.(*viewdb.ViewLog), progress)
	}
}

// viewsDiffer returns the differences between the source and the target log.
func (m *migration) viewsDiffer(ctx context.Context) ([]string, error) {
	if to, ok := m.to.log.(*viewdb.ViewLog); ok {
		return m.from.log.(*viewdb.ViewLog).Compare(ctx, to)
	}
	return nil, nil // ClickHouse: counted during the copy and audited later
}
