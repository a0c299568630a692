package web_test

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/test/webtest"
)

// BenchmarkBrowserPage opens the page of each kind of file in a browser with an
// empty cache. It reports figures of Chromium's tracing: first and largest
// contentful paint, layout shift, blocking time of the main thread, and the
// requests until the page was complete (number and bytes as sent, with the
// file's own bytes separately). "phone" is a processor four times slower.
func BenchmarkBrowserPage(b *testing.B) {
	webtest.Chromium(b)
	for _, device := range []struct {
		name string
		slow float64
	}{{"desk", 1}, {"phone", 4}} {
		for _, name := range slices.Sorted(maps.Keys(webtest.Samples)) {
			b.Run(device.name+"/"+name, func(b *testing.B) {
				var sent, file, requestCount atomic.Int64
				s := webtest.NewSiteWith(b, webtest.SiteOptions{Content: true,
					Around: func(next http.Handler) http.Handler {
						return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							requestCount.Add(1)
							c := webtest.Counter{ResponseWriter: w, Sent: &sent}
							if strings.HasSuffix(r.URL.Path, "/file") {
								c.Sent = &file
							}
							next.ServeHTTP(c, r)
						})
					}})
				l := s.Publish(name, webtest.Samples[name])
				sums := map[string]float64{}
				for b.Loop() {
					for unit, v := range s.Figures(b, l, device.slow) {
						sums[unit] += v
					}
				}
				sums["requests"], sums["page-bytes"], sums["file-bytes"] = float64(requestCount.Load()),
					float64(sent.Load()),
					float64(file.Load())
				for unit, v := range sums {
					b.ReportMetric(v/float64(b.N), unit)
				}
			})
		}
	}
}

// BenchmarkBrowserThreeMinutes reads a document for three minutes, turns a page
// every ten seconds, and reports its beacons. It runs only with
// VITRINE_BENCH_READ=1, because it takes three minutes.
func BenchmarkBrowserThreeMinutes(b *testing.B) {
	if os.Getenv("VITRINE_BENCH_READ") == "" {
		b.Skip("VITRINE_BENCH_READ is not set: it takes three minutes")
	}
	var mu sync.Mutex
	var beacons, bytes int64
	s := webtest.NewSiteWith(b, webtest.SiteOptions{Around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/beacon") {
				mu.Lock()
				beacons++
				bytes += r.ContentLength
				mu.Unlock()
			}
			next.ServeHTTP(w, r)
		})
	}})
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	for b.Loop() {
		tb := webtest.NewTabIn(b, webtest.Chromium(b))
		tb.Run(s.Page(l))
		f := tb.Frame("/view")
		f.Opened("12")
		for i := range 18 {
			tb.Pass(10 * time.Second)
			f.TurnTo(string(rune('1' + i%9)))
		}
		tb.Leave()
	}
	b.ReportMetric(float64(beacons)/float64(b.N), "beacons")
	b.ReportMetric(float64(bytes)/float64(b.N), "body-bytes")
}
