package preview

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// ffmpeg runs the real program to make a sample.
func ffmpeg(t testing.TB, out string, args ...string) []byte {
	t.Helper()
	path := vitrinetest.Program(t, "ffmpeg")
	out = filepath.Join(t.TempDir(), out)
	if said, err := exec.Command(path, append(append([]string{"-nostdin", "-v", "error"}, args...),
		out)...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, said)
	}
	b, err := os.ReadFile(out)
	must(t, err)
	return b
}

const color2s = "color=%s:size=640x360:rate=10:duration=2"

// TestFilmsAndSounds checks that the picture of a film is a frame, a black one
// only if there is no other, and that the picture of a sound is its cover.
func TestFilmsAndSounds(t *testing.T) {
	m, w := newMaker(t, Options{})
	clip := func(name, color string, more ...string) []byte {
		return ffmpeg(t, name, append([]string{"-f", "lavfi", "-i", fmt.Sprintf(color2s, color)}, more...)...)
	}
	tone := []string{"-f", "lavfi", "-i", "sine=duration=1"}
	cover := filepath.Join(t.TempDir(), "cover.png")
	must(t, os.WriteFile(cover, pngOf(t, uniform(300, 300, blue)), 0o600))
	darkFirst := ffmpeg(t, "dark.mp4", "-f", "lavfi", "-i", fmt.Sprintf(color2s, "black"), "-f", "lavfi", "-i",
		fmt.Sprintf(color2s, "red"),
		"-f", "lavfi", "-i", fmt.Sprintf(color2s, "red"), "-filter_complex", "concat=n=3", "-pix_fmt", "yuv420p")
	for _, c := range []struct {
		name    string
		content []byte
		picture bool
		r, g, b uint8
	}{
		{"a.mp4", clip("a.mp4", "red", "-pix_fmt", "yuv420p"), true, 255, 0, 0},
		{"a.mov", clip("a.mov", "red", "-pix_fmt", "yuv420p"), true, 255, 0, 0},
		{"a.webm", clip("a.webm", "blue"), true, 0, 0, 255},
		{"a.ogv", clip("a.ogv", "blue", "-q:v", "9"), true, 0, 0, 255},
		{"dark.mp4", darkFirst, true, 255, 0, 0},
		{"a.mp3", ffmpeg(t, "a.mp3", append(tone, "-i", cover, "-map", "0", "-map", "1", "-c:v", "copy",
			"-disposition:v", "attached_pic")...), true, 0, 0, 255},
		{"none.mp3", ffmpeg(t, "none.mp3", tone...), false, 0, 0, 0},
		{"none.flac", ffmpeg(t, "none.flac", tone...), false, 0, 0, 0},
	} {
		parts := mustPreview(t, m, c.name, c.content)
		if cover := c.picture && strings.HasSuffix(c.name, ".mp3"); (parts[vitrine.PartImage] != nil) != cover {
			t.Errorf("%s: cover = %v", c.name, !cover)
		}
		if (parts[vitrine.PartPicture] != nil) != c.picture {
			t.Errorf("%s: picture = %v", c.name, !c.picture)
			continue
		}
		if !c.picture {
			continue
		}
		if err := near(parts.picture(t), middleX, 120, c.r, c.g, c.b); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if w.list() != nil {
		t.Errorf("warnings = %v, want none", w.list())
	}
}

// TestFilmsReadNothingElse checks that FFmpeg's arguments alone prevent a file
// from naming another one; the test does not use the sandbox.
func TestFilmsReadNothingElse(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.mp4")
	must(t, os.WriteFile(secret, ffmpeg(t, "secret.mp4", "-f", "lavfi", "-i", fmt.Sprintf(color2s, "red"), "-pix_fmt",
		"yuv420p"), 0o600))
	must(t, os.MkdirAll(filepath.Join(dir, workDir), 0o700))
	frame := func(ext, path string) error {
		f, err := os.Open(path)
		must(t, err)
		defer f.Close()
		j := &job{order: order{Ext: ext, Dir: dir, FFmpeg: program("", "ffmpeg")}, file: f}
		_, err = j.frame(0, "0:v:0")
		return err
	}
	if err := frame("mp4", secret); err != nil {
		t.Fatalf("frame of the film itself: %v", err)
	}
	list := "ffconcat version 1.0\nfile '" + secret + "'\n"
	listFile := filepath.Join(dir, "list")
	must(t, os.WriteFile(listFile, []byte(list), 0o600))
	ffmpeg(t, "frame.png", "-safe", "0", "-i", listFile, "-frames:v", "1") // FFmpeg follows a list if it may
	playlist := "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n" + secret + "\n#EXT-X-ENDLIST\n"
	for what, content := range map[string]string{
		"playlist": playlist, "list": list,
		"subtitles": "1\n00:00:00,000 --> 00:00:01,000\n" + secret, "image sequence": strings.Repeat("%03d.png", 3),
		"SVG":        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><image xlink:href="file://` + secret + `"/></svg>`,
		"DASH":       `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet><Representation id="1" mimeType="video/mp4"><BaseURL>` + secret + `</BaseURL></Representation></AdaptationSet></Period></MPD>`,
		"in a movie": "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + playlist,
	} {
		path := filepath.Join(dir, "film")
		must(t, os.WriteFile(path, []byte(content), 0o600))
		tried := map[string]bool{}
		for ext, demuxer := range demuxers {
			if tried[demuxer] && tier.Current() < tier.All {
				continue
			}
			tried[demuxer] = true
			if frame(ext, path) == nil {
				t.Errorf("a %s as %s was read", what, ext)
			}
		}
	}
}

// TestSameShape checks that one tile of a phone's picture does not count as the
// picture.
func TestSameShape(t *testing.T) {
	for _, c := range []struct {
		got, stated image.Point
		want        bool
	}{
		{image.Pt(4032, 3024), image.Pt(4032, 3024), true},
		{image.Pt(3024, 4032), image.Pt(4032, 3024), true},
		{image.Pt(4096, 3072), image.Pt(8192, 6144), true},
		{image.Pt(512, 512), image.Pt(4032, 3024), false},
		{image.Pt(512, 384), image.Pt(4032, 3024), false},
		{image.Pt(0, 0), image.Pt(1, 1), false},
	} {
		if got := sameShape(c.got, c.stated); got != c.want {
			t.Errorf("sameShape(%v, %v) = %v", c.got, c.stated, got)
		}
	}
}
