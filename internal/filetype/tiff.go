package filetype

import (
	"bytes"
	"encoding/binary"
)

// inspectTIFF walks the chain of directories, classic and BigTIFF, and reads each page's dimensions.
func inspectTIFF(s *source, t Type, facts *Facts) *Problem {
	w, ok := newTIFF(s)
	if !ok {
		return notThe(s, t)
	}
	var first Facts
	off, pages := w.first, 0
	for ; off != 0 && pages < maxTIFFPages; pages++ {
		width, height, next, ok := w.page(off)
		if !ok || width <= 0 || height <= 0 {
			return damaged(t)
		}
		if p := facts.sized(width, height); p != nil {
			return p
		}
		if pages == 0 {
			first = *facts
		}
		off = next
	}
	if pages == 0 {
		return damaged(t)
	}
	facts.Width, facts.Height = first.Width, first.Height
	return nil
}

// maxTIFFPages bounds the chain of directories, which may also run in a circle; maxTIFFTags the tags of one. Scans have some
// hundred pages of some 20 tags.
const (
	maxTIFFPages = 1000
	maxTIFFTags  = 4096
)

// tiffWalk knows the two layouts by the width of their numbers.
type tiffWalk struct {
	s     *source
	order binary.ByteOrder
	first int64
	count int // bytes of a directory's tag count
	entry int // bytes of a tag
	word  int // bytes of an offset
}

func newTIFF(s *source) (w tiffWalk, ok bool) {
	h := s.head
	switch {
	case len(h) >= 8 && bytes.HasPrefix(h, []byte("II*\x00")):
		return tiffWalk{s, le, int64(le.Uint32(h[4:])), 2, 12, 4}, true
	case len(h) >= 8 && bytes.HasPrefix(h, []byte("MM\x00*")):
		return tiffWalk{s, be, int64(be.Uint32(h[4:])), 2, 12, 4}, true
	case len(h) >= 16 && bytes.HasPrefix(h, []byte("II+\x00\x08\x00\x00\x00")):
		return tiffWalk{s, le, int64(le.Uint64(h[8:])), 8, 20, 8}, true
	case len(h) >= 16 && bytes.HasPrefix(h, []byte("MM\x00+\x00\x08\x00\x00")):
		return tiffWalk{s, be, int64(be.Uint64(h[8:])), 8, 20, 8}, true
	}
	return w, false
}

func (w *tiffWalk) page(off int64) (width, height, next int64, ok bool) {
	head := w.s.bytes(off, w.count)
	if len(head) < w.count {
		return 0, 0, 0, false
	}
	tags := w.number(head)
	if tags < 1 || tags > maxTIFFTags {
		return 0, 0, 0, false
	}
	size := int(tags)*w.entry + w.word
	dir := w.s.bytes(off+int64(w.count), size)
	if len(dir) < size {
		return 0, 0, 0, false
	}
	for ; len(dir) > w.word; dir = dir[w.entry:] {
		switch w.order.Uint16(dir) {
		case 256:
			width = w.value(dir)
		case 257:
			height = w.value(dir)
		}
	}
	return width, height, w.number(dir[:w.word]), true
}

// value reads a tag's one number; -1 for what is no dimension.
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

// number reads all of p; what is too large becomes negative.
func (w *tiffWalk) number(p []byte) int64 {
	switch len(p) {
	case 2:
		return int64(w.order.Uint16(p))
	case 4:
		return int64(w.order.Uint32(p))
	}
	return int64(w.order.Uint64(p))
}
