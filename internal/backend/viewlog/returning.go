package viewlog

import (
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// asked is a view by a viewer who has viewed the link before.
type asked struct {
	viewKey
	account vitrine.AccountID
	viewer  uint64
	last    tables.LastView
	near    bool // a stored view is too near for this one to be a return
}

// read reports whether stored views must be read to set near. Nearly always the
// viewer's row knows: it has the last view. Views are read if that was excluded
// or began later than this one, and at midnight, when the day before may be in
// segments.
func (a *asked) read() bool {
	at := a.view.Ms()
	if a.last.Ms.Valid && tables.IsNear(a.last.Ms.Int64, at) {
		a.near = true
		return false
	}
	return a.last.Counted && (!a.last.Ms.Valid || a.last.Ms.Int64 > at) ||
		report.DayOf(at-report.ReturnMs) != report.DayOf(at)
}

// findNear sets near of each view in a list, before those that are new are
// inserted. Views of a link whose times overlap share one read: a log that was
// away for minutes gets thousands of late views at once.
func (w *writing) findNear(list []asked) error {
	var open []*asked
	for i := range list {
		if a := &list[i]; a.read() {
			open = append(open, a)
		}
	}
	slices.SortFunc(open, func(a, b *asked) int { return compareKeys(a.viewKey, b.viewKey) })
	for len(open) > 0 {
		n := 1
		for n < len(open) && open[n].link == open[0].link && open[n].view.Ms()-open[n-1].view.Ms() <= report.ReturnMs {
			n++
		}
		if err := w.readNear(open[:n]); err != nil {
			return err
		}
		open = open[n:]
	}
	return nil
}

// maxNear bounds the views that are read at once, the newest ones. It is passed
// only on a link with that many views within half an hour and the times of a
// batch. Then a view that should not is a return.
const maxNear = 10_000

// readNear sets near of views of one link, which are in order.
func (w *writing) readNear(list []*asked) error {
	first, last := list[0], list[len(list)-1]
	r := tables.Between(vitrine.ViewIDAt(first.view.Ms()-report.ReturnMs, 0), vitrine.ViewIDAt(last.view.Ms()+1, 0))
	stored := map[uint64][]vitrine.ViewID{} // of the viewers that are asked for
	for _, a := range list {
		stored[a.viewer] = nil
	}
	add := func(id vitrine.ViewID, v *segment.View) {
		if e := w.engaged[viewKey{first.link, id}]; e != nil { // not written yet
			v = &e.View
		}
		if views, is := stored[v.Viewer]; is && v.Human() {
			stored[v.Viewer] = append(views, id)
		}
	}
	err := w.tx.Each(func(row sqldb.Scanner) error {
		var id vitrine.ViewID
		var record []byte
		var v segment.View
		if err := row.Scan(&id, &record); err != nil {
			return w.tx.Failed(err)
		}
		err := v.Decode(record)
		add(id, &v)
		return err
	}, "SELECT id, record FROM views WHERE link = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4",
		int64(first.link), int64(r.From), int64(r.To), maxNear)
	if err != nil {
		return err
	}
	if of, err := w.account(first.account); err != nil {
		return err
	} else if report.DayOf(r.From.Ms()) < of.compactedUntil {
		err := w.tx.SegmentRows(tables.OfLink(first.link), r, true, func(_ vitrine.LinkID, row *segment.Row) error {
			add(row.ID, &row.View)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, a := range list {
		a.near = slices.ContainsFunc(stored[a.viewer], func(id vitrine.ViewID) bool {
			return id != a.view && tables.IsNear(id.Ms(), a.view.Ms())
		})
	}
	return nil
}
