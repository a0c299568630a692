package segment

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
	"sync"

	"vitrine/report"
)

// Fingerprint maps a viewer to a number that is spread evenly, so that sums
// over different viewers differ.
func Fingerprint(viewer uint64) uint64 {
	hi, lo := bits.Mul64(viewer^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	hi, lo = bits.Mul64(hi^lo^viewer, 0xa0761d6478bd642f)
	return hi ^ lo
}

// Fingerprint maps an entry to a number that is spread evenly.
func (v ViewerDay) Fingerprint() uint64 {
	return Fingerprint(uint64(v.Viewer) ^ Fingerprint(uint64(v.Link)^Fingerprint(uint64(v.Day))))
}

// ViewerDay records that a person came to a link on a day. Viewer days are
// ordered by viewer (as signed numbers), link and day.
type ViewerDay struct {
	Viewer, Link int64
	Day          report.Day
}

// Compare orders by viewer, then by link and day.
func (v ViewerDay) Compare(u ViewerDay) int {
	switch {
	case v.Viewer != u.Viewer:
		return cmp.Compare(v.Viewer, u.Viewer)
	case v.Link != u.Link:
		return cmp.Compare(v.Link, u.Link)
	}
	return cmp.Compare(v.Day, u.Day)
}

// SortViewerDays sorts viewer days and removes duplicates.
func SortViewerDays(list []ViewerDay) []ViewerDay {
	slices.SortFunc(list, ViewerDay.Compare)
	return slices.Compact(list)
}

// A row of viewer days holds the entries of consecutive viewers in columns: the
// first day, the number of viewers, the columns, and a checksum.
const (
	dayViewer = iota // of each viewer, minus the viewer before
	dayCount         // entries of each viewer, minus 1
	dayLink          // of each entry, minus the link before if the viewer is the same
	dayDay           // of each entry, minus the day before if the link is the same, otherwise minus the first day
	dayColumns
)

// dayKinds make a row at least as many bytes long as it has entries.
var dayKinds = [dayColumns]columnKind{measures, measures, listed, measures}

// The columns have much memory, so they are reused.
var (
	dayWriters = sync.Pool{New: func() any { return new([dayColumns]columnWriter) }}
	dayReaders = sync.Pool{New: func() any { return new([dayColumns]column) }}
)

// AppendViewerDays appends a row of sorted entries to b.
func AppendViewerDays(b []byte, entries []ViewerDay) []byte {
	start, base := len(b), entries[0].Day
	for _, e := range entries {
		base = min(base, e.Day)
	}
	c := dayWriters.Get().(*[dayColumns]columnWriter)
	defer dayWriters.Put(c)
	viewers, before := 0, ViewerDay{Viewer: entries[0].Viewer}
	for rest := entries; len(rest) > 0; viewers++ {
		n := 1
		for n < len(rest) && rest[n].Viewer == rest[0].Viewer {
			n++
		}
		c[dayViewer].number(rest[0].Viewer - before.Viewer)
		c[dayCount].number(int64(n - 1))
		before = ViewerDay{Viewer: rest[0].Viewer}
		for i, e := range rest[:n] {
			c[dayLink].number(e.Link - before.Link)
			if i > 0 && e.Link == before.Link {
				c[dayDay].number(int64(e.Day - before.Day))
			} else {
				c[dayDay].number(int64(e.Day - base))
			}
			before = e
		}
		rest = rest[n:]
	}
	b = binary.AppendVarint(b, int64(base))
	b = binary.AppendUvarint(b, uint64(viewers))
	b = appendColumns(b, c[:], dayKinds[:])
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// ReadViewerDays appends the entries of a row to a list.
func ReadViewerDays(list []ViewerDay, first int64, b []byte) ([]ViewerDay, error) {
	end := len(b) - 4
	if end < 0 || crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return list, ErrDamaged
	}
	c := dayReaders.Get().(*[dayColumns]column)
	defer dayReaders.Put(c)
	r := Reader{b: b[:end]}
	base, viewers := report.Day(r.signed()), r.number()
	if viewers < 1 || !r.columns(c[:], dayKinds[:]) || r.end() != nil {
		return list, ErrDamaged
	}
	last := ViewerDay{Viewer: first}
	for ; viewers > 0 && !c[dayLink].bad; viewers-- {
		last = ViewerDay{Viewer: last.Viewer + c[dayViewer].next()}
		n := c[dayCount].next() + 1
		if n < 1 {
			return list, ErrDamaged
		}
		for i := int64(0); i < n && !c[dayLink].bad; i++ {
			link := c[dayLink].next()
			e := ViewerDay{Viewer: last.Viewer, Link: last.Link + link, Day: report.Day(c[dayDay].next())}
			if i > 0 && link == 0 {
				e.Day += last.Day
			} else {
				e.Day += base
			}
			list = append(list, e)
			last = e
		}
	}
	if anyBad(c[:]) {
		return list, ErrDamaged
	}
	return list, nil
}
