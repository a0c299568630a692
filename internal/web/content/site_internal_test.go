package content

import (
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/filetype/inspect"
)

// TestManifestsAreWeighed checks that the cache of manifests is bounded by the
// memory that they take, whatever the length of the names, for served files and
// ignored ones.
func TestManifestsAreWeighed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 1000)
	for what, fill := range map[string]func(*inspect.Site, int){
		"files":    func(s *inspect.Site, i int) { s.Files[fmt.Sprint(i, long[:900])] = inspect.SiteFile{} },
		"left out": func(s *inspect.Site, i int) { s.Refused = append(s.Refused, inspect.SiteRefusal{Path: long}) },
	} {
		site := &inspect.Site{Files: map[string]inspect.SiteFile{}}
		for i := range 5000 {
			fill(site, i)
		}
		m, each := newManifests(), weight(site)
		for i := range 40 {
			m.keep(vitrine.UploadID(fmt.Sprint(i)), site)
			m.keep(vitrine.UploadID(fmt.Sprint(i)), site)
		}
		if n := m.sites.Len(); each < 4<<20 || n != maxManifestBytes/each || m.bytes != n*each {
			t.Errorf("%s: %d manifests of %d bytes are cached, counted as %d bytes", what, n, each, m.bytes)
		}
		if _, ok := m.find("39"); !ok {
			t.Errorf("%s: the last manifest is not cached", what)
		}
	}
}
