package viewlog

import (
	"context"

	"vitrine"
	"vitrine/internal/backend/viewlog/tables"
)

// mergeRuns merges the runs of an account until few are left. Each step is a
// transaction. The new run becomes valid when it is complete; in the same
// transaction its sources become invalid, and are then deleted.
func (l *ViewLog) mergeRuns(ctx context.Context, account vitrine.AccountID, tidy bool) error {
	for {
		var m *tables.Merge
		for cleared := true; cleared; {
			err := l.transact(ctx, func(t logTx) (err error) {
				cleared, m = false, nil
				if cleared, err = t.DropInvalidRun(account); err != nil || cleared {
					return err
				}
				s, err := t.state(account)
				if err == nil {
					m, err = t.BeginMerge(account, s.version, tidy)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		if m == nil {
			return nil
		}
		for more := true; more; {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := l.transact(ctx, func(t logTx) (err error) {
				s, err := t.state(account)
				if err == nil {
					more, err = m.Step(t.Index, s.version)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}
