package viewlog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// Each transaction in which people viewed or downloaded something adds a row to
// the table news: the views and downloads, not what is known about them. A
// reader of the news gets them as they are when it reads. Imports, other rules
// for stored views, and page loads of websites are no news.

// NewsReads is how often each row is read, each time later.
const NewsReads = 3

// newsAhead is how far ahead of the reader's clock a row may be. One that is
// further ahead is due: it would stop all later ones.
const newsAhead = time.Hour

// note adds a view or a download to the news of the transaction.
func (w *writing) note(link vitrine.LinkID, id vitrine.ViewID, download bool, at int64) {
	if w.quiet || link >= vitrine.FirstSitePage {
		return
	}
	of := uint64(link) << 1
	if download {
		of |= 1
	}
	c := w.published
	c.News = binary.AppendUvarint(binary.AppendUvarint(c.News, of), uint64(id))
	c.NewsAt = max(c.NewsAt, at)
}

// news is what one step reads.
type news struct {
	copying   // the views
	downloads []vitrine.Download
	counts    map[vitrine.LinkID]vitrine.LinkCounts
}

// News reads the news that happened at least delay ago for the n-th time, from
// 0 on. It calls put with the views, by link and time, the downloads, and the
// counts of their links, all as of one moment. About most views and downloads
// come at once. Once put returns nil, they count as read; otherwise they come
// again. Views and downloads that are gone are left out. News reports whether
// more are due.
func (l *ViewLog) News(ctx context.Context, n int, now time.Time, delay time.Duration, most int,
	put func([]vitrine.ViewRecord, []vitrine.Download, map[vitrine.LinkID]vitrine.LinkCounts) error) (
	more bool, err error) {
	column := fmt.Sprintf("news_%d", n)
	var c news
	err = l.read(ctx, func(t logTx) error {
		c = news{copying: copying{words: l.words.Reader()}, counts: map[vitrine.LinkID]vitrine.LinkCounts{}}
		return c.due(t, column, now, delay, most)
	})
	if err == nil && len(c.views)+len(c.downloads) > 0 {
		err = put(c.views, c.downloads, c.counts)
	}
	if err != nil || !c.some {
		return false, err
	}
	return c.more, l.transact(ctx, func(t logTx) error {
		_, err := t.Exec("UPDATE log SET "+column+" = $1 WHERE id = 1 AND "+column+" < $2", c.done, c.done)
		if err == nil && n == NewsReads-1 {
			_, err = t.Exec(`DELETE FROM news WHERE seq <= $1 AND seq <= (SELECT news_0 FROM log WHERE id = 1)
				AND seq <= (SELECT news_1 FROM log WHERE id = 1)`, c.done)
		}
		return err
	})
}

// due reads the rows that are due.
func (c *news) due(t logTx, column string, now time.Time, delay time.Duration, most int) error {
	var views, downloads []viewKey
	until, ahead := sqldb.Ms(now.Add(-delay)), sqldb.Ms(now.Add(newsAhead))
	if err := t.Get([]any{&c.done}, "SELECT "+column+" FROM log WHERE id = 1"); err != nil {
		return err
	}
	for rows := changesRows; rows == changesRows && !c.more; {
		rows = 0
		err := t.Each(func(s sqldb.Scanner) error {
			var seq, at int64
			var data []byte
			if err := s.Scan(&seq, &at, &data); err != nil {
				return err
			}
			if c.more = len(views)+len(downloads) >= most; c.more || at > until && at <= ahead {
				return errStop
			}
			keys, err := appendKeys(nil, data)
			for _, key := range keys {
				of := &views
				if key.link&1 != 0 {
					of = &downloads
				}
				key.link >>= 1
				*of = append(*of, key)
			}
			rows, c.some, c.done = rows+1, true, seq
			return err
		}, "SELECT seq, at, data FROM news WHERE seq > $1 ORDER BY seq LIMIT $2", c.done, changesRows)
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
	}
	if err := c.downloaded(t, downloads, &views); err != nil {
		return err
	}
	if err := c.read(t, views); err != nil {
		return err
	}
	return t.CountsOf(c.counts, c.links())
}

// downloaded reads downloads, and adds their views.
func (c *news) downloaded(t logTx, keys []viewKey, views *[]viewKey) error {
	found := make([]*vitrine.Download, len(keys))
	err := t.GetMany("SELECT coalesce(view, id) FROM downloads WHERE link = $1 AND id = $2", len(keys),
		func(i int) []any { return []any{int64(keys[i].link), int64(keys[i].view)} },
		func(i int, s sqldb.Scanner) error {
			d := &vitrine.Download{ID: keys[i].view, Link: keys[i].link}
			found[i] = d
			return s.Scan(&d.View)
		})
	for _, d := range found {
		if d == nil {
			continue
		}
		c.downloads = append(c.downloads, *d)
		if d.View != 0 {
			*views = append(*views, viewKey{d.Link, d.View})
		}
	}
	return err
}

// links returns the links of what was read.
func (c *news) links() (links []vitrine.LinkID) {
	for i := range c.views {
		links = append(links, vitrine.LinkID(c.views[i].Link))
	}
	for _, d := range c.downloads {
		links = append(links, d.Link)
	}
	slices.Sort(links)
	return slices.Compact(links)
}
