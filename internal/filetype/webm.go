package filetype

import (
	"bytes"
	"math"
)

// Element IDs of EBML and Matroska that inspection looks at.
const (
	idEBML      = 0x1a45dfa3
	idDocType   = 0x4282
	idSegment   = 0x18538067
	idInfo      = 0x1549a966
	idTimescale = 0x2ad7b1
	idDuration  = 0x4489
	idTracks    = 0x1654ae6b
	idCluster   = 0x1f43b675
	idTrack     = 0xae
	idVideo     = 0xe0
	idWidth     = 0xb0
	idHeight    = 0xba
	idFiles     = 0x1941a469
	idFile      = 0x61a7
	idFileName  = 0x466e
	idFileData  = 0x465c
)

// inspectWebM wants an EBML header that says webm; Matroska, its superset, is not on the list. The segment must show tracks or media
// before the walk ends.
func inspectWebM(s *source, t Type, facts *Facts) *Problem {
	header, ok := s.element(0)
	if !ok || header.id != idEBML {
		return notThe(s, t)
	}
	docType := ""
	s.elements(header.body, header.end, func(e element) bool {
		if e.id == idDocType {
			docType = string(bytes.TrimRight(s.bytes(e.body, int(min(e.end-e.body, 16))), "\x00"))
		}
		return true
	})
	if docType == "matroska" {
		return mismatch(ReasonOtherContent, "The name says a WebM video, but the content is a Matroska video (mkv).")
	}
	if docType != "webm" {
		return notThe(s, t)
	}
	segment, ok := s.element(header.end)
	if !ok || segment.id != idSegment {
		return damaged(t)
	}
	media := false
	var problem *Problem
	s.elements(segment.body, segment.end, func(e element) bool {
		switch e.id {
		case idInfo:
			facts.DurationMs = s.webmDuration(e)
		case idTracks:
			media = true
			problem = s.webmTracks(e)
		case idFiles:
			problem = s.webmFiles(e)
		case idCluster:
			media = true
		}
		return problem == nil
	})
	if problem != nil {
		return problem
	}
	if !media {
		return damaged(t)
	}
	return nil
}

// webmTracks refuses films whose pictures no browser can show.
func (s *source) webmTracks(tracks element) (p *Problem) {
	s.elements(tracks.body, tracks.end, func(track element) bool {
		if track.id != idTrack {
			return true
		}
		s.elements(track.body, track.end, func(video element) bool {
			if video.id != idVideo {
				return true
			}
			var width, height int64
			s.elements(video.body, video.end, func(e element) bool {
				switch e.id {
				case idWidth:
					width = s.unsigned(e)
				case idHeight:
					height = s.unsigned(e)
				}
				return true
			})
			p = new(Facts).sized(width, height)
			return p == nil
		})
		return p == nil
	})
	return p
}

// unsigned reads a number; one too large to matter as it is becomes larger than any bound.
func (s *source) unsigned(e element) (v int64) {
	for _, b := range s.bytes(e.body, int(min(e.end-e.body, 8))) {
		v = min(v<<8|int64(b), maxPixels+1)
	}
	return v
}

// webmFiles refuses films that carry a program. WebM has no attached files; Matroska, which players read all the same, has fonts and
// covers.
func (s *source) webmFiles(files element) (p *Problem) {
	s.elements(files.body, files.end, func(file element) bool {
		name := ""
		var data []byte
		s.elements(file.body, file.end, func(e element) bool {
			switch e.id {
			case idFileName:
				name = string(s.bytes(e.body, int(min(e.end-e.body, maxNameBytes))))
			case idFileData:
				data = s.bytes(e.body, int(min(e.end-e.body, peekBytes)))
			}
			return true
		})
		if p = malwareAt(name, data); p != nil {
			return false
		}
		if programExt(name) != "" || surelyProgram(data) != "" {
			p = unsafeFile(ReasonEmbeddedProgram, "The film carries a program or script. Export it again without attachments.").about(name)
		}
		return p == nil
	})
	return p
}

func (s *source) webmDuration(info element) int64 {
	scale, duration := 1e6, 0.0 // ns a unit, units
	s.elements(info.body, info.end, func(e element) bool {
		p := s.bytes(e.body, int(min(e.end-e.body, 8)))
		switch {
		case e.id == idTimescale:
			n := 0.0
			for _, b := range p {
				n = n*256 + float64(b)
			}
			scale = n
		case e.id == idDuration && len(p) == 4:
			duration = float64(math.Float32frombits(be.Uint32(p)))
		case e.id == idDuration && len(p) == 8:
			duration = math.Float64frombits(be.Uint64(p))
		}
		return true
	})
	if ms := duration * scale / 1e6; ms > 0 && ms < maxDurationMs {
		return int64(ms)
	}
	return 0
}

// element is one EBML element; body to end is its content.
type element struct {
	id        uint32
	body, end int64
}

// element reads the header of the element at off. An unknown size, as live streams have it, reaches to the end of the file.
func (s *source) element(off int64) (e element, ok bool) {
	p := s.bytes(off, 12)
	id, n := vint(p, 4, false)
	if n == 0 {
		return e, false
	}
	size, m := vint(p[n:], 8, true)
	if m == 0 {
		return e, false
	}
	e = element{id: uint32(id), body: off + int64(n+m), end: s.size}
	if size != 1<<(7*m)-1 {
		if size > uint64(s.size-e.body) {
			size = uint64(s.size - e.body)
		}
		e.end = e.body + int64(size)
	}
	return e, true
}

func (s *source) elements(off, end int64, f func(element) bool) {
	for s.step() {
		if off >= end {
			return
		}
		e, ok := s.element(off)
		if !ok || !f(e) {
			return
		}
		off = e.end
	}
}

// vint reads EBML's number of up to max bytes, with or without the bit that marks its length, and how many bytes it takes; 0 for none.
func vint(p []byte, max int, strip bool) (v uint64, n int) {
	if len(p) == 0 || p[0] == 0 {
		return 0, 0
	}
	n = 1
	for mask := byte(0x80); p[0]&mask == 0; mask >>= 1 {
		n++
	}
	if n > max || n > len(p) {
		return 0, 0
	}
	for _, b := range p[:n] {
		v = v<<8 | uint64(b)
	}
	if strip {
		v &^= 1 << (7 * n)
	}
	return v, n
}
