package tables

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// DownloadsOfView finds the download events of a view: mostly one, with the
// view's ID.
const DownloadsOfView = `SELECT id FROM downloads WHERE link = $1 AND id = $2 AND view = id
	UNION ALL SELECT id FROM downloads WHERE link = $1 AND view = $2 AND view <> id`

// TakeDownloads deletes the download events of a view and returns them.
func TakeDownloads(t *sqldb.Tx, link vitrine.LinkID, view vitrine.ViewID) (events []vitrine.ViewID, err error) {
	err = t.Each(func(s sqldb.Scanner) error {
		var id vitrine.ViewID
		err := s.Scan(&id)
		events = append(events, id)
		return err
	}, DownloadsOfView, int64(link), int64(view))
	if err == nil {
		_, err = t.ExecMany("DELETE FROM downloads WHERE link = $1 AND id = $2", len(events),
			func(i int) []any { return []any{int64(link), int64(events[i])} })
	}
	return events, err
}

// DownloadsTo returns the views of a link that have a download event, and the
// number of downloads without a view by recipient.
func DownloadsTo(t *sqldb.Tx, link vitrine.LinkID) (of map[int64]bool, alone map[vitrine.RecipientID]int64,
	err error) {
	of, alone = map[int64]bool{}, map[vitrine.RecipientID]int64{}
	err = t.Each(func(s sqldb.Scanner) error {
		var view int64
		err := s.Scan(&view)
		if view > 0 {
			of[view] = true
		} else {
			alone[vitrine.RecipientID(-view)]++
		}
		return err
	}, "SELECT view FROM downloads WHERE link = $1 AND view <> 0", int64(link))
	return of, alone, err
}
