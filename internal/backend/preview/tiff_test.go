package preview

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// scanOf returns a page of one gray, with more tags.
func scanOf(gray byte, more vitrinetest.TIFFTags) vitrinetest.TIFFPage {
	p := vitrinetest.TIFFPage{Chunks: [][]byte{bytes.Repeat([]byte{gray}, vitrinetest.TIFFSide*vitrinetest.TIFFSide)},
		Tags: vitrinetest.TIFFTags{258: {8}, 262: {1}}}
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
	unknown := vitrinetest.TIFFTags{259: {34712}}
	parts := mustPreview(t, m, "fax.tiff", vitrinetest.TIFF(vitrinetest.TIFFForm{}, scanOf(0x20, nil), scanOf(0, unknown),
		scanOf(0x80, vitrinetest.TIFFTags{254: {1}}), scanOf(0xe0, vitrinetest.TIFFTags{282: {200}, 283: {100}})))
	pages := parts[vitrine.PartPages]
	if parts[vitrine.PartImage] != nil || parts[vitrine.PartPicture] == nil || parts[vitrine.PartFirst] == nil ||
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

	parts = mustPreview(t, m, "one.tiff", vitrinetest.TIFF(vitrinetest.TIFFForm{Big: true}, scanOf(0x20, nil)))
	if parts[vitrine.PartImage] == nil || parts[vitrine.PartPages] != nil || parts[vitrine.PartPicture] == nil {
		t.Error("a TIFF of one page is not an image")
	}
	parts = mustPreview(t, m, "none.tiff", vitrinetest.TIFF(vitrinetest.TIFFForm{}, scanOf(0, unknown), scanOf(0, unknown)))
	if len(parts) > 0 {
		t.Errorf("a TIFF that cannot be drawn has %d parts", len(parts))
	}
}
