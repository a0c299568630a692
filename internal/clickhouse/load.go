package clickhouse

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"vitrine"
)

// keysBatch bounds the keys of one query.
const keysBatch = 16_384

// Rows are looked up by key in all versions, and the highest version counts.
// This costs less than FINAL, which sorts whole ranges of keys.

// concurrently runs functions concurrently. They must not share data that any
// of them changes.
func concurrently(all ...func() error) error {
	errs := make([]error, len(all))
	var w sync.WaitGroup
	for i, f := range all {
		w.Go(func() { errs[i] = f() })
	}
	w.Wait()
	return errors.Join(errs...)
}

// loadLinks reads rows of links.
func (w *writing) loadLinks(links map[vitrine.LinkID]bool) error {
	all := slices.Sorted(maps.Keys(links))
	for some := range slices.Chunk(all, keysBatch) {
		var set rows
		for _, link := range some {
			set.int64(int64(link))
		}
		err := w.c.query(w.ctx, "SELECT link, account, views, downloads, version FROM links WHERE link IN "+
			keySet("l Int64", set), func(r *reader) error {
			link := vitrine.LinkID(r.int64())
			row := &linkRow{account: vitrine.AccountID(r.int64())}
			row.Views, row.Downloads, row.version = r.int64(), r.int64(), r.uint64()
			if there := w.links[link]; there == nil || there.version < row.version {
				w.links[link] = row
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// byTime sorts the keys of known links so that keys of the same time are
// adjacent, and removes duplicates.
func (w *writing) byTime(keys []key) []key {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k key) bool { return w.links[k.link] == nil })
	slices.SortFunc(keys, func(a, b key) int {
		if a.id != b.id {
			return int(min(max(a.id-b.id, -1), 1))
		}
		return int(min(max(a.link-b.link, -1), 1))
	})
	return slices.Compact(keys)
}

// keySet returns the operand of IN: the name and type of each column, and the
// rows in RowBinary. A list of literals would take the server much longer to
// parse than the query to run.
func keySet(columns string, keys rows) string {
	return fmt.Sprintf("(SELECT * FROM format('RowBinary', '%s', unhex('%x')))", columns, keys.b)
}

// keyList returns the condition that rows have one of the keys, which byTime
// returned.
func (w *writing) keyList(keys []key) string {
	var set rows
	for _, k := range keys {
		set.int64(int64(w.links[k.link].account))
		set.int64(int64(k.link))
		set.int64(int64(k.id))
	}
	return fmt.Sprintf("(account, link, id) IN %s AND id >= %d AND id <= %d", keySet("a Int64, l Int64, i Int64", set),
		keys[0].id, keys[len(keys)-1].id)
}

// storedViews returns the keys of stored views. It reads few columns.
func (w *writing) storedViews(keys []key) (stored []key, err error) {
	for some := range slices.Chunk(w.byTime(keys), keysBatch) {
		err := w.c.query(w.ctx, "SELECT link, id FROM opens WHERE "+w.keyList(some), func(r *reader) error {
			stored = append(stored, key{vitrine.LinkID(r.int64()), vitrine.ViewID(r.int64())})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// loadViews reads views.
func (w *writing) loadViews(keys []key) error {
	for some := range slices.Chunk(w.byTime(keys), keysBatch) {
		err := w.c.query(w.ctx, "SELECT "+viewColumns+", version FROM opens WHERE "+w.keyList(some),
			func(r *reader) error {
				o := new(viewRow)
				o.read(r)
				o.spare, o.version = nil, r.uint64()
				k := key{vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)}
				if there := w.views[k]; there == nil || there.version < o.version {
					w.views[k] = o
				}
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// loadViewers reads how many views viewers made of links.
func (w *writing) loadViewers(keys []viewerKey) error {
	for some := range slices.Chunk(keys, keysBatch) {
		var set rows
		for _, k := range some {
			set.int64(int64(k.link))
			set.uint64(k.viewer)
		}
		err := w.c.query(w.ctx, "SELECT link, viewer, opens, version FROM viewers WHERE (link, viewer) IN "+
			keySet("l Int64, v UInt64", set), func(r *reader) error {
			k := viewerKey{vitrine.LinkID(r.int64()), r.uint64()}
			row := &viewerRow{views: r.int64(), version: r.uint64()}
			if there := w.viewers[k]; there == nil || there.version < row.version {
				w.viewers[k] = row
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// loadDownloads reads download events.
func (w *writing) loadDownloads(keys []key) error {
	for some := range slices.Chunk(w.byTime(keys), keysBatch) {
		if err := w.readDownloads(w.keyList(some)); err != nil {
			return err
		}
	}
	return nil
}

// loadDownloadsOf reads the download events of views.
func (w *writing) loadDownloadsOf(views []key) error {
	for some := range slices.Chunk(w.byTime(views), keysBatch) {
		var links, of rows
		for _, k := range some {
			links.int64(int64(w.links[k.link].account))
			links.int64(int64(k.link))
			of.int64(int64(k.link))
			of.int64(int64(k.id))
		}
		where := fmt.Sprintf("(account, link) IN %s AND (link, open) IN %s", keySet("a Int64, l Int64", links),
			keySet("l Int64, o Int64", of))
		if err := w.readDownloads(where); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) readDownloads(where string) error {
	return w.c.query(w.ctx, "SELECT link, id, open, deleted, version FROM downloads WHERE "+where,
		func(r *reader) error {
			k := key{vitrine.LinkID(r.int64()), vitrine.ViewID(r.int64())}
			row := &downloadRow{view: vitrine.ViewID(r.int64()), deleted: r.bool(), version: r.uint64()}
			if there := w.downloads[k]; there == nil || !there.changed && there.version < row.version {
				w.downloads[k] = row
			}
			return nil
		})
}
