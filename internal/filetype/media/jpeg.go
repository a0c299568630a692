package media

import (
	"bufio"
	"bytes"

	"vitrine/internal/filetype"
)

// InspectJPEG walks the segments to the frame header, past whatever cameras put
// before it, and then the picture itself for its end and for how often it is
// gone over. Stray bytes between segments are passed over, a missing end mark
// is not missed, and cameras put films and other pictures behind it.
func InspectJPEG(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	if !bytes.HasPrefix(s.Head, []byte("\xff\xd8\xff")) {
		return filetype.NotThe(s, t)
	}
	width, height, next := JPEGFrame(s, 2)
	if width == 0 || height == 0 {
		return filetype.Damaged(t)
	}
	if p := facts.SetSize(width, height); p != nil {
		return p
	}
	return jpegScans(s, t, next, facts)
}

// JPEGFrame gives the dimensions of the frame whose header is found from off
// on, and where the next segment begins; zeros for none.
func JPEGFrame(s *filetype.Source, off int64) (width, height, next int64) {
	for stray := int64(0); s.Step(); {
		p := s.Bytes(off, 16)
		if len(p) < 4 {
			return 0, 0, 0
		}
		if p[0] != 0xff || p[1] == 0 { // decoders look for the next marker
			n := strayBytes(s, off)
			if stray += n; stray > maxStray {
				return 0, 0, 0
			}
			off += n
			continue
		}
		marker, length := p[1], int64(filetype.BigEndian.Uint16(p[2:]))
		switch {
		case marker == 0xff: // fill
			off++
			continue
		case marker == 0x01 || 0xd0 <= marker && marker <= 0xd7: // without a length
			off += 2
			continue
		case 0xc0 <= marker && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			if len(p) < 10 || length < 8 {
				return 0, 0, 0
			}
			return int64(filetype.BigEndian.Uint16(p[7:])), int64(filetype.BigEndian.Uint16(p[5:])), off + 2 + length
		case marker == 0xda || marker == 0xd9 || length < 2: // pixels, or the end, before a frame
			return 0, 0, 0
		}
		off += 2 + length
	}
	return 0, 0, 0
}

// maxStray is the most bytes between segments that belong to none. Cameras and
// editors leave some; decoders warn and go on.
const maxStray = 64 * filetype.KiB

// strayBytes counts the bytes at off before the next one that may begin a
// marker, at least one.
func strayBytes(s *filetype.Source, off int64) int64 {
	p := s.Bytes(off+1, 4*filetype.KiB)
	if n := bytes.IndexByte(p, 0xff); n >= 0 {
		return int64(n) + 1
	}
	return int64(len(p)) + 1
}

// jpegScans reads on from behind the frame header to the end mark. Each scan
// goes over the whole picture, however few bytes it has: thousands of them stop
// a browser (libjpeg-turbo, LJT-01-005).
func jpegScans(s *filetype.Source, t filetype.Type, off int64, facts *filetype.Facts) *filetype.Problem {
	r := bufio.NewReaderSize(s.Section(off, min(s.Size-off, filetype.MaxJPEG)), filetype.ChunkBytes)
	scans := 0
	ended := func() *filetype.Problem {
		if scans == 0 {
			return filetype.CutShort(t)
		}
		if s.Size-off > filetype.MaxJPEG {
			facts.HoldFor(filetype.HoldNotFullyInspected)
		}
		return nil // browsers show what is there
	}
	for {
		if !skipTo(r, 0xff) {
			return ended()
		}
		marker, err := r.ReadByte()
		if err != nil {
			return ended()
		}
		switch {
		case marker == 0xff:
			r.UnreadByte()
		case marker == 0xd9:
			if scans == 0 {
				return filetype.Damaged(t)
			}
			return nil
		case marker == 0xda:
			if _, err := r.Peek(3); err != nil { // the scan's header, and some of it
				return ended()
			}
			if scans++; scans > filetype.MaxScans {
				return filetype.UnsafeFile(filetype.ReasonDecodeFlood,
					"The image goes over its pixels more than %d times, as images made to block browsers do. Export it again.", filetype.MaxScans)
			}
		case marker >= 0xc0 && marker <= 0xcf, marker >= 0xdb && marker <= 0xef, marker == 0xfe: // with a length
			p, err := r.Peek(2)
			if err != nil || filetype.BigEndian.Uint16(p) < 2 {
				return ended()
			}
			r.Discard(int(filetype.BigEndian.Uint16(p)))
		}
	}
}

// skipTo reads up to and including a byte.
func skipTo(r *bufio.Reader, b byte) bool {
	for {
		_, err := r.ReadSlice(b)
		if err == nil {
			return true
		}
		if err != bufio.ErrBufferFull {
			return false
		}
	}
}
