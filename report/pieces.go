package report

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
)

// A tally is stored in pieces, so that a caller reads only what it needs:
//
//	head    the counters, and the rows of its days with their viewer days: all that a
//	        comparison with another window needs
//	body    heat, bots, labels, products, how many times are in each bucket, media, scroll, pages, links,
//	        sessions with parts, clicks, quarters of pages, parts of media, files of replaced links
//	times   the values of engaged times, all in one piece or one for each group of buckets
//
// Each piece begins with the version of its form and ends with a checksum.
// Pieces have labels as numbers in a dictionary, which belongs to the part that
// stores the piece. Numbers are varints; sorted numbers are stored as
// differences.

// pieceVersion is the form of the pieces. A piece of another version counts as
// damaged: the tally is computed again from its views.
const pieceVersion = 1

// ErrPiece is returned for a piece that is damaged or of another version.
var ErrPiece = errors.New("the stored tally is damaged or of another version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal ends the piece that began at b[start] with its checksum.
func seal(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// CheckPiece returns ErrPiece if a piece cannot be added.
func CheckPiece(piece []byte) error {
	end := len(piece) - 4
	if end < 1 || piece[0] != pieceVersion ||
		crc32.Checksum(piece[:end], castagnoli) != binary.LittleEndian.Uint32(piece[end:]) {
		return ErrPiece
	}
	return nil
}

// OfLink removes what the report of one link never shows, and returns t.
func (t *Tally) OfLink() *Tally {
	t.links = nil
	return t
}

// OfAccount removes what the report of an account never shows, and returns t.
func (t *Tally) OfAccount() *Tally {
	t.pages, t.media, t.scroll, t.parts, t.outlined, t.clicks = nil, progress{}, progress{}, partSums{}, 0, nil
	return t
}

// AllViews returns the number of added views, including bots.
func (t *Tally) AllViews() int64 { return t.views + t.bots.total() }

// AppendHead appends the head to b.
func (t *Tally) AppendHead(b []byte) []byte {
	start := len(b)
	b = append(b, pieceVersion)
	for _, n := range []int64{t.views, t.qr, t.returning, t.atypical, t.bounces} {
		b = appendNumber(b, n)
	}
	b = t.sessions.append(b)
	b = appendNumber(b, int64(len(t.days)))
	before := Day(0)
	for _, d := range slices.Sorted(maps.Keys(t.days)) {
		b = binary.AppendVarint(b, int64(d-before))
		before = d
		r := t.days[d]
		for _, n := range []int64{r.views, r.sessions, r.engagedMs, r.downloads} {
			b = appendNumber(b, n)
		}
		b = r.seen.append(b, d)
	}
	return seal(b, start)
}

// AddHead merges a head into t. The caller has checked the piece. Viewer days
// whose day before is before since count as first ones, which changes nothing
// for a window that begins on since or later. With NoDay no viewer day is
// changed.
func (t *Tally) AddHead(piece []byte, since Day) error {
	r, err := open(piece)
	if err != nil {
		return err
	}
	r.since = since
	for _, n := range []*int64{&t.views, &t.qr, &t.returning, &t.atypical, &t.bounces} {
		*n += r.number()
	}
	t.sessions.add(r.engagement())
	day := Day(0)
	for range r.count() {
		day += Day(r.signed())
		row := t.day(day)
		for _, n := range []*int64{&row.views, &row.sessions, &row.engagedMs, &row.downloads} {
			*n += r.number()
		}
		r.seen(&row.seen, day, false)
	}
	return r.end()
}

// AppendBody appends the body to b; id returns the number of a label.
func (t *Tally) AppendBody(b []byte, id func(label string) (uint64, error)) ([]byte, error) {
	start := len(b)
	b = t.appendHeat(append(b, pieceVersion))
	var err error
	for _, c := range t.counted() {
		if b, err = c.append(b, id); err != nil {
			return nil, err
		}
	}
	b = t.times.append(b)
	b = t.media.append(b)
	b = t.scroll.append(b)
	b = appendNumber(b, int64(len(t.pages)))
	before := 0
	for _, p := range slices.Sorted(maps.Keys(t.pages)) {
		s := t.pages[p]
		for _, n := range []int64{int64(p - before), s.sessions, s.ms, s.last} {
			b = appendNumber(b, n)
		}
		before = p
	}
	b = t.appendLinks(t.appendBands(b))
	return seal(t.files.append(t.appendParts(b)), start), nil
}

// AddBody merges a body into t. The caller has checked the piece; label returns
// the label of a number. since is NoDay or the first day of the window; with a
// day, data that does not affect the window's distinct viewers is skipped.
func (t *Tally) AddBody(piece []byte, since Day, label func(id uint64) (string, error)) error {
	r, err := open(piece)
	if err != nil {
		return err
	}
	r.since = since
	r.heat(t)
	for _, c := range t.counted() {
		if err := r.counts(c, label); err != nil {
			return err
		}
	}
	r.times(&t.times)
	r.progress(&t.media)
	r.progress(&t.scroll)
	page := 0
	for range r.count() {
		page += int(r.number())
		s := entry(&t.pages, page)
		for _, n := range []*int64{&s.sessions, &s.ms, &s.last} {
			*n += r.number()
		}
	}
	r.bands(t)
	r.links(func(id, views int64) *linkSums {
		l := entry(&t.links, id)
		l.views += views
		return l
	})
	r.parts(t)
	r.files(&t.files)
	return r.end()
}

// AppendLinkViews appends to b a piece with the views of each link of the
// scope. EachLinkViews reads it.
func (t *Tally) AppendLinkViews(b []byte) []byte {
	start := len(b)
	b = append(b, pieceVersion)
	b = appendNumber(b, int64(len(t.links)))
	link := int64(0)
	for _, id := range slices.Sorted(maps.Keys(t.links)) {
		b = binary.AppendVarint(b, id-link)
		link = id
		b = appendNumber(b, t.links[id].views)
	}
	return seal(b, start)
}

// EachLinkViews calls f with each link of a piece of link views.
func EachLinkViews(piece []byte, f func(link, views int64)) error {
	if err := CheckPiece(piece); err != nil {
		return err
	}
	r, err := open(piece)
	if err != nil {
		return err
	}
	link := int64(0)
	for range r.count() {
		link += r.signed()
		f(link, r.number())
	}
	return r.end()
}

func appendNumber(b []byte, n int64) []byte { return binary.AppendUvarint(b, uint64(n)) }

// append writes how many viewers came for the first time, and how many came
// last on each earlier day. Days are relative to day, which the reader must
// know.
func (s *seen) append(b []byte, day Day) []byte {
	prevs, viewers := s.prevs, s.viewers
	never := int64(0)
	if len(prevs) > 0 && prevs[0] == NoDay {
		never, prevs, viewers = viewers[0], prevs[1:], viewers[1:]
	}
	b = appendNumber(b, never)
	b = appendNumber(b, int64(len(prevs)))
	before := day
	for i, p := range prevs {
		if i == 0 {
			b = binary.AppendVarint(b, int64(day-p))
		} else {
			b = appendNumber(b, int64(p-before))
		}
		b = appendNumber(b, viewers[i])
		before = p
	}
	return b
}

// seen reads viewer days into s. Viewer days whose day before is before r.since
// count as first ones. For links only first viewer days matter, so later viewer
// days are dropped from r.since on.
func (r *pieceReader) seen(s *seen, day Day, link bool) {
	first := r.number()
	prev := day
	for i := range r.count() {
		if i == 0 {
			prev -= Day(r.signed())
		} else {
			prev += Day(r.number())
		}
		switch n := r.number(); {
		case prev < r.since:
			first += n
		case r.since == NoDay || !link:
			s.addLast(prev, n)
		}
	}
	if first != 0 {
		s.add(NoDay, first)
	}
}

// addLast does the same as add, but is faster if days come in order.
func (s *seen) addLast(prev Day, viewers int64) {
	if n := len(s.prevs); n == 0 || s.prevs[n-1] < prev {
		s.prevs = append(s.prevs, prev)
		s.viewers = append(s.viewers, viewers)
		return
	}
	s.add(prev, viewers)
}

func (t *Tally) appendHeat(b []byte) []byte {
	var used byte
	for weekday, hours := range t.heat {
		if hours != [24]int64{} {
			used |= 1 << weekday
		}
	}
	b = append(b, used)
	for weekday, hours := range t.heat {
		if used&(1<<weekday) == 0 {
			continue
		}
		for _, n := range hours {
			b = appendNumber(b, n)
		}
	}
	return b
}

func (r *pieceReader) heat(t *Tally) {
	used := r.byte()
	for weekday := range t.heat {
		if used&(1<<weekday) == 0 {
			continue
		}
		for hour := range t.heat[weekday] {
			t.heat[weekday][hour] += r.number()
		}
	}
}

func (c counts) append(b []byte, id func(string) (uint64, error)) ([]byte, error) {
	type numbered struct {
		id    uint64
		count int64
	}
	list := make([]numbered, 0, len(c))
	for label, n := range c {
		number, err := id(label)
		if err != nil {
			return nil, err
		}
		list = append(list, numbered{number, *n})
	}
	slices.SortFunc(list, func(a, b numbered) int { return int(min(max(int64(a.id)-int64(b.id), -1), 1)) })
	b = appendNumber(b, int64(len(list)))
	before := uint64(0)
	for _, l := range list {
		b = appendNumber(b, int64(l.id-before))
		b = appendNumber(b, l.count)
		before = l.id
	}
	return b, nil
}

func (r *pieceReader) counts(c *counts, label func(uint64) (string, error)) error {
	id, all := uint64(0), r.count()
	if *c == nil && all > 0 {
		*c = make(counts, all)
	}
	var numbers []int64 // of the next labels that are new
	for range all {
		id += uint64(r.number())
		n := r.number()
		if r.bad {
			return ErrPiece
		}
		l, err := label(id)
		if err != nil {
			return fmt.Errorf("label %d: %w", id, err)
		}
		if known := (*c)[l]; known != nil {
			*known += n
			continue
		}
		if len(numbers) == 0 {
			numbers = make([]int64, min(all, 64))
		}
		numbers[0] = n
		(*c)[l], numbers = &numbers[0], numbers[1:]
	}
	return nil
}

func (p *progress) append(b []byte) []byte {
	b = appendNumber(b, p.begun)
	for _, n := range p.reached {
		b = appendNumber(b, n)
	}
	return b
}

func (r *pieceReader) progress(p *progress) {
	p.begun += r.number()
	for i := range p.reached {
		p.reached[i] += r.number()
	}
}

// links calls f with each link and its views, and adds the rest to what f
// returns.
func (r *pieceReader) links(f func(id, views int64) *linkSums) {
	first, id := Day(r.signed()), int64(0)
	for range r.count() {
		id += r.signed()
		l := f(id, r.number())
		l.sessions.add(r.engagement())
		r.seen(&l.seen, first, true)
	}
}

// pieceReader reads numbers from a piece. After a failure it returns zeros.
type pieceReader struct {
	b     []byte
	since Day
	bad   bool
}

// open begins to read a piece whose checksum was verified.
func open(piece []byte) (*pieceReader, error) {
	if len(piece) < 5 || piece[0] != pieceVersion {
		return nil, ErrPiece
	}
	return &pieceReader{b: piece[1 : len(piece)-4], since: NoDay}, nil
}

func (r *pieceReader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *pieceReader) number() int64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		n := r.b[0]
		r.b = r.b[1:]
		return int64(n)
	}
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[size:]
	return int64(n)
}

// count reads the number of items that follow, each of at least one byte.
func (r *pieceReader) count() int64 {
	n := r.number()
	if n < 0 || n > int64(len(r.b)) {
		r.b, r.bad = nil, true
		return 0
	}
	return n
}

func (r *pieceReader) signed() int64 {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[size:]
	return n
}

// end returns ErrPiece if a read failed or bytes are left.
func (r *pieceReader) end() error {
	if r.bad || len(r.b) > 0 {
		return ErrPiece
	}
	return nil
}
