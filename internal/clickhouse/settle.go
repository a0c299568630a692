package clickhouse

import (
	"context"
	"fmt"

	"vitrine/report"
)

// RollUp implements [vitrine.ViewLog]. The server merges past months into one
// part each by itself (schema.go). RollUp records which days are settled,
// builds their tallies (daily.go) and drops old rows of the journal.
func (l *ViewLog) RollUp(ctx context.Context, before report.Day) error {
	before = min(before, lastDay)
	var last uint64
	err := l.write(ctx, func(ctx context.Context, number uint64) ([]step, error) {
		last = number
		s, err := l.stateNow(ctx)
		if err != nil || before <= s.settled {
			return nil, err
		}
		return []step{putState("settled", int64(before), number)}, nil
	})
	if err != nil {
		return err
	}
	if err := l.build(ctx); err != nil {
		return err
	}
	return l.dropJournal(ctx, last)
}

// dropJournal drops the partitions of the journal that are far behind the last
// batch.
func (l *ViewLog) dropJournal(ctx context.Context, last uint64) error {
	const kept = 2 // number of partitions
	var old []uint64
	err := l.c.query(ctx, fmt.Sprintf("SELECT DISTINCT toUInt64(intDiv(number, %d)) AS p FROM journal WHERE p + %d < intDiv(%d, %d)", journalPart, kept, last, journalPart),
		func(r *reader) error {
			old = append(old, r.uint64())
			return nil
		})
	for _, p := range old {
		if err == nil {
			err = l.c.work(ctx, fmt.Sprintf("ALTER TABLE journal%s DROP PARTITION %d", l.c.onCluster(), p))
		}
	}
	return err
}
