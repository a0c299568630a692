package viewdb

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"vitrine"
	"vitrine/report"
)

// A pack holds many opens of a link, by columns: what is alike stands together, and numbers are small differences. It begins with
// its version and the number of opens, then come the lengths of the columns, the columns, and a checksum.
//
//	flags     a byte an open: those of the record, and whether there is a session
//	time      ms since the open before
//	counter   of the ID, less that of the open before
//	viewer    8 bytes
//	place, origin, agent, bot        words; bot: where the flag is set
//	session   a byte a session: the flags of its record
//	engaged, present (less engaged), screen
//	start, pages, media, depth       where their flag is set, as in the record
const (
	packVersion   = 1
	packedSession = 1 << 5

	columnFlags = iota - 2
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
	columns
)

// counters is how many IDs a millisecond has.
const counters = 1 << 21

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// row is an open as it is stored.
type row struct {
	id vitrine.ViewID
	openRecord
	engaged bool // it has a session
	session sessionRecord
}

// visit is a person's open as the index of visits has it.
func (r *row) visit(link vitrine.LinkID) visitEntry {
	return visitEntry{viewer: int64(r.viewer), link: int64(link), day: report.DayOf(r.id.Ms())}
}

// packer makes a pack of rows that are given in the order of their IDs.
type packer struct {
	columns           [columns][]byte
	opens, sessions   int64
	first, last       vitrine.ViewID
	lastMs, lastCount int64
}

func (p *packer) add(r *row) {
	number := func(column int, n int64) {
		p.columns[column] = binary.AppendUvarint(p.columns[column], uint64(n))
	}
	signed := func(column int, n int64) {
		p.columns[column] = binary.AppendVarint(p.columns[column], n)
	}
	ms, count := r.id.Ms(), int64(r.id)%counters
	if p.opens == 0 {
		p.first, p.lastMs = r.id, ms
	}
	flags := r.flags
	if r.engaged {
		flags |= packedSession
	}
	p.columns[columnFlags] = append(p.columns[columnFlags], flags)
	number(columnTime, ms-p.lastMs)
	number(columnCounter, (count-p.lastCount+counters)%counters)
	p.columns[columnViewer] = binary.LittleEndian.AppendUint64(p.columns[columnViewer], r.viewer)
	number(columnPlace, int64(r.place))
	number(columnOrigin, int64(r.origin))
	number(columnAgent, int64(r.agent))
	if r.flags&openBot != 0 {
		number(columnBot, int64(r.bot))
	}
	p.opens++
	p.last, p.lastMs, p.lastCount = r.id, ms, count
	if !r.engaged {
		return
	}
	p.sessions++
	s := &r.session
	sflags := s.flags()
	p.columns[columnSession] = append(p.columns[columnSession], sflags)
	number(columnEngaged, s.EngagedMs)
	signed(columnPresent, s.PresentMs-s.EngagedMs)
	number(columnScreen, int64(s.screen))
	if sflags&sessionStart != 0 {
		signed(columnStart, s.startMs-ms)
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

// hundredth is a percent in millionths. Shares that were sent as whole percents are stored as such.
const hundredth = 10_000

func appendShare(b []byte, n int64) []byte {
	if n%hundredth == 0 {
		return binary.AppendUvarint(b, uint64(n/hundredth)<<1)
	}
	return binary.AppendUvarint(b, uint64(n)<<1|1)
}

func (r *reader) share() int64 {
	n := r.number()
	if n&1 == 0 {
		return n >> 1 * hundredth
	}
	return n >> 1
}

// end appends the pack to b and makes the packer ready for the next one.
func (p *packer) end(b []byte) []byte {
	start := len(b)
	b = append(b, packVersion)
	b = binary.AppendUvarint(b, uint64(p.opens))
	for _, c := range p.columns {
		b = binary.AppendUvarint(b, uint64(len(c)))
	}
	for i, c := range p.columns {
		b = append(b, c...)
		p.columns[i] = c[:0]
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	*p = packer{columns: p.columns}
	return b
}

// unpacker reads the rows of a pack. What next returned is good until the next call, and until the pack's memory is used again.
type unpacker struct {
	left            int64
	columns         [columns]reader
	lastMs, lastCnt int64
	row             row
}

// open begins to read a pack whose first open is known.
func (u *unpacker) open(pack []byte, first vitrine.ViewID) error {
	end := len(pack) - 4
	if end < 2 || pack[0] != packVersion || crc32.Checksum(pack[:end], castagnoli) != binary.LittleEndian.Uint32(pack[end:]) {
		return errRecord
	}
	r := reader{b: pack[1:end]}
	u.left = r.number()
	var lengths [columns]int64
	sum := int64(0)
	for i := range lengths {
		lengths[i] = r.number()
		sum += lengths[i]
	}
	if r.bad || sum != int64(len(r.b)) || slices.Min(lengths[:]) < 0 || u.left != lengths[columnFlags] {
		return errRecord
	}
	for i, n := range lengths {
		u.columns[i] = reader{b: r.b[:n]}
		r.b = r.b[n:]
	}
	u.lastMs, u.lastCnt = first.Ms(), 0
	return nil
}

// brief reads the next row's ID, viewer and flags alone; nil at the end. Brief and next do not go together.
func (u *unpacker) brief() *row {
	if u.left == 0 {
		return nil
	}
	u.left--
	r, c := &u.row, &u.columns
	flags := c[columnFlags].byte()
	u.lastMs += c[columnTime].number()
	u.lastCnt = (u.lastCnt + c[columnCounter].number()) % counters
	r.id = vitrine.ViewIDAt(u.lastMs, int(u.lastCnt))
	r.flags, r.engaged = flags&^packedSession, flags&packedSession != 0
	r.viewer = c[columnViewer].uint64()
	return r
}

// next reads the next row; nil at the end.
func (u *unpacker) next() *row {
	r, c := u.brief(), &u.columns
	if r == nil {
		return nil
	}
	r.place, r.origin, r.agent, r.bot = c[columnPlace].word(), c[columnOrigin].word(), c[columnAgent].word(), 0
	if r.flags&openBot != 0 {
		r.bot = c[columnBot].word()
	}
	if !r.engaged {
		return r
	}
	s := &r.session
	pages := s.Pages[:0]
	*s = sessionRecord{}
	sflags := c[columnSession].byte()
	s.Downloaded = sflags&sessionDownloaded != 0
	s.EngagedMs = c[columnEngaged].number()
	s.PresentMs = s.EngagedMs + c[columnPresent].signed()
	s.screen = c[columnScreen].word()
	if sflags&sessionStart != 0 {
		s.startMs = u.lastMs + c[columnStart].signed()
	}
	if sflags&sessionPages != 0 {
		pages = c[columnPages].pages(pages)
	}
	s.Pages = pages
	if sflags&sessionMedia != 0 {
		s.Played = c[columnMedia].number()
		s.Reached = s.Played + c[columnMedia].signed()
	}
	if sflags&sessionDepth != 0 {
		s.Depth = c[columnDepth].share()
	}
	return r
}

// end reports whether all that was read was there.
func (u *unpacker) end() error {
	for i := range u.columns {
		if u.columns[i].bad {
			return errRecord
		}
	}
	return nil
}
