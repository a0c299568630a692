package ingest

import (
	"math/rand/v2"
	"testing"
)

// TestFilter checks that a filter has what was just added, and takes few others
// for known, however many are added.
func TestFilter(t *testing.T) {
	var f filter
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		for range filterMost {
			h := random.Uint64()
			if f.add(h); !f.has(h) {
				t.Fatalf("round %d: %x is not known", round, h)
			}
		}
		const others = 100_000
		known := 0
		for range others {
			if f.has(random.Uint64()) {
				known++
			}
		}
		if known > others/300 {
			t.Errorf("round %d: %d of %d others are known", round, known, others)
		}
	}
}
