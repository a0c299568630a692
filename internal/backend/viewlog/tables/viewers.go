package tables

import "vitrine"

// CountViewer adds a view by a person to the table of viewers.
func (t Index) CountViewer(link vitrine.LinkID, viewer uint64) error {
	_, err := t.Exec("INSERT INTO viewers (link, viewer, views) VALUES ($1, $2, 1) ON CONFLICT (link, viewer) DO UPDATE SET views = viewers.views + 1",
		int64(link), int64(viewer))
	return err
}

// DecrementViewer subtracts views from the table of viewers.
func (t Index) DecrementViewer(link vitrine.LinkID, viewer uint64, views int64) error {
	n, err := t.Exec("DELETE FROM viewers WHERE link = $1 AND viewer = $2 AND views <= $3", int64(link), int64(viewer),
		views)
	if err == nil && n == 0 {
		_, err = t.Exec("UPDATE viewers SET views = views - $1 WHERE link = $2 AND viewer = $3", views, int64(link),
			int64(viewer))
	}
	return err
}
