package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/sqldb"
)

// BenchmarkImport brings a million opens over 100 links in, in this process. Metric: opens a second.
func BenchmarkImport(b *testing.B) {
	links, opens := history(b, b.TempDir(), time.Now().UTC())
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		store, err := sqldb.OpenStore(filepath.Join(dir, "vitrine.db"))
		if err != nil {
			b.Fatal(err)
		}
		log, err := sqldb.OpenViewLog(filepath.Join(dir, "views.db"))
		if err != nil {
			b.Fatal(err)
		}
		in := &vitrine.Imports{Store: store, Log: log, Now: time.Now}
		accounts := &vitrine.Accounts{Store: store, Now: time.Now}
		if _, _, err := accounts.Create(context.Background(), "owner@example.org", vitrine.PlanLifetime); err != nil {
			b.Fatal(err)
		}
		l, o := open(b, links), open(b, opens)
		if _, err := in.Links(context.Background(), l); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := in.Opens(context.Background(), o); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		log.Close()
		store.Close()
		b.StartTimer()
	}
	b.ReportMetric(reportOpens*float64(b.N)/b.Elapsed().Seconds(), "opens/s")
}

func open(b *testing.B, path string) *os.File {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}
