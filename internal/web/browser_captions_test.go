package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserCaptions checks that a browser loads the captions of a video and
// shows the first track, also on an instance with two hosts.
func TestBrowserCaptions(t *testing.T) {
	for name, o := range map[string]siteOptions{"one host": {}, "two hosts": {content: true}} {
		t.Run(name, func(t *testing.T) {
			s := newSiteWith(t, o)
			for _, file := range []string{"clip.webm", "song.mp3"} {
				l := s.publish(file, samples[file])
				s.caption(l, "pt-BR", morning)
				s.caption(l, "de", "1\n00:00:00,000 --> 00:00:02,000\nGuten {\\an8}Morgen.\n\n2\n00:00:02,000 --> 00:00:04,000\n<i>Danke.</i>\n")
				tb := newTab(t, s.page(l))
				mode := "showing"
				if file == "song.mp3" {
					mode = "hidden" // "hidden", because the page draws them itself
				}
				tb.until(`(() => {
					const mode = "` + mode + `"
					const tracks = document.querySelector("video, audio").textTracks
					const [first, second] = tracks
					return tracks.length === 2 && first.language === "de" && first.label === "Deutsch" && first.mode === mode && first.cues.length === 2 &&
						first.cues[0].text === "Guten Morgen." && first.cues[1].startTime === 2 && second.mode === "disabled"
				})()`)
				if file == "song.mp3" {
					tb.run(chromedp.Evaluate(`{ const a = document.querySelector("audio"); a.currentTime = 2.2; void a.play() }`, nil))
					tb.until(`document.querySelector("#cue i")?.textContent === "Danke."`)
				}
				tb.until(`(() => {
					const second = document.querySelector("video, audio").textTracks[1]
					second.mode = "showing"
					return second.cues?.length === 1 && second.cues[0].text === "Good morning."
				})()`)
				tb.until(`document.querySelector("video, audio").duration > 3`) // the video still plays
				tb.quiet()
			}
		})
	}
}
