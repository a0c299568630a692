package viewer_test

import (
	"testing"
	"time"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestBrowserPDFText checks that a PDF can be read as text that fits a phone:
// lines are joined, the pages in view are told as before, what is found is
// marked, and the text can be made larger.
func TestBrowserPDFText(t *testing.T) {
	const listen = `window.told = []; addEventListener("message", ({data}) => data?.vitrine?.shown && told.push(data.vitrine))`
	tb, f := openPDF(t, webtest.Letter(), "8", chromedp.EmulateViewport(390, 844),
		chromedp.ActionFunc(webtest.OnNewDocument(listen)))
	f.TurnTo("3")
	tb.Until(`told.at(-1).page === 3`)
	f.Run(chromedp.Click("#read", chromedp.ByQuery))
	f.Until(`document.querySelector('[data-number="3"] p')?.textContent === "The spring exhibition stayed open for longer than planned. It was well visited, in all its months, by people of all ages."`)
	f.Until(`document.querySelector('[data-number="3"] h2').textContent === "A heading"`)
	f.Until(`parseFloat(getComputedStyle(document.querySelector("p > span")).fontSize) >= 16`)
	f.Until(`document.getElementById("page").value === "3"`)
	tb.Until(`told.at(-1).shown.includes(3)`)
	f.Run(chromedp.Click("#next"), chromedp.Click("#next"), chromedp.Click("#next"))
	tb.Until(`told.at(-1).page === 6 && told.at(-1).shown.includes(6) && !told.at(-1).shown.includes(3)`)

	f.Until(`document.documentElement.scrollWidth <= innerWidth`)
	f.Run(chromedp.Evaluate(`window.high = document.querySelector("p > span").offsetHeight`, nil),
		chromedp.Click("#more", chromedp.ByQuery), chromedp.Click(`[data-step="up"]`), chromedp.Click(`[data-step="up"]`),
		chromedp.Click("#more", chromedp.ByQuery))
	f.Until(`document.querySelector("p > span").offsetHeight > high && document.getElementById("scale").textContent === "125 %"`)
	f.Until(`document.getElementById("page").value === "6"`)

	f.Run(chromedp.Click("#open-find"), webtest.Type("#query", "exhibition"))
	const marked = `(() => {
		const m = document.querySelector('[data-number="6"] .found'),
			w = document.querySelector('[data-number="6"] p > span');
		if (!m || !w) return false;
		const a = m.getBoundingClientRect(), b = w.getBoundingClientRect();
		return Math.abs(a.top - b.top) < 12 && a.left >= b.left && a.right <= innerWidth;
	})()`
	f.Until(marked)
	f.Run(chromedp.Click("#more", chromedp.ByQuery), chromedp.Click(`[data-step="down"]`))
	f.Until(marked) // where its words are now

	f.Run(chromedp.Click("#find-close"), chromedp.Click("#read", chromedp.ByQuery))
	f.Until(`document.querySelector('[data-number="6"] canvas') !== null && document.querySelector("h2:not(#keys-title)") === null`)
	f.Until(`document.getElementById("page").value === "6" && document.getElementById("scale").textContent === "49 %"`)
	f.TurnTo("8")
	f.Run(chromedp.Click("#read", chromedp.ByQuery))
	f.Until(`document.querySelector('.reading [data-number="8"] header + canvas')?.offsetWidth > 300`) // no text: the page itself
	f.Run(chromedp.Click(`[data-number="8"] button`))
	f.Until(`!document.documentElement.classList.contains("reading") && document.getElementById("page").value === "8"`)
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFSlides checks that pages are turned one by one where several
// are in view.
func TestBrowserPDFSlides(t *testing.T) {
	file := webtest.NewPDF()
	file.Rotate = 90
	_, f := openPDF(t, file.Pages(6).Bytes(), "6", chromedp.EmulateViewport(390, 844))
	for _, at := range []string{"2", "3", "4"} {
		f.Run(chromedp.Click("#next"))
		f.Until(`document.getElementById("page").value === "` + at + `"`)
	}
	f.Run(chromedp.Click("#back"))
	f.Until(`document.getElementById("page").value === "3"`)
	f.Quiet()
}

// TestBrowserPDFSmallest checks that the bar fits the narrowest phone.
func TestBrowserPDFSmallest(t *testing.T) {
	_, f := openPDF(t, webtest.MakePDF(120), "120", chromedp.EmulateViewport(320, 568, chromedp.EmulateTouch,
		chromedp.EmulateMobile))
	f.Run(emulation.SetTouchEmulationEnabled(true))
	f.Until(`matchMedia("(pointer: coarse)").matches`)
	f.Until(`[...document.querySelectorAll("#bar > *")].every((e) => {
		const r = e.getBoundingClientRect();
		return !r.width || (r.left >= 0 && r.right <= innerWidth && (e.tagName !== "BUTTON" || r.width >= 44));
	})`)
	f.Quiet()
}

// TestBrowserPDFColumn checks that a double tap on text lets its column fill
// the window.
func TestBrowserPDFColumn(t *testing.T) {
	tb, f := openPDF(t, webtest.Letter(), "8", chromedp.EmulateViewport(390, 844, chromedp.EmulateTouch,
		chromedp.EmulateMobile))
	f.Run(emulation.SetTouchEmulationEnabled(true))
	f.Until(`document.querySelector(".text")?.textContent.includes("people of all ages")`)
	var y float64
	tb.Run(chromedp.Evaluate(`document.querySelector("iframe").getBoundingClientRect().top`, &y))
	var at float64
	f.Run(chromedp.Evaluate(`((r) => (r.top + r.bottom) / 2)(document.querySelector(".text span:last-of-type").getBoundingClientRect())`, &at))
	f.Run(chromedp.Evaluate(`window.before = document.querySelector(".page").offsetWidth`, nil))
	when := input.TimeSinceEpoch(time.Now())
	for range 2 {
		tb.Run(input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: 80, Y: y + at, ID: 1}}).
			WithTimestamp(&when), input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}).WithTimestamp(&when))
	}
	f.Until(`(() => {
		const r = [...document.querySelectorAll(".text span")].find((s) => s.textContent.startsWith("in all"))?.getBoundingClientRect();
		return r && Math.abs(r.left - 12) < 4 && document.querySelector(".page").offsetWidth > 1.5 * before;
	})()`)
	f.Quiet()
	tb.Quiet()
}
