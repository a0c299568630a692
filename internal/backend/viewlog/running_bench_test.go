//go:build unix

package viewlog

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"

	"vitrine"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// heapMiB returns the size of the live heap.
func heapMiB() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// BenchmarkRunning makes tallies of the current day with many views of one
// link: after a start, and after each further view. It reports the heap that
// the log keeps for both scopes. VITRINE_BENCH_LARGE=1 adds 5 million views.
func BenchmarkRunning(b *testing.B) {
	sizes := []int{100_000, 1_000_000}
	if os.Getenv("VITRINE_BENCH_LARGE") != "" {
		sizes = append(sizes, 5_000_000)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("sqlite/views=%d", size),
			func(b *testing.B) { benchmarkRunning(b, sqltest.NewPlace(b), size) })
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("postgres/views=%d", size), func(b *testing.B) {
			benchmarkRunning(b, vitrinetest.PostgresDatabase(b), size)
		})
	}
}

func benchmarkRunning(b *testing.B, place string, size int) {
	l, err := Open(place)
	if err != nil {
		b.Fatal(err)
	}
	g := sqltest.NewTraffic(1)
	g.SetStep(80_000_000 / size)
	views := make([]vitrine.ViewRecord, 4096)
	for n := 0; n < size; n += len(views) {
		for i := range views {
			views[i] = g.Imported()
		}
		appendViews(b, l, views...)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	day := report.DayOf(views[0].At)
	ask := func(b *testing.B, l *ViewLog, s vitrine.Scope) *report.Tally {
		t, _, err := l.Tally(context.Background(), vitrine.TallyQuery{Scope: s, From: day - 30, To: day + 1})
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	scopes := []vitrine.Scope{{Account: 1, Link: 1}, {Account: 1}}
	names := []string{"link", "account"}
	for i, s := range scopes {
		b.Run("first/"+names[i], func(b *testing.B) {
			for b.Loop() {
				l, err := Open(place)
				if err != nil {
					b.Fatal(err)
				}
				ask(b, l, s)
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if l, err = Open(place); err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	before := heapMiB()
	for _, s := range scopes {
		ask(b, l, s)
	}
	kept := heapMiB() - before
	for i, s := range scopes {
		b.Run("next/"+names[i], func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				appendViews(b, l, g.Imported())
				b.StartTimer()
				ask(b, l, s)
			}
			b.ReportMetric(kept, "heap-MiB")
		})
	}
}
