package media

import (
	"bytes"

	"vitrine/internal/filetype"
)

// InspectWebP walks the chunks. An extended file must have a picture as large
// as its canvas, or frames within it.
func InspectWebP(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	h := s.Head
	if len(h) < 12 || string(h[:4]) != "RIFF" || string(h[8:12]) != "WEBP" {
		return filetype.NotThe(s, t)
	}
	end := 8 + int64(filetype.LittleEndian.Uint32(h[4:]))
	if len(h) < 25 || end > s.Size+8 { // some writers omit the last padding, or count it twice
		return filetype.CutShort(t)
	}
	if string(h[12:16]) != "VP8X" {
		width, height, ok := webpPicture(s, 12, end)
		if !ok {
			return filetype.Damaged(t)
		}
		return facts.SetSize(width, height)
	}
	if len(h) < 30 {
		return filetype.Damaged(t)
	}
	width, height := int64(uint24(h[24:]))+1, int64(uint24(h[27:]))+1
	if p := facts.SetSize(width, height); p != nil {
		return p
	}
	return webpCanvas(s, t, 30, end, width, height)
}

// webpCanvas finds the picture or the frames of an extended file.
func webpCanvas(s *filetype.Source, t filetype.Type, off, end, width, height int64) *filetype.Problem {
	shown := false
	for off+8 <= end && s.Step() {
		p := s.Bytes(off, 24)
		if len(p) < 8 {
			break
		}
		size := int64(filetype.LittleEndian.Uint32(p[4:]))
		if size > end-off-8 {
			return filetype.CutShort(t)
		}
		switch string(p[:4]) {
		case "VP8 ", "VP8L":
			w, h, ok := webpPicture(s, off, end)
			if !ok || w != width || h != height {
				return filetype.Damaged(t)
			}
			shown = true
		case "ANMF":
			if len(p) < 24 || size < 16 {
				return filetype.Damaged(t)
			}
			x, y := 2*int64(uint24(p[8:])), 2*int64(uint24(p[11:]))
			w, h := int64(uint24(p[14:]))+1, int64(uint24(p[17:]))+1
			if x+w > width || y+h > height || !webpFrame(s, off+24, off+8+size, w, h) {
				return filetype.Damaged(t)
			}
			shown = true
		}
		off += 8 + size + size&1
	}
	if !shown {
		return filetype.CutShort(t)
	}
	return nil
}

// webpFrame finds the picture of one frame. A chunk with transparency may
// precede it.
func webpFrame(s *filetype.Source, off, end, width, height int64) bool {
	for range 8 {
		p := s.Bytes(off, 8)
		if len(p) < 8 || off+8 > end {
			return false
		}
		if bytes.HasPrefix(p, []byte("VP8")) {
			w, h, ok := webpPicture(s, off, end)
			return ok && w == width && h == height
		}
		size := int64(filetype.LittleEndian.Uint32(p[4:]))
		off += 8 + size + size&1
	}
	return false
}

// webpPicture reads the dimensions of the picture in the chunk at off.
func webpPicture(s *filetype.Source, off, end int64) (width, height int64, ok bool) {
	h := s.Bytes(off, 18)
	if len(h) < 13 || int64(filetype.LittleEndian.Uint32(h[4:])) > end-off-8 {
		return 0, 0, false
	}
	switch string(h[:4]) {
	case "VP8 ":
		if len(h) < 18 || !bytes.Equal(h[11:14], []byte{0x9d, 0x01, 0x2a}) {
			return 0, 0, false
		}
		width, height = int64(filetype.LittleEndian.Uint16(h[14:])&0x3fff),
			int64(filetype.LittleEndian.Uint16(h[16:])&0x3fff)
	case "VP8L":
		if h[8] != 0x2f {
			return 0, 0, false
		}
		bits := filetype.LittleEndian.Uint32(h[9:])
		width, height = int64(bits&0x3fff)+1, int64(bits>>14&0x3fff)+1
	}
	return width, height, width > 0 && height > 0
}

func uint24(p []byte) uint32 { return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 }
