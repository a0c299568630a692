package sqlstore

import (
	"cmp"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// The rows of the list of spare files, by account.
const (
	lapsedUploads = "uploads WHERE account = $1 AND state = 'open' AND hold_until <= $2"
	endedUploads  = "uploads WHERE account = $3 AND state <> 'open' AND hold_until IS NOT NULL"
	spareLinks    = "links WHERE account = $4 AND deleted_at IS NOT NULL AND has_bytes AND upload <> ''"
)

func (t Tx) CountSpare(a vitrine.AccountID, now time.Time) (bytes int64, err error) {
	err = t.Get([]any{&bytes}, `SELECT CAST((SELECT coalesce(sum(size), 0) FROM `+lapsedUploads+`)
		+ (SELECT coalesce(sum(size), 0) FROM `+endedUploads+`)
		+ coalesce(sum(size), 0) AS BIGINT) FROM `+spareLinks, int64(a), sqldb.Ms(now), int64(a), int64(a))
	return bytes, err
}

func (t Tx) Spare(a vitrine.AccountID, now time.Time) (all []vitrine.SpareFile, err error) {
	err = t.Each(func(row sqldb.Scanner) error {
		var f vitrine.SpareFile
		err := row.Scan(&f.Key, &f.Size, &f.Link, sqldb.Instant{Time: &f.Since})
		all = append(all, f)
		return err
	}, `SELECT id, size, 0, hold_until FROM `+lapsedUploads+`
		UNION ALL SELECT id, size, 0, hold_until FROM `+endedUploads+`
		UNION ALL SELECT upload, size, id, deleted_at FROM `+spareLinks, int64(a), sqldb.Ms(now), int64(a), int64(a))
	slices.SortFunc(all, func(x, y vitrine.SpareFile) int {
		return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.Size, y.Size), cmp.Compare(x.Key, y.Key))
	})
	return all, err
}
