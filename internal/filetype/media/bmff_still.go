package media

import "vitrine/internal/filetype"

// stillParts checks the items in the index of a HEIC or AVIF image: their bytes
// must lie in the file, and composed images such as grids must have a
// displayable size. That size is in the item itself, not in the properties.
func stillParts(s *filetype.Source, t filetype.Type) *filetype.Problem {
	meta, ok := find(s, 0, s.Size, "meta")
	if !ok {
		return nil
	}
	composed := composedItems(s, meta)
	location, ok := find(s, meta.body+4, meta.end, "iloc")
	if !ok {
		return nil
	}
	idat, _ := find(s, meta.body+4, meta.end, "idat")
	w := itemWalk{s: s, at: location.body, end: location.end}
	version := int(w.number(1))
	w.number(3)
	sizes := w.number(2)
	offset, length, base, index := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	count := w.number(wide(version == 2))
	if version > 2 || offset > 8 || length > 8 || base > 8 || count > filetype.MaxSteps {
		return filetype.Damaged(t)
	}
	for range count {
		item := w.number(wide(version == 2))
		method := int64(0)
		if version > 0 {
			method = w.number(2) & 15
		} else {
			index = 0
		}
		reference := w.number(2)
		start := w.number(base)
		extents := w.number(2)
		if !s.Step() || w.cut {
			return filetype.Damaged(t)
		}
		for n := range extents {
			w.number(index)
			at, size := start+w.number(offset), w.number(length)
			if w.cut || !s.Step() {
				return filetype.Damaged(t)
			}
			from := int64(0)
			if method == 1 {
				from = idat.body
			}
			if method > 1 || reference != 0 {
				continue
			}
			if at < 0 || size < 0 || from+at > s.Size || size > s.Size-from-at {
				return filetype.CutShort(t)
			}
			if n == 0 && composed[item] {
				if p := composedSize(s, from+at); p != nil {
					return p
				}
			}
		}
	}
	return nil
}

func wide(is bool) int {
	if is {
		return 4
	}
	return 2
}

// itemWalk reads the numbers of an item table.
type itemWalk struct {
	s       *filetype.Source
	at, end int64
	buf     []byte
	cut     bool
}

// number reads n bytes. It sets cut if the table ends early.
func (w *itemWalk) number(n int) (v int64) {
	if len(w.buf) < n {
		w.buf = w.s.Bytes(w.at, int(min(max(w.end-w.at, 0), 4*filetype.KiB)))
	}
	if len(w.buf) < n {
		w.cut = true
		return 0
	}
	for _, b := range w.buf[:n] {
		v = v<<8 | int64(b)
	}
	w.buf, w.at = w.buf[n:], w.at+int64(n)
	return v
}

// composedItems returns the items that are grids or overlays of others.
func composedItems(s *filetype.Source, meta box) map[int64]bool {
	items := map[int64]bool{}
	info, ok := find(s, meta.body+4, meta.end, "iinf")
	if !ok {
		return items
	}
	head := s.Bytes(info.body, 1)
	start := info.body + 6
	if len(head) == 1 && head[0] != 0 {
		start += 2
	}
	boxes(s, start, info.end, func(b box) bool {
		p := s.Bytes(b.body, 16)
		if b.typ != "infe" || len(p) < 14 {
			return true
		}
		id, typ := int64(filetype.BigEndian.Uint16(p[4:])), string(p[8:12])
		if p[0] == 3 {
			id, typ = int64(filetype.BigEndian.Uint32(p[4:])), string(p[10:14])
		}
		if typ == "grid" || typ == "iovl" {
			items[id] = true
		}
		return len(items) < filetype.MaxTracks
	})
	return items
}

// composedSize checks the size of a grid: flags, rows, columns, width and
// height.
func composedSize(s *filetype.Source, at int64) *filetype.Problem {
	p := s.Bytes(at, 12)
	if len(p) < 8 || p[0] != 0 {
		return nil
	}
	width, height := int64(filetype.BigEndian.Uint16(p[4:])), int64(filetype.BigEndian.Uint16(p[6:]))
	if p[1]&1 != 0 && len(p) == 12 {
		width, height = int64(filetype.BigEndian.Uint32(p[4:])), int64(filetype.BigEndian.Uint32(p[8:]))
	}
	return new(filetype.Facts).SetSize(width, height)
}
