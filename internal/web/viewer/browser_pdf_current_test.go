package viewer_test

import (
	"fmt"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserPDFCurrent checks that the number of the toolbar is that of the
// page that fills most of the window, and after turning that of the page turned
// to, until the reader scrolls.
func TestBrowserPDFCurrent(t *testing.T) {
	s := webtest.NewSite(t)
	file := webtest.NewPDF()
	file.Rotate = 90 // a page that is less high than the others
	file.Pages(1).Rotate = 0
	l := s.Publish("mixed.pdf", file.Pages(3).Bytes())
	tb := webtest.NewTab(t, chromedp.EmulateViewport(1280, 1056), s.Page(l))
	f := tb.Frame("/view")
	f.Opened("4")
	f.Run(chromedp.Evaluate(`for (let i = 0; i < 9; i++) document.getElementById("smaller").click()`, nil))
	f.Until(`document.querySelectorAll(".page")[1].offsetHeight < 600 && document.querySelectorAll(".page canvas").length > 1`)
	at := func(page string) {
		t.Helper()
		f.Until(`document.getElementById("page").value === "` + page + `"`)
	}
	f.TurnTo("1")
	at("1")
	// The first page is still there as a whole, and the second fills more.
	f.Run(chromedp.Evaluate(`scrollBy(0, document.querySelector(".page").getBoundingClientRect().top)`, nil))
	at("2")
	f.Until(`document.querySelector(".page").getBoundingClientRect().top >= -1`)
	var wrong []string
	f.Run(chromedp.Evaluate(`(async () => {
		const wrong = [];
		const part = (e) => { const r = e.getBoundingClientRect(); return Math.min(r.bottom,
			innerHeight) - Math.max(r.top, 0); };
		for (let y = 0; y < document.documentElement.scrollHeight - innerHeight; y += 37) {
			scrollTo(0, y);
			await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))));
			const most = Math.max(...[...document.querySelectorAll(".page")].map(part));
			const number = document.getElementById("page").value;
			if (part(document.querySelector('[data-number="' + number + '"]')) < most - 1) wrong.push(y + ": " + number);
		}
		return wrong;
	})()`, &wrong, webtest.Awaited))
	if len(wrong) > 0 {
		t.Errorf("pages that do not fill most of the window: %q", wrong)
	}
	f.Run(chromedp.Click("#next"))
	f.Quiet()
}

// TestBrowserPDFEnd checks that at the end of a document the number of the
// toolbar is that of the last page, however many pages are in view there, and
// at its beginning that of the first.
func TestBrowserPDFEnd(t *testing.T) {
	s := webtest.NewSite(t)
	deck := webtest.NewPDF()
	deck.Rotate = 90
	for _, l := range []*vitrine.Link{s.Publish("deck.pdf", deck.Pages(13).Bytes()),
		s.Publish("paper.pdf", webtest.MakePDF(13))} {
		tb := webtest.NewTab(t, chromedp.EmulateViewport(390, 844), s.Page(l))
		f := tb.Frame("/view")
		f.Opened("13")
		for range 6 { // several pages fit into the window
			f.Run(chromedp.Evaluate(`document.getElementById("smaller").click()`, nil))
		}
		f.Until(`(() => { const [a, b] = document.querySelectorAll(".page"); return b.getBoundingClientRect().bottom - a.getBoundingClientRect().top < innerHeight - 96 })()`)
		f.Run(chromedp.Evaluate(`scrollTo(0, 1e6)`, nil))
		f.Until(`document.getElementById("page").value === "13" && document.getElementById("next").disabled`)
		f.Run(chromedp.Evaluate(`scrollTo(0, 0)`, nil))
		f.Until(`document.getElementById("page").value === "1"`)
		f.Run(chromedp.Evaluate(`scrollTo(0, 1e6)`, nil))
		f.Until(`document.getElementById("page").value === "13"`)
		f.Run(chromedp.Evaluate(`document.getElementById("back").click()`, nil))
		f.Until(`document.getElementById("page").value === "12"`)
		f.Quiet()
		tb.Quiet()
	}
}

// TestBrowserPDFSingle checks that a document that is wider than high fills a
// window that is, too, with one page at a time, until the reader chooses to see
// all, and that keys, the wheel and clicks turn these pages.
func TestBrowserPDFSingle(t *testing.T) {
	const slides = `document.documentElement.classList.contains("slides")`
	deck := webtest.NewPDF()
	deck.Rotate = 90
	deck.Pages(6)
	tb, f := openPDF(t, deck.Bytes(), "6", chromedp.EmulateViewport(1280, 800))
	alone := func(page string) {
		t.Helper()
		f.Until(slides + ` && document.getElementById("page").value === "` + page + `" && [...document.querySelectorAll(".page")].every((e) => {
			const r = e.getBoundingClientRect();
			return e.dataset.number === "` + page + `" ? r.top >= 8 && r.bottom <= innerHeight - 64 && r.height > innerHeight / 2 : r.bottom <= 0 || r.top >= innerHeight;
		})`)
	}
	alone("1")
	tb.Run(webtest.Keys(kb.ArrowRight))
	alone("2")
	tb.Run(webtest.Keys(kb.ArrowDown))
	alone("3")
	tb.Run(webtest.Keys(" "))
	alone("4")
	tb.Run(input.DispatchMouseEvent(input.MouseWheel, 600, 400).WithDeltaX(0).WithDeltaY(120))
	alone("5")
	for _, click := range []struct {
		x    float64
		page string
	}{{900, "6"}, {900, "6"}, {300, "5"}, {300, "4"}} {
		tb.Run(chromedp.MouseClickXY(click.x, 500))
		alone(click.page)
	}
	tb.Run(webtest.Keys(kb.End))
	alone("6")
	for _, width := range []int64{1100, 1280} {
		tb.Run(chromedp.EmulateViewport(width, width*5/8))
		f.Until(fmt.Sprintf(`innerWidth === %d`, width))
		alone("6")
	}
	tb.Run(webtest.Keys("s"))
	f.Until(`!` + slides + ` && document.getElementById("page").value === "6" && document.getElementById("single").ariaPressed === "false"`)
	const below = `((a, b) => b.getBoundingClientRect().top - a.getBoundingClientRect().bottom === 16)(...document.querySelectorAll(".page"))`
	f.Until(below)
	tb.Run(webtest.Keys("s"))
	alone("6")
	f.Until(`document.getElementById("single").ariaPressed === "true"`)
	tb.Run(webtest.Keys("-"))
	f.Until(`!` + slides + ` && ` + below)
	tb.Run(webtest.Keys("0"))
	alone("6")
	f.Quiet()
	tb.Quiet()

	_, f = openPDF(t, deck.Bytes(), "6", chromedp.EmulateViewport(390, 844))
	f.Until(`!` + slides)
	_, f = openPDF(t, webtest.MakePDF(3), "3", chromedp.EmulateViewport(1280, 800))
	f.Until(`!` + slides)
}
