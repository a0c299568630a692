package viewdb

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/report"
)

// A visitSet counts as a map does, and lists visits in the order of viewers.
func TestVisitSet(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, want := newVisitSet(), map[visitEntry]int32{}
		viewers := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 1<<48 - 1, 1 << 48, math.MaxInt64}
		for range 300 {
			viewers = append(viewers, int64(r.Uint64()))
		}
		days := []report.Day{0, 1, 20_780, 20_781, maxVisitDay}
		largest := 0
		for range 30_000 {
			v := visitEntry{viewers[r.IntN(len(viewers))], r.Int64N(4) * math.MaxInt64 / 3, days[r.IntN(len(days))]}
			n := int32(r.IntN(5) - 2)
			if r.IntN(50) == 0 {
				n = manyViews * int32(r.IntN(3)-1)
			}
			n = max(n, -want[v])
			before, ok := s.add(v, n)
			if !ok || before != want[v] {
				t.Fatalf("seed %d: add %v: %d before, %v; want %d", seed, v, before, ok, want[v])
			}
			if want[v] += n; want[v] == 0 {
				delete(want, v)
			}
			largest = max(largest, s.n)
			if s.n != len(want) || s.spare < 0 || s.bytes() < 12*s.n {
				t.Fatalf("seed %d: %d visits, room for %d more, %d bytes; want %d visits", seed, s.n, s.spare, s.bytes(), len(want))
			}
		}
		if largest < 1000 {
			t.Fatalf("seed %d: at most %d visits", seed, largest)
		}
		var all, of []visitEntry
		for some := range s.all() {
			all = append(all, some...)
		}
		for _, v := range viewers {
			of = s.of(of, v)
		}
		if !slices.IsSortedFunc(all, func(a, b visitEntry) int { return cmp.Compare(a.viewer, b.viewer) }) {
			t.Errorf("seed %d: visits are not in the order of their viewers", seed)
		}
		for _, list := range [][]visitEntry{all, of} {
			seen := map[visitEntry]bool{}
			for _, v := range list {
				if want[v] == 0 || seen[v] {
					t.Errorf("seed %d: %v is listed", seed, v)
				}
				seen[v] = true
			}
			if len(seen) != len(want) {
				t.Errorf("seed %d: %d visits are listed, want %d", seed, len(seen), len(want))
			}
		}
	}
}

func TestVisitSetLimits(t *testing.T) {
	s := newVisitSet()
	for _, day := range []report.Day{-1, maxVisitDay + 1, report.NoDay, 1<<31 - 1} {
		if _, ok := s.add(visitEntry{1, 1, day}, 1); ok {
			t.Errorf("day %d is held", day)
		}
	}
	if s.n != 0 || s.bytes() != 0 {
		t.Errorf("%d visits in %d bytes after none was held", s.n, s.bytes())
	}
}

// Running days that do not fit in memory are read each time, are not built
// again until their account changes, and count the same.
func TestLiveWithoutRoom(t *testing.T) {
	const d = firstTestDay
	l, h := openTestLog(t), newFacts()
	l.lives.most = 8 << 10
	told(t, h, l, on(d, 0, 1, 1), on(d, 1, 2, 2))
	h.check(t, l, account1, d, d+2)
	if l.lives.byScope[account1] == nil {
		t.Fatal("two views do not fit in 8 KiB")
	}
	for viewer := range uint64(200) {
		told(t, h, l, on(d, 10+int64(viewer), 1, 0x9e3779b97f4a7c15*viewer))
	}
	for range 2 {
		h.check(t, l, account1, d, d+2)
		if l.lives.byScope[account1] != nil {
			t.Fatal("200 viewers are kept in 8 KiB")
		}
		if _, there := l.lives.noRoom[account1]; !there {
			t.Fatal("running days that did not fit would be built again for the next report")
		}
		told(t, h, l, on(d+1, 10, 1, 3))
	}
	if l.feed.followed(1) {
		t.Error("the account is still followed")
	}
	settled(t, l, d+1) // all but one view are past
	h.check(t, l, account1, d, d+2)
	if l.lives.byScope[account1] == nil {
		t.Error("what is left after the days were settled is not kept")
	}
}
