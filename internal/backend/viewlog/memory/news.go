package memory

import (
	"encoding/binary"

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
	NewsKinds
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
	c.News = binary.AppendUvarint(binary.AppendUvarint(c.News, uint64(link)*uint64(NewsKinds)+uint64(kind)), uint64(id))
	c.NewsAt = max(c.NewsAt, at)
}

// newsKept bounds the views that are remembered.
const newsKept = 100_000

// News is what a reader of the news remembers of them. Without it, more views
// are read.
type News struct {
	latest map[newsKey]int64 // the last rows with the engagement of views
	// Links have news; the reader forgets them.
	Links map[vitrine.LinkID]bool
}

type newsKey struct {
	link vitrine.LinkID
	view vitrine.ViewID
}

// Selects reports whether the n-th read of a row needs a view or download, and
// remembers the row.
func (p *News) Selects(n int, kind NewsKind, link vitrine.LinkID, view vitrine.ViewID, seq int64) bool {
	key, read := newsKey{link, view}, kind == NewsRead || kind == NewsReadBy
	last, known := p.latest[key]
	switch {
	case n == 0:
		if p.Links == nil {
			p.Links = map[vitrine.LinkID]bool{}
		}
		if p.latest == nil {
			p.latest = map[newsKey]int64{}
		}
		p.Links[link] = true
		if read && (known || len(p.latest) < newsKept) {
			p.latest[key] = max(last, seq)
		}
		return kind != NewsOpened
	case n == 1:
		return read && last <= seq || kind == NewsDownload // it is read when its last row is
	case read && last <= seq:
		delete(p.latest, key)
	}
	return kind == NewsOpened && !known || kind == NewsDownload
}
