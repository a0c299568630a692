package segment

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/report"
)

// randomViewerDays returns entries of so many viewers as close together as in
// an index of some 100,000, each with one to seven of the links on days of a
// year.
func randomViewerDays(r *rand.Rand, viewers int, links int64) (list []ViewerDay) {
	for range viewers {
		v := ViewerDay{Viewer: r.Int64N(int64(viewers) << 46)}
		for range 1 + r.IntN(7) {
			v.Link, v.Day = 1+r.Int64N(links), 20_000+report.Day(r.IntN(365))
			list = append(list, v)
		}
	}
	return SortViewerDays(list)
}

// TestViewerDays checks that entries are read back, after those that the list
// has, and that they take few bytes.
func TestViewerDays(t *testing.T) {
	extreme := []ViewerDay{{math.MinInt64, math.MinInt64, -5}, {math.MinInt64, 0, 7}, {math.MinInt64, 0, 8}, {0, 0, -5},
		{math.MaxInt64, math.MaxInt64, 1<<31 - 1}}
	lists := [][]ViewerDay{extreme, extreme[4:], extreme[1:2]}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 6))
		lists = append(lists, randomViewerDays(r, 1+r.IntN(300), 1+r.Int64N(2000)))
	}
	for i, list := range lists {
		prefix := []byte("xyz")
		b := AppendViewerDays(slices.Clone(prefix), list)[len(prefix):]
		got, err := ReadViewerDays(extreme[:1:1], list[0].Viewer, b)
		if err != nil || !slices.Equal(got[1:], list) || got[0] != extreme[0] {
			t.Fatalf("list %d: %v reads back as %v, %v", i, list, got, err)
		}
	}
	list := randomViewerDays(rand.New(rand.NewPCG(1, 6)), 45, 1000)
	// 49 bits for a viewer, 3 for the number of its entries, 10 for a link and
	// 9 for a day.
	most := (45*(49+3) + len(list)*(10+9)) / 8
	if b := AppendViewerDays(nil, list); len(b) > most+30 {
		t.Errorf("%d entries have %d bytes, want at most %d and the headers", len(list), len(b), most)
	}
}

// readAnyViewerDays reads garbage with a right checksum: in bounded time,
// without a panic.
func readAnyViewerDays(t *testing.T, first int64, b []byte) {
	b = binary.LittleEndian.AppendUint32(slices.Clone(b), crc32.Checksum(b, castagnoli))
	list, err := ReadViewerDays(nil, first, b)
	if len(list) > len(b) || err != nil && !errors.Is(err, ErrDamaged) || err == nil && len(list) == 0 {
		t.Errorf("%d entries from %d bytes, %v", len(list), len(b), err)
	}
}

// viewerDaysOfThree returns a row without its checksum.
func viewerDaysOfThree() []byte {
	b := AppendViewerDays(nil, randomViewerDays(rand.New(rand.NewPCG(2, 2)), 3, 300))
	return b[:len(b)-4]
}

// TestDamagedViewerDays changes and cuts each byte of a row, with a right
// checksum and with the old one.
func TestDamagedViewerDays(t *testing.T) {
	good := viewerDaysOfThree()
	for at := range good {
		readAnyViewerDays(t, 5, good[:at])
		for _, b := range []byte{0, 1, 64, 0x7f, plain, words, rice, rice + 9, 0xff, good[at] - 1, good[at] + 1} {
			changed := slices.Clone(good)
			changed[at] = b
			readAnyViewerDays(t, 5, changed)
			if changed = binary.LittleEndian.AppendUint32(changed, crc32.Checksum(good, castagnoli)); b == good[at] {
				continue
			}
			if _, err := ReadViewerDays(nil, 5, changed); !errors.Is(err, ErrDamaged) {
				t.Errorf("byte %d is %d: %v, want ErrDamaged", at, b, err)
			}
		}
	}
	for name, row := range map[string][]byte{
		"more entries than links": {0, 1, 1<<dayCount | 1<<dayLink, 3, 2, 0, 0xff, 1, plain, 1},
		"more viewers than links": {0, 9, 1 << dayLink, 2, plain, 1},
		"a negative number":       {0, 1, 1<<dayCount | 1<<dayLink, 12, 2, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 9, plain, 1},
		"no viewers":              {0, 0, 1 << dayLink, 2, plain, 1},
		"bytes after the columns": {0, 1, 1 << dayLink, 2, plain, 1, 7},
	} {
		row = binary.LittleEndian.AppendUint32(row, crc32.Checksum(row, castagnoli))
		if _, err := ReadViewerDays(nil, 5, row); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

// FuzzViewerDays reads garbage.
func FuzzViewerDays(f *testing.F) {
	f.Add(int64(5), viewerDaysOfThree())
	f.Add(int64(math.MinInt64), []byte{0, 1, 1 << dayLink, 2, plain, 1})
	f.Fuzz(readAnyViewerDays)
}
