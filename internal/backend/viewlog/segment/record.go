package segment

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"vitrine"
	"vitrine/report"
)

// The blobs of a view. The first byte of a record holds the version in its
// upper three bits and flags in the lower five; that of a session has only
// flags. Numbers are varints; words are stored as their numbers. Engagement has
// its own blob, because each snapshot rewrites it.
//
//	record:  viewer (8 bytes), place, origin, agent, [bot]
//	session: engaged, present, screen, [start − ms of the view],
//	         [count, (page − previous page, ms)…], [played, reached], [depth]
//
// Parts in brackets are present if their flag is set. A depth of 0 says that
// the session is unmeasured. Records with rare parts have the second version.
// What is rare is at the end:
//
//	record:  a byte of upper flags, [version of the file], [campaign],
//	         [previous bot reason], [recipient], [album]
//	session: [parts of a medium], [a byte of upper flags,
//	         [count, (part, count, target)… of clicks], [(mask, ms…)… of the bands of pages]]
const (
	version     = 1 << 5
	moreVersion = 2 << 5
	versionMask = 7 << 5

	ViewReturning    = 1 << 0
	ViewQR           = 1 << 1
	ViewBot          = 1 << 2
	ViewSelfReported = 1 << 3 // by its own beacon, not by its request
	ViewImported     = 1 << 4

	// The upper flags.
	viewVersion  = 1 << 8 // the file's version is not 1
	viewCampaign = 1 << 9
	ViewOwn      = 1 << 10
	ViewDecided  = 1 << 11 // decided after the view was stored
	ViewWaits    = 1 << 12 // has a download that counts if the view is included
	viewWas      = 1 << 13 // new rules changed why it is excluded
	viewTo       = 1 << 14 // through the address of a recipient
	viewAlbum    = 1 << 15 // opened from an album

	// viewParts are the upper flags that announce parts.
	viewParts = viewVersion | viewCampaign | viewWas | viewTo | viewAlbum

	sessionDownloaded = 1 << 0
	sessionStart      = 1 << 1
	sessionPages      = 1 << 2
	sessionMedia      = 1 << 3
	sessionDepth      = 1 << 4
	sessionParts      = 1 << 5
	sessionOutlined   = 1 << 6
	sessionMore       = 1 << 7

	// The upper flags.
	sessionClicks = 1 << 8
	sessionBands  = 1 << 9
)

// ErrDamaged is the error of a record that cannot be read. It is a
// [vitrine.ErrDamaged].
var ErrDamaged = fmt.Errorf("the record is damaged: %w", vitrine.ErrDamaged)

// View is the stored record of a view.
type View struct {
	Flags                     uint16
	Viewer                    uint64
	Place, Origin, Agent, Bot WordID
	Campaign, Was             WordID
	Version                   int   // of the file; 0 means the first
	Recipient                 int64 // 0 means the plain address
	Album                     int64 // 0 means none
}

// flags returns the flags of the record, including those of its optional parts.
func (v *View) flags() uint16 {
	flags := v.Flags
	if v.Version > 1 {
		flags |= viewVersion
	}
	if v.Campaign != 0 {
		flags |= viewCampaign
	}
	if v.Was != 0 {
		flags |= viewWas
	}
	if v.Recipient != 0 {
		flags |= viewTo
	}
	if v.Album != 0 {
		flags |= viewAlbum
	}
	return flags
}

// Append appends the stored form of a view.
func (v *View) Append(b []byte) []byte {
	flags := v.flags()
	if flags>>8 == 0 {
		b = append(b, version|byte(flags))
	} else {
		b = append(b, moreVersion|byte(flags))
	}
	b = binary.LittleEndian.AppendUint64(b, v.Viewer)
	b = binary.AppendUvarint(b, uint64(v.Place))
	b = binary.AppendUvarint(b, uint64(v.Origin))
	b = binary.AppendUvarint(b, uint64(v.Agent))
	if v.Flags&ViewBot != 0 {
		b = binary.AppendUvarint(b, uint64(v.Bot))
	}
	if flags>>8 != 0 {
		b = v.appendMore(append(b, byte(flags>>8)), flags)
	}
	return b
}

// appendMore appends the parts that the upper flags announce.
func (v *View) appendMore(b []byte, flags uint16) []byte {
	if flags&viewVersion != 0 {
		b = binary.AppendUvarint(b, uint64(v.Version))
	}
	if flags&viewCampaign != 0 {
		b = binary.AppendUvarint(b, uint64(v.Campaign))
	}
	if flags&viewWas != 0 {
		b = binary.AppendUvarint(b, uint64(v.Was))
	}
	if flags&viewTo != 0 {
		b = binary.AppendUvarint(b, uint64(v.Recipient))
	}
	if flags&viewAlbum != 0 {
		b = binary.AppendUvarint(b, uint64(v.Album))
	}
	return b
}

// more reads the upper flags and the parts written by appendMore.
func (v *View) more(flags byte, r *Reader) {
	upper := uint16(flags) << 8
	if upper&viewVersion != 0 {
		if v.Version = int(r.number()); v.Version < 2 {
			r.bad = true
		}
	}
	if upper&viewCampaign != 0 {
		v.Campaign = r.word()
	}
	if upper&viewWas != 0 {
		v.Was = r.word()
	}
	if upper&viewTo != 0 {
		if v.Recipient = r.number(); v.Recipient <= 0 {
			r.bad = true
		}
	}
	if upper&viewAlbum != 0 {
		if v.Album = r.number(); v.Album <= 0 {
			r.bad = true
		}
	}
	v.Flags |= upper &^ viewParts
}

// Decode reads what Append wrote and sets all of v.
func (v *View) Decode(b []byte) error {
	if len(b) < 9 || b[0]&versionMask != version && b[0]&versionMask != moreVersion {
		return ErrDamaged
	}
	*v = View{Flags: uint16(b[0] &^ versionMask), Viewer: binary.LittleEndian.Uint64(b[1:])}
	r := Reader{b: b[9:]}
	v.Place, v.Origin, v.Agent = r.word(), r.word(), r.word()
	if v.Flags&ViewBot != 0 {
		v.Bot = r.word()
	}
	if b[0]&versionMask == moreVersion {
		v.more(r.byte(), &r)
	}
	return r.end()
}

// Human reports whether the view counts.
func (v *View) Human() bool { return v.Flags&ViewBot == 0 }

// Same reports whether o and p describe the same view. It ignores what the log
// itself decides.
func (v *View) Same(p *View) bool {
	decided := (v.Flags | p.Flags) & ViewDecided
	return v.asWritten(decided) == p.asWritten(decided)
}

func (v *View) asWritten(decided uint16) View {
	w := *v
	w.Was = 0
	w.Flags &^= ViewReturning | ViewDecided | ViewWaits
	if (w.Flags|decided)&(ViewSelfReported|ViewOwn|ViewDecided) != 0 {
		w.Flags &^= ViewSelfReported | ViewBot
		w.Bot = 0
	}
	return w
}

// Session is the stored engagement of a view. Screen is the number of a word;
// Session.Screen is not used.
type Session struct {
	report.Session
	Screen  WordID
	StartMs int64 // vitrine.Engagement.StartMs
}

// flags returns the flags of the optional parts of the record.
func (s *Session) flags() (flags byte) {
	for _, part := range []struct {
		there bool
		flag  byte
	}{
		{s.Downloaded, sessionDownloaded},
		{s.StartMs != 0, sessionStart},
		{len(s.Pages) > 0, sessionPages},
		{s.Played != 0 || s.Reached != 0, sessionMedia},
		{s.Depth != 0 || s.Unmeasured, sessionDepth},
	} {
		if part.there {
			flags |= part.flag
		}
	}
	return flags
}

// rare returns the flags of the rare parts, which follow the others.
func (s *Session) rare() (flags uint16) {
	if s.Parts != (report.Parts{}) {
		flags |= sessionParts
	}
	if s.Outlined {
		flags |= sessionOutlined
	}
	if len(s.Clicks) > 0 {
		flags |= sessionMore | sessionClicks
	}
	if hasBands(s.Pages) {
		flags |= sessionMore | sessionBands
	}
	return flags
}

// Append appends the stored form of the session of a view that began at viewMs.
func (s *Session) Append(b []byte, viewMs int64) []byte {
	flags := uint16(s.flags()) | s.rare()
	b = append(b, byte(flags&0xff))
	number := func(n int64) { b = binary.AppendUvarint(b, uint64(n)) }
	number(s.EngagedMs)
	number(s.PresentMs)
	number(int64(s.Screen))
	if flags&sessionStart != 0 {
		b = binary.AppendVarint(b, s.StartMs-viewMs)
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
	if s.Parts != (report.Parts{}) {
		b = appendParts(b, s.Parts)
	}
	if flags&sessionMore != 0 {
		b = append(b, byte(flags>>8))
	}
	if flags&sessionClicks != 0 {
		b = appendClicks(b, s.Clicks)
	}
	if flags&sessionBands != 0 {
		b = appendBands(b, s.Pages)
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

// pages reads what appendPages wrote, into the given memory.
func (r *Reader) pages(pages []report.PageTime) []report.PageTime {
	n := r.number()
	if n < 1 || n > int64(r.left()) {
		r.fail()
		return pages
	}
	page := 0
	for range n {
		page += int(r.number())
		pages = append(pages, report.PageTime{Page: page, Ms: r.number()})
	}
	return pages
}

// Decode reads b into s. It reuses the memory of s.Pages.
func (s *Session) Decode(b []byte, viewMs int64) error {
	if len(b) < 1 {
		return ErrDamaged
	}
	flags, r := uint16(b[0]), Reader{b: b[1:]}
	pages := s.Pages[:0]
	*s = Session{}
	s.Pages = pages
	s.Downloaded, s.Outlined = flags&sessionDownloaded != 0, flags&sessionOutlined != 0
	s.EngagedMs, s.PresentMs, s.Screen = r.number(), r.number(), r.word()
	if flags&sessionStart != 0 {
		s.StartMs = viewMs + r.signed()
	}
	if flags&sessionPages != 0 {
		s.Pages = r.pages(s.Pages)
	}
	if flags&sessionMedia != 0 {
		s.Played, s.Reached = r.number(), r.number()
	}
	if flags&sessionDepth != 0 {
		s.Depth = r.number()
		s.Unmeasured = s.Depth == 0
	}
	if flags&sessionParts != 0 {
		s.Parts = r.parts()
	}
	if flags&sessionMore != 0 {
		flags |= uint16(r.byte()) << 8
	}
	if flags&sessionClicks != 0 {
		s.Clicks = r.clicks()
	}
	if flags&sessionBands != 0 {
		r.bands(s.Pages)
	}
	return r.end()
}

// Reader reads values from a blob. After a failure it returns zeros.
type Reader struct {
	b   []byte
	at  int
	bad bool
}

// left returns the number of unread bytes.
func (r *Reader) left() int { return len(r.b) - r.at }

func (r *Reader) fail() { r.at, r.bad = len(r.b), true }

func (r *Reader) number() int64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 {
		n := r.b[r.at]
		r.at++
		return int64(n)
	}
	n, size := binary.Uvarint(r.b[r.at:])
	return int64(take(r, n, size))
}

func (r *Reader) signed() int64 { return signed(r.number()) }

func (r *Reader) byte() byte {
	if r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	c := r.b[r.at]
	r.at++
	return c
}

func (r *Reader) word() WordID { return WordID(r.number()) }

func take[N any](r *Reader, n N, size int) N {
	if size <= 0 {
		r.fail()
		return *new(N)
	}
	r.at += size
	return n
}

// end returns ErrDamaged if reading failed or bytes are left.
func (r *Reader) end() error {
	if r.bad || r.left() > 0 {
		return ErrDamaged
	}
	return nil
}

// Decode reads the blobs of a view. The row shares no memory with them.
func (r *Row) Decode(record, session []byte) error {
	if err := r.View.Decode(record); err != nil {
		return err
	}
	if r.Engaged = session != nil; !r.Engaged {
		return nil
	}
	r.Session.Pages = nil
	return r.Session.Decode(session, r.ID.Ms())
}

// CompareID compares a row with an ID, to search rows in the order of their
// IDs.
func (r Row) CompareID(id vitrine.ViewID) int { return cmp.Compare(r.ID, id) }
