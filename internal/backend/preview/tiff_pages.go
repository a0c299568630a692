package preview

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of a file.
const (
	// maxTIFFPages is the most pages that are found.
	maxTIFFPages = 1000

	maxTIFFTags   = 4096
	maxTIFFValues = 1 << 20 // of a tag
)

var errTIFF = errors.New("tiff: the file is damaged")

// tiffPage is a page of a file. Its methods read the file.
type tiffPage struct {
	Width, Height int
	// Orientation is that of EXIF, 1 to 8.
	Orientation int
	// Stretch is how much higher a pixel is than wide, as in a fax; usually 1.
	Stretch float64

	f          *tiffFile
	bits       int // of a sample
	format     int // of samples: 1 unsigned, 3 floating point
	samples    int // of a pixel
	compressed int
	colors     int // photometric interpretation
	planar     bool
	predicted  int
	reversed   bool // the first bit of a byte is the least significant one
	palette    []uint64
	alpha      bool
	jpegTables []byte
	wholeJPEG  [2]int64 // offset and size of a JPEG of the old kind

	tiled                 bool
	tileWidth, tileHeight int // of a strip or tile
	offsets, sizes        []uint64
}

type tiffFile struct {
	r     io.ReaderAt
	order binary.ByteOrder
	big   bool
}

// tiffPages returns the pages of a TIFF file as scanners, fax machines and
// photo programs write it: classic and BigTIFF, strips and tiles, samples
// together or in planes, of 1 to 32 bits, in grey, palette, RGB, CMYK or Lab;
// uncompressed, or with PackBits, LZW, Deflate, JPEG, or CCITT Group 3 or 4.
// Reduced copies and masks of pages are left out. The caller bounds the pixels
// of a page before it decodes it, which needs four bytes for each, and little
// more.
//
// It returns those before a damaged directory, and an error if there is none.
func tiffPages(r io.ReaderAt) ([]*tiffPage, error) {
	var h [16]byte
	if n, _ := r.ReadAt(h[:], 0); n < 8 {
		return nil, errTIFF
	}
	f := &tiffFile{r: r, order: binary.LittleEndian}
	if h[0] == 'M' {
		f.order = binary.BigEndian
	}
	at := int64(f.order.Uint32(h[4:]))
	if f.big = f.order.Uint16(h[2:]) == 43; f.big {
		at = int64(f.order.Uint64(h[8:]))
	}
	var pages []*tiffPage
	seen := map[int64]bool{}
	for at > 0 && !seen[at] && len(seen) < maxTIFFPages {
		seen[at] = true
		p, next, err := f.page(at)
		if err != nil {
			break
		}
		if p != nil {
			pages = append(pages, p)
		}
		at = next
	}
	if len(pages) == 0 {
		return nil, errTIFF
	}
	return pages, nil
}

// Tags of a directory.
const (
	tagSubfile      = 254
	tagWidth        = 256
	tagHeight       = 257
	tagBits         = 258
	tagCompression  = 259
	tagPhotometric  = 262
	tagFillOrder    = 266
	tagStripOffsets = 273
	tagOrientation  = 274
	tagSamples      = 277
	tagRows         = 278
	tagStripSizes   = 279
	tagXResolution  = 282
	tagYResolution  = 283
	tagPlanar       = 284
	tagPredictor    = 317
	tagColorMap     = 320
	tagTileWidth    = 322
	tagTileHeight   = 323
	tagTileOffsets  = 324
	tagTileSizes    = 325
	tagExtra        = 338
	tagFormat       = 339
	tagJPEGTables   = 347
	tagJPEG         = 513
	tagJPEGSize     = 514
)

// page reads a directory. It returns nil for one that is no page.
func (f *tiffFile) page(at int64) (*tiffPage, int64, error) {
	tags, next, err := f.directory(at)
	if err != nil {
		return nil, 0, err
	}
	one := func(tag uint16, otherwise int) int {
		if v := tags[tag]; len(v) > 0 && v[0] < 1<<31 {
			return int(v[0])
		}
		return otherwise
	}
	if one(tagSubfile, 0)&5 != 0 { // a reduced copy, or a mask
		return nil, next, nil
	}
	p := &tiffPage{f: f, Width: one(tagWidth, 0), Height: one(tagHeight, 0), Orientation: one(tagOrientation, 1),
		Stretch: 1, bits: one(tagBits, 1), format: one(tagFormat, 1), samples: one(tagSamples, 1),
		compressed: one(tagCompression, 1), colors: one(tagPhotometric, -1), planar: one(tagPlanar, 1) == 2,
		predicted: one(tagPredictor, 1), reversed: one(tagFillOrder, 1) == 2, palette: tags[tagColorMap],
		offsets: tags[tagStripOffsets], sizes: tags[tagStripSizes]}
	if p.Orientation < 1 || p.Orientation > 8 {
		p.Orientation = 1
	}
	if x, y := one(tagXResolution, 0), one(tagYResolution, 0); x > 0 && y > 0 && x <= 4*y && y <= 4*x {
		p.Stretch = float64(x) / float64(y)
	}
	if c := p.compressed; c != packedLZW && c != packedDeflate && c != packedOldZip {
		p.predicted = 1
	}
	extra := tags[tagExtra]
	p.alpha = len(extra) > 0 && (extra[0] == 1 || extra[0] == 2)
	for _, v := range tags[tagJPEGTables] {
		p.jpegTables = append(p.jpegTables, byte(v))
	}
	p.wholeJPEG = [2]int64{int64(one(tagJPEG, 0)), int64(one(tagJPEGSize, 0))}
	p.tileWidth, p.tileHeight = p.Width, min(one(tagRows, p.Height), p.Height)
	if t := tags[tagTileOffsets]; len(t) > 0 {
		p.offsets, p.sizes, p.tiled = t, tags[tagTileSizes], true
		p.tileWidth, p.tileHeight = one(tagTileWidth, 0), one(tagTileHeight, 0)
	}
	if p.Width <= 0 || p.Height <= 0 || p.tileWidth <= 0 || p.tileHeight <= 0 || p.samples < 1 || p.samples > 64 {
		return nil, 0, errTIFF
	}
	if p.colors < 0 {
		p.colors = map[bool]int{true: colorsRGB, false: colorsBlackIsZero}[p.samples >= 3]
	}
	return p, next, nil
}

// directory returns the numbers of the tags of a directory, and where the next
// one is. Of fractions it returns the quotients, rounded.
func (f *tiffFile) directory(at int64) (map[uint16][]uint64, int64, error) {
	countSize, entry, word := int64(2), int64(12), int64(4)
	if f.big {
		countSize, entry, word = 8, 20, 8
	}
	head := make([]byte, countSize)
	if _, err := f.r.ReadAt(head, at); err != nil {
		return nil, 0, errTIFF
	}
	n := f.number(head)
	if n < 1 || n > maxTIFFTags {
		return nil, 0, errTIFF
	}
	b := make([]byte, int64(n)*entry+word)
	if got, _ := f.r.ReadAt(b, at+countSize); int64(got) < int64(n)*entry {
		return nil, 0, errTIFF
	}
	tags := map[uint16][]uint64{}
	for i := range int64(n) {
		e := b[i*entry : (i+1)*entry]
		values, err := f.values(e, word)
		if err != nil {
			return nil, 0, err
		}
		tags[f.order.Uint16(e)] = values
	}
	return tags, int64(f.number(b[int64(n)*entry:])), nil
}

// values returns the numbers of a tag.
func (f *tiffFile) values(e []byte, word int64) ([]uint64, error) {
	size := map[uint16]int64{1: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4, 16: 8, 18: 8}[f.order.Uint16(e[2:])]
	count := f.number(e[4 : 4+word])
	if size == 0 || count == 0 {
		return nil, nil // text, and what this package does not need
	}
	if count > maxTIFFValues {
		return nil, nil
	}
	b := e[4+word:]
	if total := int64(count) * size; total > word {
		at := int64(f.number(b))
		b = make([]byte, total)
		if _, err := f.r.ReadAt(b, at); err != nil {
			return nil, errTIFF
		}
	}
	values := make([]uint64, count)
	for i := range values {
		v := b[int64(i)*size : int64(i+1)*size]
		if f.order.Uint16(e[2:]) == 5 { // a fraction
			values[i] = uint64(f.order.Uint32(v)) / max(1, uint64(f.order.Uint32(v[4:])))
			continue
		}
		values[i] = f.number(v)
	}
	return values, nil
}

func (f *tiffFile) number(p []byte) uint64 {
	switch len(p) {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(f.order.Uint16(p))
	case 4:
		return uint64(f.order.Uint32(p))
	}
	return f.order.Uint64(p)
}

// unsupportedTIFF is the error of a form that is not decoded.
func unsupportedTIFF(what string, n int) error { return fmt.Errorf("tiff: unsupported %s %d", what, n) }
