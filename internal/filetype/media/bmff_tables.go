package media

import (
	"slices"
	"strings"

	"vitrine/internal/filetype"
)

// containers lists the boxes of a film's index that contain others, and the
// number of bytes before those.
var containers = map[string]int64{
	"trak": 0, "mdia": 0, "minf": 0, "stbl": 0, "dinf": 0, "edts": 0, "mvex": 0, "udta": 0, "tref": 0, "rmra": 0,
	"rmda": 0,
	"dref": 8, "stsd": 8,
}

// sampleTables lists the tables of samples: the position of the count, and the
// size of an entry.
var sampleTables = map[string]struct{ count, entry int64 }{
	"stts": {4, 8}, "ctts": {4, 8}, "stsc": {4, 12}, "stco": {4, 4}, "co64": {4, 8}, "stss": {4, 4}, "stps": {4, 4},
}

// movieTables walks the index of a film. It finds tables larger than their box,
// pictures that no browser can show, and data in other files.
func movieTables(s *filetype.Source, t filetype.Type, moov box, facts *filetype.Facts) *filetype.Problem {
	w := movieWalk{s: s, t: t, facts: facts}
	w.walk(moov.body, moov.end, 0)
	return w.problem
}

type movieWalk struct {
	s       *filetype.Source
	t       filetype.Type
	facts   *filetype.Facts
	tracks  int
	problem *filetype.Problem
}

// maxBoxDepth is how deep boxes of an index are entered; relevant ones are six
// levels deep.
const maxBoxDepth = 12

func (w *movieWalk) walk(off, end int64, depth int) {
	boxes(w.s, off, end, func(b box) bool {
		before, inner := containers[b.typ]
		switch {
		case b.typ == "trak":
			if w.tracks++; w.tracks > filetype.MaxTracks {
				w.problem = filetype.UnsafeFile(filetype.ReasonDecodeFlood,
					"The film has more than %d tracks. Export it again.", filetype.MaxTracks)
			}
		case b.typ == "stsz":
			w.sizes(b)
		case b.typ == "url " || b.typ == "rdrf":
			w.reference(b)
		}
		if table, ok := sampleTables[b.typ]; ok {
			w.table(b, table.count, table.entry)
		}
		if depth > 0 && slices.Contains(pictureEntries, b.typ) {
			w.entry(b)
		}
		if inner && depth < maxBoxDepth && b.body+before <= b.end {
			w.walk(b.body+before, b.end, depth+1)
		}
		return w.problem == nil
	})
}

// pictureEntries are the descriptions of pictures within stsd.
var pictureEntries = []string{"avc1", "avc3", "hvc1", "hev1", "vp08", "vp09", "av01", "mp4v", "encv", "jpeg", "mjpa",
	"mjpb", "png ", "ap4h", "apcn", "apch", "apcs", "apco", "dvh1", "dvhe", "SVQ3", "rle ", "raw "}

// entry checks the size of the pictures in a description.
func (w *movieWalk) entry(b box) {
	if p := w.s.Bytes(b.body, 28); len(p) == 28 {
		var f filetype.Facts
		w.problem = f.SetSize(int64(filetype.BigEndian.Uint16(p[24:])), int64(filetype.BigEndian.Uint16(p[26:])))
	}
}

// table checks that a table has room for the entries it counts.
func (w *movieWalk) table(b box, count, entry int64) {
	p := w.s.Bytes(b.body+count, 4)
	if len(p) < 4 || int64(filetype.BigEndian.Uint32(p))*entry > b.end-b.body-count-4 {
		w.problem = filetype.Damaged(w.t)
	}
}

// sizes checks a table of sample sizes. If all samples have the same size, the
// table lists none.
func (w *movieWalk) sizes(b box) {
	p := w.s.Bytes(b.body, 12)
	if len(p) < 12 {
		w.problem = filetype.Damaged(w.t)
		return
	}
	size, count := int64(filetype.BigEndian.Uint32(p[4:])), int64(filetype.BigEndian.Uint32(p[8:]))
	switch {
	case size == 0 && count*4 > b.end-b.body-12:
		w.problem = filetype.Damaged(w.t)
	case count > filetype.MaxSamples && size*count > w.s.Size:
		w.problem = filetype.UnsafeFile(filetype.ReasonDecodeFlood,
			"The film says it has %d samples, far more than its size allows. Export it again.", count)
	}
}

// reference checks where a track's data is: in this file if the first flag is
// set.
func (w *movieWalk) reference(b box) {
	p := w.s.Bytes(b.body, int(min(b.end-b.body, filetype.KiB)))
	if len(p) < 5 || b.typ == "url " && p[3]&1 != 0 {
		return
	}
	address := p[4:]
	if b.typ == "rdrf" { // a film that only points to another one: kind, length, address
		if len(p) < 13 || string(p[4:8]) != "url " {
			return
		}
		address = p[12:]
	}
	if text, _, _ := strings.Cut(string(address), "\x00"); text != "" {
		w.facts.HoldAbout(filetype.HoldExternalMedia, text)
	}
}
