package segment

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"

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

// A row of viewer days holds the entries of consecutive viewers. First comes
// the first day, in days since 1970. Each entry then has the distance of its
// viewer from the previous one; its link, as a difference if the viewer is the
// same; and its day, as a difference from the previous day if the link is the
// same, otherwise from the first day. A checksum comes last.

func AppendViewerDays(b []byte, entries []ViewerDay) []byte {
	base := entries[0].Day
	for _, e := range entries {
		base = min(base, e.Day)
	}
	b = binary.AppendVarint(b, int64(base))
	before := ViewerDay{Viewer: entries[0].Viewer}
	for i, e := range entries {
		b = binary.AppendUvarint(b, uint64(e.Viewer-before.Viewer))
		same := i > 0 && e.Viewer == before.Viewer
		if same {
			b = binary.AppendUvarint(b, uint64(e.Link-before.Link))
		} else {
			b = binary.AppendUvarint(b, uint64(e.Link))
		}
		if same && e.Link == before.Link {
			b = binary.AppendUvarint(b, uint64(e.Day-before.Day))
		} else {
			b = binary.AppendUvarint(b, uint64(e.Day-base))
		}
		before = e
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// ReadViewerDays appends the entries of a row to a list.
func ReadViewerDays(list []ViewerDay, first int64, b []byte) ([]ViewerDay, error) {
	end := len(b) - 4
	if end < 0 || crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return list, ErrDamaged
	}
	r, before := Reader{b: b[:end]}, len(list)
	base := report.Day(r.signed())
	last := ViewerDay{Viewer: first}
	for i := 0; r.left() > 0; i++ {
		d := r.number()
		e := ViewerDay{Viewer: last.Viewer + d}
		same := d == 0 && i > 0
		e.Link = r.number()
		if same {
			e.Link += last.Link
		}
		e.Day = report.Day(r.number())
		if same && e.Link == last.Link {
			e.Day += last.Day
		} else {
			e.Day += base
		}
		list = append(list, e)
		last = e
	}
	if r.bad || len(list) == before {
		return list, ErrDamaged
	}
	return list, nil
}
