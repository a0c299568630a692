package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"vitrine"
)

// silentLog is a view log that discards its views.
type silentLog struct{ vitrine.ViewLog }

func (silentLog) Append(context.Context, vitrine.Batch) (vitrine.Outcome, error) {
	return vitrine.Outcome{}, nil
}

// BenchmarkPage loads the page of a link repeatedly, without a connection and
// with a log that writes nothing.
func BenchmarkPage(b *testing.B) {
	s := newSiteWith(b, siteOptions{viewLog: func(l vitrine.ViewLog) vitrine.ViewLog { return silentLog{l} }})
	h := s.server.Handler()
	for _, file := range []string{"notes.txt", "report.pdf"} {
		l := s.publish(file, samples[file])
		for _, coding := range []string{"identity", "gzip, deflate, br, zstd"} {
			b.Run(file+"/"+coding[:4], func(b *testing.B) {
				r := httptest.NewRequest(http.MethodGet, "/p/"+string(l.Slug), nil)
				r.Header.Set("User-Agent", desktop)
				r.Header.Set("Referer", "https://news.ycombinator.com/")
				r.Header.Set("Accept-Encoding", coding)
				b.ReportAllocs()
				var length int
				for b.Loop() {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if length = w.Body.Len(); w.Code != http.StatusOK {
						b.Fatal(w.Code, w.Body)
					}
				}
				b.ReportMetric(float64(length), "bytes")
			})
		}
	}
}
