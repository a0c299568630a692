package ui_test

import (
	"testing"

	"vitrine"
	"vitrine/internal/web/ui"
)

// TestTitle checks that a default title, and that of another type of file, is
// shown without the extension, and any other title unchanged.
func TestTitle(t *testing.T) {
	for _, x := range []struct{ name, title, want string }{
		{"report.pdf", "report.pdf", "report"},
		{"Plan v1.2.PDF", "Plan v1.2.PDF", "Plan v1.2"},
		{"backup.tar.gz", "backup.tar.gz", "backup"},
		{"notes.gz", "notes.gz", "notes"},
		{"report.pdf", "Q3 report.pdf", "Q3 report.pdf"},
		{"report.pdf", "The report", "The report"},
		{"page.md", "jingle.mp3", "jingle"},
		{"", "jingle.mp3", "jingle.mp3"},
		{"\u200b.pdf", "\u200b.pdf", "\u200b"},
		{" .pdf", " .pdf", " .pdf"},
		{"odd", "odd", "odd"},
	} {
		if got := ui.Title(&vitrine.Link{File: vitrine.File{Name: x.name}, Title: x.title}); got != x.want {
			t.Errorf("Title of %q with name %q = %q, want %q", x.title, x.name, got, x.want)
		}
	}
}
