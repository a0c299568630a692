//go:build unix

package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"vitrine/internal/cli/metrics"
	"vitrine/internal/test/webtest"

	"golang.org/x/sys/unix"
)

// BenchmarkPage compares the page of a link with and without metrics: the
// processor time of the process, in turns of 200 pages. The log writes nothing,
// so that each page costs as little as at the highest rate. It reports the
// median of the ratios of neighbouring turns.
func BenchmarkPage(b *testing.B) {
	s := webtest.NewSiteWith(b, webtest.SiteOptions{ViewLog: webtest.SilentLog})
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	plain := s.Server.Handler()
	s.Server.Meter = metrics.New("v1").Route
	counted := s.Server.Handler()
	r := httptest.NewRequest(http.MethodGet, "/p/"+string(l.Slug), nil)
	r.Header.Set("User-Agent", webtest.Desktop)
	r.Header.Set("Accept-Encoding", "gzip")
	const turn = 200
	pages := func(h http.Handler) float64 {
		before := processorTime(b)
		for range turn {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				b.Fatal(w.Code)
			}
		}
		return float64(processorTime(b) - before)
	}
	var ratios []float64
	var with, without float64
	for b.Loop() {
		a, c := pages(plain), pages(counted)
		d, e := pages(counted), pages(plain) // the other order, as often
		ratios = append(ratios, (c+d)/(a+e))
		with, without = with+c+d, without+a+e
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "median-ratio")
	b.ReportMetric(with/without, "mean-ratio")
	b.ReportMetric(without/float64(2*turn*b.N)/1000, "plain-µs/page")
}

// processorTime returns the processor time of this process.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCount is what an answer costs by itself.
func BenchmarkCount(b *testing.B) {
	m := metrics.New("v1").Route("/p/{slug}")
	b.ReportAllocs()
	for b.Loop() {
		m(http.MethodGet, http.StatusOK, time.Millisecond)
	}
}
