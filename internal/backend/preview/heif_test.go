package preview

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// TestHEIC checks that a phone's picture becomes a JPEG of the same size and
// colour.
func TestHEIC(t *testing.T) {
	encoder := vitrinetest.Program(t, "heif-enc")
	vitrinetest.Program(t, "heif-convert")
	dir := t.TempDir()
	from, to := filepath.Join(dir, "photo.png"), filepath.Join(dir, "photo.heic")
	must(t, os.WriteFile(from, pngOf(t, uniform(800, 600, color.NRGBA{R: 200, A: 255})), 0o600))
	if said, err := exec.Command(encoder, from, "-o", to).CombinedOutput(); err != nil {
		t.Fatalf("encoder: %v: %s", err, said)
	}
	content, err := os.ReadFile(to)
	must(t, err)
	m, w := newMaker(t, Options{FFmpeg: Off, Office: Off})
	parts := mustPreview(t, m, "photo.heic", content)
	img, err := jpeg.Decode(bytes.NewReader(parts[vitrine.PartImage]))
	if err != nil {
		t.Fatalf("Preview = %v; warnings %v", err, w.list())
	}
	r, g, b, _ := img.At(400, 300).RGBA()
	if img.Bounds().Dx() != 800 || img.Bounds().Dy() != 600 || r>>8 < 180 || g>>8 > 40 || b>>8 > 40 {
		t.Errorf("bounds %v, middle pixel %d %d %d", img.Bounds(), r>>8, g>>8, b>>8)
	}
	if len(parts[vitrine.PartPicture]) == 0 {
		t.Error("no picture for cards")
	}
}
