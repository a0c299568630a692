package viewlog

import (
	"context"
	"maps"
	"slices"

	"vitrine"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// Rebuild implements [vitrine.ViewLog]. It waits for a process that is building
// tallies of the same account.
func (l *ViewLog) Rebuild(ctx context.Context, rebuilt func(vitrine.AccountID, report.Day)) error {
	first := map[vitrine.AccountID]report.Day{}
	wrong := func(account vitrine.AccountID, day report.Day, _ string) {
		if known, ok := first[account]; !ok || day < known {
			first[account] = day
		}
	}
	err := l.read(ctx, func(t logTx) error {
		if err := auditViewerDays(ctx, t, func(string) {}, wrong); err != nil {
			return err
		}
		return l.auditTallies(ctx, t, true, wrong)
	})
	if err != nil || len(first) == 0 {
		return err
	}
	l.background.Lock()
	defer l.background.Unlock()
	unlock, err := l.db.Lock(ctx, "rollup", true)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	for _, account := range slices.Sorted(maps.Keys(first)) {
		err := l.update(ctx, func(t logTx, c *tables.Changes) error {
			s, err := t.state(account)
			if err != nil {
				return err
			}
			s.changedFrom(first[account])
			c.Reset(account)
			return t.putState(account, s)
		})
		if err != nil {
			return err
		}
		rebuilt(account, first[account])
		if err := l.build(ctx, account); err != nil {
			return err
		}
	}
	return nil
}
