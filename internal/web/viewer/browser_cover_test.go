package viewer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestBrowserCover checks that the page of a sound shows the cover in its file,
// as public as the file, and moves nothing when it arrives. An embedded player
// has no room for it, and a sound without a cover has its badge.
func TestBrowserCover(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s, "ffmpeg")
	dir := t.TempDir()
	cover, song := filepath.Join(dir, "cover.png"), filepath.Join(dir, "song.mp3")
	s.Check(os.WriteFile(cover, webtest.Solid(400, 300), 0o600))
	if said, err := exec.Command(vitrinetest.Program(t, "ffmpeg"), "-nostdin", "-v", "error", "-f", "lavfi", "-i",
		"sine=duration=1", "-i", cover, "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic",
		song).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, said)
	}
	b, err := os.ReadFile(song)
	s.Check(err)
	l, plain := s.Publish("song.mp3", b), s.Publish("plain.mp3", webtest.Samples["song.mp3"])
	s.Check(s.Server.Previews.Make(t.Context()))
	for _, width := range []int64{1440, 390, 320} {
		tb := webtest.NewTab(t, chromedp.EmulateViewport(width, 844), s.Page(l))
		tb.Until(`(() => { const e = document.querySelector(".stage .sleeve"), r = e.getBoundingClientRect(); return e.complete && e.naturalWidth > 0 && r.width === r.height && r.width > 200 && r.left >= 0 && r.right <= innerWidth && document.querySelector(".sheet-icon") === null })()`)
		tb.Until(`document.documentElement.scrollWidth <= innerWidth && !document.getElementById("player").hidden && document.getElementById("cannot").hidden`)
		tb.Accessible("a sound with a cover")
		tb.Quiet()
	}
	tb := webtest.NewTab(t, s.Page(plain))
	tb.Until(`document.querySelector(".stage .sleeve") === null && document.querySelector(".sheet-icon").checkVisibility()`)
	tb.Visit(s.URL + "/p/" + string(l.Slug) + "/embed")
	tb.Until(`!document.querySelector(".sleeve").checkVisibility() && document.documentElement.scrollHeight <= innerHeight`)
	tb.Quiet()
	picture := s.ContentAddress(l, "part/image")
	s.Status(s.Get(picture), 200)
	s.SetState(l, vitrine.StateDisabled)
	s.Status(s.Get(picture), 410)
}
