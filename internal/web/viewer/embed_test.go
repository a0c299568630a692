package viewer_test

import (
	"testing"

	"vitrine/internal/web/viewer"
)

// TestWithin checks that an embed fits into the given space, and that a video
// keeps its shape.
func TestWithin(t *testing.T) {
	for _, video := range []bool{false, true} {
		for width := range 800 {
			for _, height := range []int{0, 1, 39, 40, 41, 100, 400, 401, 2000} {
				e := viewer.Embedding{Width: 640, Height: 400}.Within(width, height, video)
				if e.Width < 1 || e.Height < 1 || width > 0 && e.Width > width || height > 0 && e.Height > height ||
					e.Width > 640 || e.Height > 400 {
					t.Fatalf("%d × %d, video %v: embed %d × %d", width, height, video, e.Width, e.Height)
				}
			}
		}
	}
}
