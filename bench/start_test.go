package bench

import (
	"os"
	"testing"
	"time"

	"vitrine/bench/table"
)

// BenchmarkStart starts the program on a directory with one account, until it
// answers.
func BenchmarkStart(b *testing.B) {
	v := newInstance(b, "owner@example.org")
	var took []time.Duration
	var rest []float64
	once := func() {
		from := time.Now()
		v.serve(b)
		took = append(took, time.Since(from))
		rest = append(rest, v.memory(b, "VmRSS"))
		v.stop()
	}
	once()
	took = nil
	for b.Loop() {
		once()
	}
	summary.add(table.Row{Figure: "start on a directory with one account, until it answers",
		Vitrine: table.Of(median(took))})
	summary.add(table.Row{Figure: "memory at rest", Vitrine: table.Value{Unit: table.Memory, N: median(rest)}})
	s, err := os.Stat(v.bin)
	if err != nil {
		b.Fatal(err)
	}
	summary.add(table.Row{Figure: "the program, one static file",
		Vitrine: table.Value{Unit: table.Memory, N: float64(s.Size())}})
}
