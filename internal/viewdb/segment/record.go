package segment

import (
	"cmp"
	"encoding/binary"
	"errors"

	"vitrine"
	"vitrine/report"
)

// The blobs of a view. Each begins with a byte that holds its version in the
// upper three bits and flags in the lower five; numbers are varints, words the
// numbers of words. Engagement has a blob of its own because it is rewritten
// with each snapshot.
//
//	open:    viewer (8 bytes), place, origin, agent, [bot]
//	session: engaged, present, screen, [start − open's ms], [count, (page − page before, ms)…], [played, reached], [depth]
//
// Parts in brackets are there when their flag is set.
const (
	version     = 1 << 5
	versionMask = 7 << 5

	ViewReturning = 1 << 0
	ViewQR        = 1 << 1
	ViewBot       = 1 << 2
	ViewTold      = 1 << 3 // a bot by its own beacon's word, not by the request's
	ViewImported  = 1 << 4

	sessionDownloaded = 1 << 0
	sessionStart      = 1 << 1
	sessionPages      = 1 << 2
	sessionMedia      = 1 << 3
	sessionDepth      = 1 << 4
)

var ErrDamaged = errors.New("the record is damaged")

// View is the blob of a view.
type View struct {
	Flags                     byte
	Viewer                    uint64
	Place, Origin, Agent, Bot LabelID
}

func (o *View) Append(b []byte) []byte {
	b = append(b, version|o.Flags)
	b = binary.LittleEndian.AppendUint64(b, o.Viewer)
	b = binary.AppendUvarint(b, uint64(o.Place))
	b = binary.AppendUvarint(b, uint64(o.Origin))
	b = binary.AppendUvarint(b, uint64(o.Agent))
	if o.Flags&ViewBot != 0 {
		b = binary.AppendUvarint(b, uint64(o.Bot))
	}
	return b
}

func (o *View) Decode(b []byte) error {
	if len(b) < 9 || b[0]&versionMask != version {
		return ErrDamaged
	}
	o.Flags = b[0] &^ versionMask
	o.Viewer = binary.LittleEndian.Uint64(b[1:])
	r := Reader{b: b[9:]}
	o.Place, o.Origin, o.Agent, o.Bot = r.word(), r.word(), r.word(), 0
	if o.Flags&ViewBot != 0 {
		o.Bot = r.word()
	}
	return r.end()
}

// Human says that the view counts.
func (o *View) Human() bool { return o.Flags&ViewBot == 0 }

// Same says that o and p are of one view: equal but for what the log itself
// decides.
func (o *View) Same(p *View) bool {
	return o.asWritten() == p.asWritten()
}

func (o *View) asWritten() View {
	w := *o
	w.Flags &^= ViewReturning
	if w.Flags&ViewTold != 0 {
		w.Flags &^= ViewTold | ViewBot
		w.Bot = 0
	}
	return w
}

// Session is the blob of a view's engagement. The screen is in it as a word,
// Session.Screen is left alone.
type Session struct {
	report.Session
	Screen  LabelID
	StartMs int64 // vitrine.Engagement.StartMs
}

// flags tell which parts of the record there are.
func (s *Session) flags() (flags byte) {
	for _, part := range []struct {
		there bool
		flag  byte
	}{
		{s.Downloaded, sessionDownloaded},
		{s.StartMs != 0, sessionStart},
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

func (s *Session) Append(b []byte, openMs int64) []byte {
	flags := s.flags()
	b = append(b, version|flags)
	number := func(n int64) { b = binary.AppendUvarint(b, uint64(n)) }
	number(s.EngagedMs)
	number(s.PresentMs)
	number(int64(s.Screen))
	if flags&sessionStart != 0 {
		b = binary.AppendVarint(b, s.StartMs-openMs)
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
func (r *Reader) pages(pages []report.PageTime) []report.PageTime {
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

// Decode reads b into s, whose memory for pages it uses again.
func (s *Session) Decode(b []byte, openMs int64) error {
	if len(b) < 1 || b[0]&versionMask != version {
		return ErrDamaged
	}
	flags, r := b[0], Reader{b: b[1:]}
	pages := s.Pages[:0]
	*s = Session{}
	s.Pages = pages
	s.Downloaded = flags&sessionDownloaded != 0
	s.EngagedMs, s.PresentMs, s.Screen = r.number(), r.number(), r.word()
	if flags&sessionStart != 0 {
		s.StartMs = openMs + r.signed()
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

// Reader takes numbers off a blob. After a failure it yields zeros.
type Reader struct {
	b   []byte
	bad bool
}

func (r *Reader) number() int64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		n := r.b[0]
		r.b = r.b[1:]
		return int64(n)
	}
	n, size := binary.Uvarint(r.b)
	return int64(take(r, n, size))
}

func (r *Reader) signed() int64 {
	n, size := binary.Varint(r.b)
	return take(r, n, size)
}

func (r *Reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *Reader) uint64() uint64 {
	if len(r.b) < 8 {
		r.b, r.bad = nil, true
		return 0
	}
	n := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return n
}

func (r *Reader) word() LabelID { return LabelID(r.number()) }

func take[N any](r *Reader, n N, size int) N {
	if size <= 0 {
		r.b, r.bad = nil, true
		return *new(N)
	}
	r.b = r.b[size:]
	return n
}

// end reports whether all was read and nothing is left.
func (r *Reader) end() error {
	if r.bad || len(r.b) > 0 {
		return ErrDamaged
	}
	return nil
}

// Decode reads the blobs of a view; the row shares no memory with them.
func (r *Row) Decode(open, session []byte) error {
	if err := r.View.Decode(open); err != nil {
		return err
	}
	if r.Engaged = session != nil; !r.Engaged {
		return nil
	}
	r.Session.Pages = nil
	return r.Session.Decode(session, r.ID.Ms())
}

func (r Row) CompareID(id vitrine.ViewID) int { return cmp.Compare(r.ID, id) }
