//go:build unix

package analytics_test

import (
	"cmp"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/sqltest"
	"vitrine/report"
)

// BenchmarkReclassify reads 100,000 stored views (or VITRINE_BENCH_OPENS) of 20
// links in a year, every tenth of them a program's, and changes the half of
// these: to another reason, to people's, and back.
func BenchmarkReclassify(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) { benchmark(b, openSQL(b)) })
	b.Run("PostgreSQL", func(b *testing.B) {
		sqltest.InPostgres(b)
		benchmark(b, openSQL(b))
	})
}

func openSQL(b *testing.B) vitrine.ViewLog {
	b.Helper()
	log, err := viewlog.Open(sqltest.NewPlace(b))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { log.Close() })
	return log
}

func benchmark(b *testing.B, log vitrine.ViewLog) {
	const links, days = 20, 365
	views, err := strconv.Atoi(cmp.Or(os.Getenv("VITRINE_BENCH_OPENS"), "100000"))
	if err != nil {
		b.Fatal(err)
	}
	of, lines := int64(views/links), int64(0)
	for link := range int64(links) {
		list := make([]vitrine.ViewRecord, 0, of)
		for i := range of {
			id := vitrine.ViewIDAt((day+report.Day(i*days/of)).StartMs()+i*7, int(i%8))
			v := report.View{ID: int64(id), At: id.Ms(), Link: 1 + link, Viewer: uint64(i*i) % 3001, Country: "DE"}
			if i%10 == 0 {
				v.Bot, v.Product = "crawler", []string{"A", "B"}[i/10%2]
			}
			list = append(list, vitrine.ViewRecord{Account: 1, View: v})
		}
		lines += of
		if err := log.Import(b.Context(), vitrine.ImportReceipt{Lines: lines,
			At: (day + days + 3).Time()}, list); err != nil {
			b.Fatal(err)
		}
	}
	rollUp := func() {
		if err := log.RollUp(b.Context(), day+days); err != nil {
			b.Fatal(err)
		}
	}
	rollUp()
	run := func(name string, says map[string]string, apply bool) {
		s := &analytics.Reclassify{Log: log, Rule: rules(says)}
		from, cpu := time.Now(), processorTime()
		r, err := s.Run(b.Context(), apply)
		if err != nil {
			b.Fatal(err)
		}
		took, used := time.Since(from), processorTime()-cpu
		b.ReportMetric(float64(r.Views)/took.Seconds(), name+"_views/s")
		if apply {
			b.ReportMetric(float64(r.Applied)/took.Seconds(), name+"_changes/s")
			b.ReportMetric(float64(r.Applied)/used.Seconds(), name+"_changes/cpu-s")
			from = time.Now()
			rollUp()
			b.ReportMetric(time.Since(from).Seconds(), name+"_rollup_s")
		}
	}
	for b.Loop() {
		run("dry", map[string]string{"A": "ai_training"}, false)
		run("reason", map[string]string{"A": "ai_training"}, true)
		run("person", map[string]string{"A": ""}, true)
		run("back", nil, true)
	}
}

// processorTime returns the time that this process has used processors, which a
// busy machine hardly changes. Servers of databases are other processes.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
