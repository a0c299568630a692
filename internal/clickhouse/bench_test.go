package clickhouse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

// traffic makes opens of some links of account 1 like a real log's: a third by viewers who come again, a tenth by bots.
type traffic struct {
	rand    *rand.Rand
	ids     *vitrine.ViewIDs
	links   int
	ms      int64
	step    int // milliseconds to the next open, on average
	viewers []uint64
}

func newTraffic(links, step int) *traffic {
	return &traffic{rand: rand.New(rand.NewPCG(1, 2)), ids: vitrine.NewViewIDs(), links: links, step: step, ms: 1_767_225_600_000}
}

func (g *traffic) open() vitrine.NewOpen {
	pick := func(prefix string, n int) string {
		return prefix + strconv.Itoa(min(g.rand.IntN(n), g.rand.IntN(n)))
	}
	g.ms += int64(g.rand.IntN(2*g.step + 1))
	viewer := g.rand.Uint64()
	if len(g.viewers) > 1000 && g.rand.IntN(3) == 0 {
		viewer = g.viewers[g.rand.IntN(len(g.viewers))]
	} else {
		g.viewers = append(g.viewers, viewer)
	}
	country := pick("C", 60)
	o := report.Open{Link: int64(1 + g.rand.IntN(g.links)), ID: int64(g.ids.Next(time.UnixMilli(g.ms))), At: g.ms, Viewer: viewer,
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

// BenchmarkAppend writes opens, a batch at a time, as a server does.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{64, 4096} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := openTestLog(b, vitrinetest.ClickHouseDatabase(b))
			g := newTraffic(1000, 1)
			batch := vitrine.Batch{Opens: make([]vitrine.NewOpen, size)}
			for b.Loop() {
				b.StopTimer()
				for i := range batch.Opens {
					batch.Opens[i] = g.open()
				}
				b.StartTimer()
				if _, err := l.Append(context.Background(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "opens/s")
		})
	}
}

// BenchmarkTally makes tallies of a year of a million opens, VITRINE_BENCH_OPENS of them, by reading them and inside the database.
func BenchmarkTally(b *testing.B) {
	opens := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("VITRINE_BENCH_OPENS")); err == nil {
		opens = n
	}
	l := openTestLog(b, vitrinetest.ClickHouseDatabase(b))
	g := newTraffic(100, 365*86_400_000/opens)
	start := time.Now()
	for n := 0; n < opens; {
		var some []vitrine.NewOpen
		for ; len(some) < 16_384 && n < opens; n++ {
			some = append(some, g.imported())
		}
		if err := l.Import(context.Background(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: int64(n)}, some); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("imported %d opens in %v", opens, time.Since(start).Round(time.Millisecond))
	from := report.DayOf(1_767_225_600_000)
	for _, q := range []struct {
		name  string
		query vitrine.TallyQuery
	}{
		{"account/year", vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from, To: from + 366}},
		{"account/30days", vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from + 200, To: from + 230}},
		{"account/brief", vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: from, To: from + 366, Brief: true}},
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
