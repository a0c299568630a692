package clickhouse

import (
	"context"
	"fmt"
	"slices"

	"vitrine"
	"vitrine/report"
)

// Import implements [vitrine.ViewLog].
func (l *ViewLog) Import(ctx context.Context, receipt vitrine.ImportReceipt, views []vitrine.ViewRecord) error {
	return l.write(ctx, func(ctx context.Context, number uint64) ([]step, error) {
		lines, err := l.Imported(ctx, receipt.File)
		if err != nil || receipt.Lines <= lines {
			return nil, err
		}
		w, err := l.writing(ctx)
		if err == nil {
			err = w.imports(views)
		}
		if err != nil {
			return nil, err
		}
		var done rows
		done.fixed(receipt.File[:])
		done.int64(receipt.Lines)
		done.int64(receipt.At.UnixMilli())
		done.uint64(number)
		return append(w.steps(number), step{stepInsert, "imports (file, lines, at, version)", done.b}), nil
	})
}

// imports decides about imported views.
func (w *writing) imports(views []vitrine.ViewRecord) error {
	links := map[vitrine.LinkID]bool{}
	var viewers []viewerKey
	var keys []key
	for i := range views {
		o := &views[i]
		k := key{vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)}
		if report.DayOf(k.id.Ms()) < w.state.forgotten {
			return vitrine.ErrDayExpired
		}
		links[k.link] = true
		if keys = append(keys, k); o.Counted() {
			viewers = append(viewers, viewerKey{k.link, o.Viewer})
		}
	}
	if err := w.loadLinks(links); err != nil {
		return err
	}
	for i := range views {
		w.addLink(&views[i])
	}
	openIDs, downloadIDs := places{}, places{}
	err := concurrently(
		func() error { return w.loadViewers(viewers) },
		func() error { return w.loadPlaces("opens", keys, openIDs) },
		func() error { return w.loadPlaces("downloads", keys, downloadIDs) },
	)
	if err != nil {
		return err
	}
	for i := range views {
		o := &views[i]
		k, err := openIDs.take(keys[i])
		if err != nil {
			return err
		}
		if w.add(k, o, true); !o.Counted() {
			continue
		}
		w.countViewer(k.link, o.Viewer, 1)
		if o.Session != nil && o.Session.Downloaded {
			event, err := downloadIDs.take(k)
			if err != nil {
				return err
			}
			w.addDownload(event, k.id)
		}
	}
	return nil
}

// places maps each taken ID of a link to a later one that may be free.
type places map[key]key

// take returns the first free ID of the link at or after from, and marks it as
// taken. After the last ID of the millisecond it continues with the first one.
func (p places) take(from key) (key, error) {
	at := from
	var passed []key
	for {
		to, taken := p[at]
		if !taken {
			break
		}
		if passed = append(passed, at); len(passed) > 1<<21 {
			return at, fmt.Errorf("link %d has no free ID left in the millisecond %s", from.link,
				from.id.Time().Format("2006-01-02T15:04:05.000Z"))
		}
		at = to
	}
	next := key{at.link, after(at.id)}
	p[at] = next
	for _, k := range passed { // later searches skip these IDs
		p[k] = next
	}
	return at, nil
}

// after returns the next ID. After the last ID of the millisecond comes its
// first one.
func after(id vitrine.ViewID) vitrine.ViewID {
	if id+1 == vitrine.ViewIDAt(id.Ms()+1, 0) {
		return vitrine.ViewIDAt(id.Ms(), 0)
	}
	return id + 1
}

// loadPlaces reads the taken IDs, of views or of downloads, in the milliseconds
// of the keys.
func (w *writing) loadPlaces(table string, keys []key, taken places) error {
	var starts []key
	for _, k := range keys {
		starts = append(starts, key{k.link, vitrine.ViewIDAt(k.id.Ms(), 0)})
	}
	for some := range slices.Chunk(w.byTime(starts), keysBatch) {
		var links, milliseconds rows
		seen := map[vitrine.LinkID]bool{}
		for _, k := range some {
			if !seen[k.link] {
				seen[k.link] = true
				links.int64(int64(w.links[k.link].account))
				links.int64(int64(k.link))
			}
			milliseconds.int64(int64(k.link))
			milliseconds.int64(k.id.Ms())
		}
		sql := fmt.Sprintf("SELECT link, id FROM %s FINAL WHERE (account, link) IN %s AND (link, bitShiftRight(id, 21)) IN %s AND id >= %d AND id < %d",
			table, keySet("a Int64, l Int64", links), keySet("l Int64, m Int64", milliseconds), some[0].id,
			vitrine.ViewIDAt(some[len(some)-1].id.Ms()+1, 0))
		err := w.c.query(w.ctx, sql, func(r *reader) error {
			k := key{vitrine.LinkID(r.int64()), vitrine.ViewID(r.int64())}
			taken[k] = key{k.link, after(k.id)}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
