package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGallery checks that the gallery shows every component that has a
// template, and exists only in development.
func TestGallery(t *testing.T) {
	s := newSite(t)
	page := s.status(s.get("/dev/gallery"), 200).body
	for _, class := range []string{"button", "field", "well", "tile", "table", "chip", "badge", "dialog", "said",
		"banner", "tabs", "empty", "bar", "panel", "menu"} {
		if !slices.ContainsFunc(regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(page, -1),
			func(m []string) bool {
				return slices.Contains(strings.Fields(m[1]), class)
			}) {
			t.Errorf("the gallery lacks the class %s", class)
		}
	}
	production := *s.server
	production.Gallery = false
	w := httptest.NewRecorder()
	production.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/dev/gallery", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("gallery in production: status %d, want 404", w.Code)
	}
}
