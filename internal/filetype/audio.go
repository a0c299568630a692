package filetype

import "bytes"

// inspectWAV walks the chunks of RIFF, and of its 64-bit kin, to the format and the data.
func inspectWAV(s *source, t Type, facts *Facts) *Problem {
	h := s.head
	if len(h) < 12 || string(h[8:12]) != "WAVE" || string(h[:4]) != "RIFF" && string(h[:4]) != "RF64" && string(h[:4]) != "BW64" {
		return notThe(s, t)
	}
	rate, off := uint64(0), int64(12)
	for s.step() {
		p := s.bytes(off, 24)
		if len(p) < 8 {
			break
		}
		size := int64(le.Uint32(p[4:]))
		switch string(p[:4]) {
		case "fmt ":
			if len(p) < 24 || size < 16 || le.Uint16(p[10:]) == 0 || le.Uint16(p[22:]) == 0 && le.Uint16(p[8:]) == wavPCM {
				return damaged(t)
			}
			rate = uint64(le.Uint32(p[16:]))
		case "data":
			if rate == 0 {
				return damaged(t)
			}
			facts.DurationMs = milliseconds(uint64(min(size, s.size-off-8)), rate)
			return nil
		}
		off += 8 + size + size&1
	}
	return damaged(t)
}

// wavPCM is the format of plain samples.
const wavPCM = 1

func inspectFLAC(s *source, t Type, facts *Facts) *Problem {
	off := s.id3End()
	p := s.bytes(off, 42)
	if !bytes.HasPrefix(p, []byte("fLaC")) {
		return notThe(s, t)
	}
	if len(p) < 42 || p[4]&0x7f != 0 || p[7] != 34 {
		return damaged(t)
	}
	info := be.Uint64(p[18:]) // 20 bits rate, 3 channels, 5 sample size, 36 samples
	rate, samples := info>>44, info&(1<<36-1)
	if rate == 0 {
		return damaged(t)
	}
	facts.DurationMs = milliseconds(samples, rate)
	if !s.flacFrames(off + 4) {
		return cutSound(t)
	}
	return s.id3Program(off)
}

func cutSound(t Type) *Problem {
	return mismatch(ReasonDamaged, "The file begins like %s, but its sound is cut short or damaged. Export or upload it again.", t.Label)
}

// flacFrames walks the blocks before the sound and tells whether it begins behind them.
func (s *source) flacFrames(off int64) bool {
	for s.step() {
		h := s.bytes(off, 4)
		if len(h) < 4 {
			return false
		}
		off += 4 + int64(h[1])<<16 + int64(h[2])<<8 + int64(h[3])
		if h[0]&0x80 != 0 {
			break
		}
	}
	p := s.bytes(off, 2)
	return len(p) == 2 && p[0] == 0xff && p[1]&0xfc == 0xf8
}

// id3End is where the data behind ID3v2 tags begins; 0 without one.
func (s *source) id3End() int64 {
	off := int64(0)
	for range 4 { // some taggers put a second one before the first
		p := s.bytes(off, 10)
		if len(p) < 10 || string(p[:3]) != "ID3" || p[3] == 0xff || (p[6]|p[7]|p[8]|p[9])&0x80 != 0 {
			break
		}
		off += 10 + int64(p[6])<<21 + int64(p[7])<<14 + int64(p[8])<<7 + int64(p[9])
		if p[5]&0x10 != 0 {
			off += 10 // footer
		}
	}
	return off
}

// frameHeader reads the header of one MPEG or AAC frame: its length, and what all frames of one file share. ok is false for what
// is no frame.
type frameHeader func(p []byte) (length int64, kind uint32, ok bool)

// framesWanted must follow each other, of one kind. By chance three do once in some 10¹⁰ offsets.
const framesWanted = 3

// frames finds where a run of frames begins, -1 if nowhere: behind an ID3 tag and its padding, or near the start, where a recorded
// broadcast may begin within a frame. That rest must not be readable, as a web page or script before the frames would be.
func (s *source) frames(header frameHeader) int64 {
	off, lead := s.id3End(), maxMPEGRest
	if off > 0 {
		lead = maxMPEGLead
	}
	p := s.bytes(off, lead+8)
	for i := 0; i+8 <= len(p); i++ {
		if p[i] != 0xff || !s.frameRun(off+int64(i), header) {
			continue
		}
		if off == 0 && i > 0 && readable(p[:i]) {
			return -1
		}
		return off + int64(i)
	}
	return -1
}

func readable(p []byte) bool {
	var c textCheck
	c.add(p)
	c.end()
	return c.ok(false)
}

// frameRun reports whether framesWanted frames begin at off. A short file may end before, at the end of a frame.
func (s *source) frameRun(off int64, header frameHeader) bool {
	var kind uint32
	for n := range framesWanted {
		p := s.bytes(off, 8)
		if n > 1 && (len(p) == 0 || bytes.HasPrefix(p, []byte("TAG"))) {
			return true
		}
		length, k, ok := header(p)
		if !ok || n > 0 && k != kind || length > s.size-off {
			return false
		}
		kind, off = k, off+length
	}
	return true
}

// inspectAAC checks a raw AAC stream (ADTS), or its old sibling ADIF.
func inspectAAC(s *source, t Type, _ *Facts) *Problem {
	if bytes.HasPrefix(s.head, []byte("ADIF")) && len(s.head) > 16 {
		return nil
	}
	first := s.frames(adtsHeader)
	if first < 0 {
		return notThe(s, t)
	}
	return s.id3Program(first)
}

func adtsHeader(p []byte) (length int64, kind uint32, ok bool) {
	if len(p) < 7 || p[0] != 0xff || p[1]&0xf6 != 0xf0 {
		return 0, 0, false
	}
	length = int64(p[3]&3)<<11 | int64(p[4])<<3 | int64(p[5])>>5
	return length, uint32(p[1])<<8 | uint32(p[2]&0xfc), length >= 7 && p[2]>>2&15 < 13
}
