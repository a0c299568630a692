package sqlstore

import (
	"context"
	"fmt"

	"vitrine/internal/backend/sqldb"
)

// MostQueued is the most rows that Queues counts in one queue.
const MostQueued = 1000

// queues are the rows that wait for work, by name: their time, and their
// condition and order, for which there is an index.
var queues = []struct{ name, at, rows string }{
	{"uploads", "created_at", "uploads WHERE state = 'open' ORDER BY created_at, id"},
	{"scans", "state_at", "links WHERE state = 'processing' AND deleted_at IS NULL ORDER BY created_at, id"},
	{"review", "state_at", "links WHERE state = 'review' AND deleted_at IS NULL ORDER BY state_at, id"},
	{"previews", "state_at", "links WHERE preview = '' AND state IN ('live', 'review') AND has_bytes AND deleted_at IS NULL ORDER BY created_at, id"},
	{"mails", "created_at", "letters ORDER BY next_at, id"},
	{"webhooks", "created_at", "deliveries WHERE state = 'waiting' ORDER BY webhook, link, id"},
}

// Queue is work that waits in the store.
type Queue struct {
	Name   string
	Length int64 // at most MostQueued
	Oldest int64 // Unix milliseconds of the oldest that was counted; 0 if there is none
}

// Queues counts the uploads that are open, the links that wait for a scan, a
// decision or a preview, and the messages that wait to be sent. It reads at
// most MostQueued rows of each.
func (s *Store) Queues(ctx context.Context) (list []Queue, err error) {
	err = s.DB.Read(ctx, func(t *sqldb.Tx) error {
		list = nil
		for _, q := range queues {
			of := Queue{Name: q.name}
			query := fmt.Sprintf("SELECT count(*), coalesce(min(at), 0) FROM (SELECT %s AS at FROM %s LIMIT $1) q", q.at, q.rows)
			if err := t.Get([]any{&of.Length, &of.Oldest}, query, int64(MostQueued)); err != nil {
				return err
			}
			list = append(list, of)
		}
		return nil
	})
	return list, err
}
