package media

import (
	"slices"

	"vitrine/internal/filetype"
)

// ISO base media files (MP4, QuickTime, AVIF, HEIC) consist of nested boxes.
// One walker handles all of them.

// box is a typed range of the file; its content is from body to end.
type box struct {
	typ       string
	body, end int64
}

// boxes calls f for each box between off and end until f returns false. It
// reports whether the boxes fit the range; only the last may be cut short.
func boxes(s *filetype.Source, off, end int64, f func(box) bool) (whole bool) {
	for s.Step() {
		if off >= end {
			return off == end
		}
		h := s.Bytes(off, 16)
		if len(h) < 8 {
			return false
		}
		b := box{typ: string(h[4:8]), body: off + 8}
		switch size := int64(filetype.BigEndian.Uint32(h)); {
		case size == 0: // extends to the end
			b.end = end
		case size == 1:
			if len(h) < 16 {
				return false
			}
			b.body = off + 16
			b.end = off + int64(filetype.BigEndian.Uint64(h[8:])) // an overflow fails the next test
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

// find returns the first box of a path within a range.
func find(s *filetype.Source, off, end int64, path ...string) (found box, ok bool) {
	boxes(s, off, end, func(b box) bool {
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
	return find(s, body, found.end, path[1:]...)
}

// brands reads the file type box, which must come first. It returns nil if it
// does not.
func brands(s *filetype.Source) []string {
	h := s.Head
	if len(h) < 16 || string(h[4:8]) != "ftyp" {
		return nil
	}
	end := min(int64(filetype.BigEndian.Uint32(h)), int64(len(h)))
	brands := []string{string(h[8:12])}
	for i := int64(16); i+4 <= end; i += 4 {
		brands = append(brands, string(h[i:i+4]))
	}
	return brands
}

var (
	avifBrands = []string{"avif", "avis"}
	heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"}
	// otherBrands are first brands of base media files that are neither film
	// nor sound.
	otherBrands = slices.Concat(avifBrands, heicBrands,
		[]string{"mif1", "msf1", "mif2", "crx ", "jp2 ", "jpx ", "jpm ", "jxl "})
)

// InspectStillBMFF checks AVIF and HEIC: the brand, and the dimensions of the
// largest image if stated.
func InspectStillBMFF(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	wanted := heicBrands
	if t.Ext == "avif" {
		wanted = avifBrands
	}
	if !slices.ContainsFunc(brands(s), func(b string) bool { return slices.Contains(wanted, b) }) {
		return filetype.NotThe(s, t)
	}
	if !boxes(s, 0, s.Size, func(box) bool { return true }) {
		return filetype.CutShort(t)
	}
	if p := stillParts(s, t); p != nil {
		return p
	}
	properties, ok := find(s, 0, s.Size, "meta", "iprp", "ipco")
	if !ok {
		if _, film := find(s, 0, s.Size, "moov"); film { // an image sequence
			return nil
		}
		return filetype.Damaged(t)
	}
	var width, height int64
	boxes(s, properties.body, properties.end, func(b box) bool {
		if p := s.Bytes(b.body, 12); b.typ == "ispe" && len(p) == 12 {
			w, h := int64(filetype.BigEndian.Uint32(p[4:])), int64(filetype.BigEndian.Uint32(p[8:]))
			if w*h > width*height || max(w, h) > filetype.MaxPixels {
				width, height = w, h
			}
		}
		return max(width, height) <= filetype.MaxPixels
	})
	return facts.SetSize(width, height)
}

// InspectBMFF checks MP4, M4V, MOV and M4A. An index (moov) with tracks is
// required, because nothing plays without one. There are many brands of films,
// and renamed files play: any film is accepted under each of the three names,
// and a sound under all four.
func InspectBMFF(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	brands := brands(s)
	if len(brands) > 0 && slices.Contains(otherBrands, brands[0]) || len(brands) == 0 && !oldQuickTime(s, t) {
		return filetype.NotThe(s, t)
	}
	moov, ok := find(s, 0, s.Size, "moov")
	if !ok {
		return filetype.Mismatch(filetype.ReasonDamaged,
			"The file begins like %s, but has no index: the recording or the transfer was cut short.", t.Label)
	}
	film, sound := tracks(s, moov)
	if !film && !sound {
		return filetype.Damaged(t)
	}
	if p := movieTables(s, t, moov, facts); p != nil {
		return p
	}
	if t.Kind == filetype.Audio && !sound {
		return filetype.Mismatch(filetype.ReasonOtherContent, "The name says %s, but the file has no sound.", t.Label)
	}
	facts.DurationMs, facts.SoundOnly = movieDuration(s, moov), t.Kind == filetype.Video && !film
	return nil
}

// oldQuickTime reports whether a film is from the time before file type boxes.
func oldQuickTime(s *filetype.Source, t filetype.Type) bool {
	return t.Ext == "mov" && len(s.Head) >= 8 &&
		slices.Contains([]string{"moov", "mdat", "wide", "free", "skip", "pnot"}, string(s.Head[4:8]))
}

func tracks(s *filetype.Source, moov box) (film, sound bool) {
	boxes(s, moov.body, moov.end, func(b box) bool {
		if b.typ != "trak" {
			return true
		}
		if handler, ok := find(s, b.body, b.end, "mdia", "hdlr"); ok {
			if p := s.Bytes(handler.body, 12); len(p) == 12 {
				film = film || string(p[8:]) == "vide"
				sound = sound || string(p[8:]) == "soun"
			}
		}
		return !film || !sound
	})
	return film, sound
}

// movieDuration returns the duration in ms, or 0 if unknown. A fragmented film
// states it elsewhere, or not at all.
func movieDuration(s *filetype.Source, moov box) int64 {
	header, ok := find(s, moov.body, moov.end, "mvhd")
	if !ok {
		return 0
	}
	p := s.Bytes(header.body, 32)
	if len(p) < 32 {
		return 0
	}
	scale, duration := filetype.BigEndian.Uint32(p[12:]), uint64(filetype.BigEndian.Uint32(p[16:]))
	if p[0] == 1 {
		scale, duration = filetype.BigEndian.Uint32(p[20:]), filetype.BigEndian.Uint64(p[24:])
	}
	if duration == 0 {
		if fragments, ok := find(s, moov.body, moov.end, "mvex", "mehd"); ok {
			if p := s.Bytes(fragments.body, 12); len(p) == 12 && p[0] == 1 {
				duration = filetype.BigEndian.Uint64(p[4:])
			} else if len(p) >= 8 {
				duration = uint64(filetype.BigEndian.Uint32(p[4:]))
			}
		}
	}
	return milliseconds(duration, uint64(scale))
}

// MaxDurationMs is a year. A longer duration is treated as unknown, like the
// "unknown" of all ones.
const MaxDurationMs = 365 * 24 * 3600 * 1000

// milliseconds converts units of 1/scale s, or 0 if unknown.
func milliseconds(units, scale uint64) int64 {
	if scale == 0 || units/scale >= MaxDurationMs/1000 {
		return 0
	}
	return int64(units/scale*1000 + units%scale*1000/scale)
}
