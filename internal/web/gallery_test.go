package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The gallery shows every component that has a template, and is nowhere but in
// development.
func TestGallery(t *testing.T) {
	s := newSite(t)
	page := s.status(s.get("/dev/gallery"), 200).body
	for _, class := range []string{"button", "field", "well", "tile", "table", "chip", "badge", "dialog", "said",
		"banner", "tabs", "empty", "bar", "panel", "menu"} {
		if !slices.ContainsFunc(regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(page, -1),
			func(m []string) bool {
				return slices.Contains(strings.Fields(m[1]), class)
			}) {
			t.Errorf("no %s in the gallery", class)
		}
	}
	production := *s.server
	production.Gallery = false
	w := httptest.NewRecorder()
	production.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/dev/gallery", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("in production: %d", w.Code)
	}
}
