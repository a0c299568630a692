package clickhouse

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

// BenchmarkTally makes tallies of a year with VITRINE_BENCH_OPENS views
// (default a million), by reading the views and inside the database.
func BenchmarkTally(b *testing.B) {
	views := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("VITRINE_BENCH_OPENS")); err == nil {
		views = n
	}
	l := openTestLog(b, vitrinetest.ClickHouseDatabase(b))
	g := vitrinetest.NewTraffic(100, 365*86_400_000/views)
	start := time.Now()
	for n := 0; n < views; {
		var some []vitrine.ViewRecord
		for ; len(some) < 16_384 && n < views; n++ {
			some = append(some, g.Imported())
		}
		if err := l.Import(context.Background(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: int64(n)},
			some); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("imported %d views in %v", views, time.Since(start).Round(time.Millisecond))
	from := report.DayOf(1_767_225_600_000)
	for _, q := range []struct {
		name  string
		query vitrine.TallyQuery
	}{
		{"account/year", vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from, To: from + 366}},
		{"account/30days", vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from + 200, To: from + 230}},
		{"account/brief", vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from, To: from + 366,
			Brief: true}},
		{"link/year", vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1, Link: 5}, From: from, To: from + 366}},
	} {
		for _, way := range []string{"fold", "inside"} {
			b.Run(q.name+"/"+way, func(b *testing.B) {
				l.c.insideFrom = map[string]int{"fold": -1, "inside": 0}[way]
				for b.Loop() {
					if _, _, err := l.Tally(context.Background(), q.query); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	var ids []vitrine.LinkID
	for i := range 500 {
		ids = append(ids, vitrine.LinkID(i))
	}
	b.Run("counts/500", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.Counts(context.Background(), ids); err != nil {
				b.Fatal(err)
			}
		}
	})
}
