package media

import (
	"bytes"
	"compress/zlib"
	"hash/crc32"
	"io"

	"vitrine/internal/filetype"
)

// pngWalk is the state of a walk over the chunks of a PNG.
type pngWalk struct {
	s             *filetype.Source
	t             filetype.Type
	width, height int64
	bits          int64              // bits of a pixel
	data          int64              // compressed bytes of the picture
	metadata      filetype.Allowance // what texts and colour profiles may still unpack to
	start         []byte             // the first two bytes of the compressed picture
	ended         bool
}

// PngMagic is how a PNG file begins.
const PngMagic = "\x89PNG\r\n\x1a\n"

// pngChannels is the number of samples in a pixel, by colour type.
var pngChannels = map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

// InspectPNG walks the chunks to the end mark or the end of the file; browsers
// accept a missing mark. Chunks of the picture must have the right checksum, as
// in browsers.
func InspectPNG(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	h := s.Head
	if !bytes.HasPrefix(h, []byte(PngMagic)) {
		return filetype.NotThe(s, t)
	}
	if len(h) < 33 || filetype.BigEndian.Uint32(h[8:]) != 13 || string(h[12:16]) != "IHDR" {
		return filetype.Damaged(t)
	}
	w := pngWalk{s: s, t: t, width: int64(filetype.BigEndian.Uint32(h[16:])),
		height: int64(filetype.BigEndian.Uint32(h[20:])), metadata: 2 * filetype.MaxMetadata}
	channels := pngChannels[h[25]]
	w.bits = channels * int64(h[24])
	if w.width == 0 || w.height == 0 || channels == 0 || h[24] == 0 || h[24] > 16 {
		return filetype.Damaged(t)
	}
	if p := facts.SetSize(w.width, w.height); p != nil {
		return p
	}
	if p := w.chunks(); p != nil {
		return p
	}
	// Deflate cannot compress more than that, so data is missing.
	if w.data == 0 || w.data*DeflateRatio < w.height*((w.width*w.bits+7)/8) {
		return filetype.CutShort(t)
	}
	return nil
}

// DeflateRatio is the highest ratio of deflate.
const DeflateRatio = 1032

func (w *pngWalk) chunks() *filetype.Problem {
	for off := int64(8); w.s.Step(); {
		h := w.s.Bytes(off, 8)
		if len(h) < 8 {
			return nil
		}
		typ, length := string(h[4:]), int64(filetype.BigEndian.Uint32(h))
		if length > w.s.Size-off-12 || !pngType(typ) {
			if typ == "IDAT" {
				return w.picture(off+8, w.s.Size-off-8)
			}
			return nil
		}
		if typ[0]&0x20 == 0 && !w.checked(off+4, length+4) {
			return filetype.Damaged(w.t)
		}
		if p := w.chunk(typ, off+8, length); p != nil || w.ended {
			return p
		}
		off += length + 12
	}
	return filetype.CutShort(w.t)
}

func pngType(typ string) bool {
	for _, c := range []byte(typ) {
		if !filetype.RtfLetter(c) {
			return false
		}
	}
	return true
}

// checked verifies the checksum after the n bytes at off.
func (w *pngWalk) checked(off, n int64) bool {
	sum := crc32.NewIEEE()
	io.Copy(sum, w.s.Section(off, n))
	p := w.s.Bytes(off+n, 4)
	return len(p) == 4 && filetype.BigEndian.Uint32(p) == sum.Sum32()
}

func (w *pngWalk) chunk(typ string, at, length int64) *filetype.Problem {
	switch typ {
	case "IEND":
		w.ended = true
	case "IDAT":
		return w.picture(at, length)
	case "fcTL":
		return w.control(at, length)
	case "iCCP", "zTXt":
		return w.unpack(at, length, 1)
	case "iTXt":
		return w.unpack(at, length, 2)
	}
	return nil
}

// picture counts compressed bytes of the picture. The first two must begin a
// zlib stream, in whichever chunks they are.
func (w *pngWalk) picture(at, length int64) *filetype.Problem {
	w.data += length
	if missing := 2 - len(w.start); missing > 0 {
		w.start = append(w.start, w.s.Bytes(at, int(min(length, int64(missing))))...)
		if p := w.start; len(p) == 2 && (p[0]&0xf != 8 || filetype.BigEndian.Uint16(p)%31 != 0) {
			return filetype.Damaged(w.t)
		}
	}
	return nil
}

// control reads the header of an animation frame. The frame must lie within the
// picture.
func (w *pngWalk) control(at, length int64) *filetype.Problem {
	p := w.s.Bytes(at, 20)
	if length != 26 || len(p) < 20 {
		return filetype.Damaged(w.t)
	}
	width, height := int64(filetype.BigEndian.Uint32(p[4:])), int64(filetype.BigEndian.Uint32(p[8:]))
	x, y := int64(filetype.BigEndian.Uint32(p[12:])), int64(filetype.BigEndian.Uint32(p[16:]))
	if width == 0 || height == 0 || x+width > w.width || y+height > w.height {
		return filetype.Damaged(w.t)
	}
	return nil
}

// unpack measures a compressed text or colour profile. Its data follows a name,
// marks and the compression method; Unicode texts have two more names after
// that.
func (w *pngWalk) unpack(at, length int64, marks int) *filetype.Problem {
	head := w.s.Bytes(at, int(min(length, filetype.KiB)))
	name := bytes.IndexByte(head, 0)
	if name < 0 || len(head) < name+1+marks {
		return nil
	}
	skip := name + 1 + marks
	if marks == 2 {
		if head[name+1] == 0 { // not compressed
			return nil
		}
		for range 2 {
			end := bytes.IndexByte(head[skip:], 0)
			if end < 0 {
				return nil
			}
			skip += end + 1
		}
	}
	z, err := zlib.NewReader(w.s.Section(at+int64(skip), length-int64(skip)))
	if err != nil {
		return nil
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(w.metadata.Reader(z, filetype.KiB), filetype.MaxMetadata+1))
	if n > filetype.MaxMetadata || w.metadata <= 0 {
		return filetype.UnsafeFile(filetype.ReasonStreamBomb,
			"The image contains a text or colour profile that expands suspiciously when unpacked. Export it again.")
	}
	return nil
}
