//go:build unix

package sqldb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

// traffic makes opens of some links like a real log's: a third by viewers who come again, a tenth by bots.
type traffic struct {
	rand    *rand.Rand
	ids     *vitrine.ViewIDs
	links   int
	ms      int64
	viewers []uint64
}

func newTraffic(links int) *traffic {
	return &traffic{rand: rand.New(rand.NewPCG(1, 2)), ids: vitrine.NewViewIDs(), links: links, ms: 1_767_225_600_000}
}

func (g *traffic) open() vitrine.NewOpen {
	pick := func(prefix string, n int) string {
		return fmt.Sprintf("%s%d", prefix, min(g.rand.IntN(n), g.rand.IntN(n)))
	}
	g.ms += int64(g.rand.IntN(2 * 31536)) // a million a year
	viewer := g.rand.Uint64()
	if len(g.viewers) > 1000 && g.rand.IntN(3) == 0 {
		viewer = g.viewers[g.rand.IntN(len(g.viewers))]
	} else {
		g.viewers = append(g.viewers, viewer)
	}
	country := pick("C", 60)
	o := report.Open{Link: int64(1 + g.rand.IntN(g.links)), ID: int64(vitrine.ViewIDAt(g.ms, g.rand.IntN(1<<21))), At: g.ms, Viewer: viewer,
		Country: country, City: country + pick(" city ", 8), Referrer: pick("host", 30), Source: pick("source", 12),
		Device: pick("device", 3), Browser: pick("browser", 8), OS: pick("os", 6), QR: g.rand.IntN(20) == 0}
	if g.rand.IntN(10) == 0 {
		o.Bot = pick("reason", 6)
	}
	return vitrine.NewOpen{Account: 1, Open: o}
}

func (g *traffic) imported() vitrine.NewOpen {
	o := g.open()
	if o.Bot == "" && g.rand.IntN(10) < 7 {
		s := &report.Session{EngagedMs: g.rand.Int64N(200_000), Screen: "1200-1439", Downloaded: g.rand.IntN(10) == 0}
		s.PresentMs = s.EngagedMs + g.rand.Int64N(20_000)
		for p := range g.rand.IntN(12) {
			s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: g.rand.Int64N(20_000)})
		}
		o.Session = s
	}
	return o
}

// meter reports what each of n opens costs, in time and in processor time, which a busy machine does not change. Pre-making
// the opens is left out.
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
	m.b.ReportMetric(float64(m.b.Elapsed().Nanoseconds())/float64(m.n), "ns/open")
	m.b.ReportMetric(float64(m.cpu.Nanoseconds())/float64(m.n), "cpu-ns/open")
}

func BenchmarkAppend(b *testing.B) {
	for _, links := range []int{1, 1000} {
		for _, size := range []int{1, 64, 512, 4096} {
			b.Run(fmt.Sprintf("links=%d/batch=%d", links, size), func(b *testing.B) {
				l, g := openTestLog(b), newTraffic(links)
				batch := vitrine.Batch{Opens: make([]vitrine.NewOpen, size)}
				m := meter{b: b, from: processorTime()}
				for b.Loop() {
					m.stop()
					for i := range batch.Opens {
						batch.Opens[i] = g.open()
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

// BenchmarkIngest tells how many opens a second come in, in batches of some sizes: into a file, and into a PostgreSQL that waits for its disk.
func BenchmarkIngest(b *testing.B) {
	file := newPlace
	defer func() { newPlace = file }()
	for _, database := range []struct {
		name  string
		place func(testing.TB) string
	}{
		{"SQLite", file},
		{"PostgreSQL", func(tb testing.TB) string { return vitrinetest.Postgres(tb).NewDatabase(tb) }},
	} {
		for _, size := range []int{1, 64, 4096} {
			b.Run(fmt.Sprintf("%s/batch=%d", database.name, size), func(b *testing.B) {
				newPlace = database.place
				l, g := openTestLog(b), newTraffic(200)
				batch := vitrine.Batch{Opens: make([]vitrine.NewOpen, size)}
				n := 0
				for b.Loop() {
					b.StopTimer()
					for i := range batch.Opens {
						batch.Opens[i] = g.open()
					}
					b.StartTimer()
					if _, err := l.Append(context.Background(), batch); err != nil {
						b.Fatal(err)
					}
					n += size
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "opens/s")
			})
		}
	}
}

// fill imports n opens of history.
func fill(tb testing.TB, l *ViewLog, n, links int) {
	g := newTraffic(links)
	opens := make([]vitrine.NewOpen, 0, 5000)
	for i := 0; i < n; i += len(opens) {
		opens = opens[:0]
		for range min(cap(opens), n-i) {
			opens = append(opens, g.imported())
		}
		if err := l.Import(context.Background(), vitrine.ImportReceipt{Lines: int64(i + len(opens))}, opens); err != nil {
			tb.Fatal(err)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	for _, links := range []int{1, 1000} {
		b.Run(fmt.Sprintf("links=%d", links), func(b *testing.B) {
			l, g := openTestLog(b), newTraffic(links)
			opens := make([]vitrine.NewOpen, 5000)
			m := meter{b: b, from: processorTime()}
			for b.Loop() {
				m.stop()
				for i := range opens {
					opens[i] = g.imported()
				}
				m.start()
				m.n += len(opens)
				if err := l.Import(context.Background(), vitrine.ImportReceipt{Lines: int64(m.n)}, opens); err != nil {
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
					t, _, err := l.Tally(context.Background(), vitrine.TallyQuery{Scope: scope, From: 20_000, To: 30_000})
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
