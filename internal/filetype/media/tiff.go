package media

import (
	"bytes"
	"encoding/binary"

	"vitrine/internal/filetype"
)

// InspectTIFF walks the chain of directories, classic or BigTIFF, and reads the
// dimensions of each page. It counts several pages.
func InspectTIFF(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	w, ok := newTIFF(s)
	if !ok {
		return filetype.NotThe(s, t)
	}
	var first filetype.Facts
	off, pages, shown := w.first, 0, 0
	seen := map[int64]bool{}
	for ; off != 0 && pages < maxTIFFPages; pages++ {
		width, height, next, ok := w.page(off)
		if !ok || width <= 0 || height <= 0 || seen[off] {
			return filetype.Damaged(t)
		}
		seen[off] = true
		if p := facts.SetSize(width, height); p != nil {
			return p
		}
		if p := w.layout(t); p != nil {
			return p
		}
		if pages == 0 {
			first = *facts
		}
		if !w.reduced {
			shown++
		}
		off = next
	}
	if pages == 0 {
		return filetype.Damaged(t)
	}
	facts.Width, facts.Height = first.Width, first.Height
	if shown > 1 {
		facts.Pages = shown
	}
	return nil
}

// maxTIFFPages bounds the chain of directories, which may be circular.
// maxTIFFTags bounds the tags of one. Scans have some hundred pages of about 20
// tags.
const (
	maxTIFFPages = 1000
	maxTIFFTags  = 4096
)

// tiffWalk walks either layout; the layouts differ in the width of their
// numbers.
type tiffWalk struct {
	s     *filetype.Source
	order binary.ByteOrder
	first int64
	count int // bytes of the number of tags
	entry int // bytes of a tag
	word  int // bytes of an offset

	reduced bool         // the current page is a reduced copy, or a mask, of another one
	tile    [2]int64     // width and height of the current page's tiles; 0 means strips
	parts   [2]tiffArray // where the strips or tiles are, and their sizes
	left    int64        // bytes of arrays that may still be read; honest files need no more than their size
}

// tiffArray is the position of a tag's values.
type tiffArray struct {
	off, count, size int64 // size of a value in bytes; 0 means no array
}

func newTIFF(s *filetype.Source) (w tiffWalk, ok bool) {
	h := s.Head
	switch {
	case len(h) >= 8 && bytes.HasPrefix(h, []byte("II*\x00")):
		return tiffWalk{s: s, order: filetype.LittleEndian, first: int64(filetype.LittleEndian.Uint32(h[4:])), count: 2,
			entry: 12, word: 4, left: s.Size}, true
	case len(h) >= 8 && bytes.HasPrefix(h, []byte("MM\x00*")):
		return tiffWalk{s: s, order: filetype.BigEndian, first: int64(filetype.BigEndian.Uint32(h[4:])), count: 2,
			entry: 12, word: 4, left: s.Size}, true
	case len(h) >= 16 && bytes.HasPrefix(h, []byte("II+\x00\x08\x00\x00\x00")):
		return tiffWalk{s: s, order: filetype.LittleEndian, first: int64(filetype.LittleEndian.Uint64(h[8:])), count: 8,
			entry: 20, word: 8, left: s.Size}, true
	case len(h) >= 16 && bytes.HasPrefix(h, []byte("MM\x00+\x00\x08\x00\x00")):
		return tiffWalk{s: s, order: filetype.BigEndian, first: int64(filetype.BigEndian.Uint64(h[8:])), count: 8,
			entry: 20, word: 8, left: s.Size}, true
	}
	return w, false
}

func (w *tiffWalk) page(off int64) (width, height, next int64, ok bool) {
	head := w.s.Bytes(off, w.count)
	if len(head) < w.count {
		return 0, 0, 0, false
	}
	tags := w.number(head)
	if tags < 1 || tags > maxTIFFTags {
		return 0, 0, 0, false
	}
	size := int(tags)*w.entry + w.word
	dir := w.s.Bytes(off+int64(w.count), size)
	if len(dir) < size {
		return 0, 0, 0, false
	}
	w.tile, w.parts, w.reduced = [2]int64{}, [2]tiffArray{}, false
	for at := off + int64(w.count); len(dir) > w.word; at, dir = at+int64(w.entry), dir[w.entry:] {
		switch w.order.Uint16(dir) {
		case 254:
			w.reduced = max(0, w.value(dir))&5 != 0
		case 256:
			width = w.value(dir)
		case 257:
			height = w.value(dir)
		case 322, 323:
			w.tile[w.order.Uint16(dir)-322] = w.value(dir)
		case 273, 324:
			w.parts[0] = w.array(dir, at)
		case 279, 325:
			w.parts[1] = w.array(dir, at)
		}
	}
	return width, height, w.number(dir[:w.word]), true
}

// array returns the position of the values of the tag at an offset. Short
// arrays are inside the tag.
func (w *tiffWalk) array(tag []byte, at int64) (a tiffArray) {
	switch w.order.Uint16(tag[2:]) {
	case 3:
		a.size = 2
	case 4, 13:
		a.size = 4
	case 16, 18:
		a.size = 8
	default:
		return a
	}
	a.count = w.number(tag[4 : 4+w.word])
	a.off = at + int64(w.entry-w.word)
	if a.count < 0 || a.count > int64(w.word)/a.size {
		a.off = w.number(tag[w.entry-w.word : w.entry])
	}
	return a
}

// layout checks that a page has the right number of strips or tiles, and that
// they begin within the file.
func (w *tiffWalk) layout(t filetype.Type) *filetype.Problem {
	var f filetype.Facts
	if p := f.SetSize(w.tile[0], w.tile[1]); p != nil && w.tile[0] > 0 && w.tile[1] > 0 {
		return p
	}
	offsets, sizes := w.parts[0], w.parts[1]
	if offsets.size == 0 {
		return nil
	}
	bytes := offsets.count * offsets.size
	if offsets.count < 1 || offsets.count > filetype.MaxPixels || offsets.off < 8 || bytes > w.s.Size-offsets.off ||
		bytes > w.left || sizes.size != 0 && sizes.count > offsets.count {
		return filetype.Damaged(t)
	}
	w.left -= bytes
	return w.starts(t, offsets)
}

// starts checks that the strips or tiles of a page begin within the file.
func (w *tiffWalk) starts(t filetype.Type, a tiffArray) *filetype.Problem {
	for done := int64(0); done < a.count; {
		n := min(a.count-done, filetype.ChunkBytes/a.size)
		p := w.s.Bytes(a.off+done*a.size, int(n*a.size))
		for ; int64(len(p)) >= a.size; p = p[a.size:] {
			if at := w.number(p[:a.size]); at < 0 || at >= w.s.Size {
				return filetype.CutShort(t)
			}
		}
		done += n
	}
	return nil
}

// value reads a tag with one number. It returns -1 if that cannot be a
// dimension.
func (w *tiffWalk) value(tag []byte) int64 {
	at := tag[w.entry-w.word:]
	switch w.order.Uint16(tag[2:]) {
	case 3: // SHORT
		return w.number(at[:2])
	case 4: // LONG
		return w.number(at[:4])
	case 16: // LONG8
		return w.number(at[:w.word])
	}
	return -1
}

// number reads all of p. Values that are too large become negative.
func (w *tiffWalk) number(p []byte) int64 {
	switch len(p) {
	case 2:
		return int64(w.order.Uint16(p))
	case 4:
		return int64(w.order.Uint32(p))
	}
	return int64(w.order.Uint64(p))
}
