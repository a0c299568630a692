package media

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// oggPage is the header of a page and the beginning of its data.
type oggPage struct {
	first   bool // begins a logical stream
	granule int64
	serial  uint32
	data    []byte
	next    int64
}

func readOggPage(s *filetype.Source, off int64) (p oggPage, ok bool) {
	h := s.Bytes(off, 27+255+64)
	if len(h) < 28 || string(h[:4]) != "OggS" || h[4] != 0 {
		return p, false
	}
	segments := int(h[26])
	if len(h) < 27+segments {
		return p, false
	}
	length := 0
	for _, lace := range h[27 : 27+segments] {
		length += int(lace)
	}
	data := h[27+segments:]
	p = oggPage{
		first:   h[5]&2 != 0,
		granule: int64(filetype.LittleEndian.Uint64(h[6:])),
		serial:  filetype.LittleEndian.Uint32(h[14:]),
		data:    data[:min(len(data), length)],
		next:    off + int64(27+segments+length),
	}
	return p, p.next <= s.Size
}

// oggVideo and oggAudio list the beginnings of the first packets of streams.
var (
	oggVideo = []string{"\x80theora", "BBCD\x00", "OVP80"}
	oggAudio = []string{"\x01vorbis", "OpusHead", "\x7fFLAC", "Speex   ", "fLaC"}
)

// InspectOgg reads the first page of each logical stream. A film must be named
// ogv, a sound ogg or opus: Ogg contains both, and the kind follows from the
// name.
func InspectOgg(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	var film, sound, opus bool
	off, pages := int64(0), 0
	for ; pages < maxOggStreams; pages++ {
		p, ok := readOggPage(s, off)
		if !ok || !p.first {
			break
		}
		off = p.next
		film = film || hasAnyPrefix(p.data, oggVideo)
		if problem := theoraSize(p.data); problem != nil {
			return problem
		}
		if hasAnyPrefix(p.data, oggAudio) {
			if !sound {
				facts.DurationMs = oggDuration(s, p)
			}
			sound = true
			opus = opus || hasAnyPrefix(p.data, oggAudio[1:2])
		}
	}
	switch {
	case pages == 0:
		return filetype.NotThe(s, t)
	case t.Kind == filetype.Audio && film:
		return filetype.Mismatch(filetype.ReasonOtherContent,
			"The name says %s, but the file is a video. Name it .ogv.", t.Label)
	case t.Ext == "ogv" && !film:
		return filetype.Mismatch(filetype.ReasonOtherContent,
			"The name says an Ogg video, but the file has no video that browsers know.")
	case t.Ext == "opus" && !opus:
		return filetype.Mismatch(filetype.ReasonOtherContent,
			"The name says an Opus sound, but the content is another Ogg sound. Name it .ogg.")
	case t.Ext == "ogg" && !sound:
		return filetype.Mismatch(filetype.ReasonOtherContent,
			"The name says an Ogg sound, but the file has no sound that browsers know.")
	}
	return nil
}

// theoraSize checks the size of the pictures of a Theora stream, in blocks of
// 16 pixels.
func theoraSize(head []byte) *filetype.Problem {
	if len(head) < 14 || !hasAnyPrefix(head, oggVideo[:1]) {
		return nil
	}
	return new(filetype.Facts).SetSize(16*int64(filetype.BigEndian.Uint16(head[10:])),
		16*int64(filetype.BigEndian.Uint16(head[12:])))
}

// maxOggStreams bounds the logical streams of a file; films have two or three.
const maxOggStreams = 64

func hasAnyPrefix(data []byte, prefixes []string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(data, []byte(p)) {
			return true
		}
	}
	return false
}

// oggDuration reads the position on the last page of the stream that begins
// with first. It returns 0 unless the stream is Vorbis or Opus.
func oggDuration(s *filetype.Source, first oggPage) int64 {
	rate, skip := uint64(0), uint64(0)
	switch d := first.data; {
	case strings.HasPrefix(string(d), "\x01vorbis") && len(d) >= 16:
		rate = uint64(filetype.LittleEndian.Uint32(d[12:]))
	case strings.HasPrefix(string(d), "OpusHead") && len(d) >= 12:
		rate, skip = 48000, uint64(filetype.LittleEndian.Uint16(d[10:]))
	}
	start := max(0, s.Size-filetype.ChunkBytes)
	tail := s.Bytes(start, filetype.ChunkBytes)
	for i := bytes.LastIndex(tail, []byte("OggS")); i >= 0; i = bytes.LastIndex(tail[:i], []byte("OggS")) {
		p, ok := readOggPage(s, start+int64(i))
		if ok && p.serial == first.serial && p.granule > int64(skip) {
			return milliseconds(uint64(p.granule)-skip, rate)
		}
	}
	return 0
}
