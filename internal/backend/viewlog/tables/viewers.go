package tables

import (
	"database/sql"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/report"
)

// LastView is what the table of viewers knows of the views of a viewer. The
// zero LastView is of a viewer whose views are all in segments.
type LastView struct {
	Counted bool
	// Ms is when the last of them began; NULL if that is not known, because it
	// does not count any more.
	Ms sql.NullInt64
}

// IsNear reports whether a view that began at ms is too near for a view at a
// time to be a return. Later views, of a log that was late, do not matter.
func IsNear(ms, at int64) bool { return ms <= at && at-ms <= report.ReturnMs }

// ViewerViews is the number of added views that a viewer made of a link, and
// when the last of them began.
type ViewerViews struct {
	LinkViewer
	Account       vitrine.AccountID
	Views, Latest int64
}

// countViews adds views by people to the row of a viewer.
const countViews = `INSERT INTO viewers (link, viewer, views, latest) VALUES ($1, $2, $3, $4)
	ON CONFLICT (link, viewer) DO UPDATE SET views = viewers.views + excluded.views,
	latest = CASE WHEN viewers.latest < excluded.latest THEN excluded.latest ELSE viewers.latest END`

// CountViewers adds views to the table of viewers, and returns those that it
// had before, as they were.
func (t Index) CountViewers(viewers []ViewerViews) (seen map[LinkViewer]LastView, err error) {
	seen = make(map[LinkViewer]LastView, len(viewers))
	err = t.GetMany("SELECT latest FROM viewers WHERE link = $1 AND viewer = $2", len(viewers),
		func(i int) []any { return []any{int64(viewers[i].Link), int64(viewers[i].Viewer)} },
		func(i int, row sqldb.Scanner) error {
			last := LastView{Counted: true}
			err := row.Scan(&last.Ms)
			seen[viewers[i].LinkViewer] = last
			return err
		})
	if err != nil {
		return nil, err
	}
	_, err = t.ExecMany(countViews, len(viewers), func(i int) []any {
		return []any{int64(viewers[i].Link), int64(viewers[i].Viewer), viewers[i].Views, viewers[i].Latest}
	})
	return seen, err
}

// CountViewer adds a view by a person.
func (t Index) CountViewer(link vitrine.LinkID, viewer uint64, id vitrine.ViewID) error {
	_, err := t.Exec(countViews, int64(link), int64(viewer), 1, id.Ms())
	return err
}

// DecrementViewer subtracts the oldest views of a viewer.
func (t Index) DecrementViewer(link vitrine.LinkID, viewer uint64, views int64) error {
	n, err := t.Exec("DELETE FROM viewers WHERE link = $1 AND viewer = $2 AND views <= $3", int64(link), int64(viewer),
		views)
	if err == nil && n == 0 {
		_, err = t.Exec("UPDATE viewers SET views = views - $1 WHERE link = $2 AND viewer = $3", views, int64(link),
			int64(viewer))
	}
	return err
}

// ExcludeViewer subtracts a view that does not count any more. If it was the
// last one, it is not known which one is.
func (t Index) ExcludeViewer(link vitrine.LinkID, viewer uint64, id vitrine.ViewID) error {
	_, err := t.Exec("UPDATE viewers SET latest = NULL WHERE link = $1 AND viewer = $2 AND latest = $3", int64(link),
		int64(viewer), id.Ms())
	if err != nil {
		return err
	}
	return t.DecrementViewer(link, viewer, 1)
}
