package reportpage_test

import (
	"strings"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestBrowserPrint prints a document page by page in the size of its pages,
// with the button beside the download and with the keyboard.
func TestBrowserPrint(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	tb := webtest.NewTab(t, s.Page(l))
	f := tb.Frame("/view")
	f.Opened("12")
	f.Run(chromedp.Evaluate(`window.printed = [];
		window.print = () => printed.push([document.querySelectorAll("#paper img[src^=blob]").length, document.adoptedStyleSheets[0].cssRules[0].cssText])`, nil))
	tb.Run(chromedp.Click("#print"))
	f.Until(`printed.length === 1 && printed[0][0] === 12 && printed[0][1].startsWith("@page")`)
	f.Until(`document.getElementById("paper").childElementCount === 0 && document.getElementById("printing").hidden`)
	f.Run(chromedp.Evaluate(`document.dispatchEvent(new KeyboardEvent("keydown", { key: "p", ctrlKey: true, bubbles: true }))`, nil))
	f.Until(`printed.length === 2`)
	f.Quiet()
	tb.Quiet()

	// A page without a frame prints itself.
	tb = webtest.NewTab(t, s.Page(s.Publish("notes.md", []byte("# Notes"))))
	tb.Run(chromedp.Evaluate(`window.print = () => (window.printed = true)`, nil), chromedp.Click("#print"))
	tb.Until(`window.printed`)
	tb.Quiet()
}

// TestViewOnlyIsNotPrinted checks that the page of a view-only link offers no
// print, and that its frame cannot open a dialog.
func TestViewOnlyIsNotPrinted(t *testing.T) {
	s := webtest.NewSite(t)
	for _, name := range []string{"report.pdf", "notes.txt", "picture.png"} {
		body := s.Status(s.Get("/p/"+string(s.Publish(name, webtest.Samples[name], webtest.ViewOnly).Slug)), 200).Text
		if strings.Contains(body, `id="print"`) || strings.Contains(body, "allow-modals") {
			t.Errorf("%s can be printed:\n%s", name, body)
		}
		if name != "report.pdf" {
			continue
		}
		frame := s.Status(s.Get(s.ContentOf(body)), 200)
		if strings.Contains(frame.Text, `id="print"`) ||
			strings.Contains(frame.Header.Get("Content-Security-Policy"), "allow-modals") {
			t.Errorf("the frame can print: %v", frame.Header)
		}
	}
}

// TestBrowserFullScreen checks that full screen shows only the content, and
// whole pages of a document.
func TestBrowserFullScreen(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, s.Page(s.Publish("report.pdf", webtest.Samples["report.pdf"])))
	f := tb.Frame("/view")
	f.Opened("12")
	tb.Run(chromedp.Click("#full"))
	tb.Until(`document.fullscreenElement?.matches(".stage")`)
	f.Until(`document.documentElement.classList.contains("full") && document.querySelector(".page").getBoundingClientRect().height <= innerHeight`)
	tb.Run(chromedp.Evaluate(`document.exitFullscreen()`, nil, webtest.Awaited))
	f.Until(`!document.documentElement.classList.contains("full")`)
	tb.Until(`document.activeElement.id === "full"`)
	f.Quiet()
	tb.Quiet()
}
