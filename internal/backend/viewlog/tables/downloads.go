package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// DownloadView returns what the column view has for a download event of a view,
// or of a recipient and no view: nothing if the event has the view's ID.
func DownloadView(id, view vitrine.ViewID, to vitrine.RecipientID) any {
	if view == id {
		return nil
	}
	return cmp.Or(int64(view), -int64(to)) // no view is negative
}

// DownloadsOfView finds the download events of a view: mostly one, with the
// view's ID.
const DownloadsOfView = `SELECT id FROM downloads WHERE link = $1 AND id = $2 AND view IS NULL
	UNION ALL SELECT id FROM downloads WHERE link = $1 AND view = $2`

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

// MarkDownloaded sets Downloaded on the views that have a download event. The
// views are of one link, newest first.
func (t Index) MarkDownloaded(link vitrine.LinkID, views []report.View) error {
	for some := range slices.Chunk(views, 500) { // a statement takes a limited number of values
		at := make(map[int64]*report.View, len(some))
		args, places := []any{int64(link)}, make([]string, len(some))
		for i := range some {
			at[some[i].ID] = &some[i]
			args = append(args, some[i].ID)
			places[i] = "$" + strconv.Itoa(i+2)
		}
		in := " IN (" + strings.Join(places, ", ") + ")"
		err := t.Each(func(s sqldb.Scanner) error {
			var of int64
			err := s.Scan(&of)
			if v := at[of]; v != nil {
				v.Downloaded = true
			}
			return err
		}, "SELECT id FROM downloads WHERE link = $1 AND view IS NULL AND id"+in+
			" UNION ALL SELECT view FROM downloads WHERE link = $1 AND view"+in, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// FirstDownload returns the first day in [from, to) with a download event of
// the account, or to if there is none.
func (t Index) FirstDownload(account vitrine.AccountID, from, to report.Day) (report.Day, error) {
	var first *vitrine.ViewID
	err := t.Get([]any{&first}, `SELECT min((SELECT min(d.id) FROM downloads d WHERE d.link = l.link AND d.id >= $1 AND d.id < $2))
		FROM links l WHERE l.account = $3 AND NOT l.deleting`, int64(segment.FirstID(from)), int64(segment.FirstID(to)), int64(account))
	if err != nil || first == nil {
		return to, err
	}
	return report.DayOf(first.Ms()), nil
}
