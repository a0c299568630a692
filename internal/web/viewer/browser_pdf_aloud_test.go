package viewer_test

import (
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// voices is a script for the voices of a device, of which a headless browser
// has none: it records what is spoken, and ends an utterance when told.
const voices = `window.spoken = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: Object.assign(new EventTarget(), {
	voices: [{ name: "far", lang: "en-US", localService: false, default: true }],
	getVoices() { window.asked = (window.asked ?? 0) + 1; return this.voices; },
	speak(u) { spoken.push(u); },
	cancel() { const u = spoken.at(-1); if (u && !u.over) { u.over = true; u.onerror?.({ error: "canceled" }); } },
}) });
window.says = () => spoken.at(-1)?.text;
window.over = () => { const u = spoken.at(-1); u.over = true; u.onend(); };`

// TestBrowserPDFAloud checks that a document is read aloud from the page in
// view on, as text, and only by a voice of the device.
func TestBrowserPDFAloud(t *testing.T) {
	tb, f := openPDF(t, prose(8), "8", chromedp.EmulateViewport(1280, 800))
	f.Run(chromedp.Evaluate(voices, nil))
	f.Run(chromedp.Click("#more", chromedp.ByQuery))
	f.Until(`window.asked > 0 && document.getElementById("aloud").hidden`) // the only voice is of another machine
	f.Run(chromedp.Evaluate(`window.before = asked`, nil))
	tb.Run(webtest.Keys("l"))
	f.Until(`asked > before && spoken.length === 0 && !document.documentElement.classList.contains("reading")`)
	tb.Run(webtest.Keys(kb.Escape))
	f.Run(chromedp.Evaluate(`speechSynthesis.voices.push({ name: "near", lang: "en-GB", localService: true })`, nil))
	f.Run(chromedp.Click("#more", chromedp.ByQuery))
	f.Until(`!document.getElementById("aloud").hidden`)
	tb.Run(webtest.Keys(kb.Escape))
	f.TurnTo("3")
	tb.Run(webtest.Keys("l"))
	f.Until(`says()?.startsWith("Page 3") && spoken[0].voice.name === "near" && spoken[0].lang === "en-GB" && document.documentElement.classList.contains("reading") && !document.getElementById("speaking").hidden && document.querySelector(".spoken") !== null`)
	for range 20 { // to the next page
		f.Run(chromedp.Evaluate(`window.before = spoken.length; over()`, nil))
		f.Until(`spoken.length > before`)
		var next bool
		f.Run(chromedp.Evaluate(`says().startsWith("Page 4")`, &next))
		if next {
			break
		}
	}
	f.Until(`says().startsWith("Page 4") && document.getElementById("page").value === "4"`)
	f.Run(chromedp.Click("#speaking button", chromedp.ByQuery))
	f.Until(`document.getElementById("speaking").hidden && spoken.at(-1).over && document.querySelector(".spoken") === null`)
	tb.Run(webtest.Keys("l"))
	f.Until(`!document.getElementById("speaking").hidden`)
	tb.Run(webtest.Keys("x")) // back to the pages
	f.Until(`document.getElementById("speaking").hidden && !document.documentElement.classList.contains("reading")`)
	tb.Run(webtest.Keys(kb.Home))
	f.Quiet()
	tb.Quiet()
}
