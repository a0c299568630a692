package viewdb

import (
	"context"

	"vitrine/internal/viewdb/feed"
)

// update runs f as a transaction that writes, and tells the feed what it did.
func (l *ViewLog) update(ctx context.Context, f func(logTx, *feed.Changes) error) error {
	return l.transact(ctx, func(t logTx) error {
		c := l.feed.Begin()
		if err := f(t, c); err != nil {
			return err
		}
		var err error
		if c.Seq, err = t.nextSeq(); err != nil {
			return err
		}
		t.OnCommit(func() { l.feed.Publish(c) })
		return nil
	})
}
