package viewer_test

import (
	"testing"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// TestProgressOf checks that each viewer measures what reports count of the
// files that it shows, before, after and without their parts.
func TestProgressOf(t *testing.T) {
	s, shown := &viewer.Viewers{Previews: &publish.Previews{}}, map[*viewer.Viewer]bool{}
	parts := map[filetype.Kind][]vitrine.Parts{filetype.Archive: {"", "entries"}, filetype.Image: {"", "image"},
		filetype.Document: {"", "pages", "sheets"}}
	for _, kind := range filetype.Supported {
		for _, parts := range append(parts[kind.Kind], "picture") {
			l := &vitrine.Link{File: vitrine.File{Name: "file." + kind.Ext, Kind: kind.Kind, HasBytes: true, Parts: parts, Preview: vitrine.PreviewDone}}
			for _, v := range []*viewer.Viewer{s.Of(l), viewer.Card} {
				shown[v] = true
				if got, want := v.ProgressOf(l), report.ContentOf(l.Kind); got != want {
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

// TestEntryViewer checks which viewers show the files of an archive.
func TestEntryViewer(t *testing.T) {
	l := &vitrine.Link{File: vitrine.File{Name: "kit.zip", Kind: filetype.Archive}}
	for name, want := range map[string]string{"a.pdf": "pdf", "a.PNG": "image", "a.txt": "text", "a.csv": "text",
		"a.html": "text", "main.go": "text", "a.docx": "docx", "a.mp4": "video", "a.mp3": "audio",
		"a.xlsx": "", "a.bin": ""} {
		got := ""
		if v := viewer.EntryViewer(l, filetype.Entry{Name: name, Size: 1}); v != nil {
			got = v.Name
		}
		if got != want {
			t.Errorf("%s is shown by %q, want %q", name, got, want)
		}
	}
}
