package preview

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/filetype/text"
)

// TestTextOfPDF checks that the text of a PDF is a part, page by page, and that
// one without text has none.
func TestTextOfPDF(t *testing.T) {
	m, _ := newMaker(t, Options{})
	stored := mustPreview(t, m, "words.pdf", pdfOf(595, 842,
		"BT /F 24 Tf 72 700 Td (The first line) Tj 0 -40 Td (and a second) Tj ET"))[vitrine.PartText]
	pages, err := text.ReadPages(bytes.NewReader(stored))
	if err != nil || pages.Unit != "page" || len(pages.Sizes) != 1 || pages.Cut {
		t.Fatalf("pages are %+v, %v", pages, err)
	}
	page, err := io.ReadAll(pages.Page(bytes.NewReader(stored), 0))
	if want := "The first line\nand a second"; err != nil || string(page) != want {
		t.Errorf("the page is %q, %v, want %q", page, err, want)
	}
	if part, has := mustPreview(t, m, "drawn.pdf", book(5))[vitrine.PartText]; has {
		t.Errorf("a PDF without text has the text %q", part)
	}
}

// TestCleanPage checks that no control character of a page remains.
func TestCleanPage(t *testing.T) {
	if got := cleanPage("\x00a\x02\r\nb\x1b[31m\xff\ufffe \u0085c\t"); got != "a-\nb[31m\ufffd- c" {
		t.Errorf("cleanPage = %q", got)
	}
	if got := cleanPage(strings.Repeat("\r\n", 5)); got != "" {
		t.Errorf("cleanPage = %q", got)
	}
}
