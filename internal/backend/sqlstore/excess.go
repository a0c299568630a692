package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/report"
)

func (t Tx) AddExcess(of vitrine.Scope, hour time.Time, n int64) error {
	_, err := t.Exec(`INSERT INTO excess_views (account, link, hour, views) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account, link, hour) DO UPDATE SET views = excess_views.views + excluded.views`,
		int64(of.Account), int64(of.Link), sqldb.Ms(hour), n)
	return err
}

func (t Tx) Excess(of vitrine.Scope, w report.Window) (n int64, err error) {
	from, to := w.Bounds()
	query, args := "SELECT CAST(coalesce(sum(views), 0) AS BIGINT) FROM excess_views WHERE account = $1 AND hour >= $2 AND hour < $3",
		[]any{int64(of.Account), from, to}
	if of.Link != 0 {
		query, args = query+" AND link = $4", append(args, int64(of.Link))
	}
	err = t.Get([]any{&n}, query, args...)
	return n, err
}

func (t Tx) DeleteExcess(l vitrine.LinkID) error {
	_, err := t.Exec("DELETE FROM excess_views WHERE link = $1", int64(l))
	return err
}
