package clickhouse

import (
	"context"
	"fmt"

	"vitrine"
	"vitrine/report"
)

// DeleteLink implements [vitrine.ViewLog].
func (l *ViewLog) DeleteLink(ctx context.Context, link vitrine.LinkID) error {
	return l.write(ctx, func(ctx context.Context, number uint64) ([]step, error) {
		account, err := l.c.owner(ctx, link)
		if err != nil || account == 0 {
			return nil, err
		}
		return append(lateStep(map[vitrine.AccountID]report.Day{account: 0}, number),
			step{kind: stepErase, data: numbers(int64(account), int64(link))},
			putState("erased", int64(number), number)), nil
	})
}

// eraseRows deletes the rows of a link written by batches up to number. The row
// of its counts is last.
func (l *ViewLog) eraseRows(ctx context.Context, number uint64, account vitrine.AccountID, link vitrine.LinkID) error {
	for _, table := range []string{"opens", "downloads", "viewers", "tallies", "daily", "seen", "links"} {
		where := fmt.Sprintf("account = %d AND link = %d AND version <= %d", account, link, number)
		if err := l.c.deleteRows(ctx, table, where); err != nil {
			return err
		}
	}
	return nil
}

// deleteRows deletes rows of a table.
func (c *client) deleteRows(ctx context.Context, name, where string) error {
	return c.work(ctx, fmt.Sprintf("DELETE FROM %s%s WHERE %s", tableOf(name).local(c.address), c.onCluster(), where))
}
