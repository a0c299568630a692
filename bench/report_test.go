package bench

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const (
	reportOpens = 1_000_000
	reportLinks = 100
	reportDays  = 365
)

// history writes one account's links and opens in the import format, the same ones each time: links by Zipf's law, returning
// viewers, all kinds, eight dimensions.
func history(b *testing.B, dir string, now time.Time) (links, opens string) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	links, opens = filepath.Join(dir, "links.ndjson"), filepath.Join(dir, "opens.ndjson")
	write := func(path string, f func(w *bufio.Writer)) {
		out, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		w := bufio.NewWriterSize(out, 1<<20)
		f(w)
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		if err := out.Close(); err != nil {
			b.Fatal(err)
		}
	}
	kinds := []string{"pdf", "video", "image", "html", "text", "document", "audio", "archive"}
	from := now.Truncate(24*time.Hour).AddDate(0, 0, 1-reportDays)
	write(links, func(w *bufio.Writer) {
		for i := range reportLinks {
			fmt.Fprintf(w, `{"slug":"bench-%d","title":"Bench %d","kind":%q,"createdAt":%q,"account":"owner@example.org","pagesTotal":12}`+"\n",
				i, i, kinds[i%len(kinds)], from.Format(time.RFC3339))
		}
	})
	pick := func(of []string) string { return of[min(int(r.ExpFloat64()*2), len(of)-1)] }
	countries := []string{"DE", "US", "GB", "FR", "NL", "CH", "AT", "ES", "IT", "PL", "IN", "JP"}
	hosts := []string{"google.com", "linkedin.com", "t.co", "github.com", "news.ycombinator.com", "bing.com", "reddit.com", "duckduckgo.com", "example.com"}
	sources := []string{"Direct", "Google", "LinkedIn", "X", "GitHub", "Hacker News", "Email", "QR code"}
	devices := []string{"Desktop", "Mobile", "Tablet", "TV"}
	browsers := []string{"Chrome", "Safari", "Firefox", "Edge", "Samsung Internet", "Opera"}
	systems := []string{"Windows", "macOS", "iOS", "Android", "Linux", "ChromeOS"}
	screens := []string{"1440-1919", "0-575", "1920+", "1200-1439", "768-991", "992-1199", "576-767"}
	zipf := rand.NewZipf(r, 1.1, 1, reportLinks-1)
	span := now.Sub(from).Milliseconds()
	write(opens, func(w *bufio.Writer) {
		for i := range int64(reportOpens) { // in the order of time, as a log is exported
			link := int(zipf.Uint64())
			viewer := r.IntN(reportOpens / 4)
			fmt.Fprintf(w, `{"slug":"bench-%d","at":%q,"viewer":"v%d","country":%q,"city":"City %d, %s","referrer":%q,"source":%q,"device":%q,"browser":%q,"os":%q`,
				link, from.Add(time.Duration(span*i/reportOpens)*time.Millisecond).Format("2006-01-02T15:04:05.000Z"), viewer,
				pick(countries), r.IntN(40), countries[0], pick(hosts), pick(sources), pick(devices), pick(browsers), pick(systems))
			if r.IntN(20) == 0 {
				w.WriteString(`,"bot":true`)
			}
			if r.IntN(4) == 0 {
				w.WriteString(`,"returning":true`)
			}
			if r.IntN(10) < 8 {
				engaged := int64(r.ExpFloat64() * 40_000)
				fmt.Fprintf(w, `,"session":{"engagedMs":%d,"presentMs":%d,"screen":%q`, engaged, engaged+r.Int64N(20_000), pick(screens))
				switch kinds[link%len(kinds)] {
				case "pdf":
					w.WriteString(`,"pages":[`)
					for p := 1; p <= 1+r.IntN(12); p++ {
						if p > 1 {
							w.WriteByte(',')
						}
						fmt.Fprintf(w, `{"page":%d,"ms":%d}`, p, 1000+engaged/12)
					}
					w.WriteByte(']')
				case "video", "audio":
					fmt.Fprintf(w, `,"playedPct":%d,"reachedPct":%d`, r.IntN(50), 50+r.IntN(51))
				case "archive":
				default:
					fmt.Fprintf(w, `,"scrollPct":%d`, r.IntN(101))
				}
				w.WriteByte('}')
			}
			w.WriteString("}\n")
		}
	})
	return links, opens
}

// BenchmarkReport imports a million opens of a year and asks for reports over HTTP. Metrics of the first: opens imported a second.
func BenchmarkReport(b *testing.B) {
	imported := sync.OnceValues(func() (*instance, float64) {
		v := newInstance(b)
		links, opens := history(b, b.TempDir(), time.Now().UTC())
		v.run("import", "links", links)
		from := time.Now()
		v.run("import", "opens", opens)
		return v, reportOpens / time.Since(from).Seconds()
	})
	v, rate := imported()
	for _, path := range []string{"/analytics?range=30d", "/analytics?range=all", "/links/bench-0/analytics?range=90d", "/links/bench-0/analytics?range=all"} {
		b.Run(path[1:], func(b *testing.B) {
			for b.Loop() {
				v.call(http.MethodGet, path, "", nil)
			}
			b.ReportMetric(rate, "imported/s")
			b.ReportMetric(v.memory(b, "VmHWM"), "peak-MiB")
		})
	}
}

// BenchmarkStart starts the program on a directory that has one account, until it answers. Metric: memory at rest.
func BenchmarkStart(b *testing.B) {
	v := newInstance(b)
	stop := func() {
		_ = v.cmd.Process.Signal(os.Interrupt)
		_ = v.cmd.Wait()
	}
	stop()
	for b.Loop() {
		v.serve()
		b.StopTimer()
		b.ReportMetric(v.memory(b, "VmRSS"), "idle-MiB")
		stop()
		b.StartTimer()
	}
}
