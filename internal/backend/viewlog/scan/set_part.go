package scan

import (
	"encoding/binary"

	"vitrine/report"
)

// setPart is a list of viewer days in 7 to 8 bytes each, because those that are
// added one after another are mostly of one link and of about the same time.
// Each begins with a byte: the steps since the one before, to the same link, or
// one of the values below. Then comes its viewer.
type setPart struct {
	pile
	n    int
	last viewerStep
}

const (
	otherStep  = 0xfd // the steps since the one before follow
	otherLink  = 0xfe // the link and the step follow
	wideViewer = 0xff // another such byte follows, and the viewer has 8 bytes instead of 6

	longestDay = 2 + binary.MaxVarintLen32 + binary.MaxVarintLen64 + 8
)

func (p *setPart) add(v viewerStep, in *room) {
	chunk := p.chunk(longestDay, in)
	b, wide := *chunk, v.viewer>>48 != 0
	if wide {
		b = append(b, wideViewer)
	}
	switch steps := v.step - p.last.step; {
	case p.n == 0 || v.link != p.last.link:
		b = binary.AppendVarint(binary.AppendUvarint(append(b, otherLink), uint64(v.link)), int64(v.step))
	case steps >= 0 && steps < otherStep:
		b = append(b, byte(steps))
	default:
		b = binary.AppendVarint(append(b, otherStep), int64(steps))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(v.viewer))
	b = binary.LittleEndian.AppendUint16(b, uint16(v.viewer>>32))
	if wide {
		b = binary.LittleEndian.AppendUint16(b, uint16(v.viewer>>48))
	}
	*chunk, p.last = b, v
	p.n++
}

// each calls f with each viewer day, in the order in which they were added.
func (p *setPart) each(in *room, f func(viewerStep)) error {
	var v viewerStep
	return p.pile.each(in, func(b []byte) {
		for len(b) > 0 {
			wide := b[0] == wideViewer
			if wide {
				b = b[1:]
			}
			how := b[0]
			b = b[1:]
			switch how {
			case otherLink:
				link, size := binary.Uvarint(b)
				step, more := binary.Varint(b[size:])
				v.link, v.step, b = uint32(link), report.Day(step), b[size+more:]
			case otherStep:
				steps, size := binary.Varint(b)
				v.step, b = v.step+report.Day(steps), b[size:]
			default:
				v.step += report.Day(how)
			}
			v.viewer = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
			b = b[6:]
			if wide {
				v.viewer |= uint64(binary.LittleEndian.Uint16(b)) << 48
				b = b[2:]
			}
			f(v)
		}
	})
}
