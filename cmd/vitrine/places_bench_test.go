package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// benchLogs are the backends of the view log, each opened on the server that
// people would run.
var benchLogs = []struct {
	name string
	open func(testing.TB) (*viewlog.ViewLog, error)
}{
	{"SQLite", func(tb testing.TB) (*viewlog.ViewLog, error) {
		return viewlog.Open(filepath.Join(tb.TempDir(), "views.db"))
	}},
	{"PostgreSQL", func(tb testing.TB) (*viewlog.ViewLog, error) {
		return viewlog.Open(vitrinetest.Postgres(tb).NewDatabase(tb))
	}},
}

func openBenchLog(b *testing.B, open func(testing.TB) (*viewlog.ViewLog, error)) *viewlog.ViewLog {
	b.Helper()
	l, err := open(b)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	return l
}

// BenchmarkPlacesTake measures how many views a second each view log stores in
// batches of several sizes. Each batch is durable when Take returns.
func BenchmarkPlacesTake(b *testing.B) {
	for _, log := range benchLogs {
		for _, size := range []int{1, 64, 4096} {
			b.Run(fmt.Sprintf("%s/batch=%d", log.name, size), func(b *testing.B) {
				l, g := openBenchLog(b, log.open), vitrinetest.NewTraffic(200, 1000)
				batch := vitrine.Batch{Views: make([]vitrine.ViewRecord, size)}
				n := 0
				for b.Loop() {
					b.StopTimer()
					for i := range batch.Views {
						batch.Views[i] = g.Open()
					}
					b.StartTimer()
					if _, err := l.Append(context.Background(), batch); err != nil {
						b.Fatal(err)
					}
					n += size
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "views/s")
			})
		}
	}
}

// BenchmarkPlacesReport makes what a report needs, the tally of its range and a
// brief one of the range before, from each log with 200,000 views of 100 links
// in a year, rolled up. The first run is not measured, because it fills the
// caches.
func BenchmarkPlacesReport(b *testing.B) {
	for _, log := range benchLogs {
		l := openBenchLog(b, log.open)
		start := yearOfViews(b, l, 200_000)
		for _, r := range []struct {
			name     string
			link     vitrine.LinkID
			from, to report.Day
		}{
			{"account/year", 0, start, start + 366},
			{"account/30d", 0, start + 330, start + 360},
			{"link/90d", 5, start + 270, start + 360},
		} {
			b.Run(r.name+"/"+log.name, func(b *testing.B) {
				q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1, Link: r.link}, From: r.from, To: r.to}
				before := q
				before.From, before.To, before.Brief = q.From-(q.To-q.From), q.From, true
				both := func() {
					for _, q := range []vitrine.TallyQuery{q, before} {
						if _, _, err := l.Tally(context.Background(), q); err != nil {
							b.Fatal(err)
						}
					}
				}
				both()
				for b.Loop() {
					both()
				}
			})
		}
	}
}

// yearOfViews imports views of 100 links from a year and rolls them up. It
// returns the first day.
func yearOfViews(b *testing.B, l *viewlog.ViewLog, views int) (start report.Day) {
	b.Helper()
	start = report.DayOf(vitrinetest.NewTraffic(1, 1).Open().At)
	g := vitrinetest.NewTraffic(100, 365*86_400_000/views)
	began := time.Now()
	for n := 0; n < views; {
		some := make([]vitrine.ViewRecord, 0, min(50_000, views-n))
		for range cap(some) {
			some = append(some, g.Imported())
		}
		n += len(some)
		if err := l.Import(context.Background(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: int64(n),
			At: (start + 370).Time()}, some); err != nil {
			b.Fatal(err)
		}
	}
	imported := time.Now()
	if err := l.RollUp(context.Background(), start+370); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d views: imported in %v, rolled up in %v", views, imported.Sub(began).Round(time.Second),
		time.Since(imported).Round(time.Second))
	return start
}

// BenchmarkPlacesFiltered makes tallies of an account's year with a filter, in
// a time zone and for custom dates, from each log with VITRINE_BENCH_OPENS
// views (default 200,000). Only the logs that -bench names are filled.
func BenchmarkPlacesFiltered(b *testing.B) {
	views, err := strconv.Atoi(cmp.Or(os.Getenv("VITRINE_BENCH_OPENS"), "200000"))
	if err != nil {
		b.Fatal(err)
	}
	for _, log := range benchLogs {
		b.Run(log.name, func(b *testing.B) {
			l := openBenchLog(b, log.open)
			start := yearOfViews(b, l, views)
			filteredTallies(b, l, start)
		})
	}
}

// filteredTallies makes tallies of the year from start on.
func filteredTallies(b *testing.B, l *viewlog.ViewLog, start report.Day) {
	b.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range []struct {
		name   string
		filter []string
		zone   *time.Location
		days   report.Day
	}{
		{"one country", []string{"country:is:C7"}, nil, 365},
		{"most views", []string{"country:is_not:C7"}, nil, 365},
		{"time zone", nil, berlin, 364},
		{"dates", nil, nil, 333},
	} {
		b.Run(r.name, func(b *testing.B) {
			f, err := report.ParseFilter(r.filter)
			if err != nil {
				b.Fatal(err)
			}
			dates := report.Dates{First: start + 1, Last: start + r.days - 1}
			w, err := report.WindowOf(report.Period{Dates: &dates, Zone: r.zone}, (start + 366).Time(), time.Time{})
			if err != nil {
				b.Fatal(err)
			}
			q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: w.From, To: w.To,
				Lens: report.Lens{Steps: w.Steps, Filter: f}}
			var counted int64
			for b.Loop() {
				t, _, err := l.Tally(context.Background(), q)
				if err != nil {
					b.Fatal(err)
				}
				counted = t.Views()
			}
			b.ReportMetric(float64(counted), "views")
		})
	}
}

// BenchmarkFleetPages loads pages through one server and through two, over one
// PostgreSQL and one bucket. Servers, database, bucket and client share this
// machine, so it measures what a second server costs or gains there.
func BenchmarkFleetPages(b *testing.B) {
	f := newFleetOver(b, vitrinetest.Postgres(b).NewDatabase(b), "")
	key := f.account("owner@example.org", "lifetime")
	l, err := f.client(f.servers[0].url, key).Upload(b.Context(), textFile(), client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 64
	for n := 1; n <= len(f.servers); n++ {
		b.Run(fmt.Sprintf("servers=%d", n), func(b *testing.B) {
			var next, failed atomic.Int64
			var all sync.WaitGroup
			b.ResetTimer()
			for worker := range 64 {
				all.Go(func() {
					for next.Add(1) <= int64(b.N) {
						if status, _, err := getPage(context.Background(),
							f.servers[worker%n].url+"/p/"+l.Slug); err != nil || status != 200 {
							failed.Add(1)
						}
					}
				})
			}
			all.Wait()
			if failed.Load() > 0 {
				b.Fatalf("%d pages failed", failed.Load())
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}
