package web_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// letter returns a PDF of 8 pages of which each has the same text over several
// lines, and the last has none.
func letter() []byte {
	f := newPDF()
	for range 7 {
		f.page("A heading", []string{"The spring exhibi-", "tion stayed open for", "longer than planned.",
			"It was well visited,", "in all its months, by", "people of all ages."}, nil)
	}
	f.page("", nil, nil)
	return f.bytes()
}

// TestBrowserPDFText checks that a PDF can be read as text that fits a phone:
// lines are joined, the pages in view are told as before, what is found is
// marked, and the text can be made larger.
func TestBrowserPDFText(t *testing.T) {
	const listen = `window.told = []; addEventListener("message", ({data}) => data?.vitrine?.shown && told.push(data.vitrine))`
	tb, f := openPDF(t, letter(), "8", chromedp.EmulateViewport(390, 844), chromedp.ActionFunc(onNewDocument(listen)))
	f.turnTo("3")
	tb.until(`told.at(-1).page === 3`)
	f.run(chromedp.Click("#read"))
	f.until(`document.querySelector('[data-number="3"] p')?.textContent === "The spring exhibition stayed open for longer than planned. It was well visited, in all its months, by people of all ages."`)
	f.until(`document.querySelector('[data-number="3"] h2').textContent === "A heading"`)
	f.until(`parseFloat(getComputedStyle(document.querySelector("p > span")).fontSize) >= 16`)
	f.until(`document.getElementById("page").value === "3"`)
	tb.until(`told.at(-1).shown.includes(3)`)
	f.run(chromedp.Click("#next"), chromedp.Click("#next"), chromedp.Click("#next"))
	tb.until(`told.at(-1).page === 6 && told.at(-1).shown.includes(6) && !told.at(-1).shown.includes(3)`)

	f.until(`document.documentElement.scrollWidth <= innerWidth`)
	f.run(chromedp.Evaluate(`window.high = document.querySelector("p > span").offsetHeight`, nil), chromedp.Click("#more"),
		chromedp.Click(`[data-step="up"]`), chromedp.Click(`[data-step="up"]`), chromedp.Click("#more"))
	f.until(`document.querySelector("p > span").offsetHeight > high && document.getElementById("scale").textContent === "125 %"`)
	f.until(`document.getElementById("page").value === "6"`)

	f.run(chromedp.Click("#open-find"), chromedp.SendKeys("#query", "exhibition"))
	const marked = `(() => {
		const m = document.querySelector('[data-number="6"] .found'), w = document.querySelector('[data-number="6"] p > span');
		if (!m || !w) return false;
		const a = m.getBoundingClientRect(), b = w.getBoundingClientRect();
		return Math.abs(a.top - b.top) < 12 && a.left >= b.left && a.right <= innerWidth;
	})()`
	f.until(marked)
	f.run(chromedp.Click("#more"), chromedp.Click(`[data-step="down"]`))
	f.until(marked) // where its words are now

	f.run(chromedp.Click("#find-close"), chromedp.Click("#read"))
	f.until(`document.querySelector('[data-number="6"] canvas') !== null && document.querySelector("h2:not(#keys-title)") === null`)
	f.until(`document.getElementById("page").value === "6" && document.getElementById("scale").textContent === "49 %"`)
	f.turnTo("8")
	f.run(chromedp.Click("#read"))
	f.until(`document.querySelector('.reading [data-number="8"] header + canvas')?.offsetWidth > 300`) // no text: the page itself
	f.run(chromedp.Click(`[data-number="8"] button`))
	f.until(`!document.documentElement.classList.contains("reading") && document.getElementById("page").value === "8"`)
	f.quiet()
	tb.quiet()
}

// TestBrowserPDFSlides checks that pages are turned one by one where several
// are in view.
func TestBrowserPDFSlides(t *testing.T) {
	file := newPDF()
	file.rotate = 90
	_, f := openPDF(t, file.pages(6).bytes(), "6", chromedp.EmulateViewport(390, 844))
	for _, at := range []string{"2", "3", "4"} {
		f.run(chromedp.Click("#next"))
		f.until(`document.getElementById("page").value === "` + at + `"`)
	}
	f.run(chromedp.Click("#back"))
	f.until(`document.getElementById("page").value === "3"`)
	f.quiet()
}

// TestBrowserPDFSmallest checks that the bar fits the narrowest phone.
func TestBrowserPDFSmallest(t *testing.T) {
	_, f := openPDF(t, makePDF(120), "120", chromedp.EmulateViewport(320, 568, chromedp.EmulateTouch,
		chromedp.EmulateMobile))
	f.run(emulation.SetTouchEmulationEnabled(true))
	f.until(`matchMedia("(pointer: coarse)").matches`)
	f.until(`[...document.querySelectorAll("#bar > *")].every((e) => {
		const r = e.getBoundingClientRect();
		return !r.width || (r.left >= 0 && r.right <= innerWidth && (e.tagName !== "BUTTON" || r.width >= 44));
	})`)
	f.quiet()
}

// TestBrowserPDFColumn checks that a double tap on text lets its column fill
// the window.
func TestBrowserPDFColumn(t *testing.T) {
	tb, f := openPDF(t, letter(), "8", chromedp.EmulateViewport(390, 844, chromedp.EmulateTouch,
		chromedp.EmulateMobile))
	f.run(emulation.SetTouchEmulationEnabled(true))
	f.until(`document.querySelector(".text")?.textContent.includes("people of all ages")`)
	var y float64
	tb.run(chromedp.Evaluate(`document.querySelector("iframe").getBoundingClientRect().top`, &y))
	var at float64
	f.run(chromedp.Evaluate(`((r) => (r.top + r.bottom) / 2)(document.querySelector(".text span:last-of-type").getBoundingClientRect())`, &at))
	f.run(chromedp.Evaluate(`window.before = document.querySelector(".page").offsetWidth`, nil))
	when := input.TimeSinceEpoch(time.Now())
	for range 2 {
		tb.run(input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: 80, Y: y + at, ID: 1}}).
			WithTimestamp(&when), input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}).WithTimestamp(&when))
	}
	f.until(`(() => {
		const r = [...document.querySelectorAll(".text span")].find((s) => s.textContent.startsWith("in all"))?.getBoundingClientRect();
		return r && Math.abs(r.left - 12) < 4 && document.querySelector(".page").offsetWidth > 1.5 * before;
	})()`)
	f.quiet()
	tb.quiet()
}
