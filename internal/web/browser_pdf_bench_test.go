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

// line is a network between a browser and the server: each connection and each
// answer begins after a delay, and all share the bandwidth.
type line struct {
	delay  time.Duration
	second int // bytes a second; 0 for no limit

	mu    sync.Mutex
	free  time.Time // when everything sent so far has arrived
	known sync.Map  // connections, by the browser's address
}

// reach waits as long as a request takes to the server and back, and twice as
// long on a new connection.
func (n *line) reach(r *http.Request) {
	n.wait(n.delay)
	if _, known := n.known.LoadOrStore(r.RemoteAddr, true); !known {
		n.wait(n.delay)
	}
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
	log  *arrivals     // nil if nothing records them
	path string
}

func (w slowWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		part := b[:min(len(b), 16<<10)]
		b = b[len(part):]
		w.line.send(len(part))
		if w.sent != nil {
			w.sent.Add(int64(len(part)))
		}
		w.log.add(w.path, len(part))
		var m int
		m, err = w.ResponseWriter.Write(part)
		n += m
	}
	return n, err
}

// arrivals records what of which address has arrived when.
type arrivals struct {
	mu  sync.Mutex
	all []arrival
}

type arrival struct {
	at   time.Time
	path string
	size int
}

func (a *arrivals) add(path string, size int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, arrival{time.Now(), path, size})
}

// take returns what was recorded since the last call.
func (a *arrivals) take() []arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.all
	a.all = nil
	return all
}

// before returns how many bytes had arrived at a time, and logs of what.
func before(b *testing.B, what string, all []arrival, at time.Time) (sum float64) {
	paths, sizes, last := []string{}, map[string]int{}, map[string]time.Time{}
	for _, a := range all {
		if a.at.After(at) {
			continue
		}
		if sizes[a.path] == 0 {
			paths = append(paths, a.path)
		}
		sizes[a.path] += a.size
		last[a.path] = a.at
		sum += float64(a.size)
	}
	for _, path := range paths {
		b.Logf("before %s: %7d bytes by %5d ms of %s", what, sizes[path], last[path].Sub(all[0].at).Milliseconds(), path)
	}
	return sum
}

// BenchmarkBrowserPDFFirstPage opens a PDF of 200 pages and 50 MB in a browser
// with an empty cache. It reports the time from the start of the navigation to
// the first page, in ms, and the bytes of the file that were read until then.
// The page's text and toolbar are there at that time, too. Before it, the
// picture of the first page can be read. A phone opens a deck of 12 pages and
// 3 MB. With -v, the benchmark logs what had arrived at both times.
func BenchmarkBrowserPDFFirstPage(b *testing.B) {
	path := vitrinetest.Program(b, "chromium")
	data := makePicturePDF(200)
	for _, bench := range []struct {
		name string
		line *line
		data []byte
	}{{"loopback", &line{}, data}, {"20Mbit40ms", &line{delay: 40 * time.Millisecond, second: 20e6 / 8}, data},
		{"phone", &line{delay: 150 * time.Millisecond, second: 1.6e6 / 8}, makeDeck()}} {
		b.Run(bench.name, func(b *testing.B) {
			var sent, requestCount atomic.Int64
			var log arrivals
			s := webtest.NewSiteWith(b, webtest.SiteOptions{Content: true,
				Around: func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						out := slowWriter{ResponseWriter: w, line: bench.line, log: &log, path: r.URL.Path}
						if strings.HasSuffix(r.URL.Path, "/file") && strings.HasPrefix(r.URL.Path, "/c/") {
							out.sent = &sent
							requestCount.Add(1)
						}
						bench.line.reach(r)
						next.ServeHTTP(out, r)
					})
				}})
			webtest.Previewer(b, s)
			l := s.Publish("large.pdf", bench.data)
			s.Check(s.Server.Previews.Make(b.Context()))
			var ms, readable, bytes, requests, toRead, toDraw float64
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
				log.take()
				var origin, drawn, seen float64
				s.Check(chromedp.Run(ctx,
					chromedp.ActionFunc(webtest.OnNewDocument(`addEventListener("message", ({data}) => { if (data?.vitrine?.ready) window.drawn ??= performance.now(); if (data?.vitrine?.shown) window.seen ??= performance.now() })`)),
					s.Page(l), chromedp.Poll(`window.drawn`, &drawn, chromedp.WithPollingInterval(5*time.Millisecond)),
					chromedp.Poll(`window.seen`, &seen), chromedp.Evaluate(`performance.timeOrigin`, &origin)))
				readable += seen
				all := log.take()
				moment := func(ms float64) time.Time { return time.UnixMicro(int64((origin + ms) * 1000)) }
				toRead += before(b, "reading", all, moment(seen))
				toDraw += before(b, "drawing", all, moment(drawn))
				ms, bytes, requests = ms+drawn, bytes+float64(sent.Load()), requests+float64(requestCount.Load())
				stop()
				stopBrowser()
			}
			n := float64(b.N)
			b.ReportMetric(ms/n, "ms/first-page")
			b.ReportMetric(readable/n, "ms/readable")
			b.ReportMetric(toRead/n, "bytes-to-readable")
			b.ReportMetric(toDraw/n, "bytes-to-first-page")
			b.ReportMetric(bytes/n, "file-bytes")
			b.ReportMetric(requests/n, "file-requests")
			b.ReportMetric(float64(l.Size), "size-bytes")
		})
	}
}
