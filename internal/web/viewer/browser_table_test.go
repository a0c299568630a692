package viewer_test

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shownRows is an expression for the visible rows of a table.
const shownRows = `[...document.querySelectorAll(".grid tbody tr")].filter((r) => r.checkVisibility())`

// TestBrowserTable searches and sorts a long table, which scrolls in its box
// below its head.
func TestBrowserTable(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, s.Page(s.Publish("visitors.csv", webtest.ManyRows())))
	tb.Until(shownRows + `.length === 250`)
	tb.Run(chromedp.Focus("#query"), chromedp.SendKeys("#query", "cafe"))
	tb.Until(`document.getElementById("found").textContent === "5 rows" && ` + shownRows + `.length === 5`)
	tb.Run(chromedp.KeyEvent(kb.Escape))
	tb.Until(`document.getElementById("found").textContent === "" && ` + shownRows + `.length === 250`)

	sort := `.grid thead th:nth-child(3) button`
	tb.Run(chromedp.Click(sort))
	tb.Until(`document.querySelector("th[aria-sort]").getAttribute("aria-sort") === "ascending" && ` + shownRows +
		`[0].cells[2].textContent === "0,000" && ` + shownRows + `.length === 250`)
	tb.Run(chromedp.Focus(sort), chromedp.KeyEvent(kb.Enter))
	tb.Until(shownRows + `[0].cells[2].textContent.startsWith("249,")`)
	tb.Run(chromedp.KeyEvent(" "))
	tb.Until(shownRows + `[0].cells[1].textContent === "Town 0" && document.querySelector("th[aria-sort]") === null`)
	tb.Accessible("a table")
	tb.Quiet()
}

// TestBrowserTableScrolls checks on each width that the page of a table does
// not scroll, but the table does: by keys, and by the wheel beside it, with its
// head in view.
func TestBrowserTableScrolls(t *testing.T) {
	s := webtest.NewSite(t)
	wide := bytes.ReplaceAll(webtest.ManyRows(), []byte("\n"), []byte(strings.Repeat(",more of it", 12)+"\n"))
	wide = append([]byte("City,Visitors,Note,D,E,F,G,H,I,J,K,L,M,N,O\n"), wide...)
	for name, content := range map[string][]byte{"few.csv": webtest.ManyRows(), "wide.csv": wide} {
		l := s.Publish(name, content)
		for _, width := range []int64{1440, 390, 320} {
			tb := webtest.NewTab(t, chromedp.EmulateViewport(width, 800), s.Page(l))
			tb.Until(`document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth`)
			tb.Run(chromedp.KeyEvent(kb.End))
			tb.Until(`((grid) => grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 1 &&
				grid.querySelector("thead").getBoundingClientRect().height > 0 &&
				Math.abs(grid.querySelector("thead th").getBoundingClientRect().top - grid.getBoundingClientRect().top) < 2 &&
				grid.getBoundingClientRect().bottom <= innerHeight)(document.querySelector(".grid"))`)
			tb.Run(input.DispatchMouseEvent(input.MouseWheel, 4, 400).WithDeltaX(0).WithDeltaY(-20_000))
			tb.Until(`document.querySelector(".grid").scrollTop === 0`)
			tb.Accessible("a table that scrolls")
			tb.Quiet()
		}
	}
}

// TestBrowserTableDepth checks that how far a table was scrolled in its box is
// how far it was read, and that a search does not count.
func TestBrowserTableDepth(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("visitors.csv", webtest.ManyRows())
	tb := webtest.NewTab(t, s.Page(l))
	tb.Until(shownRows + `.length === 250`)
	tb.Run(chromedp.SendKeys("#query", "cafe"))
	tb.Until(shownRows + `.length === 5`)
	tb.Run(chromedp.KeyEvent(kb.Escape), chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 3000`, nil))
	var part float64
	tb.Run(chromedp.Evaluate(`((grid) => (grid.scrollTop + grid.clientHeight) / grid.scrollHeight)(document.querySelector(".grid"))`, &part))
	o := s.Session(t, l, "a part of a table",
		func(s *report.Session) bool { return s.Depth > 300_000 && s.EngagedMs > 0 })
	if !near(float64(o.Session.Depth), part*1e6, 20_000) {
		t.Errorf("depth = %v, want about %v", o.Session.Depth, part*1e6)
	}
	tb.Run(chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e6`, nil))
	s.Session(t, l, "a table that was read to its end", func(s *report.Session) bool { return s.Depth == 1_000_000 })
}

// TestBrowserTableWithoutScripting checks that without scripts the whole table
// is there.
func TestBrowserTableWithoutScripting(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, emulation.SetScriptExecutionDisabled(true), s.Page(s.Publish("visitors.csv",
		webtest.ManyRows())))
	tb.Until(shownRows + `.length === 250 && !document.getElementById("finder").checkVisibility() &&
		document.documentElement.scrollHeight <= innerHeight`)
	tb.Quiet()
}

// TestBrowserWorkbook searches all sheets of a workbook and sorts them by a
// column, by its name or its letter.
func TestBrowserWorkbook(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	for _, width := range []int64{1440, 390, 320} {
		l := s.Publish("accounts.xlsx", webtest.MakeBook(t, 300))
		s.Check(s.Server.Previews.Make(t.Context()))
		tb := webtest.NewTab(t, chromedp.EmulateViewport(width, 800), s.Page(l))
		tb.Until(shownRows + `.length === 300 && document.documentElement.scrollWidth <= innerWidth`)
		tb.Run(chromedp.SendKeys("#query", "customer 29"))
		tb.Until(`document.getElementById("found").textContent === "11 rows, 3 on other sheets" && ` + shownRows + `.length === 11`)
		tb.Run(chromedp.Click(`label[for="doc-sheet-2"]`))
		tb.Until(`document.getElementById("found").textContent === "3 rows, 11 on other sheets"`)
		tb.Run(chromedp.Click(`section:nth-of-type(2) th:nth-child(2) button`))
		tb.Until(shownRows + `.map((r) => r.cells[1].textContent).join() === "-2,9,10"`)
		tb.Run(chromedp.Click(`label[for="doc-sheet-1"]`), chromedp.Focus("#query"), chromedp.KeyEvent(kb.Escape))
		tb.Until(shownRows + `.length === 300`)
		const amount = `//th[button="Amount"]/button`
		tb.Run(chromedp.Click(amount), chromedp.Click(amount))
		tb.Until(shownRows + `[0].cells[1].textContent === "Customer 300" && ` + shownRows + `[0].cells[0].textContent === "301"`)
		tb.Run(chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e6`, nil))
		tb.Until(`((grid) => grid.scrollTop > 1000 && grid.getBoundingClientRect().bottom <= innerHeight && document.documentElement.scrollHeight <= innerHeight &&
			Math.abs(grid.querySelector("thead tr:last-child th").getBoundingClientRect().top -
				grid.getBoundingClientRect().top) < 2)(document.querySelector(".grid"))`)
		tb.Accessible("a workbook")
		tb.Quiet()
		s.Session(t, l, "a sheet that was read to its end",
			func(s *report.Session) bool { return s.Depth == 1_000_000 })
	}
}
