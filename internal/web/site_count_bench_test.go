package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkWebsitePage serves a 5 KB page of a website to 64 clients at once,
// each load durable before the page ends, and for comparison the same page
// without counting.
func BenchmarkWebsitePage(b *testing.B) {
	h := newHosting(b)
	garden := h.newWebsite("Garden")
	h.deployed(garden, "index.html="+strings.Repeat("<p>Garden ", 500))
	counted := h.server.SiteStats
	for _, name := range []string{"counted", "uncounted"} {
		b.Run(name, func(b *testing.B) {
			if h.server.SiteStats = counted; name == "uncounted" {
				h.server.SiteStats = nil
			}
			handler := h.server.Handler()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				r := httptest.NewRequest(http.MethodGet, "/", nil)
				r.Host = string(garden.Slug) + "." + strings.TrimPrefix(h.server.SitesURL.Host, "*.")
				agent, _ := strings.CutPrefix(readerChrome, "User-Agent: ")
				r.Header.Set("User-Agent", agent)
				for pb.Next() {
					w := httptest.NewRecorder()
					if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Error(w.Code, w.Body)
					}
				}
			})
		})
	}
	h.server.SiteStats = counted
}
