package media

import (
	"bufio"
	"bytes"
	"io"

	"vitrine/internal/filetype"
)

// InspectGIF walks the blocks. It accepts frames that exceed the screen, which
// browsers crop, and a missing end mark if one picture is complete.
func InspectGIF(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	h := s.Head
	if !bytes.HasPrefix(h, []byte("GIF87a")) && !bytes.HasPrefix(h, []byte("GIF89a")) {
		return filetype.NotThe(s, t)
	}
	if len(h) < 14 {
		return filetype.Damaged(t)
	}
	if p := facts.SetSize(int64(filetype.LittleEndian.Uint16(h[6:])),
		int64(filetype.LittleEndian.Uint16(h[8:]))); p != nil {
		return p
	}
	r := bufio.NewReaderSize(s.Rest(13), filetype.ChunkBytes)
	r.Discard(gifTable(h[10]))
	frames := 0
	for s.Step() {
		kind, err := r.ReadByte()
		whole := err == nil
		switch {
		case kind == 0x3b || err != nil && frames > 0:
			if frames == 0 {
				return filetype.CutShort(t)
			}
			return nil
		case kind == 0x21:
			r.ReadByte()
			_, whole = gifBlocks(r)
		case kind == 0x2c:
			var p *filetype.Problem
			if whole, p = gifFrame(r, facts); p != nil {
				return p
			}
			if whole {
				frames++
			}
		case kind == 0 && whole: // padding
		case frames > 0: // browsers show the frames before
			return nil
		default:
			return filetype.Damaged(t)
		}
		if !whole && frames == 0 {
			return filetype.CutShort(t)
		}
	}
	return filetype.UnsafeFile(filetype.ReasonDecodeFlood,
		"The image has more than %d parts. Export it again, or as a video.", filetype.MaxSteps)
}

// gifTable returns the size of the colour table for the flags.
func gifTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifBlocks reads data blocks up to the empty one. It counts the complete ones.
func gifBlocks(r *bufio.Reader) (blocks int, ended bool) {
	for ; ; blocks++ {
		n, err := r.ReadByte()
		if err != nil {
			return blocks, false
		}
		if n == 0 {
			return blocks, true
		}
		if k, _ := r.Discard(int(n)); k < int(n) {
			return blocks, false
		}
	}
}

// gifFrame reads one frame. A frame counts as complete if it can be decoded at
// least in part, because browsers show that part.
func gifFrame(r *bufio.Reader, facts *filetype.Facts) (whole bool, p *filetype.Problem) {
	var h [9]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return false, nil
	}
	var frame filetype.Facts
	if p := frame.SetSize(int64(filetype.LittleEndian.Uint16(h[4:])),
		int64(filetype.LittleEndian.Uint16(h[6:]))); p != nil {
		return false, p
	}
	if facts.Width == 0 || facts.Height == 0 { // an empty screen has the size of the first frame
		facts.Width, facts.Height = frame.Width, frame.Height
	}
	r.Discard(gifTable(h[8]))
	code, err := r.ReadByte()
	if err != nil || code < 1 || code > 11 {
		return false, nil
	}
	blocks, ended := gifBlocks(r)
	return ended || blocks > 0, nil
}
