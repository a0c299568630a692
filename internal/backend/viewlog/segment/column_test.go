package segment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine"
)

// TestColumn checks that numbers of every width are read back from every form,
// and that a column takes about as little space as its numbers need.
func TestColumn(t *testing.T) {
	forms := map[byte]int{}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		width, different := r.IntN(65), []int{1, 2, 3, 17, 900, math.MaxInt32}[r.IntN(6)]
		base := r.Uint64() >> r.IntN(64)
		number := func(i int) uint64 {
			n := rand.New(rand.NewPCG(uint64(i%different), seed)).Uint64()
			if width == 0 {
				return base
			}
			return base + n>>(64-width)
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
				forms[b[0]]++
			}
			if most := 2 + 10 + 10*len(want); len(b) > most || kind < listed && len(b) > 11+packedSize(len(want), width) {
				t.Errorf("seed %d: %d numbers of %d bits have %d bytes", seed, len(want), width, len(b))
			}
			var got column
			if !got.open(b) {
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
	if forms[plain] == 0 || forms[words] == 0 || forms[0] == 0 || forms[64] == 0 {
		t.Errorf("some forms were not used: %v", forms)
	}
}

// TestAbsentColumn checks that what no view has takes no space.
func TestAbsentColumn(t *testing.T) {
	length := func(change func(*Row)) int {
		var e Encoder
		for i := range 1000 {
			r := Row{ID: vitrine.ViewIDAt(testMs+int64(i), 0), View: View{Viewer: uint64(i) << 32, Place: LabelID(i % 9)}}
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
