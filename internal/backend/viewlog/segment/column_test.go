package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine"
	"vitrine/report"
)

// TestColumn checks that numbers of every width are read back from every form,
// and that a column takes about as little space as its numbers need.
func TestColumn(t *testing.T) {
	forms := map[byte]int{}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		width, different := r.IntN(65), []int{1, 2, 3, 17, 900, math.MaxInt32}[r.IntN(6)]
		base, skewed := r.Uint64()>>r.IntN(64), r.IntN(2) == 0
		often := r.IntN(64)
		number := func(i int) uint64 {
			r := rand.New(rand.NewPCG(uint64(i%different), seed))
			n := r.Uint64() >> (64 - width)
			if skewed {
				n >>= r.IntN(64)
			}
			if seed%3 == 0 { // most are shorter than the longest
				base, n = 0, n>>min(often, r.IntN(64))
			}
			return base + n
		}
		var c columnWriter
		var want []uint64
		for i := range r.IntN(600) {
			want = append(want, number(i))
		}
		slices.SortFunc(want, func(a, b uint64) int { return r.IntN(3) - 1 })
		for kind := repeated; kind <= listed; kind++ {
			c.numbers = append(c.numbers, want...)
			b := c.end(nil, kind)
			if len(want) > 0 && len(b) > 0 {
				forms[min(b[0], rice)]++
			}
			most := len(appendPlain(nil, want))
			if kind < listed {
				most = min(most, 11+packedSize(len(want), width))
			}
			if len(b) > most {
				t.Errorf("seed %d: %d numbers of %d bits have %d bytes", seed, len(want), width, len(b))
			}
			var got column
			if !got.open(b, kind) {
				t.Fatalf("seed %d, kind %d: the column cannot be opened", seed, kind)
			}
			all := map[int64]bool{}
			for _, n := range got.different(int64(len(want))) {
				all[n] = true
			}
			for i, n := range want {
				if have := uint64(got.next()); have != n || !all[int64(n)] {
					t.Fatalf("seed %d, kind %d: number %d is %d, want %d; among the different ones: %v", seed, kind, i,
						have, n, all[int64(n)])
				}
			}
			if got.bad {
				t.Errorf("seed %d, kind %d: numbers are missing", seed, kind)
			}
		}
	}
	if forms[plain] == 0 || forms[words] == 0 || forms[0] == 0 || forms[64] == 0 || forms[rice] == 0 {
		t.Errorf("some forms were not used: %v", forms)
	}
}

// TestTimesAreShort checks that numbers with an exponential distribution, such
// as the times between views, take little more than their entropy.
func TestTimesAreShort(t *testing.T) {
	const n, mean = 1000, 300_000
	r := rand.New(rand.NewPCG(3, 3))
	entropy := n / 8 * math.Log2(mean*math.E)
	for kind := repeated; kind <= listed; kind++ {
		var c columnWriter
		for range n {
			c.number(int64(mean * r.ExpFloat64()))
		}
		if b := c.end(nil, kind); float64(len(b)) > 1.03*entropy {
			t.Errorf("kind %d: %d bytes, want about %.0f", kind, len(b), entropy)
		}
	}
}

// TestWordsAreShort checks that words, of which some are frequent, take little
// more than their entropy and the list of them, with counts that lead to the
// longest codes, too.
func TestWordsAreShort(t *testing.T) {
	zipf, fibonacci := make([]int, 200), []int{1, 1}
	for i := range zipf {
		zipf[i] = 2000 / (i + 1)
	}
	for i := 2; i < 22; i++ {
		fibonacci = append(fibonacci, fibonacci[i-1]+fibonacci[i-2])
	}
	for name, counts := range map[string][]int{"Zipf": zipf, "Fibonacci": fibonacci, "two": {1, 1000}, "equal": {50, 50, 50}} {
		var c columnWriter
		entropy, all := 0.0, 0
		for _, n := range counts {
			all += n
		}
		for i, n := range counts {
			entropy -= float64(n) * math.Log2(float64(n)/float64(all)) / 8
			for range n {
				c.number(int64(i+1) << 20)
			}
		}
		want := slices.Clone(c.numbers)
		b := c.end(nil, repeated)
		if most := max(1.05*entropy, float64(all)/8) + float64(len(counts)) + 16; b[0] != words || float64(len(b)) > most {
			t.Errorf("%s: form %d of %d bytes, want words of at most %.0f", name, b[0], len(b), most)
		}
		var got column
		if !got.open(b, repeated) {
			t.Fatalf("%s: the column cannot be opened", name)
		}
		for i, n := range want {
			if have := uint64(got.next()); have != n {
				t.Fatalf("%s: number %d is %d, want %d", name, i, have, n)
			}
		}
	}
}

// TestManyWords checks that a column with more different numbers than words may
// be is read back.
func TestManyWords(t *testing.T) {
	for _, different := range []int64{maxWords, maxWords + 1} {
		var c columnWriter
		for i := range 4 * different {
			c.number(i % different << 40)
		}
		b := c.end(nil, repeated)
		var got column
		if !got.open(b, repeated) || (b[0] == words) != (different == maxWords) {
			t.Fatalf("%d different numbers cannot be read or have form %d", different, b[0])
		}
		for i := range 4 * different {
			if n := got.next(); n != i%different<<40 {
				t.Fatalf("number %d of %d different ones is %d", i, different, n)
			}
		}
	}
}

// TestAbsentColumn checks that what no view has takes no space.
func TestAbsentColumn(t *testing.T) {
	length := func(change func(*Row)) int {
		var e Encoder
		for i := range 1000 {
			r := Row{ID: vitrine.ViewIDAt(testMs+int64(i), 0), View: View{Viewer: uint64(i) << 32, Place: WordID(i % 9)}}
			change(&r)
			e.Add(&r)
		}
		return len(e.End(nil))
	}
	without := length(func(*Row) {})
	if same := length(func(r *Row) { r.Campaign, r.Bot, r.Origin = 0, 0, 0 }); same != without {
		t.Errorf("%d bytes with values of zero, %d without", same, without)
	}
	// One that every view has costs its flag's and its own header.
	if one := length(func(r *Row) { r.Campaign = 7 }); one > without+16 {
		t.Errorf("%d bytes with one campaign, %d without", one, without)
	}
}

// TestLastPage checks that pages that add up to the engaged time take no more
// space than all of them but the last.
func TestLastPage(t *testing.T) {
	length := func(pages int) int {
		var e Encoder
		r := rand.New(rand.NewPCG(4, 4))
		for i := range 1000 {
			row := Row{ID: vitrine.ViewIDAt(testMs+int64(i), 0), Engaged: true}
			row.Session.EngagedMs = r.Int64N(1 << 20)
			for p := range pages {
				row.Session.Pages = append(row.Session.Pages, report.PageTime{Page: p + 1, Ms: row.Session.EngagedMs})
			}
			e.Add(&row)
		}
		return len(e.End(nil))
	}
	if one, none := length(1), length(0); one > none+32 {
		t.Errorf("%d bytes with a page that has the whole engaged time, %d without pages", one, none)
	}
}

// segmentOf returns a segment of so many views with these columns, whatever
// they hold, and a right checksum. A length replaces the real one.
func segmentOf(views uint64, parts map[int][]byte, lengths map[int]uint64) []byte {
	b := binary.AppendUvarint([]byte{segmentVersion}, views)
	var there uint64
	var header, all []byte
	for i := range columns + 1 {
		if part, ok := parts[i]; ok {
			there |= 1 << i
			n, other := lengths[i]
			if !other {
				n = uint64(len(part))
			}
			header, all = binary.AppendUvarint(header, n), append(all, part...)
		}
	}
	b = append(append(binary.AppendUvarint(b, there), header...), all...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// TestHostileSegment reads segments with a right checksum that no encoder
// makes.
func TestHostileSegment(t *testing.T) {
	same := func(n uint64) []byte { return binary.AppendUvarint([]byte{0}, n) } // a column of one number
	times := func(n int) []byte { return append([]byte{plain}, bytes.Repeat([]byte{7}, n)...) }
	paged := func(pages uint64, times []byte) map[int][]byte {
		return map[int][]byte{columnFlags: same(flagSession), columnSession: same(sessionPages),
			columnPages: same(pages), columnPageMs: times}
	}
	played := func(parts uint64) map[int][]byte {
		return map[int][]byte{columnFlags: same(flagSession), columnSession: same(sessionParts), columnParts: same(parts)}
	}
	versioned := func(version uint64) map[int][]byte {
		return map[int][]byte{columnFlags: same(viewVersion), columnVersion: same(version)}
	}
	place := func(b ...byte) map[int][]byte { return map[int][]byte{columnPlace: b} }
	missing := append([]byte{words, 3, 0, 1, 0, 2, 3 << 2}, make([]byte, 150)...) // the second code is 3
	const half = 1 << 63
	for name, segment := range map[string][]byte{
		"lengths that overflow": segmentOf(1, map[int][]byte{columnTime: {0, 1}, columnPlace: {0, 1},
			columnAgent: {0, 1}}, map[int]uint64{columnTime: half - 1, columnPlace: half - 1, columnAgent: 8}),
		"a length above all":       segmentOf(1, place(0, 1), map[int]uint64{columnPlace: 3}),
		"a negative length":        segmentOf(1, place(0, 1), map[int]uint64{columnPlace: half}),
		"bytes after the columns":  segmentOf(1, place(0, 1, 9), map[int]uint64{columnPlace: 2}),
		"an unknown column":        segmentOf(1, map[int][]byte{columns: {}}, nil),
		"too many views":           segmentOf(maxRows+1, nil, nil),
		"negative views":           segmentOf(half, nil, nil),
		"the first version":        segmentOf(1, versioned(1), nil),
		"pages without times":      segmentOf(2, paged(vitrine.MaxPages, []byte{}), nil),
		"pages with one time":      segmentOf(2, paged(vitrine.MaxPages, same(5)), nil),
		"pages with packed times":  segmentOf(2, paged(3, []byte{1, 5, 0, 0}), nil),
		"pages with too few times": segmentOf(2, paged(vitrine.MaxPages, times(9)), nil),
		"too many pages":           segmentOf(1, paged(vitrine.MaxPages+1, times(vitrine.MaxPages+1)), nil),
		"negative pages":           segmentOf(1, paged(half, times(9)), nil),
		"too many parts":           segmentOf(1, played(rawParts+1), nil),
		"negative parts":           segmentOf(1, played(half), nil),
		"pages with short codes":   segmentOf(2, paged(3, []byte{rice + listedLow - 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), nil),
		"an unknown form":          segmentOf(1, place(65, 1), nil),
		"an unknown code":          segmentOf(1, place(append([]byte{rice + mostLow + 1}, make([]byte, 20)...)...), nil),
		"codes that are cut":       segmentOf(2, place(rice+4, 0xf1), nil),
		"a code without a one":     segmentOf(1, place(rice+4, 0, 0), nil),
		"a long code that is cut":  segmentOf(1, place(append([]byte{rice + 4}, make([]byte, 10)...)...), nil),
		"a form alone":             segmentOf(1, place(1), nil),
		"a number that is cut":     segmentOf(1, place(1, 0x80), nil),
		"plain numbers cut":        segmentOf(1, place(plain, 0x80), nil),
		"fewer numbers":            segmentOf(9, place(1, 5, 0xff), nil),
		"three codes of a bit":     segmentOf(300, place(append([]byte{words, 3, 0, 1, 0, 1}, make([]byte, 150)...)...), nil),
		"codes without bits":       segmentOf(300, place(append([]byte{words, 3, 0, 1}, make([]byte, 150)...)...), nil),
		"codes that are too long":  segmentOf(300, place(append([]byte{words, 3, 0, 1, 0, 13}, make([]byte, 900)...)...), nil),
		"lengths that are cut":     segmentOf(300, place(words, 3, 0, 1, 2, 1), nil),
		"no words":                 segmentOf(1, place(append([]byte{words, 0, 0, 1, 0, 1}, make([]byte, 8)...)...), nil),
		"too many words":           segmentOf(1, place(words, 0x81, 0x20, 0, 1, 0, 12), nil),
		"words in words":           segmentOf(1, place(words, 2, words, 2, 0, 1, 0, 1, 0, 1, 0), nil),
		"words alone":              segmentOf(1, place(words), nil),
		"words that are cut":       segmentOf(1, place(words, 9, 8, 0, 1, 2), nil),
		"plain words cut":          segmentOf(1, place(words, 9, plain, 1, 2), nil),
		"a place without a word":   segmentOf(300, place(missing...), nil),
	} {
		var rows []Row
		if err := DecodeAll(segment, 0, &rows); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
		pages := 0
		for _, r := range rows {
			pages += len(r.Session.Pages)
		}
		if pages > len(segment)+len(rows) {
			t.Errorf("%s: %d pages from %d bytes", name, pages, len(segment))
		}
	}
	// The same shapes, as an encoder makes them.
	for name, segment := range map[string][]byte{
		"lengths": segmentOf(maxRows, place(0, 1), nil),
		"version": segmentOf(1, versioned(2), nil),
		"pages":   segmentOf(2, paged(vitrine.MaxPages, times(2*vitrine.MaxPages)), nil),
		"parts":   segmentOf(1, played(rawParts), nil),
		"codes":   segmentOf(2, place(rice+4, 0xff, 0x03), nil),
		"long":    segmentOf(1, place(append([]byte{rice + 4}, make([]byte, 11)...)...), nil),
		"words":   segmentOf(300, place(append(missing[:6:6], missing[7:]...)...), nil),
	} {
		if err := DecodeAll(segment, 0, new([]Row)); err != nil {
			t.Errorf("%s: %v, want nil", name, err)
		}
	}
}
