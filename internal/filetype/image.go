package filetype

import (
	"bytes"
	"encoding/binary"
)

// Images are judged by their headers alone: what they are, and how many pixels a viewer must hold. Decoding is left to the browser,
// which does it in a sandbox.

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// sized records the dimensions of an image and refuses pixel floods (security: "images by header for pixel floods").
func (f *Facts) sized(width, height int64) *Problem {
	if width > maxPixels || height > maxPixels || width*height > maxPixels {
		return unsafeFile("The image has %d × %d pixels, more than browsers can show.", width, height)
	}
	f.Width, f.Height = int(width), int(height)
	return nil
}

func inspectPNG(s *source, t Type, facts *Facts) *Problem {
	h := s.head
	if !bytes.HasPrefix(h, []byte("\x89PNG\r\n\x1a\n")) {
		return notThe(s, t)
	}
	if len(h) < 33 || be.Uint32(h[8:]) != 13 || string(h[12:16]) != "IHDR" {
		return damaged(t)
	}
	width, height := int64(be.Uint32(h[16:])), int64(be.Uint32(h[20:]))
	if width == 0 || height == 0 {
		return damaged(t)
	}
	return facts.sized(width, height)
}

// inspectJPEG walks the segments to the frame header, past whatever cameras put before it.
func inspectJPEG(s *source, t Type, facts *Facts) *Problem {
	if !bytes.HasPrefix(s.head, []byte("\xff\xd8\xff")) {
		return notThe(s, t)
	}
	off := int64(2)
	for s.step() {
		p := s.bytes(off, 16)
		if len(p) < 4 || p[0] != 0xff {
			return damaged(t)
		}
		marker := p[1]
		switch {
		case marker == 0xff: // fill
			off++
			continue
		case marker == 0x01 || 0xd0 <= marker && marker <= 0xd7: // without a length
			off += 2
			continue
		case 0xc0 <= marker && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			if len(p) < 10 {
				return damaged(t)
			}
			width, height := int64(be.Uint16(p[7:])), int64(be.Uint16(p[5:]))
			if width == 0 {
				return damaged(t)
			}
			return facts.sized(width, height)
		case marker == 0xda || marker == 0xd9: // pixels, or the end, before a frame
			return damaged(t)
		}
		length := int64(be.Uint16(p[2:]))
		if length < 2 {
			return damaged(t)
		}
		off += 2 + length
	}
	return damaged(t)
}

func inspectGIF(s *source, t Type, facts *Facts) *Problem {
	h := s.head
	if !bytes.HasPrefix(h, []byte("GIF87a")) && !bytes.HasPrefix(h, []byte("GIF89a")) {
		return notThe(s, t)
	}
	if len(h) < 14 {
		return damaged(t)
	}
	return facts.sized(int64(le.Uint16(h[6:])), int64(le.Uint16(h[8:])))
}

func inspectWebP(s *source, t Type, facts *Facts) *Problem {
	h := s.head
	if len(h) < 12 || string(h[:4]) != "RIFF" || string(h[8:12]) != "WEBP" {
		return notThe(s, t)
	}
	if len(h) < 30 {
		return damaged(t)
	}
	var width, height int64
	switch string(h[12:16]) {
	case "VP8 ":
		if !bytes.Equal(h[23:26], []byte{0x9d, 0x01, 0x2a}) {
			return damaged(t)
		}
		width, height = int64(le.Uint16(h[26:])&0x3fff), int64(le.Uint16(h[28:])&0x3fff)
	case "VP8L":
		if h[20] != 0x2f {
			return damaged(t)
		}
		bits := le.Uint32(h[21:])
		width, height = int64(bits&0x3fff)+1, int64(bits>>14&0x3fff)+1
	case "VP8X":
		width, height = int64(uint24(h[24:]))+1, int64(uint24(h[27:]))+1
	default:
		return damaged(t)
	}
	return facts.sized(width, height)
}

func uint24(p []byte) uint32 { return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 }

func inspectBMP(s *source, t Type, facts *Facts) *Problem {
	h := s.head
	if len(h) < 26 || string(h[:2]) != "BM" {
		return notThe(s, t)
	}
	pixels := int64(le.Uint32(h[10:]))
	var width, height int64
	switch header := le.Uint32(h[14:]); header {
	case 12:
		width, height = int64(le.Uint16(h[18:])), int64(le.Uint16(h[20:]))
	case 16, 40, 52, 56, 64, 108, 124:
		width, height = int64(int32(le.Uint32(h[18:]))), int64(int32(le.Uint32(h[22:])))
	default:
		return notThe(s, t)
	}
	if height < 0 { // rows from the top
		height = -height
	}
	if width <= 0 || height == 0 || pixels > s.size {
		return damaged(t)
	}
	return facts.sized(width, height)
}
