package segment

import (
	"encoding/binary"

	"vitrine/report"
)

// The played parts of a medium are stored as runs: their number, then for each
// one its distance from the run before and its length. If the bits themselves
// are shorter, rawParts and the bits are stored.
const (
	rawParts    = 0xff
	rawPartsLen = (report.PartCount + 7) / 8
)

func appendParts(b []byte, p report.Parts) []byte {
	start, end := len(b), 0
	b = append(b, 0)
	p.Ranges(func(from, to int) {
		b[start]++
		b = append(b, byte(from-end), byte(to-from))
		end = to
	})
	if len(b)-start <= rawPartsLen {
		return b
	}
	b = binary.LittleEndian.AppendUint64(append(b[:start], rawParts), p[0])
	return binary.LittleEndian.AppendUint64(b, p[1])[:start+1+rawPartsLen]
}

func (r *Reader) parts() (p report.Parts) {
	n := r.byte()
	if n == rawParts {
		for i := range rawPartsLen {
			bits := r.byte()
			for bit := range 8 {
				if bits&(1<<bit) != 0 {
					p.Add(8*i + bit)
				}
			}
		}
		return p
	}
	end := 0
	for range n {
		from := end + int(r.byte())
		end = from + int(r.byte())
		p.AddRange(from, end)
	}
	return p
}
