package viewlog

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// findNear sets near of the views by viewers who have viewed the link before.
// It looks before the views are inserted.
func (w *writing) findNear(list []adding, seen map[tables.LinkViewer]tables.LastView) (err error) {
	for i := range list {
		a := &list[i]
		last, before := seen[a.of()]
		if !before || a.refused != nil || !a.record.Human() {
			continue
		}
		if a.near, err = w.near(a.Account, viewKey{a.link(), a.id()}, a.record.Viewer, last); err != nil {
			return err
		}
	}
	return nil
}

// maxNear bounds the views that are read to learn whether a view that came late
// is a return: a log that was away for minutes gets thousands at once. It is
// passed only on a link with that many views in half an hour, and then the view
// is one.
const maxNear = 200

// near reports whether another counted view of a viewer makes that a view is no
// return. Nearly always the viewer's row knows: it has the last one. Views are
// read if that was excluded or began later than this one, and at midnight, when
// the day before may be in segments.
func (w *writing) near(account vitrine.AccountID, key viewKey, viewer uint64,
	last tables.LastView) (near bool, err error) {
	at := key.view.Ms()
	from, to := vitrine.ViewIDAt(at-report.ReturnMs, 0), vitrine.ViewIDAt(at+1, 0)
	is := func(id vitrine.ViewID, v *segment.View) {
		if e := w.engaged[viewKey{key.link, id}]; e != nil { // not written yet
			v = &e.View
		}
		near = near || id != key.view && v.Viewer == viewer && v.Human()
	}
	switch {
	case last.Ms.Valid && tables.IsNear(last.Ms.Int64, at):
		return true, nil
	case last.Counted && (!last.Ms.Valid || last.Ms.Int64 > at):
		err = w.tx.Each(func(row sqldb.Scanner) error {
			var id vitrine.ViewID
			var record []byte
			var v segment.View
			if err := row.Scan(&id, &record); err != nil {
				return w.tx.Failed(err)
			}
			err := v.Decode(record)
			is(id, &v)
			return err
		}, "SELECT id, record FROM views WHERE link = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4",
			int64(key.link), int64(from), int64(to), maxNear)
	}
	if err != nil || near || report.DayOf(from.Ms()) == report.DayOf(at) {
		return near, err
	}
	if a, err := w.account(account); err != nil || report.DayOf(from.Ms()) >= a.compactedUntil {
		return false, err
	}
	err = w.tx.segmentRows(ofLink(key.link), ids{from, to}, true, func(_ vitrine.LinkID, row *segment.Row) error {
		is(row.ID, &row.View)
		return nil
	})
	return near, err
}
