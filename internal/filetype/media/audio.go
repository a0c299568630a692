package media

import (
	"bytes"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
)

// InspectWAV walks the chunks of RIFF, or its 64-bit variants, to the format
// and the data.
func InspectWAV(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	h := s.Head
	if len(h) < 12 || string(h[8:12]) != "WAVE" || string(h[:4]) != "RIFF" && string(h[:4]) != "RF64" &&
		string(h[:4]) != "BW64" {
		return filetype.NotThe(s, t)
	}
	rate, known, off := uint64(0), false, int64(12) // rate is 0 for some packed sound
	for s.Step() {
		p := s.Bytes(off, 24)
		if len(p) < 8 {
			break
		}
		size := int64(filetype.LittleEndian.Uint32(p[4:]))
		switch string(p[:4]) {
		case "fmt ":
			if len(p) < 24 || size < 16 || filetype.LittleEndian.Uint16(p[10:]) == 0 ||
				filetype.LittleEndian.Uint16(p[22:]) == 0 && filetype.LittleEndian.Uint16(p[8:]) == wavPCM {
				return filetype.Damaged(t)
			}
			rate, known = uint64(filetype.LittleEndian.Uint32(p[16:])), true
			if filetype.LittleEndian.Uint16(p[8:]) == wavPCM { // what players go by
				rate = uint64(filetype.LittleEndian.Uint32(p[12:])) * uint64(filetype.LittleEndian.Uint16(p[20:]))
				known = rate > 0
			}
		case "data":
			if !known {
				return filetype.Damaged(t)
			}
			facts.DurationMs = milliseconds(uint64(min(size, s.Size-off-8)), rate)
			return nil
		}
		off += 8 + size + size&1
	}
	return filetype.Damaged(t)
}

// wavPCM is the format code of plain samples.
const wavPCM = 1

func InspectFLAC(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	off := id3End(s)
	p := s.Bytes(off, 42)
	if !bytes.HasPrefix(p, []byte("fLaC")) {
		return filetype.NotThe(s, t)
	}
	if len(p) < 42 || p[4]&0x7f != 0 || p[7] != 34 {
		return filetype.Damaged(t)
	}
	info := filetype.BigEndian.Uint64(p[18:]) // 20 bits rate, 3 channels, 5 sample size, 36 samples
	rate, samples := info>>44, info&(1<<36-1)
	if rate == 0 {
		return filetype.Damaged(t)
	}
	facts.DurationMs = milliseconds(samples, rate)
	if !flacFrames(s, off+4) {
		return truncatedSound(t)
	}
	return id3Program(s, off)
}

func truncatedSound(t filetype.Type) *filetype.Problem {
	return filetype.Mismatch(filetype.ReasonDamaged,
		"The file begins like %s, but its sound is cut short or damaged. Export or upload it again.", t.Label)
}

// flacFrames walks the blocks before the sound and reports whether frames
// follow them.
func flacFrames(s *filetype.Source, off int64) bool {
	for s.Step() {
		h := s.Bytes(off, 4)
		if len(h) < 4 {
			return false
		}
		off += 4 + int64(h[1])<<16 + int64(h[2])<<8 + int64(h[3])
		if h[0]&0x80 != 0 {
			break
		}
	}
	p := s.Bytes(off, 2)
	return len(p) == 2 && p[0] == 0xff && p[1]&0xfc == 0xf8
}

// id3End returns where the data after ID3v2 tags begins, or 0 if there is no
// tag.
func id3End(s *filetype.Source) int64 {
	off := int64(0)
	for range 4 { // some taggers put a second tag before the first
		p := s.Bytes(off, 10)
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

// frameHeader parses the header of an MPEG or AAC frame. It returns the frame's
// length and what all frames of a file have in common, and reports false if p
// is not a frame.
type frameHeader func(p []byte) (length int64, kind uint32, ok bool)

// framesWanted consecutive frames of one kind are required. Three occur by
// chance once in about 10¹⁰ offsets.
const framesWanted = 3

// frames returns where a run of frames begins, or -1: after an ID3 tag and its
// padding, or near the start, because a recorded broadcast may begin within a
// frame. Bytes before the frames must not be readable text, such as a web page
// or script.
func frames(s *filetype.Source, header frameHeader) int64 {
	off, lead := id3End(s), filetype.MaxMPEGRest
	if off > 0 {
		lead = filetype.MaxMPEGLead
	}
	p := s.Bytes(off, lead+8)
	for i := 0; i+8 <= len(p); i++ {
		if p[i] != 0xff || !frameRun(s, off+int64(i), header) {
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
	var c text.TextCheck
	c.Add(p)
	c.End()
	return c.Valid(false)
}

// frameRun reports whether framesWanted frames begin at off. A short file may
// end earlier, at the end of a frame.
func frameRun(s *filetype.Source, off int64, header frameHeader) bool {
	var kind uint32
	for n := range framesWanted {
		p := s.Bytes(off, 8)
		if n > 1 && (len(p) == 0 || bytes.HasPrefix(p, []byte("TAG"))) {
			return true
		}
		length, k, ok := header(p)
		if !ok || n > 0 && k != kind || length > s.Size-off {
			return false
		}
		kind, off = k, off+length
	}
	return true
}

// InspectAAC checks a raw AAC stream (ADTS), or its predecessor ADIF.
func InspectAAC(s *filetype.Source, t filetype.Type, _ *filetype.Facts) *filetype.Problem {
	if bytes.HasPrefix(s.Head, []byte("ADIF")) && len(s.Head) > 16 {
		return nil
	}
	first := frames(s, adtsHeader)
	if first < 0 {
		return filetype.NotThe(s, t)
	}
	return id3Program(s, first)
}

func adtsHeader(p []byte) (length int64, kind uint32, ok bool) {
	if len(p) < 7 || p[0] != 0xff || p[1]&0xf6 != 0xf0 {
		return 0, 0, false
	}
	length = int64(p[3]&3)<<11 | int64(p[4])<<3 | int64(p[5])>>5
	return length, uint32(p[1])<<8 | uint32(p[2]&0xfc), length >= 7 && p[2]>>2&15 < 13
}
