package sink

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// TestMany copies VITRINE_BENCH_OPENS views (default 5,000) and is killed
// twenty times. Then ClickHouse is away while a seventh as many change. The
// counts by SQL are those of the reports, and the rows of up to 200,000 views
// those of the export. It logs how fast views are copied.
func TestMany(t *testing.T) {
	views, err := strconv.Atoi(cmp.Or(os.Getenv("VITRINE_BENCH_OPENS"), "5000"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, vitrinetest.ClickHouse(t), "")
	w.traffic.SetStep(60 * 86_400_000 / views)
	for n := 0; n < views; {
		some := make([]vitrine.ViewRecord, 0, min(20_000, views-n))
		for range cap(some) {
			some = append(some, w.traffic.Imported())
		}
		n += len(some)
		w.until(time.UnixMilli(some[len(some)-1].At).Add(time.Minute))
		w.must(w.Log.Import(t.Context(), vitrine.ImportReceipt{File: [32]byte{2}, Lines: int64(n), At: w.Clock.Now()}, some))
	}
	began, kills := time.Now(), 0
	for kills < 20 && w.killed() {
		kills++
	}
	w.run(w.sink())
	first := time.Since(began)
	w.server.Stop()
	s := w.sink()
	for n := range 20 {
		w.happen(views / 100)
		if n == 15 {
			w.server.Start(t)
		}
		w.run(s)
	}
	w.sameCounts("many")
	if views <= 200_000 {
		w.sameRows("many")
	}
	rows := w.query("SELECT count(), countIf(excluded = ''), sum(engagedMs) FROM visits FINAL")
	t.Logf("%d views: the first copy was killed %d times and took %v, %.0f a second; rows, counted views and engaged time: %s", views,
		kills, first.Round(time.Millisecond), float64(views)/first.Seconds(), fmt.Sprint(rows))
}

// BenchmarkAppend measures what recording changes costs the log.
func BenchmarkAppend(b *testing.B) {
	for _, copied := range []bool{false, true} {
		b.Run(fmt.Sprintf("copied=%v", copied), func(b *testing.B) {
			log := openLog(b, "")
			if copied {
				if _, err := log.BeginCopy(b.Context(), 0); err != nil {
					b.Fatal(err)
				}
			}
			g := vitrinetest.NewTraffic(100, 1000)
			batch := vitrine.Batch{Views: make([]vitrine.ViewRecord, 64)}
			b.ReportAllocs()
			for b.Loop() {
				for i := range batch.Views {
					batch.Views[i] = g.Open()
				}
				if _, err := log.Append(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(64*b.N)/b.Elapsed().Seconds(), "views/s")
		})
	}
}
