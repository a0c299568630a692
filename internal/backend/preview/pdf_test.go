package preview

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"vitrine"
)

// book returns a PDF with many pages: upright and red, except that the second
// is a blue slide and the third does not exist.
func book(pages int) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	stream := func(text string) { object("<</Length %d>>\nstream\n%s\nendstream", len(text), text) }
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		if i == 2 {
			kids.WriteString("9999 0 R ")
		} else {
			fmt.Fprintf(&kids, "%d 0 R ", 5+i)
		}
	}
	object("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), pages)
	stream("1 0 0 rg 0 0 2000 2000 re f")
	stream("0 0 1 rg 0 0 2000 2000 re f")
	for i := range pages {
		box, content := "0 0 595 842", 3
		if i == 1 {
			box, content = "0 0 960 540", 4
		}
		object("<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents %d 0 R>>", box, content)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, a := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", a)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// thumbs decodes the thumbnails, by file name.
func (p made) thumbs(t *testing.T) map[string]image.Image {
	t.Helper()
	part := p[vitrine.PartThumbs]
	z, err := zip.NewReader(bytes.NewReader(part), int64(len(part)))
	if err != nil {
		t.Fatalf("thumbnails: %v", err)
	}
	all := map[string]image.Image{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = jpeg.Decode(r); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		r.Close()
	}
	return all
}

// TestThumbs checks that the first pages of a document have thumbnails of their
// own shape, and that a page that cannot be drawn has none without affecting
// others.
func TestThumbs(t *testing.T) {
	m, _ := newMaker(t, Options{})
	parts := mustPreview(t, m, "book.pdf", book(60))
	parts.picture(t)
	all := parts.thumbs(t)
	if len(all) != 49 || all["3.jpg"] != nil || all["50.jpg"] == nil {
		t.Errorf("%d thumbnails, want those of the first %d pages", len(all), vitrine.MaxThumbs)
	}
	for name, want := range map[string]struct {
		size    image.Point
		r, g, b uint8
	}{"1.jpg": {image.Pt(114, 160), 255, 0, 0}, "2.jpg": {image.Pt(160, 90), 0, 0, 255}} {
		if got := all[name].Bounds().Size(); got != want.size {
			t.Errorf("size of %s = %v, want %v", name, got, want.size)
		}
		if err := near(all[name], 50, 50, want.r, want.g, want.b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(parts[vitrine.PartThumbs]) > 256<<10 {
		t.Errorf("thumbnails have %d bytes, want at most 256 KiB", len(parts[vitrine.PartThumbs]))
	}
	if parts := mustPreview(t, m, "none.pdf", pdfOf(595, 842, "")); len(parts.thumbs(t)) != 1 {
		t.Error("a document with one page does not have one thumbnail")
	}
}

// TestFirst checks the picture of the first page: its size is that of an
// upright page, and its shape that of each page.
func TestFirst(t *testing.T) {
	m, _ := newMaker(t, Options{})
	for _, c := range []struct {
		name          string
		width, height float64
		want          image.Point // zero for none
	}{
		{"A4", 595, 842, image.Pt(992, 1403)},
		{"letter", 612, 792, image.Pt(1020, 1320)},
		{"slide", 960, 540, image.Pt(1200, 675)},
		{"small slide", 160, 90, image.Pt(1200, 675)},
		{"receipt", 200, 900, image.Point{}},
	} {
		parts := mustPreview(t, m, "a.pdf", filled(int(c.width), int(c.height), "1 0 0"))
		parts.picture(t)
		part := parts[vitrine.PartFirst]
		if c.want == (image.Point{}) {
			if part != nil {
				t.Errorf("%s: has a picture of the first page", c.name)
			}
			continue
		}
		img, err := jpeg.Decode(bytes.NewReader(part))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := img.Bounds().Size(); got != c.want {
			t.Errorf("%s: size = %v, want %v", c.name, got, c.want)
		}
		if err := near(img, 50, 50, 255, 0, 0); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
