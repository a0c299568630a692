package segment

import (
	"encoding/binary"
	"math/bits"

	"vitrine/report"
	"vitrine/report/part"
)

// allBands has a bit for each quarter of a page, from the top.
const allBands = 1<<len(part.Bands{}) - 1

// hasBands reports whether quarters of a page were measured.
func hasBands(pages []report.PageTime) bool {
	for i := range pages {
		if pages[i].Bands != (part.Bands{}) {
			return true
		}
	}
	return false
}

// maskOf returns which bands are not zero.
func maskOf(b *part.Bands) (mask byte) {
	for i, ms := range b {
		if ms != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// appendBands appends for each page which quarters were in view, and for how
// long each of them.
func appendBands(b []byte, pages []report.PageTime) []byte {
	for i := range pages {
		bands := &pages[i].Bands
		b = append(b, maskOf(bands))
		for _, ms := range bands {
			if ms != 0 {
				b = binary.AppendUvarint(b, uint64(ms))
			}
		}
	}
	return b
}

// bands reads what appendBands wrote.
func (r *Reader) bands(pages []report.PageTime) {
	for i := range pages {
		mask := r.byte()
		if mask > allBands {
			r.fail()
		}
		for band := range pages[i].Bands {
			if mask>>band&1 != 0 {
				pages[i].Bands[band] = r.number()
			}
		}
	}
}

// bands adds the bands of a session. They mostly add up to the times of their
// pages, so the last of each page is what the others leave.
func (p *Encoder) bands(pages []report.PageTime) {
	c := &p.columns
	for i := range pages {
		bands := &pages[i].Bands
		mask := maskOf(bands)
		c[columnBands].number(int64(mask))
		if mask == 0 {
			continue
		}
		last := bits.Len8(mask) - 1
		for _, ms := range bands[:last] {
			if ms != 0 {
				c[columnBandMs].number(ms)
			}
		}
		c[columnBandRest].signed(pages[i].Ms - bands.Sum())
	}
}

// bands reads the bands of a session.
func (u *Decoder) bands(pages []report.PageTime) {
	c := &u.columns
	for i := range pages {
		mask := byte(c[columnBands].next() & 0xff)
		if mask > allBands {
			c[columnBands].bad = true
			return
		}
		if mask == 0 {
			continue
		}
		bands, last := &pages[i].Bands, bits.Len8(mask)-1
		for band := range last {
			if mask>>band&1 != 0 {
				bands[band] = c[columnBandMs].next()
			}
		}
		bands[last] = pages[i].Ms - c[columnBandRest].signed() - bands.Sum()
	}
}
