package main

import (
	"context"

	"vitrine/internal/clickhouse"
	"vitrine/internal/viewdb"
)

// viewsFit refuses a place that has other views.
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

// views copies the views. What ClickHouse has been given is counted there at
// once.
func (m *migration) views(ctx context.Context) error {
	from, told := m.from.log.(*viewdb.ViewLog), m.told("opens")
	switch to := m.to.log.(type) {
	case *clickhouse.ViewLog:
		if err := to.Fill(ctx, from, func(rows, bytes int64) { told("", rows, bytes) }); err != nil {
			return other(err)
		}
		position, err := from.Position(ctx)
		if err != nil {
			return err
		}
		return to.Continue(ctx, position)
	default:
		return from.CopyTo(ctx, to.(*viewdb.ViewLog), told)
	}
}

// viewsDiffer says what differs between the opens and their copy.
func (m *migration) viewsDiffer(ctx context.Context) ([]string, error) {
	if to, ok := m.to.log.(*viewdb.ViewLog); ok {
		return m.from.log.(*viewdb.ViewLog).Compare(ctx, to)
	}
	return nil, nil // they are counted as they are copied, and audited after that
}
