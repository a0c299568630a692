package clickhouse

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine"
)

// keysAtOnce bounds how many keys one query asks for.
const keysAtOnce = 16_384

// Rows are looked up by their keys, in all versions, of which the highest counts: that is less work than FINAL, which puts whole ranges of keys in order.

// loadLinks reads rows of links.
func (w *writing) loadLinks(links map[vitrine.LinkID]bool) error {
	all := slices.Sorted(maps.Keys(links))
	for some := range slices.Chunk(all, keysAtOnce) {
		err := w.c.query(w.ctx, "SELECT link, account, views, downloads, version FROM links WHERE link IN ("+list(some)+")", func(r *reader) error {
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

// byTime brings keys of links that are known into an order in which those of one time are together, and drops those that come again.
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

// keyList is the condition that rows are of keys that byTime gave.
func (w *writing) keyList(keys []key) string {
	var b strings.Builder
	for _, k := range keys {
		tuples(&b, int64(w.links[k.link].account), int64(k.link), int64(k.id))
	}
	return fmt.Sprintf("(account, link, id) IN (%s) AND id >= %d AND id <= %d", b.String(), keys[0].id, keys[len(keys)-1].id)
}

// storedOpens tells which keys are those of opens, reading little else.
func (w *writing) storedOpens(keys []key) (stored []key, err error) {
	for some := range slices.Chunk(w.byTime(keys), keysAtOnce) {
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

// loadOpens reads opens.
func (w *writing) loadOpens(keys []key) error {
	for some := range slices.Chunk(w.byTime(keys), keysAtOnce) {
		err := w.c.query(w.ctx, "SELECT "+openColumns+", version FROM opens WHERE "+w.keyList(some), func(r *reader) error {
			o := new(openRow)
			o.read(r)
			o.spare, o.version = nil, r.uint64()
			k := key{vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)}
			if there := w.opens[k]; there == nil || there.version < o.version {
				w.opens[k] = o
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// loadViewers reads how many opens links have of viewers.
func (w *writing) loadViewers(keys []viewerKey) error {
	for some := range slices.Chunk(keys, keysAtOnce) {
		var b strings.Builder
		for _, k := range some {
			tuples(&b, int64(k.link), k.viewer)
		}
		err := w.c.query(w.ctx, "SELECT link, viewer, opens, version FROM viewers WHERE (link, viewer) IN ("+b.String()+")", func(r *reader) error {
			k := viewerKey{vitrine.LinkID(r.int64()), r.uint64()}
			row := &viewerRow{opens: r.int64(), version: r.uint64()}
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
	for some := range slices.Chunk(w.byTime(keys), keysAtOnce) {
		if err := w.readDownloads(w.keyList(some)); err != nil {
			return err
		}
	}
	return nil
}

// loadDownloadsOf reads the download events of opens.
func (w *writing) loadDownloadsOf(opens []key) error {
	for some := range slices.Chunk(w.byTime(opens), keysAtOnce) {
		var links, of strings.Builder
		for _, k := range some {
			tuples(&links, int64(w.links[k.link].account), int64(k.link))
			tuples(&of, int64(k.link), int64(k.id))
		}
		if err := w.readDownloads(fmt.Sprintf("(account, link) IN (%s) AND (link, open) IN (%s)", links.String(), of.String())); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) readDownloads(where string) error {
	return w.c.query(w.ctx, "SELECT link, id, open, deleted, version FROM downloads WHERE "+where, func(r *reader) error {
		k := key{vitrine.LinkID(r.int64()), vitrine.ViewID(r.int64())}
		row := &downloadRow{open: vitrine.ViewID(r.int64()), deleted: r.bool(), version: r.uint64()}
		if there := w.downloads[k]; there == nil || !there.changed && there.version < row.version {
			w.downloads[k] = row
		}
		return nil
	})
}
