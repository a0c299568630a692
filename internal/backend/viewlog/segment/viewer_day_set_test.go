package segment

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/report"
)

// TestViewerDaySet checks that a ViewerDaySet counts like a map, and lists
// viewer days in the order of their viewers.
func TestViewerDaySet(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, want := NewViewerDaySet(), map[ViewerDay]int32{}
		viewers := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 1<<48 - 1, 1 << 48, math.MaxInt64}
		for range 300 {
			viewers = append(viewers, int64(r.Uint64()))
		}
		days := []report.Day{0, 1, 20_780, 20_781, maxDay}
		largest := 0
		for range 30_000 {
			v := ViewerDay{viewers[r.IntN(len(viewers))], r.Int64N(4) * math.MaxInt64 / 3, days[r.IntN(len(days))]}
			n := int32(r.IntN(5) - 2)
			if r.IntN(50) == 0 {
				n = manyViews * int32(r.IntN(3)-1)
			}
			n = max(n, -want[v])
			before, ok := s.Add(v, n)
			if !ok || before != want[v] {
				t.Fatalf("seed %d: Add(%v) = %d, %v, want %d", seed, v, before, ok, want[v])
			}
			if want[v] += n; want[v] == 0 {
				delete(want, v)
			}
			largest = max(largest, s.N)
			if s.N != len(want) || s.spare < 0 || s.Bytes() < 12*s.N {
				t.Fatalf("seed %d: %d viewerDays, room for %d more, %d bytes, want %d visits", seed, s.N, s.spare,
					s.Bytes(), len(want))
			}
		}
		if largest < 1000 {
			t.Fatalf("seed %d: at most %d viewerDays, want at least 1000", seed, largest)
		}
		var all, of []ViewerDay
		for some := range s.All() {
			all = append(all, some...)
		}
		for _, v := range viewers {
			of = s.Of(of, v)
		}
		if !slices.IsSortedFunc(all, func(a, b ViewerDay) int { return cmp.Compare(a.Viewer, b.Viewer) }) {
			t.Errorf("seed %d: viewerDays are not in the order of their viewers", seed)
		}
		for _, list := range [][]ViewerDay{all, of} {
			seen := map[ViewerDay]bool{}
			for _, v := range list {
				if want[v] == 0 || seen[v] {
					t.Errorf("seed %d: unexpected visit %v", seed, v)
				}
				seen[v] = true
			}
			if len(seen) != len(want) {
				t.Errorf("seed %d: %d viewerDays are listed, want %d", seed, len(seen), len(want))
			}
		}
	}
}

// TestViewerDaySetLeaves checks that viewers of 48 bits are in many small
// leaves.
func TestViewerDaySetLeaves(t *testing.T) {
	s := NewViewerDaySet()
	for i := range uint64(20_000) {
		sum := sha256.Sum256(binary.AppendUvarint(nil, i))
		if _, ok := s.Add(ViewerDay{int64(binary.BigEndian.Uint64(sum[:]) >> 16), 1, 20_000}, 1); !ok {
			t.Fatal("a viewer is refused")
		}
	}
	for _, l := range s.leaves {
		if len(l.keys) > 10 {
			t.Fatalf("a leaf has %d of %d viewer days", len(l.keys), s.N)
		}
	}
}

func TestViewerDaySetLimits(t *testing.T) {
	s := NewViewerDaySet()
	for _, day := range []report.Day{-1, maxDay + 1, report.NoDay, 1<<31 - 1} {
		if _, ok := s.Add(ViewerDay{1, 1, day}, 1); ok {
			t.Errorf("day %d is accepted", day)
		}
	}
	if s.N != 0 || s.Bytes() != 0 {
		t.Errorf("%d viewerDays in %d bytes after none was accepted", s.N, s.Bytes())
	}
}
