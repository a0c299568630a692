package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserPrint prints a document page by page in the size of its pages,
// with the button beside the download and with the keyboard.
func TestBrowserPrint(t *testing.T) {
	s := newSite(t)
	l := s.publish("report.pdf", samples["report.pdf"])
	tb := newTab(t, s.page(l))
	f := tb.frame("/view")
	f.opened("12")
	f.run(chromedp.Evaluate(`window.printed = [];
		window.print = () => printed.push([document.querySelectorAll("#paper img[src^=blob]").length, document.adoptedStyleSheets[0].cssRules[0].cssText])`, nil))
	tb.run(chromedp.Click("#print"))
	f.until(`printed.length === 1 && printed[0][0] === 12 && printed[0][1].startsWith("@page")`)
	f.until(`document.getElementById("paper").childElementCount === 0 && document.getElementById("printing").hidden`)
	f.run(chromedp.Evaluate(`document.dispatchEvent(new KeyboardEvent("keydown", { key: "p", ctrlKey: true, bubbles: true }))`, nil))
	f.until(`printed.length === 2`)
	f.quiet()
	tb.quiet()

	// A page without a frame prints itself.
	tb = newTab(t, s.page(s.publish("notes.md", []byte("# Notes"))))
	tb.run(chromedp.Evaluate(`window.print = () => (window.printed = true)`, nil), chromedp.Click("#print"))
	tb.until(`window.printed`)
	tb.quiet()
}

// TestViewOnlyIsNotPrinted checks that the page of a view-only link offers no
// print, and that its frame cannot open a dialog.
func TestViewOnlyIsNotPrinted(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"report.pdf", "notes.txt", "picture.png"} {
		body := s.status(s.get("/p/"+string(s.publish(name, samples[name], viewOnly).Slug)), 200).body
		if strings.Contains(body, `id="print"`) || strings.Contains(body, "allow-modals") {
			t.Errorf("%s can be printed:\n%s", name, body)
		}
		if name != "report.pdf" {
			continue
		}
		frame := s.status(s.get(s.contentOf(body)), 200)
		if strings.Contains(frame.body, `id="print"`) ||
			strings.Contains(frame.Header.Get("Content-Security-Policy"), "allow-modals") {
			t.Errorf("the frame can print: %v", frame.Header)
		}
	}
}

// TestBrowserFullScreen checks that full screen shows only the content, and
// whole pages of a document.
func TestBrowserFullScreen(t *testing.T) {
	s := newSite(t)
	tb := newTab(t, s.page(s.publish("report.pdf", samples["report.pdf"])))
	f := tb.frame("/view")
	f.opened("12")
	tb.run(chromedp.Click("#full"))
	tb.until(`document.fullscreenElement?.matches(".stage")`)
	f.until(`document.documentElement.classList.contains("full") && document.querySelector(".page").getBoundingClientRect().height <= innerHeight`)
	tb.run(chromedp.Evaluate(`document.exitFullscreen()`, nil, awaited))
	f.until(`!document.documentElement.classList.contains("full")`)
	tb.until(`document.activeElement.id === "full"`)
	f.quiet()
	tb.quiet()
}
