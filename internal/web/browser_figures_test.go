package web_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// BenchmarkBrowserPage opens the page of each kind of file in a browser with an
// empty cache. It reports figures of Chromium's tracing: first and largest
// contentful paint, layout shift, blocking time of the main thread, and the
// requests until the page was complete (number and bytes as sent, with the
// file's own bytes separately). "phone" is a processor four times slower.
func BenchmarkBrowserPage(b *testing.B) {
	chromium(b)
	for _, device := range []struct {
		name string
		slow float64
	}{{"desk", 1}, {"phone", 4}} {
		for _, name := range slices.Sorted(maps.Keys(samples)) {
			b.Run(device.name+"/"+name, func(b *testing.B) {
				var sent, file, requestCount atomic.Int64
				s := newSiteWith(b, siteOptions{content: true, around: func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						requestCount.Add(1)
						c := counter{w, &sent}
						if strings.HasSuffix(r.URL.Path, "/file") {
							c.sent = &file
						}
						next.ServeHTTP(c, r)
					})
				}})
				l := s.publish(name, samples[name])
				sums := map[string]float64{}
				for b.Loop() {
					for unit, v := range s.figures(b, l, device.slow) {
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

// figures opens a page in a new browser and returns its figures.
func (s *site) figures(b *testing.B, l *vitrine.Link, slow float64) map[string]float64 {
	b.Helper()
	allocator, stopBrowser := chromedp.NewExecAllocator(context.Background(), browserOptions(b, b.TempDir())...)
	defer stopBrowser()
	ctx, stop := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	defer stop()
	s.check(chromedp.Run(ctx, emulation.SetFocusEmulationEnabled(true), emulation.SetCPUThrottlingRate(slow)))

	out := map[string]float64{}
	var mu sync.Mutex
	var trace []traced
	done := make(chan struct{})
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			for _, v := range e.Value {
				var t traced
				if json.Unmarshal(v, &t) == nil {
					trace = append(trace, t)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	})
	s.check(chromedp.Run(ctx,
		tracing.Start().WithTransferMode(tracing.TransferModeReportEvents).WithTraceConfig(&tracing.TraceConfig{
			IncludedCategories: []string{"loading", "toplevel", "devtools.timeline", "blink.user_timing"}}),
		s.page(l)))
	<-time.After(3 * time.Second) // includes late requests, also of frames
	s.check(chromedp.Run(ctx, tracing.End()))
	<-done
	mu.Lock()
	defer mu.Unlock()
	weigh(trace, out)
	return out
}

// traced is an event of Chromium's tracing. Times are in microseconds.
type traced struct {
	Name string  `json:"name"`
	PID  int     `json:"pid"`
	TID  int     `json:"tid"`
	TS   float64 `json:"ts"`
	Dur  float64 `json:"dur"`
	Args struct {
		Data struct {
			Score         float64 `json:"score"`
			HadInput      bool    `json:"had_recent_input"`
			IsMain        bool    `json:"isOutermostMainFrame"`
			DocumentURL   string  `json:"documentLoaderURL"`
			NavigationURL string  `json:"url"`
		} `json:"data"`
	} `json:"args"`
}

// weigh reads the figures of a page from a trace.
func weigh(trace []traced, out map[string]float64) {
	slices.SortFunc(trace, func(a, b traced) int { return int(a.TS - b.TS) })
	var start traced
	for _, e := range trace {
		if e.Name == "navigationStart" && strings.Contains(e.Args.Data.DocumentURL, "/p/") {
			start = e
		}
	}
	ms := func(e traced) float64 { return (e.TS - start.TS) / 1000 }
	for _, e := range trace {
		if e.TS < start.TS {
			continue
		}
		switch {
		case e.PID == start.PID && e.Name == "firstContentfulPaint" && out["ms/FCP"] == 0:
			out["ms/FCP"] = ms(e)
		case e.PID == start.PID && e.Name == "largestContentfulPaint::Candidate":
			out["ms/LCP"] = ms(e)
		case e.Name == "LayoutShift" && !e.Args.Data.HadInput:
			out["CLS"] += e.Args.Data.Score
		case e.PID == start.PID && e.TID == start.TID && strings.HasSuffix(e.Name, "RunTask") && e.Dur > 50_000:
			out["ms/blocked"] += e.Dur/1000 - 50
		}
	}
	if out["ms/LCP"] == 0 {
		out["ms/LCP"] = out["ms/FCP"]
	}
	out["CLS"] += 0
	out["ms/blocked"] += 0
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
	s := newSiteWith(b, siteOptions{around: func(next http.Handler) http.Handler {
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
	l := s.publish("report.pdf", samples["report.pdf"])
	for b.Loop() {
		tb := newTabIn(b, chromium(b))
		tb.run(s.page(l))
		f := tb.frame("/view")
		f.opened("12")
		for i := range 18 {
			tb.pass(10 * time.Second)
			f.turnTo(string(rune('1' + i%9)))
		}
		tb.leave()
	}
	b.ReportMetric(float64(beacons)/float64(b.N), "beacons")
	b.ReportMetric(float64(bytes)/float64(b.N), "body-bytes")
}
