// Package segment defines the stored forms of the view log: rows of views and
// engagement, segments of many views, labels, and sets of viewer days. Every
// form is checked when it is read; damaged bytes lead to ErrDamaged.
package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"vitrine"
	"vitrine/report"
)

// A segment holds views of a link in columns, so that similar values are
// adjacent and differences are small: its version, the number of views, the
// columns, and a checksum.
const segmentVersion = 1

// The columns. Those after flags have a number for each view, those after
// session one for each session. Others have numbers only where their flag is
// set, and pages as many as the number of pages says.
const (
	columnFlags   = iota // of the record, and flagSession
	columnTime           // ms since the previous view
	columnCounter        // of the ID, minus that of the previous view
	columnViewer
	columnPlace
	columnOrigin
	columnAgent
	columnBot
	columnVersion
	columnCampaign
	columnWas
	columnRecipient
	columnAlbum
	columnSession // the flags of the record
	columnEngaged
	columnPresent // minus engaged
	columnScreen
	columnStart  // minus the time of the view
	columnPages  // number of pages
	columnPage   // minus the page before
	columnPageMs // without the last page
	columnRest   // engaged, minus the times of all pages
	columnPlayed
	columnReached // minus played
	columnDepth
	columnParts    // bytes of appendParts
	columnClicks   // number of clicks; part and count of each
	columnTargets  // length and bytes of the target of each click
	columnBands    // of each page: which of its bands are not zero
	columnBandMs   // of those, without the last of each page
	columnBandRest // time on the page, minus its bands
	columns
)

const (
	flagSession = 1 << 7 // in the flags of a view; no flag of a record
	// maxRows is more than the rows of any segment, so that damage is found
	// before memory is allocated.
	maxRows = 1 << 16
)

// kinds says what the numbers of a column are, if they are not words.
var kinds = [columns]columnKind{columnTime: measures, columnEngaged: measures, columnPresent: measures,
	columnStart: measures, columnPageMs: listed,
	columnRest: measures, columnBandMs: measures, columnBandRest: measures}

// The columns of words that every view has.
const (
	PlaceColumn  Column = columnPlace
	OriginColumn Column = columnOrigin
	AgentColumn  Column = columnAgent
)

// Column is a column of a segment.
type Column int

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
	columns           [columns]columnWriter
	Views, Sessions   int64
	Albums            bool // a view was opened from an album
	First, Last       vitrine.ViewID
	lastMs, lastCount int64
}

// Add adds a view. IDs must increase.
func (p *Encoder) Add(r *Row) {
	c := &p.columns
	ms, count := r.ID.Ms(), int64(r.ID)%Counters
	if p.Views == 0 {
		p.First, p.lastMs = r.ID, ms
	}
	flags := r.flags()
	if r.Engaged {
		flags |= flagSession
	}
	c[columnFlags].number(int64(flags))
	c[columnTime].number(ms - p.lastMs)
	c[columnCounter].number((count - p.lastCount + Counters) % Counters)
	c[columnViewer].number(int64(r.Viewer))
	c[columnPlace].word(r.Place)
	c[columnOrigin].word(r.Origin)
	c[columnAgent].word(r.Agent)
	for _, part := range []struct {
		flag   uint16
		column int
		n      int64
	}{{ViewBot, columnBot, int64(r.Bot)}, {viewVersion, columnVersion, int64(r.Version)},
		{viewCampaign, columnCampaign, int64(r.Campaign)}, {viewWas, columnWas, int64(r.Was)},
		{viewTo, columnRecipient, r.Recipient}, {viewAlbum, columnAlbum, r.Album}} {
		if flags&part.flag != 0 {
			c[part.column].number(part.n)
		}
	}
	p.Views++
	p.Albums = p.Albums || flags&viewAlbum != 0
	p.Last, p.lastMs, p.lastCount = r.ID, ms, count
	if r.Engaged {
		p.Sessions++
		p.session(&r.Session, ms)
	}
}

// session adds the session of a view.
func (p *Encoder) session(s *Session, viewMs int64) {
	c, flags := &p.columns, uint16(s.flags())|s.rare()
	if flags&sessionParts != 0 {
		c[columnParts].bytes(appendParts(nil, s.Parts))
	}
	if flags&sessionClicks != 0 {
		p.clicks(s.Clicks)
	}
	c[columnSession].number(int64(flags))
	c[columnEngaged].number(s.EngagedMs)
	c[columnPresent].number(s.PresentMs - s.EngagedMs)
	c[columnScreen].word(s.Screen)
	if flags&sessionStart != 0 {
		c[columnStart].signed(s.StartMs - viewMs)
	}
	if flags&sessionPages != 0 {
		c[columnPages].number(int64(len(s.Pages)))
		before, rest := 0, s.EngagedMs
		for i, page := range s.Pages {
			c[columnPage].number(int64(page.Page - before))
			if i < len(s.Pages)-1 {
				c[columnPageMs].number(page.Ms)
			}
			before, rest = page.Page, rest-page.Ms
		}
		c[columnRest].signed(rest)
	}
	if flags&sessionBands != 0 {
		p.bands(s.Pages)
	}
	if flags&sessionMedia != 0 {
		c[columnPlayed].number(s.Played)
		c[columnReached].signed(s.Reached - s.Played)
	}
	if flags&sessionDepth != 0 {
		c[columnDepth].number(shareNumber(s.Depth))
	}
}

// hundredth is one percent in millionths. Shares sent as whole percents have a
// shorter stored form.
const hundredth = 10_000

func shareNumber(n int64) int64 {
	if n%hundredth == 0 {
		return n / hundredth << 1
	}
	return n<<1 | 1
}

func shareOf(number int64) int64 {
	if number&1 == 0 {
		return number >> 1 * hundredth
	}
	return number >> 1
}

// End appends the segment to b and prepares the encoder for the next one.
func (p *Encoder) End(b []byte) []byte {
	start := len(b)
	b = append(b, segmentVersion)
	b = binary.AppendUvarint(b, uint64(p.Views))
	b = appendColumns(b, p.columns[:], kinds[:])
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	*p = Encoder{columns: p.columns}
	return b
}

// Decoder reads the rows of a segment. A row is valid until the next call, and
// while the memory of the segment is unchanged.
type Decoder struct {
	// Sums skips what no sums over links are made of: starts, parts, how far a
	// medium was played, and pages. Only their number is read, into SeenPages.
	Sums      bool
	SeenPages int64

	rows, left      int64
	columns         [columns]column
	lastMs, lastCnt int64
	row             Row
	bytes           []byte
}

// Open begins to read a segment. first is the ID of its first view.
func (u *Decoder) Open(segment []byte, first vitrine.ViewID) error {
	end := len(segment) - 4
	if end < 2 || segment[0] != segmentVersion ||
		crc32.Checksum(segment[:end], castagnoli) != binary.LittleEndian.Uint32(segment[end:]) {
		return ErrDamaged
	}
	r := Reader{b: segment[1:end]}
	u.rows = r.number()
	if u.rows < 0 || u.rows > maxRows || !r.columns(u.columns[:], kinds[:]) {
		return ErrDamaged
	}
	u.left, u.lastMs, u.lastCnt = u.rows, first.Ms(), 0
	return r.end()
}

// Words returns the numbers of the words in a column, each at least once. Call
// it before reading rows. The result is valid until the next Open.
func (u *Decoder) Words(c Column) []int64 { return u.columns[c].different(u.rows) }

// Named reports whether a row is a view through the address of a recipient.
// Call it before reading rows.
func (u *Decoder) Named() bool { return !u.columns[columnRecipient].zeros() }

// FromAlbums reports whether a row is a view that was opened from an album.
// Call it before reading rows.
func (u *Decoder) FromAlbums() bool { return !u.columns[columnAlbum].zeros() }

// Brief reads only the ID, viewer and flags of the next row. It returns nil at
// the end. Do not mix Brief and Next.
func (u *Decoder) Brief() *Row {
	if u.left == 0 {
		return nil
	}
	u.left--
	r, c := &u.row, &u.columns
	u.lastMs += c[columnTime].next()
	u.lastCnt = (u.lastCnt + c[columnCounter].next()) % Counters
	r.ID = vitrine.ViewIDAt(u.lastMs, int(u.lastCnt))
	flags := uint16(c[columnFlags].next())
	r.Flags, r.Engaged = flags&^flagSession, flags&flagSession != 0
	r.Viewer = uint64(c[columnViewer].next())
	return r
}

// Next reads the next row. It returns nil at the end.
func (u *Decoder) Next() *Row {
	r, c := u.Brief(), &u.columns
	if r == nil {
		return nil
	}
	r.Place, r.Origin, r.Agent = c[columnPlace].word(), c[columnOrigin].word(), c[columnAgent].word()
	r.Bot, r.Version, r.Campaign, r.Was, r.Recipient, r.Album = 0, 0, 0, 0, 0, 0
	if r.Flags&ViewBot != 0 {
		r.Bot = c[columnBot].word()
	}
	if r.Flags&viewParts != 0 {
		u.more(r)
	}
	if r.Engaged {
		u.session(&r.Session)
	}
	return r
}

// more reads the rare parts of a row.
func (u *Decoder) more(r *Row) {
	c := &u.columns
	if r.Flags&viewVersion != 0 {
		if r.Version = int(c[columnVersion].next()); r.Version < 2 {
			c[columnVersion].bad = true
		}
	}
	if r.Flags&viewCampaign != 0 {
		r.Campaign = c[columnCampaign].word()
	}
	if r.Flags&viewWas != 0 {
		r.Was = c[columnWas].word()
	}
	if r.Flags&viewTo != 0 {
		if r.Recipient = c[columnRecipient].next(); r.Recipient <= 0 {
			c[columnRecipient].bad = true
		}
	}
	if r.Flags&viewAlbum != 0 {
		if r.Album = c[columnAlbum].next(); r.Album <= 0 {
			c[columnAlbum].bad = true
		}
	}
	r.Flags &^= viewParts
}

// session reads the session of a row.
func (u *Decoder) session(s *Session) {
	c, pages := &u.columns, s.Pages[:0]
	*s = Session{}
	flags := uint16(c[columnSession].next() & 0xffff)
	s.Downloaded, s.Outlined = flags&sessionDownloaded != 0, flags&sessionOutlined != 0
	s.EngagedMs = c[columnEngaged].next()
	s.PresentMs = s.EngagedMs + c[columnPresent].next()
	s.Screen = c[columnScreen].word()
	if flags&sessionStart != 0 && !u.Sums {
		s.StartMs = u.lastMs + c[columnStart].signed()
	}
	if u.SeenPages = 0; flags&sessionPages != 0 {
		if u.SeenPages = c[columnPages].next(); u.SeenPages < 0 || u.SeenPages > vitrine.MaxPages {
			u.SeenPages, c[columnPages].bad = 0, true
		}
		if !u.Sums {
			pages = u.pages(pages, s.EngagedMs)
		}
	}
	s.Pages = pages
	if flags&sessionMedia != 0 {
		s.Played = c[columnPlayed].next()
		if !u.Sums {
			s.Reached = s.Played + c[columnReached].signed()
		}
	}
	if flags&sessionDepth != 0 {
		s.Depth = shareOf(c[columnDepth].next())
		s.Unmeasured = s.Depth == 0
	}
	if flags&sessionParts != 0 && !u.Sums {
		s.Parts = u.parts()
	}
	if flags&sessionClicks != 0 {
		s.Clicks = u.clicks()
	}
	if flags&sessionBands != 0 && !u.Sums {
		u.bands(s.Pages)
	}
}

// pages reads the pages of a session. Most of them add up to its engaged time,
// so that of the last page need not be stored.
func (u *Decoder) pages(pages []report.PageTime, engaged int64) []report.PageTime {
	steps, times, page := &u.columns[columnPage], &u.columns[columnPageMs], 0
	left := engaged - u.columns[columnRest].signed()
	for i := u.SeenPages - 1; i >= 0; i-- {
		page += int(steps.next())
		ms := left
		if i > 0 {
			ms = times.next()
		}
		pages, left = append(pages, report.PageTime{Page: page, Ms: ms}), left-ms
		if times.bad {
			break
		}
	}
	return pages
}

func (u *Decoder) parts() report.Parts {
	c := &u.columns[columnParts]
	n := c.next()
	if n < 0 || n > rawParts {
		c.bad = true
		return report.Parts{}
	}
	rest := 2 * n
	if n == rawParts {
		rest = rawPartsLen
	}
	u.bytes = append(u.bytes[:0], byte(n))
	for range rest {
		u.bytes = append(u.bytes, byte(c.next()))
	}
	r := Reader{b: u.bytes}
	return r.parts()
}

// End returns ErrDamaged if values were missing.
func (u *Decoder) End() error {
	if anyBad(u.columns[:]) {
		return ErrDamaged
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
