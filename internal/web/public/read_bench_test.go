package public_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
)

// BenchmarkText answers with all 300 pages of a PDF as Markdown, 3,000 letters
// each, as an agent asks for them.
func BenchmarkText(b *testing.B) {
	s := webtest.NewSite(b)
	page := strings.Repeat("Lorem ipsum dolor sit amet, and so on. ", 3000/39)
	pages := make([]string, 300)
	for i := range pages {
		pages[i] = page
	}
	r := httptest.NewRequest(http.MethodGet, "/p/"+string(pagesOf(b, s, pages...).Slug)+".md", nil)
	r.Header.Set("User-Agent", "Claude-User/1.0")
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK || strings.Count(w.Body.String(), "<!-- page ") != len(pages) {
			b.Fatalf("status %d, %d bytes", w.Code, w.Body.Len())
		}
	}
}
