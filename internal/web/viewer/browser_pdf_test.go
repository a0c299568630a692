package viewer_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestBrowserPDF(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, s.Page(s.Publish("report.pdf", webtest.Samples["report.pdf"])))
	f := tb.Frame("/view")
	f.Opened("12")
	f.Until(`document.querySelector(".text span")?.textContent === "Page 1"`)
	f.TurnTo("5")
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFControls checks the keys and the toolbar of the PDF viewer, and
// zooming.
func TestBrowserPDFControls(t *testing.T) {
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	tb := webtest.NewTab(t, s.Page(l))
	f := tb.Frame("/view")
	f.Opened("12")
	at := func(page string) {
		t.Helper()
		f.Until(`document.getElementById("page").value === "` + page + `"`)
	}
	width := func(condition string) {
		t.Helper()
		f.Until(`(() => { const w = document.querySelector(".page").offsetWidth; return ` + condition + ` })()`)
	}
	tb.Until(`document.activeElement.tagName === "IFRAME"`) // the document has the focus
	at("1")
	f.TabTo("#page")
	f.TabTo("#more") // no field keeps the focus
	tb.Run(webtest.Keys(kb.ArrowRight))
	at("2")
	tb.Run(webtest.Keys(kb.ArrowRight), webtest.Keys(kb.ArrowLeft))
	at("2")
	f.Run(chromedp.Click("#next"), chromedp.Click("#next"), chromedp.Click("#back"))
	at("3")
	f.Run(chromedp.Evaluate(`window.before = document.querySelector(".page").offsetWidth`, nil))
	tb.Run(webtest.Keys("+"))
	width(`w > before`)
	at("3")
	tb.Run(webtest.Keys("-"), webtest.Keys("-"))
	width(`w < before`)
	at("3")
	f.Run(chromedp.Click("#more", chromedp.ByQuery), chromedp.Click("#fit-width", chromedp.ByQuery))
	width(`Math.abs(w - document.documentElement.clientWidth) < 40`)
	f.Until(`document.querySelector("#fit-width").getAttribute("aria-pressed") === "true"`)
	f.Until(`(() => { const c = document.querySelector('[data-number="3"] canvas'); return c && Math.abs(c.width / devicePixelRatio - c.offsetWidth) < 2 })()`) // drawn again in the new size
	f.TurnTo("12")
	f.Until(`document.getElementById("next").disabled`)
	f.Until(`document.querySelector('[data-number="1"] canvas') === null`) // pages far away are released
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFTrouble checks that the viewer asks for the password of an
// encrypted PDF, and that an unreadable one shows an error with a download
// link.
func TestBrowserPDFTrouble(t *testing.T) {
	s := webtest.NewSite(t)
	locked := func(t *testing.T, data []byte) {
		tb := webtest.NewTab(t, s.Page(s.Publish("locked.pdf", data)))
		f := tb.Frame("/view")
		f.Until(`!document.getElementById("password").hidden`)
		f.Run(webtest.Type("#password input", "wrong"), chromedp.Click("#password button", chromedp.ByQuery))
		f.Until(`document.getElementById("ask").textContent.includes("not the password")`)
		f.Run(webtest.Type("#password input", "secret"+kb.Enter))
		f.Opened("1")
		f.Until(`document.querySelector(".text span")?.textContent === "Page 1"`)
		f.Quiet()
	}
	t.Run("RC4", func(t *testing.T) { locked(t, webtest.MakeLockedPDF("secret")) })
	t.Run("AES", func(t *testing.T) { locked(t, makeAESLockedPDF("secret")) })

	broken := s.Publish("broken.pdf", bytes.ReplaceAll(webtest.MakePDF(1), []byte("/Pages"), []byte("/Nopes")))
	tb := webtest.NewTab(t, s.Page(broken))
	tb.Until(`!document.getElementById("cannot").hidden && document.querySelector("#cannot .notice").textContent.includes("damaged") && document.querySelector("#cannot a[data-download]") !== null`)

	gone := s.Publish("gone.pdf", webtest.Samples["report.pdf"])
	r := s.Get("/p/" + string(gone.Slug))
	s.SetState(gone, vitrine.StateDisabled)
	s.Status(s.Get(s.ContentOf(r.Text)), 410)
}

// TestBrowserPDFRanges checks that the viewer reads only the parts of a large
// PDF that it shows.
func TestBrowserPDFRanges(t *testing.T) {
	var sent atomic.Int64
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/file") {
				w = webtest.Counter{ResponseWriter: w, Sent: &sent}
			}
			next.ServeHTTP(w, r)
		})
	}})
	l := s.Publish("large.pdf", makeLargePDF(80, 40<<20))
	tb := webtest.NewTab(t, s.Page(l))
	f := tb.Frame("/view")
	f.Opened("80")
	f.TurnTo("80")
	f.Until(`document.querySelector('[data-number="80"] .text span')?.textContent === "Page 80"`)
	if n := sent.Load(); n > 2<<20 {
		t.Errorf("%d of %d bytes were read for two pages, want at most 2 MiB", n, l.Size)
	}
	f.Quiet()
	tb.Quiet()
}

// prose returns a PDF whose text is hard to search: accents, a ligature, a word
// over two lines, and two columns with the same text.
func prose(pages int) []byte {
	f := webtest.NewPDF()
	titles := map[int]string{}
	for i := range pages {
		lines := []string{"Publish a file."}
		switch i % 10 {
		case 2:
			lines = append(lines, "A r\\351sum\\351 of all \\001ndings, and a na\\357ve one.")
		case 6:
			lines = append(lines, "What is in a docu-", "ment, or in a well-", "known one?")
		}
		if i%10 == 0 {
			titles[i+1] = fmt.Sprintf("Chapter %d", i/10+1)
		}
		f.Page(fmt.Sprintf("Page %d", i+1), lines, nil)
	}
	f.Outline(titles)
	return f.Bytes()
}

// openPDF opens a PDF and waits until its first page is drawn.
func openPDF(t *testing.T, data []byte, pages string, actions ...chromedp.Action) (tb, f *webtest.Tab) {
	t.Helper()
	s := webtest.NewSite(t)
	tb = webtest.NewTab(t, append(actions, s.Page(s.Publish("document.pdf", data)))...)
	f = tb.Frame("/view")
	f.Opened(pages)
	tb.Until(`document.activeElement.tagName === "IFRAME"`)
	return tb, f
}

// ctrl presses a key with Ctrl held down.
func ctrl(key string) chromedp.Action {
	return webtest.Keys(key, chromedp.KeyModifiers(input.ModifierCtrl))
}

func shift(key string) chromedp.Action {
	return webtest.Keys(key, chromedp.KeyModifiers(input.ModifierShift))
}

// TestBrowserPDFFind checks that a search covers all pages, counts the matches,
// and marks each at its place.
func TestBrowserPDFFind(t *testing.T) {
	tb, f := openPDF(t, prose(60), "60")
	count := func(text string) {
		t.Helper()
		f.Until(`document.getElementById("found").textContent .endsWith(` + strconv.Quote(text) +
			`) && document.getElementById("find").style.getPropertyValue("--read") === "0"`)
	}
	// current waits until the current match is in view, covers the words and is
	// on the page.
	current := func(page, words string) {
		t.Helper()
		f.Until(`(() => {
			const m = document.querySelector('[data-number="` + page + `"] .found.here');
			if (!m) return false;
			const r = m.getBoundingClientRect(), hit = document.elementsFromPoint(r.left + r.width / 2,
				r.top + r.height / 2).find((e) => e.closest(".text"));
			return r.width > 5 && r.top >= 0 && r.bottom <= innerHeight && hit?.textContent.includes(` + strconv.Quote(words) + `);
		})()`)
	}
	tb.Run(ctrl("f"))
	f.Until(`document.activeElement?.id === "query"`)
	tb.Run(webtest.Keys("RESUME"))
	count("1 of 6")
	current("3", "sum")
	f.Until(`document.getElementById("said").textContent === "1 of 6"`)
	tb.Run(webtest.Keys(kb.Enter))
	count("2 of 6")
	current("13", "sum")
	tb.Run(shift(kb.Enter), shift(kb.Enter))
	count("6 of 6") // the last match precedes the first
	current("53", "sum")
	tb.Run(webtest.Keys(kb.F3))
	count("1 of 6")
	current("3", "sum")

	again := func(query, want string) {
		t.Helper()
		tb.Run(ctrl("a"), webtest.Keys(query))
		count(want)
	}
	again("fi", " of 66") // each page contains "file"
	again("document", "1 of 6")
	current("7", "docu-")
	f.Until(`document.querySelectorAll(".found.here").length === 2`) // on two lines
	again(".*", "None")
	f.Until(`document.getElementById("said").textContent === "Not found"`)
	again("page 60", "1 of 1")
	current("60", "Page 60")
	tb.Run(webtest.Keys(kb.Escape))
	f.Until(`document.getElementById("find").hidden && document.querySelector(".found") === null`)
	tb.Run(webtest.Keys("/"))
	f.Until(`document.activeElement?.id === "query" && document.querySelector(".found.here") !== null`)
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFFindFromHere checks that a search begins at the current page,
// and that its marks stay in place when the page is rotated.
func TestBrowserPDFFindFromHere(t *testing.T) {
	tb, f := openPDF(t, prose(60), "60")
	f.TurnTo("30")
	tb.Run(webtest.Keys("/"))
	f.Until(`document.activeElement?.id === "query"`)
	tb.Run(webtest.Keys("naive"))
	f.Until(`document.getElementById("found").textContent === "4 of 6"`)
	f.Until(`document.querySelector('[data-number="33"] .found.here') !== null`)
	tb.Run(webtest.Keys(kb.Escape), webtest.Keys("r"), webtest.Keys("/"))
	f.Until(`(() => {
		const r = document.querySelector('[data-number="33"] .found.here')?.getBoundingClientRect();
		return r && r.height > r.width && r.top >= 0 && r.bottom <= innerHeight;
	})()`)
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFSide checks that thumbnails are drawn where they are visible
// and released far away, and that bookmarks lead to their targets.
func TestBrowserPDFSide(t *testing.T) {
	tb, f := openPDF(t, prose(300), "300")
	f.Until(`document.getElementById("side").hidden && !document.querySelector("#thumbs button")`)
	f.Run(chromedp.Evaluate(`window.before = document.querySelector(".page").offsetWidth`, nil))
	tb.Run(webtest.Keys("t"))
	const drawn = `document.querySelectorAll("#thumbs canvas").length`
	f.Until(`document.querySelectorAll("#thumbs button").length === 300 && ` + drawn + ` > 1`)
	f.Until(drawn + ` < 60 && document.activeElement.dataset.number === "1"`)
	tb.Run(webtest.Keys(kb.ArrowDown), webtest.Keys(kb.ArrowDown))
	f.Until(`document.getElementById("page").value === "3" && document.querySelector("#thumbs [aria-current]").dataset.number === "3" && document.activeElement.dataset.number === "3"`)
	tb.Run(webtest.Keys(kb.End))
	f.Until(`document.getElementById("page").value === "300" && document.querySelector('#thumbs [data-number="300"] canvas') !== null`)
	f.Until(`document.querySelector('#thumbs [data-number="1"] canvas') === null && ` + drawn + ` < 60`)
	f.Until(`(() => { const c = document.querySelector('#thumbs [data-number="300"] canvas'); return new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer).some((p) => p !== 0xffffffff) })()`)

	f.Run(chromedp.Click("#tab-outline"))
	f.Until(`document.querySelectorAll("#outline a").length === 30 && document.getElementById("thumbs").hidden`)
	f.Run(chromedp.Click(`//nav[@id="outline"]//a[text()="Chapter 4"]`, chromedp.BySearch))
	f.Until(`document.getElementById("page").value === "31"`)
	f.Until(`(() => { const r = document.querySelector('[data-number="31"]').getBoundingClientRect(); return r.top < 0 && r.top > -r.height / 2 })()`) // a little below the top of the page
	tb.Run(webtest.Keys(kb.Escape))
	f.Until(`document.getElementById("side").hidden && document.querySelector(".page").offsetWidth === before`)
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFFit checks that the chosen fit is kept when the window changes,
// and that the text is rotated with its page.
func TestBrowserPDFFit(t *testing.T) {
	tb, f := openPDF(t, webtest.MakePDF(5), "5", chromedp.EmulateViewport(1000, 700))
	page := func(condition string) {
		t.Helper()
		f.Until(`(() => { const r = document.querySelector(".page").getBoundingClientRect(); return ` + condition +
			` })()`)
	}
	room := func(width, height int64) {
		t.Helper()
		tb.Run(chromedp.EmulateViewport(width, height))
		f.Until(fmt.Sprintf(`innerWidth === %d`, width))
	}
	const wide = `Math.abs(r.width - document.documentElement.clientWidth) < 40`
	tb.Run(webtest.Keys("w"))
	page(wide)
	room(700, 700)
	page(wide)
	tb.Run(webtest.Keys("p"))
	const whole = `r.height <= innerHeight && r.height > innerHeight - 100 && r.top >= 0`
	page(whole)
	room(900, 900)
	page(whole)
	tb.Run(webtest.Keys("1"))
	page(`Math.abs(r.width - 595 * 96 / 72) < 1`)
	room(1000, 700)
	page(`Math.abs(r.width - 595 * 96 / 72) < 1`)
	tb.Run(webtest.Keys("0"))
	page(`r.width > 595 * 96 / 72`)
	tb.Run(webtest.Keys("r"))
	page(`r.width > r.height`)
	// The first word is at the top left. After a quarter turn it is at the top
	// right and runs down.
	f.Until(`(() => {
		const p = document.querySelector(".page").getBoundingClientRect(),
			w = document.querySelector(".text span")?.getBoundingClientRect();
		return w && w.height > w.width && w.left > p.left + p.width * 0.75 && w.right < p.right && w.top < p.top + p.height * 0.25;
	})()`)
	f.Until(`document.querySelector(".page canvas").width > document.querySelector(".page canvas").height`)
	tb.Run(webtest.Keys("r"), webtest.Keys("r"), webtest.Keys("r"))
	page(`r.width < r.height`)
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFTree checks that pages are found in a nested page tree as in a
// flat one, by number and by bookmark.
func TestBrowserPDFTree(t *testing.T) {
	file := webtest.NewPDF()
	file.Branch = 7
	file.Pages(30).Outline(map[int]string{1: "First", 19: "Nineteenth", 30: "Last"})
	tb, f := openPDF(t, file.Bytes(), "30")
	for _, page := range []string{"30", "8", "7", "22"} {
		f.TurnTo(page)
		f.Until(`document.querySelector('[data-number="` + page + `"] .text span')?.textContent === "Page ` + page +
			`"`)
	}
	tb.Run(webtest.Keys("t"))
	f.Run(chromedp.Click("#tab-outline"), chromedp.Click(`//nav[@id="outline"]//a[text()="Nineteenth"]`,
		chromedp.BySearch))
	f.Until(`document.getElementById("page").value === "19" && document.querySelector('[data-number="19"] .text span')?.textContent === "Page 19"`)
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFTurned checks that the text of a page that the document itself
// rotates is at the place of its picture.
func TestBrowserPDFTurned(t *testing.T) {
	file := webtest.NewPDF()
	file.Rotate = 270
	_, f := openPDF(t, file.Pages(1).Bytes(), "1")
	f.Until(`(() => {
		const p = document.querySelector(".page").getBoundingClientRect(),
			w = document.querySelector(".text span")?.getBoundingClientRect();
		return w && p.width > p.height && w.height > w.width && w.left < p.left + p.width * 0.25 && w.top > p.top + p.height / 2;
	})()`)
	f.Quiet()
}

// TestBrowserPDFTouch checks that two fingers zoom around the point between
// them, and that a double tap zooms in and out.
func TestBrowserPDFTouch(t *testing.T) {
	tb, f := openPDF(t, webtest.MakePDF(12), "12", chromedp.EmulateViewport(390, 844, chromedp.EmulateTouch,
		chromedp.EmulateMobile))
	f.Run(emulation.SetTouchEmulationEnabled(true)) // in the frame too, for its styles
	f.Until(`matchMedia("(pointer: coarse)").matches`)
	touch := func(kind input.TouchType, points ...*input.TouchPoint) {
		tb.Run(input.DispatchTouchEvent(kind, points))
	}
	at := func(x, y float64, id float64) *input.TouchPoint { return &input.TouchPoint{X: x, Y: y, ID: id} }
	f.Run(chromedp.Evaluate(`{
		const r = document.querySelector(".page").getBoundingClientRect();
		window.before = { width: r.width, across: (195 - r.left) / r.width };
	}`, nil))
	touch(input.TouchStart, at(155, 400, 1), at(235, 400, 2))
	touch(input.TouchMove, at(135, 400, 1), at(255, 400, 2))
	f.Until(`document.getElementById("pages").style.transform.includes("scale(1.5")`)
	f.Until(`document.querySelector(".page").offsetWidth === Math.round(before.width)`) // not drawn again yet, only stretched
	touch(input.TouchMove, at(115, 400, 1), at(275, 400, 2))
	f.Until(`document.getElementById("pages").style.transform.includes("scale(2")`)
	touch(input.TouchEnd)
	f.Until(`(() => {
		const r = document.querySelector(".page").getBoundingClientRect();
		return document.getElementById("pages").style.transform === "" && Math.abs(r.width / before.width - 2) < 0.02 && Math.abs((195 - r.left) / r.width - before.across) < 0.02;
	})()`)
	drawn := func() { // drawn again; before that a busy page may miss a touch, and the browser cancels it
		t.Helper()
		f.Until(`(() => { const c = document.querySelector(".page canvas"); return c && Math.abs(c.width / devicePixelRatio - c.offsetWidth) < 2 })()`)
	}
	drawn()
	// tap sends two taps with the same timestamp. Timestamps have whole
	// seconds, so others could differ by a second.
	tap := func() {
		t.Helper()
		when := input.TimeSinceEpoch(time.Now())
		for range 2 {
			tb.Run(input.DispatchTouchEvent(input.TouchStart,
				[]*input.TouchPoint{at(200, 500, 1)}).WithTimestamp(&when))
			tb.Run(input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}).WithTimestamp(&when))
		}
	}
	width := func(condition string) {
		t.Helper()
		f.Until(`(() => { const w = document.querySelector(".page").offsetWidth / before.width; return ` + condition +
			` })()`)
	}
	tap()
	width(`Math.abs(w - 1) < 0.02`)
	drawn()
	tap()
	width(`Math.abs(w - 2.5) < 0.05`)
	var small string
	f.Run(chromedp.Evaluate(`JSON.stringify([...document.querySelectorAll("#bar button, #bar input")].filter((e) => e.offsetWidth && (e.offsetHeight < 44 || (e.offsetWidth < 44 && e.tagName === "BUTTON"))).map((e) => e.id))`, &small))
	if small != "[]" {
		t.Errorf("touch targets are too small: %s", small)
	}
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFKeys checks the keys and the names of the controls, and that
// nothing exceeds the narrowest window.
func TestBrowserPDFKeys(t *testing.T) {
	tb, f := openPDF(t, prose(2000), "2000", chromedp.EmulateViewport(320, 480))
	page := func(n string) {
		t.Helper()
		f.Until(`document.getElementById("page").value === "` + n + `"`)
	}
	tb.Run(webtest.Keys(kb.End))
	page("2000")
	tb.Run(webtest.Keys(kb.Home))
	page("1")
	tb.Run(webtest.Keys("?"))
	f.Until(`document.getElementById("keys").matches(":popover-open")`)
	tb.Run(webtest.Keys(kb.Escape))
	f.Until(`!document.getElementById("keys").matches(":popover-open")`)
	tb.Run(chromedp.Focus("[popovertarget=share]"), webtest.Keys("?")) // outside of the frame
	f.Until(`document.hasFocus() && document.getElementById("keys").matches(":popover-open")`)
	tb.Run(webtest.Keys(kb.Escape))
	f.Until(`!document.getElementById("keys").matches(":popover-open")`)
	for _, open := range []string{"t", "/", "?"} {
		tb.Run(webtest.Keys(open))
		f.Until(`document.querySelector("#side:not([hidden]), #find:not([hidden]), :popover-open") !== null`)
		var out string
		f.Run(chromedp.Evaluate(`JSON.stringify([...document.querySelectorAll("button, input, a, [role=tab]")].filter((e) => {
			const r = e.getBoundingClientRect();
			return r.width && (r.left < 0 || r.right > innerWidth || !(e.ariaLabel || e.innerText || e.getAttribute("aria-labelledby")));
		}).map((e) => e.outerHTML))`, &out))
		if out != "[]" {
			t.Errorf("controls without a name or outside the window: %s", out)
		}
		tb.Run(webtest.Keys(kb.Escape))
		f.Until(`document.querySelector("#side:not([hidden]), #find:not([hidden]), :popover-open") === null`)
	}
	f.Until(`document.documentElement.scrollWidth <= innerWidth`)
	f.Quiet()
	tb.Quiet()
}

// TestBrowserPDFDepth checks that the frame reports the largest depth to which
// the document was seen.
func TestBrowserPDFDepth(t *testing.T) {
	const listen = `window.told = []; addEventListener("message", ({data}) => data?.vitrine?.shown && told.push(data.vitrine))`
	tb, f := openPDF(t, webtest.MakePDF(12), "12", chromedp.ActionFunc(webtest.OnNewDocument(listen)))
	tb.Until(`told.length > 0 && told.at(-1).page === 1 && told.at(-1).depth > 0 && told.at(-1).depth < 20`)
	f.TurnTo("6")
	tb.Until(`told.at(-1).page === 6 && told.at(-1).shown.includes(6) && told.at(-1).depth > 35 && told.at(-1).depth < 65`)
	tb.Run(webtest.Keys(kb.End))
	f.Run(chromedp.Evaluate(`scrollTo(0, document.documentElement.scrollHeight)`, nil))
	tb.Until(`told.at(-1).depth === 100`)
	tb.Run(webtest.Keys(kb.Home))
	tb.Until(`told.at(-1).page === 1 && told.at(-1).depth === 100 && told.every((m, i) => Number.isInteger(m.depth) && (!i || m.depth >= told[i - 1].depth))`)
	f.Quiet()
	tb.Quiet()
}
