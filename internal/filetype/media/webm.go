package media

import (
	"bytes"
	"math"

	"vitrine/internal/filetype"
)

// The element IDs of EBML and Matroska that inspection uses.
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
	idTrackType = 0x83
	idVideo     = 0xe0
	idWidth     = 0xb0
	idHeight    = 0xba
	idFiles     = 0x1941a469
	idFile      = 0x61a7
	idFileName  = 0x466e
	idFileData  = 0x465c
)

// trackSound is the type of a track that is sound.
const trackSound = 2

// InspectWebM requires an EBML header for webm; Matroska, its superset, is not
// supported. The segment must have tracks or media within the walk.
func InspectWebM(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	header, ok := readElement(s, 0)
	if !ok || header.id != idEBML {
		return filetype.NotThe(s, t)
	}
	docType := ""
	elements(s, header.body, header.end, func(e element) bool {
		if e.id == idDocType {
			docType = string(bytes.TrimRight(s.Bytes(e.body, int(min(e.end-e.body, 16))), "\x00"))
		}
		return true
	})
	if docType == "matroska" {
		return filetype.Mismatch(filetype.ReasonOtherContent,
			"The name says a WebM video, but the content is a Matroska video (mkv).")
	}
	if docType != "webm" {
		return filetype.NotThe(s, t)
	}
	segment, ok := readElement(s, header.end)
	if !ok || segment.id != idSegment {
		return filetype.Damaged(t)
	}
	media := false
	var problem *filetype.Problem
	elements(s, segment.body, segment.end, func(e element) bool {
		switch e.id {
		case idInfo:
			facts.DurationMs = webmDuration(s, e)
		case idTracks:
			media = true
			problem = webmTracks(s, e, facts)
		case idFiles:
			problem = webmFiles(s, e)
		case idCluster:
			media = true
		}
		return problem == nil
	})
	if problem != nil {
		return problem
	}
	if !media {
		return filetype.Damaged(t)
	}
	return nil
}

// webmTracks refuses films with pictures that no browser can show. It finds out
// whether there are pictures.
func webmTracks(s *filetype.Source, tracks element, facts *filetype.Facts) (p *filetype.Problem) {
	pictures, sound := false, false
	elements(s, tracks.body, tracks.end, func(track element) bool {
		if track.id != idTrack {
			return true
		}
		elements(s, track.body, track.end, func(video element) bool {
			if video.id == idTrackType {
				kind := unsigned(s, video)
				pictures, sound = pictures || kind != trackSound, sound || kind == trackSound
			}
			if video.id != idVideo {
				return true
			}
			pictures = true
			var width, height int64
			elements(s, video.body, video.end, func(e element) bool {
				switch e.id {
				case idWidth:
					width = unsigned(s, e)
				case idHeight:
					height = unsigned(s, e)
				}
				return true
			})
			p = new(filetype.Facts).SetSize(width, height)
			return p == nil
		})
		return p == nil
	})
	facts.SoundOnly = sound && !pictures
	return p
}

// unsigned reads a number. Numbers too large to represent become larger than
// any limit.
func unsigned(s *filetype.Source, e element) (v int64) {
	for _, b := range s.Bytes(e.body, int(min(e.end-e.body, 8))) {
		v = min(v<<8|int64(b), filetype.MaxPixels+1)
	}
	return v
}

// webmFiles refuses films that contain a program. WebM has no attached files;
// Matroska, which players play anyway, has fonts and covers.
func webmFiles(s *filetype.Source, files element) (p *filetype.Problem) {
	elements(s, files.body, files.end, func(file element) bool {
		name := ""
		var data []byte
		elements(s, file.body, file.end, func(e element) bool {
			switch e.id {
			case idFileName:
				name = string(s.Bytes(e.body, int(min(e.end-e.body, filetype.MaxNameBytes))))
			case idFileData:
				data = s.Bytes(e.body, int(min(e.end-e.body, filetype.PeekBytes)))
			}
			return true
		})
		if p = filetype.MalwareAt(name, data); p != nil {
			return false
		}
		if filetype.ProgramExt(name) != "" || filetype.SurelyProgram(data) != "" {
			p = filetype.UnsafeFile(filetype.ReasonEmbeddedProgram,
				"The film carries a program or script. Export it again without attachments.").SetContext(name)
		}
		return p == nil
	})
	return p
}

func webmDuration(s *filetype.Source, info element) int64 {
	scale, duration := 1e6, 0.0 // ns in a unit; units
	elements(s, info.body, info.end, func(e element) bool {
		p := s.Bytes(e.body, int(min(e.end-e.body, 8)))
		switch {
		case e.id == idTimescale:
			n := 0.0
			for _, b := range p {
				n = n*256 + float64(b)
			}
			scale = n
		case e.id == idDuration && len(p) == 4:
			duration = float64(math.Float32frombits(filetype.BigEndian.Uint32(p)))
		case e.id == idDuration && len(p) == 8:
			duration = math.Float64frombits(filetype.BigEndian.Uint64(p))
		}
		return true
	})
	if ms := duration * scale / 1e6; ms > 0 && ms < MaxDurationMs {
		return int64(ms)
	}
	return 0
}

// element is an EBML element; its content is from body to end.
type element struct {
	id        uint32
	body, end int64
}

// readElement reads the header of the element at off. An unknown size, as in
// live streams, extends to the end of the file.
func readElement(s *filetype.Source, off int64) (e element, ok bool) {
	p := s.Bytes(off, 12)
	id, n := vint(p, 4, false)
	if n == 0 {
		return e, false
	}
	size, m := vint(p[n:], 8, true)
	if m == 0 {
		return e, false
	}
	e = element{id: uint32(id), body: off + int64(n+m), end: s.Size}
	if size != 1<<(7*m)-1 {
		if size > uint64(s.Size-e.body) {
			size = uint64(s.Size - e.body)
		}
		e.end = e.body + int64(size)
	}
	return e, true
}

func elements(s *filetype.Source, off, end int64, f func(element) bool) {
	for s.Step() {
		if off >= end {
			return
		}
		e, ok := readElement(s, off)
		if !ok || !f(e) {
			return
		}
		off = e.end
	}
}

// vint reads an EBML number of up to max bytes, with or without its length
// marker. It returns the value and its length, or 0 if there is none.
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
