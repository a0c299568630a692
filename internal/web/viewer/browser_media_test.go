package viewer_test

import (
	"bytes"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestBrowserMedia(t *testing.T) {
	s := webtest.NewSite(t)
	for _, name := range []string{"clip.webm", "song.mp3"} {
		t.Run(name, func(t *testing.T) {
			l := s.Publish(name, webtest.Samples[name])
			tb := webtest.NewTab(t, s.Page(l))
			tb.Until(`document.querySelector("video, audio").duration > 3`)
			tb.Run(chromedp.Evaluate(`void document.querySelector("video, audio").play()`, nil))
			tb.Until(`document.querySelector("video, audio").currentTime > 1.5`)
			tb.Run(chromedp.Evaluate(`document.querySelector("video, audio").pause()`, nil))
			from, to := tb.Played()
			if from != 0 || to < 350_000 {
				t.Errorf("played from %d to %d", from, to)
			}
			tb.Leave()
			s.Session(t, l, "what was played", func(n *report.Session) bool {
				return n.Played == to &&
					n.Reached == to
			})
			tb.Quiet()
		})
	}
}

// TestBrowserMediaRanges checks that what is played twice counts once, that
// skipped parts do not count, and that the end is reported at once.
func TestBrowserMediaRanges(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("clip.webm", webtest.Samples["clip.webm"])
	tb := webtest.NewTab(t, s.Page(l))
	tb.Until(`document.querySelector("video").duration > 3`)
	for range 2 {
		tb.Run(chromedp.Evaluate(`{ const v = document.querySelector("video"); v.currentTime = v.duration - 1; void v.play() }`, nil))
		tb.Until(`document.querySelector("video").ended`)
	}
	from, to := tb.Played()
	if from < 500_000 || to < 950_000 {
		t.Errorf("played from %d to %d", from, to)
	}
	s.Session(t, l, "the last second, once, and the end", func(n *report.Session) bool {
		return n.Reached == to && near(float64(n.Played), float64(to-from), 500) // rounded to milliseconds
	})
}

// TestBrowserMediaKeys checks the keys and the speed menu. Other focused
// elements keep their keys.
func TestBrowserMediaKeys(t *testing.T) {
	s := webtest.NewSite(t)
	for _, name := range []string{"clip.webm", "song.mp3"} {
		t.Run(name, func(t *testing.T) {
			tb := webtest.NewTab(t, s.Page(s.Publish(name, webtest.Samples[name])))
			const m = `document.querySelector("video, audio")`
			tb.Until(m + `.duration > 3 && !document.getElementById("speed").hidden`)
			tb.Run(chromedp.Evaluate(m+`.playbackRate = 1; `+m+`.muted = true`, nil))
			press := func(key, becomes string) {
				t.Helper()
				tb.Run(webtest.Keys(key))
				tb.Until(`((M) => ` + becomes + `)(` + m + `)`)
			}
			press("5", `Math.abs(M.currentTime - M.duration / 2) < .1`)
			press(kb.ArrowRight, `M.currentTime === M.duration`)
			press(kb.ArrowLeft, `M.currentTime === 0`)
			press("l", `M.currentTime === M.duration`)
			press("j", `M.currentTime === 0`)
			press("m", `!M.muted`)
			press("m", `M.muted`)
			press("k", `!M.paused`)
			press(" ", `M.paused`)
			press(">", `M.playbackRate === 1.25 && document.getElementById("speed").value === "1.25"`)
			press("<", `M.playbackRate === 1`)
			press("<", `M.playbackRate === .75 && M.preservesPitch`)
			tb.Run(chromedp.SetValue("#speed", "2"),
				chromedp.Evaluate(`document.getElementById("speed").dispatchEvent(new Event("change"))`, nil))
			tb.Until(m + `.playbackRate === 2`)
			for range 2 {
				press(">", `M.playbackRate === 2`)
			}
			tb.Run(chromedp.Evaluate(m+`.currentTime = 0`, nil),
				chromedp.Focus(`[popovertarget="share"]`, chromedp.ByQuery), webtest.Keys("5"),
				webtest.Keys("k"))
			tb.Until(m + `.currentTime === 0 && ` + m + `.paused`)
			if name == "clip.webm" {
				// A headless browser has no fullscreen, so the test only checks
				// that it was requested.
				tb.Run(chromedp.Evaluate(`document.activeElement.blur(), document.querySelector("video").requestFullscreen = async () => { window.full = true }`, nil))
				press("f", `window.full`)
			}
			tb.Quiet()
		})
	}
}

// TestBrowserVideoBox checks that the box of a video has its size before the
// video loads, whatever its shape, and that a video that the browser cannot
// play says so.
func TestBrowserVideoBox(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("clip.webm", webtest.Samples["clip.webm"])
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		tb := webtest.NewTab(t, chromedp.EmulateViewport(size[0], size[1]), s.Page(l))
		tb.Until(`document.querySelector("video").readyState > 0`)
		const box = `JSON.stringify(document.querySelector("video").getBoundingClientRect())`
		var loaded, empty string
		tb.Run(chromedp.Evaluate(box, &loaded), chromedp.Evaluate(`document.querySelector("video").removeAttribute("src"), document.querySelector("video").load(), `+box, &empty))
		if loaded != empty {
			t.Errorf("%v: the box is %s, and without the video %s", size, loaded, empty)
		}
		tb.Until(`document.documentElement.scrollHeight <= innerHeight`)
	}
	broken := s.Publish("broken.webm", bytes.Replace(webtest.Samples["clip.webm"], []byte("V_VP8"), []byte("V_VPX"), 1))
	tb := webtest.NewTab(t, s.Page(broken))
	tb.Until(`document.querySelector("#cannot").checkVisibility() && document.querySelector("#cannot a[data-download]") !== null && !document.querySelector("video").checkVisibility()`)
}

func TestBrowserMediaWithoutScripting(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, emulation.SetScriptExecutionDisabled(true), s.Page(s.Publish("clip.webm",
		webtest.Samples["clip.webm"])))
	tb.Run(chromedp.WaitVisible("video[controls]"), chromedp.WaitNotVisible("#speed"))
}

// TestBrowserPlayer checks the player of a sound, on each width and on a page
// of another site. Without scripts it is that of the browser.
func TestBrowserPlayer(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("song.mp3", webtest.Samples["song.mp3"])
	for _, width := range []int64{1440, 390, 320} {
		for _, path := range []string{"", "/embed"} {
			tb := webtest.NewTab(t, chromedp.EmulateViewport(width, 844),
				chromedp.Navigate(s.URL+"/p/"+string(l.Slug)+path))
			is := func(what string) {
				t.Helper()
				tb.Until(`((M, get) => ` + what + `)(document.querySelector("audio"), (id) => document.getElementById(id))`)
			}
			is(`get("total").textContent === "0:04" && get("elapsed").textContent === "0:00" && M.getBoundingClientRect().height > 0 &&
				document.documentElement.scrollWidth <= innerWidth`)
			tb.Run(chromedp.Evaluate(`document.querySelector("audio").muted = true`, nil), chromedp.Click("#play"))
			is(`!M.paused && M.currentTime > .2 && get("play").ariaLabel === "Pause" && Number(get("seek").value) > .2`)
			tb.Run(chromedp.Focus("#play"), webtest.Keys(" "))
			is(`M.paused && get("play").ariaLabel === "Play"`)
			tb.Run(webtest.Keys("0"), chromedp.Focus("#seek"), webtest.Keys(kb.ArrowRight))
			is(`M.currentTime === M.duration && get("elapsed").textContent === "0:04" &&
				get("seek").getAttribute("aria-valuetext") === "0:04 of 0:04"`)
			tb.Run(webtest.Keys(kb.ArrowLeft))
			is(`M.currentTime === 0`)
			is(`get("mute").ariaPressed === "true" && get("volume").value === "0"`)
			if width > 320 || path == "" {
				tb.Run(chromedp.Click("#mute"))
				is(`!M.muted && get("volume").value === "1" && get("mute").ariaPressed === "false"`)
			}
			if width > 1000 {
				tb.Run(chromedp.Focus("#volume"), webtest.Keys(kb.ArrowLeft))
				is(`Math.abs(M.volume - .95) < .001`)
			}
			tb.Run(chromedp.SetValue("#speed", "2"), chromedp.Evaluate(`document.getElementById("speed").dispatchEvent(new Event("change"))`, nil))
			is(`M.playbackRate === 2`)
			tb.Accessible("a player")
			tb.Quiet()
		}
	}
	plain := webtest.NewTab(t, emulation.SetScriptExecutionDisabled(true), s.Page(l))
	plain.Run(chromedp.WaitVisible("audio[controls]"), chromedp.WaitNotVisible("#player"))
}
