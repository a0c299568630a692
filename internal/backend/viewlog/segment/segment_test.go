package segment

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/report"
	"vitrine/report/part"
)

func randomRow(r *rand.Rand, id vitrine.ViewID) Row {
	w := Row{ID: id, View: View{Flags: uint16(r.IntN(32)), Viewer: r.Uint64(), Place: WordID(r.IntN(300)),
		Origin: WordID(r.IntN(3)), Agent: WordID(r.Uint64() >> 1)}}
	if w.Flags&ViewBot != 0 {
		w.Bot = WordID(r.IntN(300))
	}
	if r.IntN(3) == 0 {
		w.Version, w.Campaign, w.Flags = 2*r.IntN(200), WordID(r.IntN(200)), w.Flags|uint16(r.IntN(8))<<10
		w.Was = WordID(r.IntN(3) * 150)
		w.Recipient, w.Album = int64(r.IntN(2))*(1+r.Int64N(1<<52)), int64(r.IntN(2))*(1+r.Int64N(1<<20))
	}
	if w.Engaged = r.IntN(3) > 0; w.Engaged {
		w.Session = Session{Screen: WordID(r.IntN(9)),
			Session: report.Session{EngagedMs: r.Int64N(1 << 40), PresentMs: r.Int64N(1 << 40),
				Downloaded: r.IntN(2) == 0,
				Played:     r.Int64N(3) * 500_000, Reached: r.Int64N(1_000_001), Depth: r.Int64N(101) * hundredth}}
		if r.IntN(2) == 0 {
			w.Session.StartMs = id.Ms() - r.Int64N(1000)
		}
		if r.IntN(3) == 0 {
			w.Session.Parts = randomParts(r)
		}
		for n := r.IntN(4); n > 0 && r.IntN(3) == 0; n-- {
			w.Session.Clicks = append(w.Session.Clicks, part.Click{Part: r.IntN(1 << 17),
				Target: strings.Repeat("https://a.example/", r.IntN(12)), Count: r.Int64N(101)})
		}
		for p := 1; r.IntN(8) > 0; p += 1 + r.IntN(4) {
			seen := report.PageTime{Page: p, Ms: r.Int64N(1 << 33)}
			for i := range seen.Bands {
				seen.Bands[i] = r.Int64N(4) / 3 * r.Int64N(1+seen.Ms/4)
			}
			w.Session.Pages = append(w.Session.Pages, seen)
		}
	}
	return w
}

func randomParts(r *rand.Rand) (p report.Parts) {
	if r.IntN(2) == 0 {
		for range r.IntN(4) {
			p.AddRange(r.IntN(report.PartCount), r.IntN(report.PartCount+1))
		}
		return p
	}
	for i := range report.PartCount {
		if r.IntN(2) == 0 {
			p.Add(i)
		}
	}
	return p
}

// TestSegmentRoundTrip checks that rows are read back unchanged, also from
// before 1970.
func TestSegmentRoundTrip(t *testing.T) {
	count := Decoder{Sums: true}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var rows []Row
		id := vitrine.ViewIDAt(r.Int64N(1<<41)-1<<40, r.IntN(Counters))
		var p Encoder
		for range 1 + r.IntN(100) {
			rows = append(rows, randomRow(r, id))
			p.Add(&rows[len(rows)-1])
			id += 1 + vitrine.ViewID(r.Int64N([]int64{1, Counters, Counters * 1000}[r.IntN(3)]))
		}
		prefix := []byte("xyz")
		b := p.End(slices.Clone(prefix))[len(prefix):]
		var got []Row
		if err := DecodeAll(b, rows[0].ID, &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range rows {
			if len(rows[i].Session.Pages) == 0 {
				rows[i].Session.Pages, got[i].Session.Pages = nil, nil
			}
			if !reflect.DeepEqual(rows[i], got[i]) {
				t.Fatalf("seed %d, row %d: %+v reads back as %+v", seed, i, rows[i], got[i])
			}
		}
		if err := count.Open(b, rows[0].ID); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range rows {
			row := count.Next()
			if row == nil || row.ID != rows[i].ID || row.Engaged && count.SeenPages != int64(len(rows[i].Session.Pages)) {
				t.Fatalf("seed %d, row %d: counts %d pages of %+v", seed, i, count.SeenPages, rows[i])
			}
		}
		if err := count.End(); err != nil || count.Next() != nil {
			t.Fatalf("seed %d: %v, or more than %d rows", seed, err, len(rows))
		}
		for range 200 {
			damaged := slices.Clone(b)
			damaged[r.IntN(len(b))] ^= 1 << r.IntN(8)
			if err := DecodeAll(damaged, rows[0].ID, new([]Row)); err == nil {
				t.Fatalf("seed %d: a damaged segment can be read", seed)
			}
			if err := DecodeAll(b[:r.IntN(len(b))], rows[0].ID, new([]Row)); err == nil {
				t.Fatalf("seed %d: a truncated segment can be read", seed)
			}
		}
	}
}

// segmentOfFive returns a segment without its checksum.
func segmentOfFive() []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var p Encoder
	for i := range 5 {
		w := randomRow(r, vitrine.ViewIDAt(testMs+int64(i), i))
		p.Add(&w)
	}
	b := p.End(nil)
	return b[:len(b)-4]
}

// readAny reads garbage with a right checksum: in bounded time, without a
// panic.
func readAny(t *testing.T, first vitrine.ViewID, b []byte) {
	b = binary.LittleEndian.AppendUint32(slices.Clone(b), crc32.Checksum(b, castagnoli))
	var rows []Row
	if DecodeAll(b, first, &rows) != nil {
		return
	}
	pages := 0
	for i := range rows {
		pages += len(rows[i].Session.Pages)
	}
	if len(rows) > maxRows || pages > len(b)+len(rows) {
		t.Errorf("%d rows with %d pages from %d bytes", len(rows), pages, len(b))
	}
}

// TestChangedSegment changes each byte of a segment.
func TestChangedSegment(t *testing.T) {
	good := segmentOfFive()
	for at := range good {
		for _, b := range []byte{0, 1, 64, 0x7f, plain, words, rice, rice + 9, 0xff, good[at] - 1, good[at] + 1} {
			changed := slices.Clone(good)
			changed[at] = b
			readAny(t, vitrine.ViewIDAt(testMs, 0), changed)
		}
	}
}

// FuzzSegment reads garbage.
func FuzzSegment(f *testing.F) {
	f.Add(int64(vitrine.ViewIDAt(testMs, 0)), segmentOfFive())
	f.Add(int64(math.MaxInt64), []byte{segmentVersion, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, first int64, b []byte) { readAny(t, vitrine.ViewID(first), b) })
}
