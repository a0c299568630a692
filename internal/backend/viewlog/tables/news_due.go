package tables

import (
	"encoding/binary"
	"slices"
	"sync"

	"vitrine"
	"vitrine/report"
)

// NewsKind is what happened with a view, as the table news has it with the
// link.
type NewsKind uint64

const (
	NewsOpened   NewsKind = iota // it was opened
	NewsDownload                 // the ID is that of the download
	NewsRead                     // a person has read for some time
	NewsReadBy                   // so has a recipient
	NewsExcluded                 // it no longer counts
	newsKinds
)

// NewsOf returns what happened with a view that has engagement (nil: none), of
// a recipient (0: none).
func NewsOf(session *report.Session, to int64) NewsKind {
	switch {
	case session == nil:
		return NewsOpened
	case to == 0:
		return NewsRead
	}
	return NewsReadBy
}

// Note adds a view or a download to the news.
func (c *Changes) Note(link vitrine.LinkID, id vitrine.ViewID, kind NewsKind, at int64) {
	c.News = binary.AppendUvarint(binary.AppendUvarint(c.News, uint64(link)*uint64(newsKinds)+uint64(kind)), uint64(id))
	c.NewsAt = max(c.NewsAt, at)
	c.prompt = c.prompt || kind == NewsDownload || kind == NewsReadBy || kind == NewsRead && !c.feed.Prompt.isDull(link)
}

// NewsRow is a row of the table news.
type NewsRow struct {
	Seq, At int64
	Keys    []NewsKey
}

// ReadLinks returns the links whose views were read.
func ReadLinks(rows []NewsRow) map[vitrine.LinkID]bool {
	links := map[vitrine.LinkID]bool{}
	for _, r := range rows {
		for _, k := range r.Keys {
			if k.Kind == NewsRead {
				links[k.Link] = true
			}
		}
	}
	return links
}

// Fresh returns the views that were read, by recipients or on the links that is
// selects, and the downloads.
func Fresh(rows []NewsRow, is func(vitrine.LinkID) bool) (views, downloads []NewsKey) {
	for _, r := range rows {
		for _, k := range r.Keys {
			switch {
			case k.Kind == NewsReadBy, k.Kind == NewsRead && is(k.Link):
				views = append(views, k)
			case k.Kind == NewsDownload:
				downloads = append(downloads, k)
			}
		}
	}
	return views, downloads
}

// KeyOf returns a key of a row, from its numbers.
func KeyOf(link, id uint64) NewsKey {
	return NewsKey{NewsKind(link % uint64(newsKinds)), vitrine.LinkID(link / uint64(newsKinds)), vitrine.ViewID(id)}
}

// NewsKey is a view, or a download, in the news.
type NewsKey struct {
	Kind NewsKind
	Link vitrine.LinkID
	View vitrine.ViewID
}

// News are the views in the news that have not been decided yet: those that
// were read, until nothing has come from them for some time, and those that
// nothing came from. A process that ends reads the table again from Place on.
type News struct {
	Taken int64 // the last row that was taken in
	// Links have news since this was emptied.
	Links map[vitrine.LinkID]bool

	waits        map[linkView]waiting
	read, opened []waits // in the order of the rows
}

type linkView struct {
	link vitrine.LinkID
	view vitrine.ViewID
}

// waiting is a view that is not decided.
type waiting struct {
	last     int64 // the last row that says that it was read; 0: none
	opened   int32 // how often it is in News.opened
	excluded bool
}

// waits is a view that is decided some time after a row.
type waits struct {
	linkView
	seq, at int64
}

// NewNews returns news of which the rows up to one are decided.
func NewNews(place int64) *News {
	return &News{Taken: place, Links: map[vitrine.LinkID]bool{}, waits: map[linkView]waiting{}}
}

// Len returns how many decisions wait.
func (n *News) Len() int { return len(n.read) + len(n.opened) }

// Place returns the last row before which nothing waits.
func (n *News) Place() int64 {
	place := n.Taken
	for _, list := range [][]waits{n.read, n.opened} {
		if len(list) > 0 {
			place = min(place, list[0].seq-1)
		}
	}
	return place
}

// Take takes in a row.
func (n *News) Take(r *NewsRow) {
	n.Taken = r.Seq
	for _, k := range r.Keys {
		n.Links[k.Link] = true
		key := linkView{k.Link, k.View}
		w, known := n.waits[key]
		switch k.Kind {
		case NewsOpened:
			n.Opened(r, k.Link, k.View)
			continue
		case NewsRead, NewsReadBy:
			w.last, w.excluded = r.Seq, false
			n.read = append(n.read, waits{key, r.Seq, r.At})
		case NewsExcluded:
			w.excluded = true
		}
		if known || w.last > 0 {
			n.waits[key] = w
		}
	}
}

// Opened notes that a view was opened, or downloaded, and may never be read.
func (n *News) Opened(r *NewsRow, link vitrine.LinkID, view vitrine.ViewID) {
	key := linkView{link, view}
	w := n.waits[key]
	w.opened++
	n.waits[key] = w
	n.opened = append(n.opened, waits{key, r.Seq, r.At})
}

// Due are the views that a decision is due about.
type Due struct {
	Ended    []NewsKey // they were read, and nothing came since
	Silent   []NewsKey // nothing came from them
	read, up int       // how many of each list are done
}

// Due returns about most views that are due: their rows are from before the
// times, in ms, or from after a time ahead. They wait until they are Done.
func (n *News) Due(read, opened, ahead int64, most int) (d Due, more bool) {
	is := func(w waits, until int64) bool { return w.at <= until || w.at > ahead }
	for ; d.read < len(n.read) && is(n.read[d.read], read); d.read++ {
		if len(d.Ended) >= most {
			return d, true
		}
		w := n.read[d.read]
		if now := n.waits[w.linkView]; now.last == w.seq && !now.excluded {
			d.Ended = append(d.Ended, NewsKey{NewsRead, w.link, w.view})
		}
	}
	for ; d.up < len(n.opened) && is(n.opened[d.up], opened); d.up++ {
		if len(d.Silent) >= most {
			return d, true
		}
		w := n.opened[d.up]
		if now := n.waits[w.linkView]; now.last == 0 && !now.excluded {
			d.Silent = append(d.Silent, NewsKey{NewsOpened, w.link, w.view})
		}
	}
	return d, false
}

// Links returns the views that have ended, by link.
func (d *Due) Links() (ended map[vitrine.LinkID][]vitrine.ViewID, links map[vitrine.LinkID]bool) {
	ended, links = map[vitrine.LinkID][]vitrine.ViewID{}, map[vitrine.LinkID]bool{}
	for _, k := range d.Ended {
		ended[k.Link], links[k.Link] = append(ended[k.Link], k.View), true
	}
	return ended, links
}

// Views returns the silent views, and those that have ended on the links that
// is selects.
func (d *Due) Views(is func(vitrine.LinkID) bool) []NewsKey {
	views := slices.Clone(d.Silent)
	for _, k := range d.Ended {
		if is(k.Link) {
			views = append(views, k)
		}
	}
	return views
}

// Done removes the views of d.
func (n *News) Done(d Due) {
	for _, w := range n.read[:d.read] {
		if now := n.waits[w.linkView]; now.last == w.seq && now.opened == 0 {
			delete(n.waits, w.linkView)
		}
	}
	for _, w := range n.opened[:d.up] {
		now := n.waits[w.linkView]
		if now.opened--; now.opened > 0 || now.last > 0 && n.later(now.last, d.read) {
			n.waits[w.linkView] = now
		} else {
			delete(n.waits, w.linkView)
		}
	}
	n.read, n.opened = n.read[d.read:], n.opened[d.up:]
}

// later reports whether a row of views that were read still waits when some of
// them are done.
func (n *News) later(seq int64, done int) bool { return done < len(n.read) && n.read[done].seq <= seq }

// Prompt says whether there are news of this process that are read at once.
type Prompt struct {
	mu   sync.Mutex
	is   bool
	dull map[vitrine.LinkID]bool
}

// mostDull bounds the links that are remembered.
const mostDull = 100_000

// Set notes that there are some.
func (p *Prompt) Set() { p.mu.Lock(); p.is = true; p.mu.Unlock() }

// Take reports whether there were some.
func (p *Prompt) Take() (is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	is, p.is = p.is, false
	return is
}

// SetDull notes of links whether something happens at once when they are read.
func (p *Prompt) SetDull(links map[vitrine.LinkID]bool, is func(vitrine.LinkID) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for link := range links {
		switch {
		case is(link):
			delete(p.dull, link)
		case p.dull == nil || len(p.dull) >= mostDull:
			p.dull = map[vitrine.LinkID]bool{link: true}
		default:
			p.dull[link] = true
		}
	}
}

func (p *Prompt) isDull(link vitrine.LinkID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dull[link]
}
