package viewlog

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// Import implements [vitrine.ViewLog]. Views of past days go into segments,
// later ones into the table views.
func (l *ViewLog) Import(ctx context.Context, receipt vitrine.ImportReceipt, views []vitrine.ViewRecord) error {
	touched := map[vitrine.AccountID]bool{}
	err := l.update(ctx, func(t logTx, c *tables.Changes) error {
		clear(touched)
		lines, err := t.Imported(receipt.File)
		if err != nil || receipt.Lines <= lines {
			return err
		}
		w := l.write(t, c)
		past := report.DayOf(sqldb.Ms(receipt.At)) - runningDays
		views := slices.Clone(views)
		slices.SortStableFunc(views, func(a, b vitrine.ViewRecord) int {
			return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Link, b.Link))
		})
		for rest := views; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].Account == rest[0].Account && rest[n].Link == rest[0].Link {
				n++
			}
			if err := w.importLink(rest[:n], past); err != nil {
				return err
			}
			touched[rest[0].Account] = true
			rest = rest[n:]
		}
		if err := w.importViewerDays(); err != nil {
			return err
		}
		if err := w.finish(); err != nil {
			return err
		}
		for account := range touched {
			c.Reset(account)
		}
		_, err = t.Exec(`INSERT INTO imports (file, lines, at) VALUES ($1, $2, $3)
			ON CONFLICT (file) DO UPDATE SET lines = excluded.lines, at = excluded.at`, receipt.File[:], receipt.Lines, sqldb.Ms(receipt.At))
		return err
	})
	if err != nil {
		return err
	}
	for account := range touched {
		if err := l.mergeRuns(ctx, account, false); err != nil {
			return err
		}
	}
	return nil
}

// runningDays is the number of days before today whose views may still change.
const runningDays = 2

// importLink imports views of one link, in any order.
func (w *writing) importLink(views []vitrine.ViewRecord, past report.Day) error {
	account, link := views[0].Account, vitrine.LinkID(views[0].Link)
	w.owners[link] = account
	a, err := w.account(account)
	if err != nil {
		return err
	}
	var rows []segment.Row
	var running []*vitrine.ViewRecord
	for i := range views {
		v := &views[i]
		if report.DayOf(vitrine.ViewID(v.ID).Ms()) < a.retainedFrom {
			return vitrine.ErrDayExpired
		}
		if day := report.DayOf(vitrine.ViewID(v.ID).Ms()); day >= max(past, a.rolledUpUntil) {
			running = append(running, v)
			continue
		}
		r, err := w.row(v)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	if err := w.importPast(a, account, link, rows); err != nil {
		return err
	}
	for _, v := range running {
		if err := w.imported(v); err != nil {
			return err
		}
	}
	return nil
}

// importPast writes rows of past days into segments.
func (w *writing) importPast(a *written, account vitrine.AccountID, link vitrine.LinkID, rows []segment.Row) error {
	if len(rows) == 0 {
		return nil
	}
	for i := range rows { // a taken ID becomes the next free one, so there must be room to the end of the millisecond
		if r := &rows[i]; int64(r.ID)%segment.Counters >= segment.Counters-int64(len(rows)) {
			r.ID = vitrine.ViewIDAt(r.ID.Ms(), 0)
		}
	}
	slices.SortStableFunc(rows, func(a, b segment.Row) int { return cmp.Compare(a.ID, b.ID) })
	first, last := report.DayOf(rows[0].ID.Ms()), report.DayOf(rows[len(rows)-1].ID.Ms())
	// The link's other views of those days go into segments first, so that no
	// ID is assigned twice.
	for more := last >= a.rolledUpUntil; more; {
		n, viewerDays, err := compactLink(w.tx, link, last+1, compactBatch)
		if err != nil {
			return err
		}
		w.viewerDays[account] = append(w.viewerDays[account], viewerDays...)
		more = n == compactBatch
	}
	p := tables.SegmentWriter{Tx: w.tx.Index, Link: link}
	if err := p.Write(rows, true); err != nil {
		return err
	}
	w.viewerDays[account] = append(w.viewerDays[account], p.ViewerDays...)
	a.compactedUntil = max(a.compactedUntil, last+1)
	if first < a.rolledUpUntil {
		a.changedFrom(first)
	}
	a.changed = true
	c := w.change(link)
	c.Account = account
	for i := range rows {
		r := &rows[i]
		w.changed(link, r.ID)
		if !r.Human() {
			continue
		}
		c.Views++
		if r.Engaged && r.Session.Downloaded {
			if err := w.importDownload(link, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// importViewerDays stores the viewer days of the imported views.
func (w *writing) importViewerDays() error {
	for account, viewerDays := range w.viewerDays {
		if err := w.tx.AddRun(account, segment.SortViewerDays(viewerDays)); err != nil {
			return err
		}
	}
	return nil
}

// row creates the row of an imported view.
func (w *writing) row(v *vitrine.ViewRecord) (r segment.Row, err error) {
	r.ID = vitrine.ViewID(v.ID)
	if r.View, err = w.words.View(&v.View); err != nil {
		return r, err
	}
	r.Flags |= segment.ViewImported
	if r.Engaged = v.Session != nil; r.Engaged {
		r.Session.Session = *v.Session
		r.Session.Screen, err = w.words.ID(segment.WordScreen, v.Session.Screen)
	}
	return r, err
}

// imported inserts a view of a running day.
func (w *writing) imported(v *vitrine.ViewRecord) error {
	r, err := w.words.View(&v.View)
	if err != nil {
		return err
	}
	r.Flags |= segment.ViewImported
	link, id := vitrine.LinkID(v.Link), vitrine.ViewID(v.ID)
	if err := w.reopenDay(v.Account, link, report.DayOf(id.Ms())); err != nil {
		return err
	}
	for {
		added, err := w.insert(link, id, &r, v)
		if err != nil {
			return err
		}
		if added {
			break
		}
		if id, err = w.free(link, id); err != nil {
			return err
		}
	}
	w.count(v, &r)
	w.changed(link, id)
	if !r.Human() {
		return nil
	}
	if err := w.tx.CountViewer(link, r.Viewer, id); err != nil || v.Session == nil || !v.Session.Downloaded {
		return err
	}
	return w.importDownload(link, id)
}

// importDownload stores the download event of an imported view, at the time of
// the view.
func (w *writing) importDownload(link vitrine.LinkID, id vitrine.ViewID) error {
	event := id
	for {
		n, err := w.tx.Exec("INSERT INTO downloads (link, id, view) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
			int64(link), int64(event), tables.DownloadView(event, id, 0))
		if err != nil {
			return err
		}
		if n == 1 {
			w.change(link).Downloads++
			return nil
		}
		if event = segment.NextID(event); event == id {
			return segment.ErrFull(link, id)
		}
	}
}

// idRun is a range of IDs that a link has without gaps.
type idRun struct{ first, last vitrine.ViewID }

// free returns the first free ID of a link at or after from. After the last ID
// of the millisecond it continues with the first one. It remembers the range it
// has checked, so that many views of one millisecond do not check it again.
func (w *writing) free(link vitrine.LinkID, from vitrine.ViewID) (vitrine.ViewID, error) {
	key := viewKey{link, vitrine.ViewIDAt(from.Ms(), 0)}
	run, ok := w.taken[key]
	if !ok || from < run.first || run.last < from {
		run = idRun{from, from}
	}
	start, end := key.view, vitrine.ViewIDAt(from.Ms()+1, 0)
	id, err := w.gap(link, run.last+1, end)
	if err == nil && id == end {
		run.first = start
		if id, err = w.gap(link, start, from); err == nil && id == from {
			err = segment.ErrFull(link, from)
		}
	}
	run.last = id
	w.taken[key] = run
	return id, err
}

var errStop = errors.New("stop")

// gap returns the first free ID of the link in [from, to), or to if there is
// none.
func (w *writing) gap(link vitrine.LinkID, from, to vitrine.ViewID) (vitrine.ViewID, error) {
	id := from
	err := w.tx.Each(func(s sqldb.Scanner) error {
		var has vitrine.ViewID
		if err := s.Scan(&has); err != nil {
			return err
		}
		if has != id {
			return errStop
		}
		id++
		return nil
	}, "SELECT id FROM views WHERE link = $1 AND id >= $2 AND id < $3 ORDER BY id", int64(link), int64(from), int64(to))
	if errors.Is(err, errStop) {
		err = nil
	}
	return id, err
}
