package preview

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/tifftest"
)

// scanOf returns a page of one gray, with more tags.
func scanOf(gray byte, more tifftest.Tags) tifftest.Page {
	p := tifftest.Page{Chunks: [][]byte{bytes.Repeat([]byte{gray}, tifftest.Side*tifftest.Side)},
		Tags: tifftest.Tags{258: {8}, 262: {1}}}
	for tag, v := range more {
		p.Tags[tag] = v
	}
	return p
}

// TestScans checks that all pages of a TIFF become those of a PDF, without any
// program: in their order, upright, and with a page for each one that cannot be
// drawn. One page is an image.
func TestScans(t *testing.T) {
	m, _ := newMaker(t, Options{FFmpeg: Off, Heif: Off, Office: Off})
	unknown := tifftest.Tags{259: {34712}}
	parts := mustPreview(t, m, "fax.tiff", tifftest.File(tifftest.Form{}, scanOf(0x20, nil), scanOf(0, unknown),
		scanOf(0x80, tifftest.Tags{254: {1}}), scanOf(0xe0, tifftest.Tags{282: {200}, 283: {100}})))
	pages := parts[vitrine.PartPages]
	if parts[vitrine.PartImage] != nil || parts[vitrine.PartPicture] == nil ||
		!bytes.Contains(pages, []byte("/Count 3/")) || !bytes.Contains(pages, []byte("(Page 2 cannot be shown here.")) {
		t.Fatalf("pages: %q", pages)
	}
	made := regexp.MustCompile(`(?s)DCTDecode/Length \d+>>\nstream\n(.*?)\nendstream`).FindAllSubmatch(pages, -1)
	for i, want := range []struct {
		gray   uint8
		height int
	}{{0x20, 16}, {0xe0, 32}} {
		img, err := jpeg.Decode(bytes.NewReader(made[i][1]))
		if err != nil {
			t.Fatal(err)
		}
		got := color.GrayModel.Convert(img.At(8, 8)).(color.Gray).Y
		if size := img.Bounds().Size(); size.Y != want.height || size.X != 16 || got > want.gray+2 || got < want.gray-2 {
			t.Errorf("page %d is %v of %#x, want 16 × %d of %#x", i, size, got, want.height, want.gray)
		}
	}
	if drawn := mustPreview(t, m, "again.pdf", pages); drawn[vitrine.PartThumbs] == nil {
		t.Error("PDFium does not draw the pages")
	} else if n := strings.Count(string(drawn[vitrine.PartThumbs]), ".jpg"); n != 2*3 {
		t.Errorf("PDFium draws %d pages, want 3", n/2)
	}

	parts = mustPreview(t, m, "one.tiff", tifftest.File(tifftest.Form{Big: true}, scanOf(0x20, nil)))
	if parts[vitrine.PartImage] == nil || parts[vitrine.PartPages] != nil || parts[vitrine.PartPicture] == nil {
		t.Error("a TIFF of one page is not an image")
	}
	parts = mustPreview(t, m, "none.tiff", tifftest.File(tifftest.Form{}, scanOf(0, unknown), scanOf(0, unknown)))
	if len(parts) > 0 {
		t.Errorf("a TIFF that cannot be drawn has %d parts", len(parts))
	}
}
