package viewer_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/filetype"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// TestSoundInVideoFile checks that a video file without pictures is a sound, in
// each container and encoding, and that one with pictures is not.
func TestSoundInVideoFile(t *testing.T) {
	ffmpeg := vitrinetest.Program(t, "ffmpeg")
	s := webtest.NewSite(t)
	for name, with := range map[string]string{"voice.mp4": "-c:a aac", "voice.m4v": "-c:a aac", "voice.mov": "-c:a aac",
		"cut.mp4":    "-c:a aac -movflags frag_keyframe+empty_moov",
		"voice.webm": "-c:a libopus", "live.webm": "-c:a libvorbis -live 1",
		"film.mp4": "-f lavfi -i testsrc=size=64x48:rate=5 -shortest -c:a aac -c:v mpeg4"} {
		path := filepath.Join(t.TempDir(), name)
		args := append([]string{"-hide_banner", "-loglevel", "error", "-f", "lavfi", "-i", "sine=duration=1"},
			strings.Fields(with)...)
		if out, err := exec.Command(ffmpeg, append(args, path)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		b, err := os.ReadFile(path)
		s.Check(err)
		l := s.Publish(name, b)
		want := filetype.Audio
		if strings.HasPrefix(name, "film") {
			want = filetype.Video
		}
		page := s.Status(s.Get("/p/"+string(l.Slug)), http.StatusOK).Text
		if want == filetype.Audio && strings.Contains(page, " video") {
			t.Errorf("the page of %s calls it a video", name)
		}
		if l.Kind != want || !strings.Contains(page, "<"+string(want)) {
			t.Errorf("%s is of the kind %s, and its page has no <%s>", name, l.Kind, want)
		}
	}
}
