package filetype

import (
	"bufio"
	"bytes"
)

// inspectJPEG walks the segments to the frame header, past whatever cameras put before it, and then the picture itself for its end and
// for how often it is gone over. An end mark that is missing is not missed, and cameras put films and other pictures behind it.
func inspectJPEG(s *source, t Type, facts *Facts) *Problem {
	if !bytes.HasPrefix(s.head, []byte("\xff\xd8\xff")) {
		return notThe(s, t)
	}
	width, height, next := s.jpegFrame(2)
	if width == 0 || height == 0 {
		return damaged(t)
	}
	if p := facts.sized(width, height); p != nil {
		return p
	}
	return s.jpegScans(t, next, facts)
}

// jpegFrame gives the dimensions of the frame whose header is found from off on, and where the next segment begins; zeros for none.
func (s *source) jpegFrame(off int64) (width, height, next int64) {
	for s.step() {
		p := s.bytes(off, 16)
		if len(p) < 4 || p[0] != 0xff {
			return 0, 0, 0
		}
		marker, length := p[1], int64(be.Uint16(p[2:]))
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
			return int64(be.Uint16(p[7:])), int64(be.Uint16(p[5:])), off + 2 + length
		case marker == 0xda || marker == 0xd9 || length < 2: // pixels, or the end, before a frame
			return 0, 0, 0
		}
		off += 2 + length
	}
	return 0, 0, 0
}

// jpegScans reads on from behind the frame header to the end mark. Each scan goes over the whole picture, however few bytes it has:
// thousands of them stop a browser (libjpeg-turbo, LJT-01-005).
func (s *source) jpegScans(t Type, off int64, facts *Facts) *Problem {
	r := bufio.NewReaderSize(s.section(off, min(s.size-off, maxJPEG)), chunkBytes)
	scans := 0
	ended := func() *Problem {
		if scans == 0 {
			return cutShort(t)
		}
		if s.size-off > maxJPEG {
			facts.hold(HoldNotFullyInspected)
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
				return damaged(t)
			}
			return nil
		case marker == 0xda:
			if _, err := r.Peek(3); err != nil { // the scan's header, and some of it
				return ended()
			}
			if scans++; scans > maxScans {
				return unsafeFile(ReasonDecodeFlood, "The image goes over its pixels more than %d times, as images made to block browsers do. Export it again.", maxScans)
			}
		case marker >= 0xc0 && marker <= 0xcf, marker >= 0xdb && marker <= 0xef, marker == 0xfe: // with a length
			p, err := r.Peek(2)
			if err != nil || be.Uint16(p) < 2 {
				return ended()
			}
			r.Discard(int(be.Uint16(p)))
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
