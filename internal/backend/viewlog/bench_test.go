//go:build unix

package viewlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/sqltest"
	"vitrine/report"
)

// meter reports the cost of each of n views, in time and in CPU time, which
// does not depend on the machine's load. Generating the views is not included.
type meter struct {
	b    *testing.B
	n    int
	from time.Duration
	cpu  time.Duration
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (m *meter) stop() {
	m.b.StopTimer()
	m.cpu += processorTime() - m.from
}

func (m *meter) start() {
	m.from = processorTime()
	m.b.StartTimer()
}

func (m *meter) report() {
	m.cpu += processorTime() - m.from
	m.b.ReportMetric(float64(m.b.Elapsed().Nanoseconds())/float64(m.n), "ns/view")
	m.b.ReportMetric(float64(m.cpu.Nanoseconds())/float64(m.n), "cpu-ns/view")
}

func BenchmarkAppend(b *testing.B) {
	for _, links := range []int{1, 1000} {
		for _, size := range []int{1, 64, 512, 4096} {
			b.Run(fmt.Sprintf("links=%d/batch=%d", links, size), func(b *testing.B) {
				l, g := openTestLog(b), sqltest.NewTraffic(links)
				batch := vitrine.Batch{Views: make([]vitrine.ViewRecord, size)}
				m := meter{b: b, from: processorTime()}
				for b.Loop() {
					m.stop()
					for i := range batch.Views {
						batch.Views[i] = g.Open()
					}
					m.start()
					if _, err := l.Append(context.Background(), batch); err != nil {
						b.Fatal(err)
					}
					m.n += size
				}
				m.report()
			})
		}
	}
}

// fill imports n views.
func fill(tb testing.TB, l *ViewLog, n, links int) {
	g := sqltest.NewTraffic(links)
	views := make([]vitrine.ViewRecord, 0, 5000)
	for i := 0; i < n; i += len(views) {
		views = views[:0]
		for range min(cap(views), n-i) {
			views = append(views, g.Imported())
		}
		if err := l.Import(context.Background(), vitrine.ImportReceipt{Lines: int64(i + len(views))},
			views); err != nil {
			tb.Fatal(err)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	for _, links := range []int{1, 1000} {
		b.Run(fmt.Sprintf("links=%d", links), func(b *testing.B) {
			l, g := openTestLog(b), sqltest.NewTraffic(links)
			views := make([]vitrine.ViewRecord, 5000)
			m := meter{b: b, from: processorTime()}
			for b.Loop() {
				m.stop()
				for i := range views {
					views[i] = g.Imported()
				}
				m.start()
				m.n += len(views)
				if err := l.Import(context.Background(), vitrine.ImportReceipt{Lines: int64(m.n)}, views); err != nil {
					b.Fatal(err)
				}
			}
			m.report()
		})
	}
}

func BenchmarkTally(b *testing.B) {
	const n = 1_000_000
	for _, links := range []int{1, 1000} {
		l := openTestLog(b)
		fill(b, l, n, links)
		for _, scope := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 1}} {
			b.Run(fmt.Sprintf("links=%d/link=%d", links, scope.Link), func(b *testing.B) {
				m := meter{b: b, from: processorTime()}
				for b.Loop() {
					t, _, err := l.Tally(context.Background(),
						vitrine.TallyQuery{Scope: scope, From: 20_000, To: 30_000})
					if err != nil {
						b.Fatal(err)
					}
					m.n += int(t.Views())
					for _, bots := range t.Bots() {
						m.n += int(bots.Count)
					}
				}
				m.report()
			})
		}
	}
}

// BenchmarkAudit audits everything: many links with few views, and few links
// with many. The cost of a link or a view is the same at each size.
func BenchmarkAudit(b *testing.B) {
	for _, size := range []struct{ links, views int }{{10_000, 20_000}, {40_000, 80_000}, {10, 100_000},
		{10, 400_000}} {
		b.Run(fmt.Sprintf("links=%d/views=%d", size.links, size.views), func(b *testing.B) {
			l, g := openTestLog(b), sqltest.NewTraffic(size.links)
			views := make([]vitrine.ViewRecord, size.views)
			var last report.Day
			for i := range views {
				views[i] = g.Imported()
				last = max(last, report.DayOf(views[i].At))
			}
			slices.SortFunc(views, func(a, b vitrine.ViewRecord) int {
				return cmp.Or(cmp.Compare(a.Link, b.Link),
					cmp.Compare(a.ID, b.ID))
			})
			if err := importViews(b, l, 1, views...); err != nil {
				b.Fatal(err)
			}
			rollUp(b, l, last-2)
			m := meter{b: b, n: 0, from: processorTime()}
			for b.Loop() {
				if err := l.Audit(b.Context(), true, func(fault string, _ bool) { b.Error(fault) }); err != nil {
					b.Fatal(err)
				}
				m.n += size.views
			}
			m.report()
			b.ReportMetric(float64(m.n)/b.Elapsed().Seconds(), "views/s")
		})
	}
}
