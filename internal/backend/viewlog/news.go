package viewlog

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/tables"
)

// Each transaction in which people viewed or downloaded something adds a row to
// the table news: the views and downloads, not what is known about them. Their
// reader takes in each row once, and remembers which views are decided later.
// Imports, other rules for stored views, and page loads of websites are none.

const (
	// newsAhead is how far ahead of the reader's clock a row may be. One that
	// is further ahead is due: it would stop all later ones.
	newsAhead = time.Hour
	// newsStep is how often views are decided.
	newsStep = 5 * time.Minute
	// newsKept bounds the decisions that wait. No more rows are taken in until
	// there are fewer.
	newsKept = 1_000_000
)

// newsPlace says how far this process has read the news.
type newsPlace struct {
	mu     sync.Mutex
	seen   *tables.News
	step   time.Time // what was due then is done
	stored int64     // the place
}

// note adds a view or a download to the news of the transaction.
func (w *writing) note(link vitrine.LinkID, id vitrine.ViewID, kind tables.NewsKind, at int64) {
	if (!w.quiet || kind == tables.NewsExcluded) && link < vitrine.FirstSitePage {
		w.published.Note(link, id, kind, at)
	}
}

// news is what one step reads.
type news struct {
	copying   // the views
	downloads []vitrine.Download
	counts    map[vitrine.LinkID]vitrine.LinkCounts
}

// newsTo is who reads the news.
type newsTo struct {
	wanted func(context.Context, []vitrine.LinkID) (func(vitrine.LinkID) bool, error)
	put    func([]vitrine.ViewRecord, []vitrine.Download, map[vitrine.LinkID][]vitrine.ViewID,
		map[vitrine.LinkID]vitrine.LinkCounts) error
}

// News reads the news, and calls put with views, by link and time, with
// downloads, with views that have ended, and with the counts of the links, all
// as of one moment. About most views and downloads come at once. Once put
// returns nil, they count as read; otherwise they come again, as some do when
// the process ends, or another one goes on. Views and downloads that are gone
// are left out. News reports whether more are due.
//
// Soon after it happened, put gets all downloads, with their views, and the
// views that were read on the links that wanted selects, or by a recipient. In
// steps of some minutes it gets the IDs of the views that were read, and from
// which nothing came for the time silent; these views themselves, of links that
// wanted selects; the views that nothing came from for the time unread; and at
// last the counts of the links of all news.
func (l *ViewLog) News(ctx context.Context, now time.Time, silent, unread time.Duration, most int,
	wanted func(context.Context, []vitrine.LinkID) (func(vitrine.LinkID) bool, error),
	put func([]vitrine.ViewRecord, []vitrine.Download, map[vitrine.LinkID][]vitrine.ViewID,
		map[vitrine.LinkID]vitrine.LinkCounts) error) (more bool, err error) {
	p, to := &l.news, newsTo{wanted, put}
	p.mu.Lock()
	defer p.mu.Unlock()
	step := now.Truncate(newsStep)
	due, prompt := !step.Equal(p.step), l.feed.Prompt.Take()
	if !due && !prompt && l.db.Dialect != sqldb.PostgresViewLog {
		return false, nil // no other process adds views
	}
	defer func() {
		if prompt && (more || err != nil) {
			l.feed.Prompt.Set()
		}
	}()
	if due || p.seen == nil {
		err = l.read(ctx, func(t logTx) error {
			place, err := t.NewsPlace()
			if err == nil && (p.seen == nil || place > p.seen.Taken) { // another process has read more
				p.seen, p.stored = tables.NewNews(place), place
			}
			return err
		})
		if err != nil {
			return false, err
		}
	}
	if p.seen.Len() < newsKept {
		if more, err = l.takeNews(ctx, p.seen, most, to); more || err != nil {
			return more, err
		}
	}
	if !due {
		return false, nil
	}
	d, more := p.seen.Due(sqldb.Ms(step.Add(-silent)), sqldb.Ms(step.Add(-unread)), sqldb.Ms(now.Add(newsAhead)), most)
	if err = l.putDue(ctx, p.seen, d, !more, to); err != nil {
		return false, err
	}
	if p.seen.Done(d); more {
		return true, nil
	}
	p.step, p.seen.Links = step, map[vitrine.LinkID]bool{}
	if place := p.seen.Place(); place > p.stored {
		err = l.transact(ctx, func(t logTx) error { return t.DropNews(place) })
		p.stored = place
	}
	return false, err
}

// takeNews puts what happened just now, and takes in its rows.
func (l *ViewLog) takeNews(ctx context.Context, seen *tables.News, most int, to newsTo) (more bool, err error) {
	var rows []tables.NewsRow
	err = l.read(ctx, func(t logTx) error { rows, more, err = t.NewsRows(seen.Taken, most); return err })
	if err != nil || len(rows) == 0 {
		return false, err
	}
	is, err := l.want(ctx, tables.ReadLinks(rows), to)
	if err != nil {
		return false, err
	}
	views, downloads := tables.Fresh(rows, is)
	c := news{copying: copying{words: l.words.Reader()}}
	if len(views)+len(downloads) > 0 {
		err = l.read(ctx, func(t logTx) error { return c.readAll(t, views, downloads, nil) })
		if err == nil && len(c.counts) > 0 {
			err = to.put(c.views, c.downloads, nil, c.counts)
		}
	}
	if err != nil {
		return false, err
	}
	for i := range rows {
		seen.Take(&rows[i])
	}
	for _, d := range c.downloads {
		if d.View != 0 {
			seen.Opened(&rows[len(rows)-1], d.Link, d.View)
		}
	}
	return more, nil
}

// want asks which links are wanted. Views of the others are not read at once.
func (l *ViewLog) want(ctx context.Context, links map[vitrine.LinkID]bool, to newsTo) (is func(vitrine.LinkID) bool,
	err error) {
	is, err = to.wanted(ctx, slices.Sorted(maps.Keys(links)))
	if err == nil {
		l.feed.Prompt.SetDull(links, is)
	}
	return is, err
}

// putDue puts the views that are due, and the last time the counts of all
// links.
func (l *ViewLog) putDue(ctx context.Context, seen *tables.News, d tables.Due, last bool, to newsTo) error {
	ended, of := d.Links()
	is, err := l.want(ctx, of, to)
	if err != nil {
		return err
	}
	views := d.Views(is)
	var links map[vitrine.LinkID]bool
	if last {
		links = seen.Links
	}
	c := news{copying: copying{words: l.words.Reader()}}
	if len(views)+len(links) > 0 {
		err = l.read(ctx, func(t logTx) error { return c.readAll(t, views, nil, links) })
	}
	if err == nil && len(ended)+len(c.counts) > 0 {
		err = to.put(c.views, nil, ended, c.counts)
	}
	return err
}

// ViewsOf returns views of links, by link and time, and the counts of the
// links, as of one moment. Those that are gone are left out.
func (l *ViewLog) ViewsOf(ctx context.Context, views map[vitrine.LinkID][]vitrine.ViewID) (
	[]vitrine.ViewRecord, map[vitrine.LinkID]vitrine.LinkCounts, error) {
	var keys []tables.NewsKey
	for link, ids := range views {
		for _, id := range ids {
			keys = append(keys, tables.NewsKey{Link: link, View: id})
		}
	}
	c := news{copying: copying{words: l.words.Reader()}}
	err := l.read(ctx, func(t logTx) error { return c.readAll(t, keys, nil, nil) })
	return c.views, c.counts, err
}

// readAll reads views and downloads, with the views of these, and the counts of
// their links and of others.
func (c *news) readAll(t logTx, views, downloads []tables.NewsKey, others map[vitrine.LinkID]bool) error {
	c.views, c.downloads, c.counts = nil, nil, map[vitrine.LinkID]vitrine.LinkCounts{}
	links := map[vitrine.LinkID]bool{}
	maps.Copy(links, others)
	for _, key := range slices.Concat(views, downloads) {
		links[key.Link] = true
	}
	owners := map[vitrine.LinkID]vitrine.AccountID{}
	err := sqldb.InBatches(slices.Sorted(maps.Keys(links)), func(in string, args []any) error {
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
	var all []viewKey
	for _, key := range views {
		all = append(all, viewKey{key.Link, key.View})
	}
	if err := c.downloaded(t, downloads, &all); err != nil {
		return err
	}
	return eachLink(all, func(keys []viewKey) error {
		account, is := owners[keys[0].link]
		if c.unloaded = c.counts[keys[0].link].Downloads == 0; !is {
			return nil
		}
		return c.viewsOf(t, account, keys)
	})
}

// downloaded reads downloads, and adds their views.
func (c *news) downloaded(t logTx, keys []tables.NewsKey, views *[]viewKey) error {
	found := make([]*vitrine.Download, len(keys))
	err := t.GetMany("SELECT coalesce(view, id) FROM downloads WHERE link = $1 AND id = $2", len(keys),
		func(i int) []any { return []any{int64(keys[i].Link), int64(keys[i].View)} },
		func(i int, s sqldb.Scanner) error {
			d := &vitrine.Download{ID: keys[i].View, Link: keys[i].Link}
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
