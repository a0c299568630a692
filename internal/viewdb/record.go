package viewdb

import (
	"encoding/binary"
	"errors"

	"vitrine/report"
)

// The blobs of an open. Each begins with a byte that holds its version in the upper three bits and flags in the lower five;
// numbers are varints, words the numbers of words. Engagement has a blob of its own because it is rewritten with each snapshot.
//
//	open:    viewer (8 bytes), place, origin, agent, [bot]
//	session: engaged, present, screen, [start − open's ms], [count, (page − page before, ms)…], [played, reached], [depth]
//
// Parts in brackets are there when their flag is set.
const (
	version     = 1 << 5
	versionMask = 7 << 5

	openReturning = 1 << 0
	openQR        = 1 << 1
	openBot       = 1 << 2
	openTold      = 1 << 3 // a bot by its own beacon's word, not by the request's
	openImported  = 1 << 4

	sessionDownloaded = 1 << 0
	sessionStart      = 1 << 1
	sessionPages      = 1 << 2
	sessionMedia      = 1 << 3
	sessionDepth      = 1 << 4
)

var errRecord = errors.New("the record is damaged")

// openRecord is the blob of an open.
type openRecord struct {
	flags                     byte
	viewer                    uint64
	place, origin, agent, bot wordID
}

func (o *openRecord) append(b []byte) []byte {
	b = append(b, version|o.flags)
	b = binary.LittleEndian.AppendUint64(b, o.viewer)
	b = binary.AppendUvarint(b, uint64(o.place))
	b = binary.AppendUvarint(b, uint64(o.origin))
	b = binary.AppendUvarint(b, uint64(o.agent))
	if o.flags&openBot != 0 {
		b = binary.AppendUvarint(b, uint64(o.bot))
	}
	return b
}

func (o *openRecord) decode(b []byte) error {
	if len(b) < 9 || b[0]&versionMask != version {
		return errRecord
	}
	o.flags = b[0] &^ versionMask
	o.viewer = binary.LittleEndian.Uint64(b[1:])
	r := reader{b: b[9:]}
	o.place, o.origin, o.agent, o.bot = r.word(), r.word(), r.word(), 0
	if o.flags&openBot != 0 {
		o.bot = r.word()
	}
	return r.end()
}

// human says that the open counts.
func (o *openRecord) human() bool { return o.flags&openBot == 0 }

// same says that o and p are of one open: equal but for what the log itself decides.
func (o *openRecord) same(p *openRecord) bool {
	return o.asWritten() == p.asWritten()
}

func (o *openRecord) asWritten() openRecord {
	w := *o
	w.flags &^= openReturning
	if w.flags&openTold != 0 {
		w.flags &^= openTold | openBot
		w.bot = 0
	}
	return w
}

// sessionRecord is the blob of an open's engagement. The screen is in it as a word, Session.Screen is left alone.
type sessionRecord struct {
	report.Session
	screen  wordID
	startMs int64 // vitrine.Engagement.StartMs
}

// flags tell which parts of the record there are.
func (s *sessionRecord) flags() (flags byte) {
	for _, part := range []struct {
		there bool
		flag  byte
	}{
		{s.Downloaded, sessionDownloaded},
		{s.startMs != 0, sessionStart},
		{len(s.Pages) > 0, sessionPages},
		{s.Played != 0 || s.Reached != 0, sessionMedia},
		{s.Depth != 0, sessionDepth},
	} {
		if part.there {
			flags |= part.flag
		}
	}
	return flags
}

func (s *sessionRecord) append(b []byte, openMs int64) []byte {
	flags := s.flags()
	b = append(b, version|flags)
	number := func(n int64) { b = binary.AppendUvarint(b, uint64(n)) }
	number(s.EngagedMs)
	number(s.PresentMs)
	number(int64(s.screen))
	if flags&sessionStart != 0 {
		b = binary.AppendVarint(b, s.startMs-openMs)
	}
	if flags&sessionPages != 0 {
		b = appendPages(b, s.Pages)
	}
	if flags&sessionMedia != 0 {
		number(s.Played)
		number(s.Reached)
	}
	if flags&sessionDepth != 0 {
		number(s.Depth)
	}
	return b
}

func appendPages(b []byte, pages []report.PageTime) []byte {
	b = binary.AppendUvarint(b, uint64(len(pages)))
	before := 0
	for _, p := range pages {
		b = binary.AppendUvarint(b, uint64(p.Page-before))
		b = binary.AppendUvarint(b, uint64(p.Ms))
		before = p.Page
	}
	return b
}

// pages reads what appendPages wrote, into memory that it is given.
func (r *reader) pages(pages []report.PageTime) []report.PageTime {
	n := r.number()
	if n < 1 || n > int64(len(r.b)) {
		r.b, r.bad = nil, true
		return pages
	}
	page := 0
	for range n {
		page += int(r.number())
		pages = append(pages, report.PageTime{Page: page, Ms: r.number()})
	}
	return pages
}

// decode reads b into s, whose memory for pages it uses again.
func (s *sessionRecord) decode(b []byte, openMs int64) error {
	if len(b) < 1 || b[0]&versionMask != version {
		return errRecord
	}
	flags, r := b[0], reader{b: b[1:]}
	pages := s.Pages[:0]
	*s = sessionRecord{}
	s.Pages = pages
	s.Downloaded = flags&sessionDownloaded != 0
	s.EngagedMs, s.PresentMs, s.screen = r.number(), r.number(), r.word()
	if flags&sessionStart != 0 {
		s.startMs = openMs + r.signed()
	}
	if flags&sessionPages != 0 {
		s.Pages = r.pages(s.Pages)
	}
	if flags&sessionMedia != 0 {
		s.Played, s.Reached = r.number(), r.number()
	}
	if flags&sessionDepth != 0 {
		s.Depth = r.number()
	}
	return r.end()
}

// reader takes numbers off a blob. After a failure it yields zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number() int64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		n := r.b[0]
		r.b = r.b[1:]
		return int64(n)
	}
	n, size := binary.Uvarint(r.b)
	return int64(take(r, n, size))
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.b)
	return take(r, n, size)
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) uint64() uint64 {
	if len(r.b) < 8 {
		r.b, r.bad = nil, true
		return 0
	}
	n := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return n
}

func (r *reader) word() wordID { return wordID(r.number()) }

func take[N any](r *reader, n N, size int) N {
	if size <= 0 {
		r.b, r.bad = nil, true
		return *new(N)
	}
	r.b = r.b[size:]
	return n
}

// end reports whether all was read and nothing is left.
func (r *reader) end() error {
	if r.bad || len(r.b) > 0 {
		return errRecord
	}
	return nil
}
