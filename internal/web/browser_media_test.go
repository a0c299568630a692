package web_test

import (
	"bytes"
	"testing"

	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestBrowserMedia(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"clip.webm", "song.mp3"} {
		t.Run(name, func(t *testing.T) {
			l := s.publish(name, samples[name])
			tb := newTab(t, s.page(l))
			tb.until(`document.querySelector("video, audio").duration > 3`)
			tb.run(chromedp.Evaluate(`void document.querySelector("video, audio").play()`, nil))
			tb.until(`document.querySelector("video, audio").currentTime > 1.5`)
			tb.run(chromedp.Evaluate(`document.querySelector("video, audio").pause()`, nil))
			from, to := tb.played()
			if from != 0 || to < 350_000 {
				t.Errorf("played from %d to %d", from, to)
			}
			tb.leave()
			s.session(t, l, "what was played", func(n *report.Session) bool {
				return n.Played == to &&
					n.Reached == to
			})
			tb.quiet()
		})
	}
}

// TestBrowserMediaRanges checks that what is played twice counts once, that
// skipped parts do not count, and that the end is reported at once.
func TestBrowserMediaRanges(t *testing.T) {
	s := newSite(t)
	l := s.publish("clip.webm", samples["clip.webm"])
	tb := newTab(t, s.page(l))
	tb.until(`document.querySelector("video").duration > 3`)
	for range 2 {
		tb.run(chromedp.Evaluate(`{ const v = document.querySelector("video"); v.currentTime = v.duration - 1; void v.play() }`, nil))
		tb.until(`document.querySelector("video").ended`)
	}
	from, to := tb.played()
	if from < 500_000 || to < 950_000 {
		t.Errorf("played from %d to %d", from, to)
	}
	s.session(t, l, "the last second, once, and the end", func(n *report.Session) bool {
		return n.Reached == to && near(float64(n.Played), float64(to-from), 500) // rounded to milliseconds
	})
}

// played returns the one range that was played according to the browser, in
// millionths of the duration.
func (tb *tab) played() (from, to int64) {
	tb.t.Helper()
	var all []int64
	tb.run(chromedp.Evaluate(`(({played, duration}) => {
		const part = (s) => Math.round(Math.floor(s * 1000) / Math.floor(duration * 1000) * 1e6);
		return Array.from(played, (_, i) => [part(played.start(i)), part(played.end(i))]).flat();
	})(document.querySelector("video, audio"))`, &all))
	if len(all) != 2 {
		tb.t.Fatalf("played ranges = %v, want one", all)
	}
	return all[0], all[1]
}

// TestBrowserMediaKeys checks the keys and the speed menu. Other focused
// elements keep their keys.
func TestBrowserMediaKeys(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"clip.webm", "song.mp3"} {
		t.Run(name, func(t *testing.T) {
			tb := newTab(t, s.page(s.publish(name, samples[name])))
			const m = `document.querySelector("video, audio")`
			tb.until(m + `.duration > 3 && !document.getElementById("speed").hidden`)
			tb.run(chromedp.Evaluate(m+`.playbackRate = 1; `+m+`.muted = true`, nil))
			press := func(key, becomes string) {
				t.Helper()
				tb.run(chromedp.KeyEvent(key))
				tb.until(`((M) => ` + becomes + `)(` + m + `)`)
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
			tb.run(chromedp.SetValue("#speed", "2"),
				chromedp.Evaluate(`document.getElementById("speed").dispatchEvent(new Event("change"))`, nil))
			tb.until(m + `.playbackRate === 2`)
			for range 2 {
				press(">", `M.playbackRate === 2`)
			}
			tb.run(chromedp.Evaluate(m+`.currentTime = 0`, nil),
				chromedp.Focus(`[popovertarget="share"]`, chromedp.ByQuery), chromedp.KeyEvent("5"),
				chromedp.KeyEvent("k"))
			tb.until(m + `.currentTime === 0 && ` + m + `.paused`)
			if name == "clip.webm" {
				// A headless browser has no fullscreen, so the test only checks
				// that it was requested.
				tb.run(chromedp.Evaluate(`document.activeElement.blur(), document.querySelector("video").requestFullscreen = async () => { window.full = true }`, nil))
				press("f", `window.full`)
			}
			tb.quiet()
		})
	}
}

// TestBrowserVideoBox checks that the box of a video has its size before the
// video loads, whatever its shape, and that a video that the browser cannot
// play says so.
func TestBrowserVideoBox(t *testing.T) {
	s := newSite(t)
	l := s.publish("clip.webm", samples["clip.webm"])
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		tb := newTab(t, chromedp.EmulateViewport(size[0], size[1]), s.page(l))
		tb.until(`document.querySelector("video").readyState > 0`)
		const box = `JSON.stringify(document.querySelector("video").getBoundingClientRect())`
		var loaded, empty string
		tb.run(chromedp.Evaluate(box, &loaded), chromedp.Evaluate(`document.querySelector("video").removeAttribute("src"), document.querySelector("video").load(), `+box, &empty))
		if loaded != empty {
			t.Errorf("%v: the box is %s, and without the video %s", size, loaded, empty)
		}
		tb.until(`document.documentElement.scrollHeight <= innerHeight`)
	}
	broken := s.publish("broken.webm", bytes.Replace(samples["clip.webm"], []byte("V_VP8"), []byte("V_VPX"), 1))
	tb := newTab(t, s.page(broken))
	tb.until(`document.querySelector("#cannot").checkVisibility() && document.querySelector("#cannot a[data-download]") !== null && !document.querySelector("video").checkVisibility()`)
}

func TestBrowserMediaWithoutScripting(t *testing.T) {
	s := newSite(t)
	tb := newTab(t, emulation.SetScriptExecutionDisabled(true), s.page(s.publish("clip.webm", samples["clip.webm"])))
	tb.run(chromedp.WaitVisible("video[controls]"), chromedp.WaitNotVisible("#speed"))
}

// TestBrowserPlayer checks the player of a sound, on each width and on a page
// of another site. Without scripts it is that of the browser.
func TestBrowserPlayer(t *testing.T) {
	s := newSite(t)
	l := s.publish("song.mp3", samples["song.mp3"])
	for _, width := range []int64{1440, 390, 320} {
		for _, path := range []string{"", "/embed"} {
			tb := newTab(t, chromedp.EmulateViewport(width, 844), chromedp.Navigate(s.url+"/p/"+string(l.Slug)+path))
			is := func(what string) {
				t.Helper()
				tb.until(`((M, get) => ` + what + `)(document.querySelector("audio"), (id) => document.getElementById(id))`)
			}
			is(`get("total").textContent === "0:04" && get("elapsed").textContent === "0:00" && M.getBoundingClientRect().height > 0 &&
				document.documentElement.scrollWidth <= innerWidth`)
			tb.run(chromedp.Evaluate(`document.querySelector("audio").muted = true`, nil), chromedp.Click("#play"))
			is(`!M.paused && M.currentTime > .2 && get("play").ariaLabel === "Pause" && Number(get("seek").value) > .2`)
			tb.run(chromedp.Focus("#play"), chromedp.KeyEvent(" "))
			is(`M.paused && get("play").ariaLabel === "Play"`)
			tb.run(chromedp.KeyEvent("0"), chromedp.Focus("#seek"), chromedp.KeyEvent(kb.ArrowRight))
			is(`M.currentTime === M.duration && get("elapsed").textContent === "0:04" &&
				get("seek").getAttribute("aria-valuetext") === "0:04 of 0:04"`)
			tb.run(chromedp.KeyEvent(kb.ArrowLeft))
			is(`M.currentTime === 0`)
			is(`get("mute").ariaPressed === "true" && get("volume").value === "0"`)
			if width > 320 || path == "" {
				tb.run(chromedp.Click("#mute"))
				is(`!M.muted && get("volume").value === "1" && get("mute").ariaPressed === "false"`)
			}
			if width > 1000 {
				tb.run(chromedp.Focus("#volume"), chromedp.KeyEvent(kb.ArrowLeft))
				is(`Math.abs(M.volume - .95) < .001`)
			}
			tb.run(chromedp.SetValue("#speed", "2"), chromedp.Evaluate(`document.getElementById("speed").dispatchEvent(new Event("change"))`, nil))
			is(`M.playbackRate === 2`)
			tb.accessible("a player")
			tb.quiet()
		}
	}
	plain := newTab(t, emulation.SetScriptExecutionDisabled(true), s.page(l))
	plain.run(chromedp.WaitVisible("audio[controls]"), chromedp.WaitNotVisible("#player"))
}
