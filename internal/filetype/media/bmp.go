package media

import "vitrine/internal/filetype"

// bmpHeader holds the headers of a bitmap.
type bmpHeader struct {
	size, pixels  int64 // of the second header; position of the pixels
	width, height int64
	bits          int64 // bits of a pixel
	compression   uint32
	colours       int64
}

// The compressions that browsers support.
const (
	bmpPlain  = 0
	bmpRLE8   = 1
	bmpRLE4   = 2
	bmpFields = 3
	bmpAlpha  = 6
)

func InspectBMP(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	h := s.Head
	if len(h) < 26 || string(h[:2]) != "BM" {
		return filetype.NotThe(s, t)
	}
	b := bmpHeader{size: int64(filetype.LittleEndian.Uint32(h[14:])),
		pixels: int64(filetype.LittleEndian.Uint32(h[10:]))}
	switch b.size {
	case 12:
		b.width, b.height, b.bits = int64(filetype.LittleEndian.Uint16(h[18:])),
			int64(filetype.LittleEndian.Uint16(h[20:])), int64(filetype.LittleEndian.Uint16(h[24:]))
	case 16, 40, 52, 56, 64, 108, 124:
		if len(h) < 54 {
			return filetype.Damaged(t)
		}
		b.width, b.height, b.bits = int64(int32(filetype.LittleEndian.Uint32(h[18:]))),
			int64(int32(filetype.LittleEndian.Uint32(h[22:]))), int64(filetype.LittleEndian.Uint16(h[28:]))
		if b.size >= 40 {
			b.compression, b.colours = filetype.LittleEndian.Uint32(h[30:]), int64(filetype.LittleEndian.Uint32(h[46:]))
		}
	default:
		return filetype.NotThe(s, t)
	}
	if b.height < 0 { // rows begin at the top
		b.height = -b.height
	}
	if b.width <= 0 || b.height == 0 || b.pixels < 14+b.size || b.pixels > s.Size || !b.known() {
		return filetype.Damaged(t)
	}
	if p := facts.SetSize(b.width, b.height); p != nil {
		return p
	}
	if b.plain() && b.pixels+(b.height-1)*((b.width*b.bits+31)/32*4) > s.Size { // the last row may be short
		return filetype.CutShort(t)
	}
	return nil
}

func (b *bmpHeader) plain() bool { return b.compression != bmpRLE8 && b.compression != bmpRLE4 }

// known reports whether the depth, compression and colour table match.
func (b *bmpHeader) known() bool {
	switch b.bits {
	case 1, 2, 4, 8:
		if b.colours > 1<<b.bits {
			return false
		}
	case 16, 24, 32:
	default:
		return false
	}
	switch b.compression {
	case bmpPlain:
		return true
	case bmpRLE8:
		return b.bits == 8
	case bmpRLE4:
		return b.bits == 4
	case bmpFields, bmpAlpha:
		return b.bits >= 16
	}
	return false
}
