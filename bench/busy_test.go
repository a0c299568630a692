package bench

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/bench/table"
)

// BenchmarkReportWhileOpened requests a link's report while its page is viewed
// 500 times a second, and compares with the same link without views.
func BenchmarkReportWhileOpened(b *testing.B) {
	const rate = 500
	w := setupFor(b, linkParams(b, "busy")) // a separate setup, because it gets more views
	link := w.LinksOf(0)[0]
	report := func() { w.call(b, 0, http.MethodGet, "/links/"+link.Slug+"/analytics?range=90d", "", nil) }
	var quiet, busy time.Duration
	var real float64
	b.Run("quiet", func(b *testing.B) { quiet = medians(b, report)[0] })
	b.Run("busy", func(b *testing.B) {
		stop := arrive(b, w, "/p/"+link.Slug, rate)
		time.Sleep(time.Second) // the views have begun
		busy = medians(b, report)[0]
		real = stop()
	})
	summary.add(table.Row{Figure: fmt.Sprintf("link report, `90d`, %s opens, while %d opens/s arrive at it",
		million(w.Opens), rate),
		Vitrine: table.Of(busy).With("with %.0f opens/s", real), Reference: "the same at rest", Than: table.Of(quiet)})
}

// arrive loads a page at a steady rate, whether or not the previous loads have
// ended. stop ends it and returns the rate that was answered.
func arrive(b *testing.B, w *setup, path string, rate int) (stop func() float64) {
	b.Helper()
	addr := strings.TrimPrefix(w.url, "http://")
	due, quit := make(chan struct{}, 60*rate), make(chan struct{})
	var answered atomic.Int64
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			conn, err := dial(addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			for range due {
				if _, err := conn.ask(pageRequest(addr, path), false); err != nil {
					b.Error(err)
					return
				}
				answered.Add(1)
			}
		})
	}
	from := time.Now()
	all.Go(func() {
		defer close(due)
		for n := 0; ; n++ {
			select {
			case <-quit:
				return
			case <-time.After(time.Until(from.Add(time.Duration(n) * time.Second / time.Duration(rate)))):
			}
			select {
			case due <- struct{}{}:
			case <-quit:
				return
			}
		}
	})
	return func() float64 {
		seen := float64(answered.Load()) / time.Since(from).Seconds()
		close(quit)
		all.Wait()
		return seen
	}
}
