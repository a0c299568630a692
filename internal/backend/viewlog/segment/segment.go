// Package segment defines the stored forms of the view log: rows of views and
// engagement, segments of many views, labels, and sets of viewer days. Every
// form is checked when it is read; damaged bytes lead to ErrDamaged.
package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"vitrine"
	"vitrine/report"
)

// A segment holds views of a link in columns, so that similar values are
// adjacent and differences are small. It begins with its version and the number
// of views, followed by the lengths of the columns, the columns, and a
// checksum.
//
//	flags     a byte for each view: its flags, and whether it has a session
//	time      ms since the previous view
//	counter   of the ID, minus that of the previous view
//	viewer    8 bytes
//	place, origin, agent, bot        words; bot only if its flag is set
//	session   a byte for each session: the flags of its record
//	engaged, present (minus engaged), screen
//	start, pages, media, depth       if the flag is set, as in the record
//
// The second version adds two columns:
//
//	more      if the flag is set: the upper flags of a view and their values
//	parts     if the flag is set
const (
	segmentVersion = 2
	flagSession    = 1 << 5
	flagMore       = 1 << 6
	sessionParts   = 1 << 5 // in the flags of a session
)

const (
	columnFlags = iota
	columnTime
	columnCounter
	columnViewer
	columnPlace
	columnOrigin
	columnAgent
	columnBot
	columnSession
	columnEngaged
	columnPresent
	columnScreen
	columnStart
	columnPages
	columnMedia
	columnDepth
	columnMore
	columnParts
	columns

	// numberColumns is the number of columns among which those are that are
	// decoded at once.
	numberColumns = columnScreen + 1

	// columnsBefore is the number of columns of the first version.
	columnsBefore = columnMore
)

// Counters is the number of IDs in a millisecond.
const Counters = 1 << 21

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Row is a stored view.
type Row struct {
	ID vitrine.ViewID
	View
	Engaged bool // the view has a session
	Session Session
}

// ViewerDay returns a person's view as an entry of the index of viewer days.
func (r *Row) ViewerDay(link vitrine.LinkID) ViewerDay {
	return ViewerDay{Viewer: int64(r.Viewer), Link: int64(link), Day: report.DayOf(r.ID.Ms())}
}

// Encoder makes a segment from rows ordered by ID.
type Encoder struct {
	columns           [columns][]byte
	Views, Sessions   int64
	First, Last       vitrine.ViewID
	lastMs, lastCount int64
}

func (p *Encoder) Add(r *Row) {
	number := func(column int, n int64) {
		p.columns[column] = binary.AppendUvarint(p.columns[column], uint64(n))
	}
	signed := func(column int, n int64) {
		p.columns[column] = binary.AppendVarint(p.columns[column], n)
	}
	ms, count := r.ID.Ms(), int64(r.ID)%Counters
	if p.Views == 0 {
		p.First, p.lastMs = r.ID, ms
	}
	upper := r.flags()
	flags := byte(upper)
	if r.Engaged {
		flags |= flagSession
	}
	if upper>>8 != 0 {
		flags |= flagMore
		p.columns[columnMore] = r.appendMore(append(p.columns[columnMore], byte(upper>>8)), upper)
	}
	p.columns[columnFlags] = append(p.columns[columnFlags], flags)
	number(columnTime, ms-p.lastMs)
	number(columnCounter, (count-p.lastCount+Counters)%Counters)
	p.columns[columnViewer] = binary.LittleEndian.AppendUint64(p.columns[columnViewer], r.Viewer)
	number(columnPlace, int64(r.Place))
	number(columnOrigin, int64(r.Origin))
	number(columnAgent, int64(r.Agent))
	if r.Flags&ViewBot != 0 {
		number(columnBot, int64(r.Bot))
	}
	p.Views++
	p.Last, p.lastMs, p.lastCount = r.ID, ms, count
	if !r.Engaged {
		return
	}
	p.Sessions++
	s := &r.Session
	sflags := s.flags()
	if s.Parts != (report.Parts{}) {
		sflags |= sessionParts
		p.columns[columnParts] = appendParts(p.columns[columnParts], s.Parts)
	}
	p.columns[columnSession] = append(p.columns[columnSession], sflags)
	number(columnEngaged, s.EngagedMs)
	signed(columnPresent, s.PresentMs-s.EngagedMs)
	number(columnScreen, int64(s.Screen))
	if sflags&sessionStart != 0 {
		signed(columnStart, s.StartMs-ms)
	}
	if sflags&sessionPages != 0 {
		p.columns[columnPages] = appendPages(p.columns[columnPages], s.Pages)
	}
	if sflags&sessionMedia != 0 {
		number(columnMedia, s.Played)
		signed(columnMedia, s.Reached-s.Played)
	}
	if sflags&sessionDepth != 0 {
		p.columns[columnDepth] = appendShare(p.columns[columnDepth], s.Depth)
	}
}

// hundredth is one percent in millionths. Shares sent as whole percents have a
// shorter stored form.
const hundredth = 10_000

func appendShare(b []byte, n int64) []byte {
	if n%hundredth == 0 {
		return binary.AppendUvarint(b, uint64(n/hundredth)<<1)
	}
	return binary.AppendUvarint(b, uint64(n)<<1|1)
}

func (r *Reader) share() int64 {
	n := r.number()
	if n&1 == 0 {
		return n >> 1 * hundredth
	}
	return n >> 1
}

// End appends the segment to b and prepares the encoder for the next one.
func (p *Encoder) End(b []byte) []byte {
	start := len(b)
	b = append(b, segmentVersion)
	b = binary.AppendUvarint(b, uint64(p.Views))
	for _, c := range p.columns {
		b = binary.AppendUvarint(b, uint64(len(c)))
	}
	for i, c := range p.columns {
		b = append(b, c...)
		p.columns[i] = c[:0]
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	*p = Encoder{columns: p.columns}
	return b
}

// Decoder reads the rows of a segment. A row is valid until the next call, and
// while the memory of the segment is unchanged.
type Decoder struct {
	// CountPages skips the pages of sessions. Only their number is read, into
	// SeenPages.
	CountPages bool
	SeenPages  int64

	left            int64
	columns         [columns]Reader
	numbers         [numberColumns]numbers
	ids, rows       bool // the numbers of IDs, and all of rows, are decoded
	storedFlags     byte // of the last row
	lastMs, lastCnt int64
	row             Row
}

// Open begins to read a segment. first is the ID of its first view.
func (u *Decoder) Open(segment []byte, first vitrine.ViewID) error {
	end := len(segment) - 4
	if end < 2 || segment[0] < 1 || segment[0] > segmentVersion ||
		crc32.Checksum(segment[:end], castagnoli) != binary.LittleEndian.Uint32(segment[end:]) {
		return ErrDamaged
	}
	r := Reader{b: segment[1:end]}
	u.left = r.number()
	var lengths [columns]int64
	there, sum := columns, int64(0)
	if segment[0] == 1 {
		there = columnsBefore
	}
	for i := range lengths[:there] {
		lengths[i] = r.number()
		sum += lengths[i]
	}
	if r.bad || sum != int64(r.left()) || slices.Min(lengths[:]) < 0 || u.left != lengths[columnFlags] {
		return ErrDamaged
	}
	for i, n := range lengths {
		u.columns[i] = Reader{b: r.b[r.at:][:n:n]}
		r.at += int(n)
	}
	u.lastMs, u.lastCnt = first.Ms(), 0
	u.ids, u.rows = false, false
	for i := range u.numbers {
		u.numbers[i] = numbers{all: u.numbers[i].all[:0]}
	}
	return nil
}

// Brief reads only the ID, viewer and flags of the next row. It returns nil at
// the end. Do not mix Brief and Next.
func (u *Decoder) Brief() *Row {
	if u.left == 0 {
		return nil
	}
	u.left--
	if !u.ids {
		u.decode(columnTime, columnCounter)
		u.ids = true
	}
	r, c := &u.row, &u.columns
	flags := c[columnFlags].byte()
	u.lastMs += u.numbers[columnTime].next()
	u.lastCnt = (u.lastCnt + u.numbers[columnCounter].next()) % Counters
	r.ID = vitrine.ViewIDAt(u.lastMs, int(u.lastCnt))
	u.storedFlags = flags
	r.Flags, r.Engaged = uint16(flags&^(flagSession|flagMore)), flags&flagSession != 0
	r.Viewer = c[columnViewer].uint64()
	return r
}

// Next reads the next row. It returns nil at the end.
func (u *Decoder) Next() *Row {
	r, c, n := u.Brief(), &u.columns, &u.numbers
	if r == nil {
		return nil
	}
	if !u.rows {
		u.decode(columnPlace, columnOrigin, columnAgent, columnEngaged, columnPresent, columnScreen)
		u.rows = true
	}
	r.Place, r.Origin, r.Agent, r.Bot = n[columnPlace].word(), n[columnOrigin].word(), n[columnAgent].word(), 0
	if r.Flags&ViewBot != 0 {
		r.Bot = c[columnBot].word()
	}
	if r.Version, r.Campaign, r.Was = 0, 0, 0; u.storedFlags&flagMore != 0 {
		r.more(c[columnMore].byte(), &c[columnMore])
	}
	if !r.Engaged {
		return r
	}
	s := &r.Session
	pages := s.Pages[:0]
	*s = Session{}
	sflags := c[columnSession].byte()
	s.Downloaded = sflags&sessionDownloaded != 0
	s.EngagedMs = n[columnEngaged].next()
	s.PresentMs = s.EngagedMs + n[columnPresent].signed()
	s.Screen = n[columnScreen].word()
	if sflags&sessionStart != 0 {
		s.StartMs = u.lastMs + c[columnStart].signed()
	}
	if u.SeenPages = 0; sflags&sessionPages != 0 {
		if u.CountPages {
			u.SeenPages = c[columnPages].countPages()
		} else {
			pages = c[columnPages].pages(pages)
			u.SeenPages = int64(len(pages))
		}
	}
	s.Pages = pages
	if sflags&sessionMedia != 0 {
		s.Played = c[columnMedia].number()
		s.Reached = s.Played + c[columnMedia].signed()
	}
	if sflags&sessionDepth != 0 {
		s.Depth = c[columnDepth].share()
	}
	if sflags&sessionParts != 0 {
		s.Parts = c[columnParts].parts()
	}
	return r
}

// decode decodes columns of numbers.
func (u *Decoder) decode(columns ...int) {
	for _, i := range columns {
		u.numbers[i].decode(u.columns[i])
	}
}

// End returns ErrDamaged if values were missing.
func (u *Decoder) End() error {
	for i := range u.columns {
		if u.columns[i].bad || i < numberColumns && u.numbers[i].bad {
			return ErrDamaged
		}
	}
	return nil
}

// DecodeAll appends the rows of a segment to a list. They share no memory with
// the segment.
func DecodeAll(data []byte, first vitrine.ViewID, rows *[]Row) error {
	var u Decoder
	if err := u.Open(data, first); err != nil {
		return fmt.Errorf("segment %d: %w", first, err)
	}
	for r := u.Next(); r != nil; r = u.Next() {
		c := *r
		c.Session.Pages = append([]report.PageTime(nil), r.Session.Pages...)
		if !c.Engaged {
			c.Session = Session{}
		}
		*rows = append(*rows, c)
	}
	return u.End()
}
