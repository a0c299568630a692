package importer

import (
	"encoding/binary"
	"errors"
	"slices"

	"vitrine"
	"vitrine/report"
	"vitrine/report/part"
)

// labelsOf returns the labels of a staged view, each at most 255 bytes.
func labelsOf(v *vitrine.ViewRecord) [12]*string {
	return [...]*string{&v.Country, &v.City, &v.Referrer, &v.Source, &v.Device, &v.Browser, &v.OS, &v.Campaign,
		&v.Medium, &v.Content, &v.Term, &v.Product}
}

// appendStaged writes a view in a short form that readStaged reads; all but
// its account, link, time and ID.
func appendStaged(b []byte, v *vitrine.ViewRecord) []byte {
	b = appendBits(b, v.Bot != "", v.QR, v.Returning, v.Session != nil)
	b = binary.LittleEndian.AppendUint64(b, v.Viewer)
	b = appendNumbers(b, int64(v.Version), v.Recipient, v.Album)
	for _, l := range labelsOf(v) {
		b = appendWord(b, *l)
	}
	s := v.Session
	if s == nil {
		return b
	}
	banded := slices.ContainsFunc(s.Pages, func(p report.PageTime) bool { return p.Bands != part.Bands{} })
	b = appendBits(b, s.Downloaded, s.Outlined, s.Unmeasured, banded)
	b = appendWord(b, s.Screen)
	b = appendNumbers(b, s.EngagedMs, s.PresentMs, s.Played, s.Reached, s.Depth, int64(len(s.Pages)))
	for _, p := range s.Pages {
		b = appendNumbers(b, int64(p.Page), p.Ms)
		if banded {
			b = appendNumbers(b, p.Bands[:]...)
		}
	}
	b = appendNumbers(b, int64(s.Parts[0]), int64(s.Parts[1]), int64(len(s.Clicks)))
	for _, c := range s.Clicks {
		b = appendWord(appendNumbers(b, int64(c.Part), c.Count), c.Target)
	}
	return b
}

func appendBits(b []byte, bits ...bool) []byte {
	var all byte
	for n, is := range bits {
		if is {
			all |= 1 << n
		}
	}
	return append(b, all)
}

func appendNumbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func appendWord(b []byte, word string) []byte { return append(append(b, byte(len(word))), word...) }

var errStaged = errors.New("the temporary file of the import is damaged; run the import again")

// readStaged reads what appendStaged wrote. The view shares no memory with b.
func readStaged(b []byte, v *vitrine.ViewRecord, words *wordCache) error {
	r := stagedReader{rest: b, words: words}
	bot, session := false, false
	r.bits(&bot, &v.QR, &v.Returning, &session)
	if bot {
		v.Bot = report.BotImported
	}
	v.Viewer = binary.LittleEndian.Uint64(r.bytes(8))
	v.Version, v.Recipient, v.Album = int(r.number()), r.number(), r.number()
	for _, l := range labelsOf(v) {
		*l = r.word()
	}
	if session {
		s, banded := new(report.Session), false
		v.Session = s
		r.bits(&s.Downloaded, &s.Outlined, &s.Unmeasured, &banded)
		s.Screen = r.word()
		s.EngagedMs, s.PresentMs, s.Played, s.Reached, s.Depth = r.number(), r.number(), r.number(), r.number(),
			r.number()
		if n := r.number(); n > int64(len(r.rest)) {
			return errStaged
		} else if n > 0 {
			s.Pages = make([]report.PageTime, n)
		}
		for i := range s.Pages {
			p := &s.Pages[i]
			p.Page, p.Ms = int(r.number()), r.number()
			if banded {
				for band := range p.Bands {
					p.Bands[band] = r.number()
				}
			}
		}
		s.Parts = report.Parts{uint64(r.number()), uint64(r.number())}
		for n := r.number(); n > 0 && !r.short; n-- {
			s.Clicks = append(s.Clicks, part.Click{Part: int(r.number()), Count: r.number(), Target: r.word()})
		}
	}
	if r.short || len(r.rest) > 0 {
		return errStaged
	}
	return nil
}

// stagedReader reads values. At the end it returns zeros and records the
// failure.
type stagedReader struct {
	rest  []byte
	short bool
	words *wordCache
}

func (r *stagedReader) bits(to ...*bool) {
	all := r.bytes(1)[0]
	for n, is := range to {
		*is = all&(1<<n) != 0
	}
}

func (r *stagedReader) word() string { return r.words.of(r.bytes(int(r.bytes(1)[0]))) }

func (r *stagedReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.short = nil, true
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *stagedReader) number() int64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.rest, r.short = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}
