package web_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// line is a network between a browser and the server: each answer begins after
// a delay, and all share the bandwidth.
type line struct {
	delay  time.Duration
	second int // bytes a second; 0 for no limit

	mu   sync.Mutex
	free time.Time // when everything sent so far has arrived
}

func (n *line) wait(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
}

// send waits until count bytes have arrived.
func (n *line) send(count int) {
	if n.second == 0 {
		return
	}
	n.mu.Lock()
	now := time.Now()
	if n.free.Before(now) {
		n.free = now
	}
	n.free = n.free.Add(time.Duration(count) * time.Second / time.Duration(n.second))
	wait := n.free.Sub(now)
	n.mu.Unlock()
	n.wait(wait)
}

type slowWriter struct {
	http.ResponseWriter
	line *line
	sent *atomic.Int64 // nil if nothing counts the bytes
}

func (w slowWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		part := b[:min(len(b), 16<<10)]
		b = b[len(part):]
		w.line.send(len(part))
		if w.sent != nil {
			w.sent.Add(int64(len(part)))
		}
		var m int
		m, err = w.ResponseWriter.Write(part)
		n += m
	}
	return n, err
}

// BenchmarkBrowserPDFFirstPage opens a PDF of 200 pages and 50 MB in a browser
// with an empty cache. It reports the time from the start of the navigation to
// the first page, in ms, and the bytes of the file that were read until then.
// The page's text and toolbar are there at that time, too. Before it, the
// picture of the first page can be read. A phone opens a deck.
func BenchmarkBrowserPDFFirstPage(b *testing.B) {
	path := vitrinetest.Program(b, "chromium")
	data := makePicturePDF(200)
	for _, bench := range []struct {
		name string
		line *line
		data []byte
	}{{"loopback", &line{}, data}, {"20Mbit40ms", &line{delay: 40 * time.Millisecond, second: 20e6 / 8}, data},
		{"phone", &line{delay: 150 * time.Millisecond, second: 1.6e6 / 8}, webtest.Samples["report.pdf"]}} {
		b.Run(bench.name, func(b *testing.B) {
			var sent, requestCount atomic.Int64
			s := webtest.NewSiteWith(b, webtest.SiteOptions{Content: true,
				Around: func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						out := slowWriter{ResponseWriter: w, line: bench.line}
						if strings.HasSuffix(r.URL.Path, "/file") && strings.HasPrefix(r.URL.Path, "/c/") {
							out.sent = &sent
							requestCount.Add(1)
						}
						bench.line.wait(bench.line.delay)
						next.ServeHTTP(out, r)
					})
				}})
			webtest.Previewer(b, s)
			l := s.Publish("large.pdf", bench.data)
			s.Check(s.Server.Previews.Make(b.Context()))
			var ms, readable, bytes, requests float64
			for b.Loop() {
				// A new browser has an empty cache.
				allocator, stopBrowser := chromedp.NewExecAllocator(context.Background(),
					append(chromedp.DefaultExecAllocatorOptions[:],
						chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(vitrinetest.Profile(b)),
						chromedp.UserAgent(webtest.Reader))...)
				ctx, stop := chromedp.NewContext(allocator)
				s.Check(chromedp.Run(ctx))
				sent.Store(0)
				requestCount.Store(0)
				var drawn, seen float64
				s.Check(chromedp.Run(ctx,
					chromedp.ActionFunc(webtest.OnNewDocument(`addEventListener("message", ({data}) => { if (data?.vitrine?.ready) window.drawn ??= performance.now(); if (data?.vitrine?.shown) window.seen ??= performance.now() })`)),
					s.Page(l), chromedp.Poll(`window.drawn`, &drawn, chromedp.WithPollingInterval(5*time.Millisecond)),
					chromedp.Poll(`window.seen`, &seen)))
				readable += seen
				ms, bytes, requests = ms+drawn, bytes+float64(sent.Load()), requests+float64(requestCount.Load())
				stop()
				stopBrowser()
			}
			n := float64(b.N)
			b.ReportMetric(ms/n, "ms/first-page")
			b.ReportMetric(readable/n, "ms/readable")
			b.ReportMetric(bytes/n, "file-bytes")
			b.ReportMetric(requests/n, "file-requests")
			b.ReportMetric(float64(l.Size), "size-bytes")
		})
	}
}
