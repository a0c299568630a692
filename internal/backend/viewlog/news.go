package viewlog

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/memory"
)

// Each transaction in which people viewed or downloaded something adds a row to
// the table news: the views and downloads, not what is known about them. A
// reader of the news gets them as they are when it reads. Imports, other rules
// for stored views, and page loads of websites are no news.

// newsReads is how often each row is read, each time later.
const newsReads = 3

// newsAhead is how far ahead of the reader's clock a row may be. One that is
// further ahead is due: it would stop all later ones.
const newsAhead = time.Hour

// newsPlace says how far this process has read the news.
type newsPlace struct {
	mu           sync.Mutex
	done, stored [newsReads]int64     // the last row of each read, and as it is stored
	asked        [newsReads]time.Time // when the stored one was read
	looked       [newsReads]time.Time // nothing more was due then
	seen         memory.News
}

// note adds a view or a download to the news of the transaction.
func (w *writing) note(link vitrine.LinkID, id vitrine.ViewID, kind memory.NewsKind, at int64) {
	if !w.quiet && link < vitrine.FirstSitePage {
		w.published.Note(link, id, kind, at)
	}
}

// news is what one step reads.
type news struct {
	copying   // the views
	downloads []vitrine.Download
	counts    map[vitrine.LinkID]vitrine.LinkCounts
	place     *newsPlace
	n         int
	first     bool // it is the first step of a minute
	keys      [memory.NewsKinds][]viewKey
	links     map[vitrine.LinkID]bool // whose counts are put
}

// News reads the news that happened at least delay ago for the n-th time, from
// 0 on. It calls put with views, by link and time, with downloads, and with the
// counts of their links, all as of one moment. About most views and downloads
// come at once. Once put returns nil, they count as read; otherwise they come
// again, as they do if the process ends within a minute. Views and downloads
// that are gone are left out. News reports whether more are due.
//
// The first time, put gets all downloads, and the views that were read on the
// links that wanted selects, or by a recipient; once a minute also the counts
// of the links of all news. The second time it gets the views that were read,
// and the third time those that were not. Views with a download come each time.
// The second and third time begin with a minute of the clock.
func (l *ViewLog) News(ctx context.Context, n int, now time.Time, delay time.Duration, most int,
	wanted func(context.Context, []vitrine.LinkID) (func(vitrine.LinkID) bool, error),
	put func([]vitrine.ViewRecord, []vitrine.Download, map[vitrine.LinkID]vitrine.LinkCounts) error) (
	more bool, err error) {
	p := &l.news
	p.mu.Lock()
	defer p.mu.Unlock()
	until, minute := now.Add(-delay), now.Truncate(time.Minute)
	if n > 0 {
		if until = until.Truncate(time.Minute); until.Equal(p.looked[n]) {
			return false, nil
		}
	}
	c := news{copying: copying{words: l.words.Reader()}, place: p, n: n, first: !minute.Equal(p.asked[n])}
	err = l.read(ctx, func(t logTx) error { return c.due(t, until, now.Add(newsAhead), most) })
	if err == nil {
		err = c.choose(ctx, wanted)
	}
	if err == nil && len(c.links) > 0 {
		err = l.read(ctx, c.readAll)
	}
	if err == nil && len(c.counts) > 0 {
		err = put(c.views, c.downloads, c.counts)
	}
	if err != nil {
		return false, err
	}
	if p.done[n], p.asked[n] = c.done, minute; n == 0 && c.first {
		p.seen.Links = nil
	}
	if !c.more {
		p.looked[n] = until
		if n == newsReads-1 {
			err = l.storePlace(ctx, p)
		}
	}
	return c.more, err
}

// storePlace stores how far the news were read, and deletes those that were
// read each time.
func (l *ViewLog) storePlace(ctx context.Context, p *newsPlace) error {
	if p.done == p.stored {
		return nil
	}
	err := l.transact(ctx, func(t logTx) error {
		for n, done := range p.done {
			_, err := t.Exec(fmt.Sprintf("UPDATE log SET news_%d = $1 WHERE id = 1 AND news_%d < $2", n, n), done, done)
			if err != nil {
				return err
			}
		}
		_, err := t.Exec("DELETE FROM news WHERE seq <= $1", slices.Min(p.done[:]))
		return err
	})
	if err == nil {
		p.stored = p.done
	}
	return err
}

// due reads the rows that are due. Those further ahead than a time are due,
// too.
func (c *news) due(t logTx, until, ahead time.Time, most int) error {
	c.keys, c.more, c.done = [memory.NewsKinds][]viewKey{}, false, c.place.done[c.n]
	if c.first { // another process may have read more
		err := t.Get([]any{&c.done}, fmt.Sprintf("SELECT news_%d FROM log WHERE id = 1", c.n))
		if c.done = max(c.done, c.place.done[c.n]); err != nil {
			return err
		}
	}
	found := 0
	for rows := changesRows; rows == changesRows && !c.more; {
		rows = 0
		err := t.Each(func(s sqldb.Scanner) error {
			var seq, at int64
			var data []byte
			if err := s.Scan(&seq, &at, &data); err != nil {
				return err
			}
			if c.more = found >= most; c.more || at > sqldb.Ms(until) && at <= sqldb.Ms(ahead) {
				return errStop
			}
			keys, err := appendKeys(nil, data)
			for _, key := range keys {
				kind := memory.NewsKind(key.link) % memory.NewsKinds
				key.link /= vitrine.LinkID(memory.NewsKinds)
				if p := &c.place.seen; p.Selects(c.n, kind, key.link, key.view, seq) {
					c.keys[kind] = append(c.keys[kind], key)
				}
			}
			rows, found, c.done = rows+1, found+len(keys), seq
			return err
		}, "SELECT seq, at, data FROM news WHERE seq > $1 ORDER BY seq LIMIT $2", c.done, changesRows)
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
	}
	return nil
}

// choose drops the views that are not wanted the first time, and adds the links
// whose counts are put.
func (c *news) choose(ctx context.Context,
	wanted func(context.Context, []vitrine.LinkID) (func(vitrine.LinkID) bool, error)) error {
	if read := c.keys[memory.NewsRead]; c.n == 0 && len(read) > 0 {
		links := map[vitrine.LinkID]bool{}
		for _, key := range read {
			links[key.link] = true
		}
		is, err := wanted(ctx, slices.Sorted(maps.Keys(links)))
		if err != nil {
			return err
		}
		c.keys[memory.NewsRead] = slices.DeleteFunc(read, func(key viewKey) bool { return !is(key.link) })
	}
	c.links = map[vitrine.LinkID]bool{}
	for _, keys := range c.keys {
		for _, key := range keys {
			c.links[key.link] = true
		}
	}
	if c.n == 0 && c.first {
		maps.Copy(c.links, c.place.seen.Links)
	}
	return nil
}

// readAll reads the counts of the links, and the views and downloads.
func (c *news) readAll(t logTx) error {
	c.views, c.downloads, c.counts = nil, nil, map[vitrine.LinkID]vitrine.LinkCounts{}
	owners := map[vitrine.LinkID]vitrine.AccountID{}
	err := sqldb.InBatches(slices.Sorted(maps.Keys(c.links)), func(in string, args []any) error {
		return t.Visit("link, account, views, downloads", " FROM links WHERE NOT deleting AND link "+in, args,
			func(row []driver.Value) error {
				link := vitrine.LinkID(row[0].(int64))
				owners[link] = vitrine.AccountID(row[1].(int64))
				c.counts[link] = vitrine.LinkCounts{Views: row[2].(int64), Downloads: row[3].(int64)}
				return nil
			})
	})
	if err != nil {
		return err
	}
	views := slices.Concat(c.keys[memory.NewsOpened], c.keys[memory.NewsRead], c.keys[memory.NewsReadBy])
	if err := c.downloaded(t, c.keys[memory.NewsDownload], &views); err != nil {
		return err
	}
	if c.n > 0 {
		c.downloads = nil
	}
	err = eachLink(views, func(keys []viewKey) error {
		account, is := owners[keys[0].link]
		if c.unloaded = c.counts[keys[0].link].Downloads == 0; !is {
			return nil
		}
		return c.viewsOf(t, account, keys)
	})
	if c.n == newsReads-1 {
		c.views = slices.DeleteFunc(c.views, func(v vitrine.ViewRecord) bool { return v.Session != nil })
	}
	return err
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
