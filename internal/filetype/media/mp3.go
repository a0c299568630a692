package media

import (
	"bytes"

	"vitrine/internal/filetype"
)

// InspectMP3 requires consecutive frames. Layers II and III are accepted,
// because players play both under this name.
func InspectMP3(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	first := frames(s, mpegHeader)
	if first < 0 {
		return filetype.NotThe(s, t)
	}
	facts.DurationMs = mp3Duration(s, first)
	return id3Program(s, first)
}

// mpegFrame is the header of a frame.
type mpegFrame struct {
	mpeg1   bool
	mono    bool
	rate    int64 // samples in a second
	bits    int64 // bits in a second
	samples int64 // samples in the frame
	length  int64 // in bytes
	kind    uint32
}

// Bit rates in kbit/s: layers II and III of MPEG 1, and both of MPEG 2.
var (
	bitsLayer2 = [16]int64{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384}
	bitsLayer3 = [16]int64{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}
	bitsMPEG2  = [16]int64{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
)

func parseMPEG(p []byte) (f mpegFrame, ok bool) {
	if len(p) < 4 || p[0] != 0xff || p[1]&0xe0 != 0xe0 {
		return f, false
	}
	version, layer, rate := p[1]>>3&3, p[1]>>1&3, p[2]>>2&3
	if version == 1 || layer == 0 || layer == 3 || rate == 3 { // reserved, AAC, layer I, reserved
		return f, false
	}
	f = mpegFrame{
		mpeg1:   version == 3,
		mono:    p[3]>>6 == 3,
		rate:    [3]int64{44100, 48000, 32000}[rate],
		samples: 1152,
		kind:    uint32(p[1]&0xfe)<<8 | uint32(p[2]&0x0c),
	}
	bits := bitsLayer2
	switch {
	case !f.mpeg1:
		bits = bitsMPEG2
	case layer == 1:
		bits = bitsLayer3
	}
	if !f.mpeg1 {
		f.rate /= 2
		if version == 0 {
			f.rate /= 2
		}
		if layer == 1 {
			f.samples = 576
		}
	}
	f.bits = bits[p[2]>>4] * 1000
	if f.bits == 0 {
		return f, false
	}
	f.length = f.samples/8*f.bits/f.rate + int64(p[2]>>1&1)
	return f, true
}

func mpegHeader(p []byte) (length int64, kind uint32, ok bool) {
	f, ok := parseMPEG(p)
	return f.length, f.kind, ok
}

// mp3Duration reads the number of frames that encoders put into the first frame
// (Xing, Info, VBRI). Without one, it assumes a constant bit rate.
func mp3Duration(s *filetype.Source, first int64) int64 {
	p := s.Bytes(first, 200)
	f, ok := parseMPEG(p)
	if !ok {
		return 0
	}
	side := 4 + 32 // header and side information
	switch {
	case f.mpeg1 && f.mono, !f.mpeg1 && !f.mono:
		side = 4 + 17
	case !f.mpeg1:
		side = 4 + 9
	}
	frames := uint64(0)
	if x := p[min(side, len(p)):]; len(x) >= 12 &&
		(bytes.HasPrefix(x, []byte("Xing")) || bytes.HasPrefix(x, []byte("Info"))) && x[7]&1 != 0 {
		frames = uint64(filetype.BigEndian.Uint32(x[8:]))
	} else if len(p) >= 36+18 && string(p[36:40]) == "VBRI" {
		frames = uint64(filetype.BigEndian.Uint32(p[36+14:]))
	}
	if frames > 0 {
		return milliseconds(frames*uint64(f.samples), uint64(f.rate))
	}
	return milliseconds(uint64(s.Size-first)*8, uint64(f.bits))
}
