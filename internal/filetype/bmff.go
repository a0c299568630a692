package filetype

import "slices"

// ISO base media files (MP4, QuickTime, AVIF, HEIC) are boxes within boxes. One walker serves them all.

// box is a typed range of the file; body to end is its content.
type box struct {
	typ       string
	body, end int64
}

// boxes calls f for each box between off and end until f says false. It reports whether the boxes fit the range; only the last may
// be cut short.
func (s *source) boxes(off, end int64, f func(box) bool) (whole bool) {
	for s.step() {
		if off >= end {
			return off == end
		}
		h := s.bytes(off, 16)
		if len(h) < 8 {
			return false
		}
		b := box{typ: string(h[4:8]), body: off + 8}
		switch size := int64(be.Uint32(h)); {
		case size == 0: // to the end
			b.end = end
		case size == 1:
			if len(h) < 16 {
				return false
			}
			b.body = off + 16
			b.end = off + int64(be.Uint64(h[8:])) // what overflows fails the next test
		default:
			b.end = off + size
		}
		if b.end < b.body {
			return false
		}
		cut := b.end > end
		b.end = min(b.end, end)
		if !f(b) {
			return true
		}
		if cut {
			return false
		}
		off = b.end
	}
	return false
}

// find gives the first box of a path within a range.
func (s *source) find(off, end int64, path ...string) (found box, ok bool) {
	s.boxes(off, end, func(b box) bool {
		if b.typ == path[0] {
			found, ok = b, true
		}
		return !ok
	})
	if !ok || len(path) == 1 {
		return found, ok
	}
	body := found.body
	if found.typ == "meta" { // a full box: version and flags first
		body += 4
	}
	return s.find(body, found.end, path[1:]...)
}

// brands reads the file type box, which must come first; nil if it does not.
func (s *source) brands() []string {
	h := s.head
	if len(h) < 16 || string(h[4:8]) != "ftyp" {
		return nil
	}
	end := min(int64(be.Uint32(h)), int64(len(h)))
	brands := []string{string(h[8:12])}
	for i := int64(16); i+4 <= end; i += 4 {
		brands = append(brands, string(h[i:i+4]))
	}
	return brands
}

var (
	avifBrands = []string{"avif", "avis"}
	heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"}
	// otherBrands are first brands of base media files that are no film and no sound.
	otherBrands = slices.Concat(avifBrands, heicBrands, []string{"mif1", "msf1", "mif2", "crx ", "jp2 ", "jpx ", "jpm ", "jxl "})
)

// inspectStillBMFF checks AVIF and HEIC: the brand, and the largest image's dimensions where they are stated.
func inspectStillBMFF(s *source, t Type, facts *Facts) *Problem {
	wanted := heicBrands
	if t.Ext == "avif" {
		wanted = avifBrands
	}
	if !slices.ContainsFunc(s.brands(), func(b string) bool { return slices.Contains(wanted, b) }) {
		return notThe(s, t)
	}
	if !s.boxes(0, s.size, func(box) bool { return true }) {
		return cutShort(t)
	}
	if p := s.stillParts(t); p != nil {
		return p
	}
	properties, ok := s.find(0, s.size, "meta", "iprp", "ipco")
	if !ok {
		if _, film := s.find(0, s.size, "moov"); film { // an image sequence
			return nil
		}
		return damaged(t)
	}
	var width, height int64
	s.boxes(properties.body, properties.end, func(b box) bool {
		if p := s.bytes(b.body, 12); b.typ == "ispe" && len(p) == 12 {
			if w, h := int64(be.Uint32(p[4:])), int64(be.Uint32(p[8:])); w*h > width*height || max(w, h) > maxPixels {
				width, height = w, h
			}
		}
		return max(width, height) <= maxPixels
	})
	return facts.sized(width, height)
}

// inspectBMFF checks MP4, M4V, MOV and M4A: an index (moov) with tracks must be there, since nothing plays without one. The
// brands of films are many, and files are renamed between mp4, m4v and mov freely and play: any film passes under any of the three
// names, and a sound under all.
func inspectBMFF(s *source, t Type, facts *Facts) *Problem {
	brands := s.brands()
	if len(brands) > 0 && slices.Contains(otherBrands, brands[0]) || len(brands) == 0 && !oldQuickTime(s, t) {
		return notThe(s, t)
	}
	moov, ok := s.find(0, s.size, "moov")
	if !ok {
		return mismatch(ReasonDamaged, "The file begins like %s, but has no index: the recording or the transfer was cut short.", t.Label)
	}
	film, sound := s.tracks(moov)
	if !film && !sound {
		return damaged(t)
	}
	if p := s.movieTables(t, moov, facts); p != nil {
		return p
	}
	if t.Kind == Audio && !sound {
		return mismatch(ReasonOtherContent, "The name says %s, but the file has no sound.", t.Label)
	}
	facts.DurationMs = s.movieDuration(moov)
	return nil
}

// oldQuickTime tells films made before there was a file type box.
func oldQuickTime(s *source, t Type) bool {
	return t.Ext == "mov" && len(s.head) >= 8 &&
		slices.Contains([]string{"moov", "mdat", "wide", "free", "skip", "pnot"}, string(s.head[4:8]))
}

func (s *source) tracks(moov box) (film, sound bool) {
	s.boxes(moov.body, moov.end, func(b box) bool {
		if b.typ != "trak" {
			return true
		}
		if handler, ok := s.find(b.body, b.end, "mdia", "hdlr"); ok {
			if p := s.bytes(handler.body, 12); len(p) == 12 {
				film = film || string(p[8:]) == "vide"
				sound = sound || string(p[8:]) == "soun"
			}
		}
		return !film || !sound
	})
	return film, sound
}

// movieDuration is in ms; 0 unknown. A fragmented film states it in another place, or nowhere.
func (s *source) movieDuration(moov box) int64 {
	header, ok := s.find(moov.body, moov.end, "mvhd")
	if !ok {
		return 0
	}
	p := s.bytes(header.body, 32)
	if len(p) < 32 {
		return 0
	}
	scale, duration := be.Uint32(p[12:]), uint64(be.Uint32(p[16:]))
	if p[0] == 1 {
		scale, duration = be.Uint32(p[20:]), be.Uint64(p[24:])
	}
	if duration == 0 {
		if fragments, ok := s.find(moov.body, moov.end, "mvex", "mehd"); ok {
			if p := s.bytes(fragments.body, 12); len(p) == 12 && p[0] == 1 {
				duration = be.Uint64(p[4:])
			} else if len(p) >= 8 {
				duration = uint64(be.Uint32(p[4:]))
			}
		}
	}
	return milliseconds(duration, uint64(scale))
}

// maxDurationMs is a year. What claims to be longer has no known duration (also the "unknown" of all ones).
const maxDurationMs = 365 * 24 * 3600 * 1000

// milliseconds converts units of 1/scale s; 0 for what is unknown.
func milliseconds(units, scale uint64) int64 {
	if scale == 0 || units/scale >= maxDurationMs/1000 {
		return 0
	}
	return int64(units/scale*1000 + units%scale*1000/scale)
}
