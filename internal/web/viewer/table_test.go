package viewer_test

import (
	"testing"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/publish"
	"vitrine/internal/web/viewer"
)

// TestProgressOf checks that each viewer measures what reports count of the
// files that it shows, before, after and without their parts.
func TestProgressOf(t *testing.T) {
	s, shown := &viewer.Viewers{Previews: &publish.Previews{}}, map[*viewer.Viewer]bool{}
	parts := map[filetype.Kind][]vitrine.Parts{filetype.Archive: {"", "entries"}, filetype.Image: {"", "image"},
		filetype.Document: {"", "pages", "sheets"}}
	for _, kind := range filetype.Supported {
		for _, parts := range append(parts[kind.Kind], "picture") {
			l := &vitrine.Link{Name: "file." + kind.Ext, Kind: kind.Kind, HasBytes: true, Parts: parts,
				Preview: vitrine.PreviewDone}
			for _, v := range []*viewer.Viewer{s.Of(l), viewer.Card} {
				shown[v] = true
				if got, want := v.ProgressOf(l), vitrine.ContentKindOf(l.Kind); got != want {
					t.Errorf("%s shows a file of type %s with parts %q: progress %q, want %q", v.Name, kind.Ext, parts,
						got, want)
				}
			}
		}
	}
	if len(shown) < len(viewer.Table)-1 { // none waits here
		t.Errorf("%d viewers show a file, want all but one of %d", len(shown), len(viewer.Table))
	}
}
