package viewlog

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// A copy of the views outside of the log has a number. While the log has one,
// each transaction adds a row to the table changes with the views that it added
// or changed. The copy first gets every stored view, link by link, and then the
// changed ones. It gets nothing about deleted links, expired views and page
// loads of websites.

// CopyState says how far the copy is.
type CopyState struct {
	Number int64 // of the copy; 0 means that there is none
	Whole  bool  // every stored view was copied once
	// Since is the time of the oldest change that is not copied, or zero if
	// there is none.
	Since time.Time
}

// ErrCopyEnded means that another copy was begun, or that the changes that
// waited for this one were dropped.
var ErrCopyEnded = errors.New("the copy of the views has ended")

// BeginCopy begins the copy with a number, or with a new one if that is 0. It
// ends the copy before.
func (l *ViewLog) BeginCopy(ctx context.Context, number int64) (int64, error) {
	number = cmp.Or(number, 1+rand.Int64N(math.MaxInt64))
	return number, l.transact(ctx, func(t logTx) error { return t.SetCopy(number) })
}

// DropChanges ends the copy if the changes that wait for it have more than a
// number of bytes: nothing may copy them any more. It reports whether it did.
func (l *ViewLog) DropChanges(ctx context.Context, most int64) (dropped bool, err error) {
	size := func(t logTx) (n int64, err error) {
		return n, t.Get([]any{&n}, "SELECT cast(coalesce(sum(length(data)), 0) AS BIGINT) FROM changes")
	}
	err = l.read(ctx, func(t logTx) error {
		n, err := size(t)
		dropped = n > most
		return err
	})
	if err != nil || !dropped {
		return false, err
	}
	return true, l.transact(ctx, func(t logTx) error { return t.SetCopy(0) })
}

// CopyState returns the state of the copy.
func (l *ViewLog) CopyState(ctx context.Context) (s CopyState, err error) {
	err = l.read(ctx, func(t logTx) error {
		var next, since int64
		err := t.Get([]any{&s.Number, &next, &since},
			"SELECT copy, next_link, coalesce((SELECT at FROM changes ORDER BY seq LIMIT 1), 0) FROM log WHERE id = 1")
		s.Whole, s.Since = next == math.MaxInt64, time.Time{}
		if since > 0 {
			s.Since = time.UnixMilli(since)
		}
		return err
	})
	return s, err
}

// changed notes that the transaction has added or changed a view.
func (w *writing) changed(link vitrine.LinkID, view vitrine.ViewID) {
	if link < vitrine.FirstSitePage {
		w.published.Views = binary.AppendUvarint(binary.AppendUvarint(w.published.Views, uint64(link)), uint64(view))
	}
}

// record numbers the transaction, and stores its news, and its changes if there
// is a copy.
func (t logTx) record(c *tables.Changes) error {
	var number int64
	err := t.Get([]any{&c.Seq, &number}, "UPDATE log SET seq = seq + 1 WHERE id = 1 RETURNING seq, copy")
	if err == nil && number != 0 && len(c.Views) > 0 {
		_, err = t.Exec("INSERT INTO changes (seq, at, data) VALUES ($1, $2, $3)", c.Seq, sqldb.Ms(time.Now()), c.Views)
	}
	if err == nil && len(c.News) > 0 {
		_, err = t.Exec("INSERT INTO news (seq, at, data) VALUES ($1, $2, $3)", c.Seq, c.NewsAt, c.News)
	}
	c.Views, c.News = nil, nil
	return err
}

// copying is what one step copies.
type copying struct {
	seq   int64 // the last transaction that the views include
	views []vitrine.ViewRecord
	done  int64   // changes up to this one are copied with the views
	next  viewKey // of the first copy, from which view on views remain
	some  bool    // something is copied
	more  bool    // probably, more views wait
	words *tables.ViewReader
	// unloaded says that no view of the link was downloaded.
	unloaded bool
}

// Copy copies some views: it calls put with about n of them, each as of the
// last transaction seq, and with Downloaded set. Once put returns nil, they
// count as copied. So each state of a view that lasts is copied at least once.
// It reports whether as many views wait.
func (l *ViewLog) Copy(ctx context.Context, number int64, n int,
	put func(seq int64, views []vitrine.ViewRecord) error) (more bool, err error) {
	c := copying{words: l.words.Reader()}
	err = l.read(ctx, func(t logTx) error {
		c = copying{words: c.words}
		var now int64
		err := t.Get([]any{&c.seq, &now, &c.next.link, &c.next.view}, "SELECT seq, copy, next_link, next_view FROM log WHERE id = 1")
		switch {
		case err != nil:
			return err
		case now != number:
			return ErrCopyEnded
		case c.next.link < math.MaxInt64:
			return c.stored(t, n)
		}
		return c.changes(t, n)
	})
	if err == nil && len(c.views) > 0 {
		err = put(c.seq, c.views)
	}
	if err != nil || !c.some {
		return false, err
	}
	return c.more, l.transact(ctx, func(t logTx) error {
		rows, err := t.Exec("UPDATE log SET next_link = $1, next_view = $2 WHERE id = 1 AND copy = $3", int64(c.next.link),
			int64(c.next.view), number)
		if err == nil && rows == 0 {
			err = ErrCopyEnded
		}
		if err == nil && c.done > 0 {
			_, err = t.Exec("DELETE FROM changes WHERE seq <= $1", c.done)
		}
		return err
	})
}

// copiedLinks bounds the links that one step of the first copy reads.
const copiedLinks = 1000

// stored reads the next views of the first copy.
func (c *copying) stored(t logTx, n int) error {
	c.some, c.more = true, true
	for range copiedLinks {
		var link, account int64
		err := t.Get([]any{&link, &account}, "SELECT link, account FROM links WHERE link >= $1 AND link < $2 AND NOT deleting ORDER BY link LIMIT 1",
			int64(c.next.link), int64(vitrine.FirstSitePage))
		if errors.Is(err, vitrine.ErrNotFound) {
			c.next = viewKey{math.MaxInt64, 0}
			return nil
		}
		if err != nil {
			return err
		}
		if link > int64(c.next.link) {
			c.next = viewKey{vitrine.LinkID(link), 0}
		}
		most := n - len(c.views)
		rows, err := t.rows(c.next.link, tables.Between(c.next.view, math.MaxInt64), most)
		if err == nil {
			err = c.add(t, vitrine.AccountID(account), c.next.link, rows)
		}
		if err != nil {
			return err
		}
		if len(rows) == most {
			c.next.view = rows[len(rows)-1].ID + 1
			return nil
		}
		c.next = viewKey{c.next.link + 1, 0}
	}
	return nil
}

// changesRows is the number of rows of the table changes that one query reads.
const changesRows = 100

// changes reads the next changed views.
func (c *copying) changes(t logTx, n int) error {
	var keys []viewKey
	for rows := changesRows; rows == changesRows && len(keys) < n; {
		rows = 0
		err := t.Each(func(s sqldb.Scanner) (err error) {
			var data []byte
			if err = s.Scan(&c.done, &data); err == nil {
				err = tables.Pairs(data, func(link, view uint64) {
					keys = append(keys, viewKey{vitrine.LinkID(link), vitrine.ViewID(view)})
				})
			}
			rows, c.some = rows+1, true
			return err
		}, "SELECT seq, data FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2", c.done, changesRows)
		if err != nil {
			return err
		}
	}
	c.more = len(keys) >= n
	return eachLink(keys, func(keys []viewKey) error { return c.changedOf(t, keys) })
}

// eachLink calls f with the keys of each link, in order.
func eachLink(keys []viewKey, f func([]viewKey) error) error {
	slices.SortFunc(keys, compareKeys)
	for keys = slices.Compact(keys); len(keys) > 0; {
		of := 1
		for of < len(keys) && keys[of].link == keys[0].link {
			of++
		}
		if err := f(keys[:of]); err != nil {
			return err
		}
		keys = keys[of:]
	}
	return nil
}

// changedOf reads views of one link, except those that are gone.
func (c *copying) changedOf(t logTx, keys []viewKey) error {
	var account int64
	var deleting bool
	err := t.Get([]any{&account, &deleting}, selectOwner, int64(keys[0].link))
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && deleting {
		return nil
	}
	if err != nil {
		return err
	}
	return c.viewsOf(t, vitrine.AccountID(account), keys)
}

// viewsOf reads views of one link of an account, except those that are gone.
func (c *copying) viewsOf(t logTx, account vitrine.AccountID, keys []viewKey) error {
	rows, found := make([]segment.Row, 0, len(keys)), make([]bool, len(keys))
	err := t.GetMany(selectBlobs, len(keys),
		func(i int) []any { return []any{int64(keys[i].link), int64(keys[i].view)} },
		func(i int, s sqldb.Scanner) error {
			var b blobs
			if err := s.Scan(&b.record, &b.session); err != nil {
				return t.Failed(err)
			}
			row := segment.Row{ID: keys[i].view}
			found[i] = true
			err := row.Decode(b.record, b.session)
			rows = append(rows, row)
			return err
		})
	if err != nil {
		return err
	}
	var packed []vitrine.ViewID
	for i, key := range keys {
		if !found[i] {
			packed = append(packed, key.view)
		}
	}
	if len(packed) > 0 {
		if err := t.inSegmentsOf(keys[0].link, packed, &rows); err != nil {
			return err
		}
	}
	return c.add(t, account, keys[0].link, rows)
}

// inSegmentsOf adds those views of a link that are in segments. The IDs are in
// order.
func (t logTx) inSegmentsOf(link vitrine.LinkID, views []vitrine.ViewID, rows *[]segment.Row) error {
	r := tables.Between(views[0], views[len(views)-1]+1)
	return t.Segments(tables.OfLink(link), r, func(_ vitrine.LinkID, p *tables.Segment) error {
		from, _ := slices.BinarySearch(views, p.First)
		if from == len(views) || views[from] > p.Last {
			return nil
		}
		before := len(*rows)
		err := segment.DecodeAll(p.Data, p.First, rows)
		kept := slices.DeleteFunc((*rows)[before:], func(row segment.Row) bool {
			_, wanted := slices.BinarySearch(views, row.ID)
			return !wanted
		})
		*rows = (*rows)[:before+len(kept)]
		return err
	})
}

// add adds rows of a link as views.
func (c *copying) add(t logTx, account vitrine.AccountID, link vitrine.LinkID, rows []segment.Row) error {
	views := make([]report.View, len(rows))
	for i := range rows {
		v, err := c.words.View(int64(link), &rows[i])
		if err != nil {
			return err
		}
		views[i] = *v
		if v.Session != nil {
			s := *v.Session
			s.Pages, s.Clicks = slices.Clone(s.Pages), slices.Clone(s.Clicks)
			views[i].Session = &s
		}
	}
	if !c.unloaded {
		if err := t.MarkDownloaded(link, views); err != nil {
			return err
		}
	}
	for i := range views {
		c.views = append(c.views, vitrine.ViewRecord{Account: account, View: views[i]})
	}
	return nil
}
