package tables

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

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
