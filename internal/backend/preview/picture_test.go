package preview

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"strings"
	"testing"

	"vitrine"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

var red, blue, transparent = color.NRGBA{0xff, 0, 0, 0xff}, color.NRGBA{0, 0, 0xff, 0xff}, color.NRGBA{}

type spot struct {
	x, y    int
	r, g, b uint8
}

const (
	middleX, middleY = cardWidth / 2, cardHeight / 2
	top, bottom      = 2, cardHeight - 3
)

// TestPictures checks the pixels of pictures.
func TestPictures(t *testing.T) {
	m, w := newMaker(t, Options{})
	onWall := func(x, y int) spot { return spot{x, y, wall.R, wall.G, wall.B} }
	encoded := func(encode func(*bytes.Buffer, image.Image) error, img image.Image) []byte {
		var b bytes.Buffer
		if err := encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	asJPEG := func(b *bytes.Buffer, img image.Image) error { return jpeg.Encode(b, img, nil) }
	twoColored := image.NewNRGBA(image.Rect(0, 0, 600, 400)) // red on the left
	for i := range 600 * 400 {
		if i%600 < 300 {
			twoColored.Set(i%600, i/600, red)
		} else {
			twoColored.Set(i%600, i/600, blue)
		}
	}
	for _, c := range []struct {
		name    string
		content []byte
		want    []spot
	}{
		{"upright.pdf", filled(595, 842, "1 0 0"),
			[]spot{{middleX, middleY, 255, 0, 0}, {middleX, bottom, 255, 0, 0}, onWall(8, 8), onWall(1190, 8)}},
		{"slide.pdf", filled(960, 540, "0 0 1"), []spot{{middleX, middleY, 0, 0, 255}, onWall(8, 8),
			onWall(8, middleY)}},
		{"bare.pdf", pdfOf(595, 842, ""), []spot{{middleX, middleY, 255, 255, 255}, onWall(8, 8)}},
		{"wide.png", pngOf(t, uniform(1200, 700, red)), []spot{{3, 3, 255, 0, 0}, {middleX, bottom, 255, 0, 0}}},
		{"upright.png", pngOf(t, uniform(400, 800, red)), []spot{{middleX, middleY, 255, 0, 0}, onWall(100, 20)}},
		{"clear.png", pngOf(t, uniform(800, 800, transparent)), []spot{{middleX, middleY, 255, 255, 255}, onWall(100, 20)}},
		{"icon.png", pngOf(t, uniform(64, 64, red)),
			[]spot{{middleX, middleY, 255, 0, 0}, {middleX + 60, middleY, 255, 0, 0}, onWall(100, 20)}},
		{"line.png", pngOf(t, uniform(5000, 1, red)), []spot{onWall(100, 20)}},
		{"large.jpg", encoded(asJPEG, uniform(4000, 3000, red)), []spot{{middleX, middleY, 255, 0, 0}, onWall(20, 20)}},
		{"plain.gif", encoded(func(b *bytes.Buffer, i image.Image) error { return gif.Encode(b, i, nil) },
			uniform(900, 900, red)), []spot{{middleX, middleY, 255, 0, 0}}},
		{"plain.bmp", encoded(func(b *bytes.Buffer, i image.Image) error { return bmp.Encode(b, i) },
			uniform(900, 900, red)), []spot{{middleX, middleY, 255, 0, 0}}},
		{"plain.tiff", encoded(func(b *bytes.Buffer, i image.Image) error { return tiff.Encode(b, i, nil) },
			uniform(900, 900, red)), []spot{{middleX, middleY, 255, 0, 0}}},
		{"turned.jpg", withOrientation(encoded(asJPEG, twoColored), 6),
			[]spot{{middleX, 150, 255, 0, 0}, {middleX, 480, 0, 0, 255}, onWall(100, 20)}},
		{"turned back.jpg", withOrientation(encoded(asJPEG, twoColored), 8),
			[]spot{{middleX, 150, 0, 0, 255}, {middleX, 480, 255, 0, 0}}},
		{"upside down.jpg", withOrientation(encoded(asJPEG, twoColored), 3),
			[]spot{{300, middleY, 0, 0, 255}, {900, middleY, 255, 0, 0}}},
	} {
		parts := mustPreview(t, m, c.name, c.content)
		if parts[vitrine.PartPicture] == nil {
			t.Errorf("%s: no picture", c.name)
			continue
		}
		if small, large := parts.thumb(t).Bounds().Size(), parts.picture(t).Bounds().Size(); small.X > thumbSide ||
			small.Y > thumbSide || len(parts[vitrine.PartThumbs]) > len(parts[vitrine.PartPicture]) {
			t.Errorf("%s: thumbnail of %v, picture of %v", c.name, small, large)
		}
		img := parts.picture(t)
		for _, s := range c.want {
			if err := near(img, s.x, s.y, s.r, s.g, s.b); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if got, want := parts[vitrine.PartImage] != nil, strings.HasSuffix(c.name, ".tiff"); got != want {
			t.Errorf("%s: image part = %v, want %v", c.name, got, want)
		}
	}
	if w.list() != nil {
		t.Errorf("warnings = %v, want none", w.list())
	}
}

// TestThumbWhole checks that the thumbnail of an image has its proportions.
func TestThumbWhole(t *testing.T) {
	m, _ := newMaker(t, Options{FFmpeg: Off, Heif: Off, Office: Off})
	red := color.RGBA{255, 0, 0, 255}
	for size, want := range map[image.Point]image.Point{{1600, 900}: {96, 54}, {400, 800}: {48, 96},
		{48, 48}: {48, 48}} {
		parts := mustPreview(t, m, "a.png", pngOf(t, uniform(size.X, size.Y, red)))
		if got := parts.thumb(t).Bounds().Size(); got != want {
			t.Errorf("thumbnail of an image of %v is %v, want %v", size, got, want)
		}
	}
}

// withOrientation adds EXIF data to a JPEG.
func withOrientation(jpg []byte, orientation byte) []byte {
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" +
		string([]byte{orientation}) + "\x00\x00\x00\x00\x00\x00"
	segment := "\xff\xe1\x00" + string([]byte{byte(len(exif) + 2)}) + exif
	return append([]byte("\xff\xd8"+segment), jpg[2:]...)
}

// TestTurned checks each of the eight orientations by the positions of the
// first pixel and its right neighbour.
func TestTurned(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 3, 2))
	img.Pix = []byte{1, 2, 3, 4, 5, 6}
	for orientation, want := range map[int]string{
		1: "123 456", 2: "321 654", 3: "654 321", 4: "456 123", 5: "14 25 36", 6: "41 52 63", 7: "63 52 41",
		8: "36 25 14",
	} {
		out := upright(img, orientation)
		var rows []string
		for y := range out.Bounds().Dy() {
			row := ""
			for x := range out.Bounds().Dx() {
				r, _, _, _ := out.At(x, y).RGBA()
				row += string(rune('0' + r>>8))
			}
			rows = append(rows, row)
		}
		if got := strings.Join(rows, " "); got != want {
			t.Errorf("orientation %d: %s, want %s", orientation, got, want)
		}
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"))
	f.Add(withOrientation([]byte("\xff\xd8\xff\xd9"), 6))
	f.Fuzz(func(t *testing.T, p []byte) {
		r := bytes.NewReader(p)
		if o := tiffOrientation(r); o < 1 || o > 8 {
			t.Errorf("orientation = %d, want 1 to 8", o)
		}
		if at := exifAt(r); at < 0 || at > int64(len(p)) {
			t.Errorf("EXIF data at %d of %d bytes", at, len(p))
		}
	})
}

// TestDecodedBytes checks that an image is refused by the memory that it takes,
// not only by its pixels.
func TestDecodedBytes(t *testing.T) {
	for _, c := range []struct {
		model         color.Model
		width, height int
		fits          bool
	}{
		{color.NRGBAModel, 8000, 8000, true}, {color.NRGBAModel, 8001, 8000, false},
		{color.NRGBA64Model, 5700, 5700, true}, {color.NRGBA64Model, 8000, 8000, false},
		{color.RGBA64Model, 8000, 8000, false}, {color.Gray16Model, 8000, 8000, true},
		{color.YCbCrModel, 0, 5, false}, {color.YCbCrModel, 1 << 31, 1 << 31, false},
	} {
		if err := fits(image.Config{ColorModel: c.model, Width: c.width, Height: c.height}); (err == nil) != c.fits {
			t.Errorf("%d by %d pixels of %T = %v, want fits = %v", c.width, c.height, c.model, err, c.fits)
		}
	}
}
