package viewer_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/viewer"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shownRows is an expression for the rows of a visible table that are drawn.
const shownRows = `[...document.querySelectorAll(".grid tbody:not([aria-hidden]) tr")].filter((r) => r.checkVisibility())`

// hasRows is an expression that is true once a visible table has all its rows,
// besides its names of columns.
func hasRows(n int) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".grid table")].find((t) => t.checkVisibility())?.ariaRowCount === "%d"`, n+1)
}

// TestBrowserTable searches and sorts a long table, which scrolls in its box
// below its head.
func TestBrowserTable(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, s.Page(s.Publish("visitors.csv", webtest.ManyRows())))
	tb.Until(hasRows(250))
	tb.Run(chromedp.Focus("#query"), webtest.Type("#query", "cafe"))
	tb.Until(`document.getElementById("found").textContent === "5 rows" && ` + shownRows + `.length === 5`)
	tb.Run(webtest.Keys(kb.Escape))
	tb.Until(`document.getElementById("found").textContent === "" && ` + hasRows(250))

	sort := `.grid thead th:nth-child(3) button`
	tb.Run(chromedp.Click(sort))
	tb.Until(`document.querySelector("th[aria-sort]").getAttribute("aria-sort") === "ascending" && ` + shownRows +
		`[0].cells[2].textContent === "0,000" && ` + hasRows(250))
	tb.Run(chromedp.Focus(sort), webtest.Keys(kb.Enter))
	tb.Until(shownRows + `[0].cells[2].textContent.startsWith("249,")`)
	tb.Run(webtest.Keys(" "))
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
			tb.Until(`document.querySelector(".grid table").ariaRowCount > 250`)
			tb.Run(webtest.Keys(kb.End))
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
	tb.Until(hasRows(250))
	tb.Run(webtest.Type("#query", "cafe"))
	tb.Until(shownRows + `.length === 5`)
	tb.Run(webtest.Keys(kb.Escape), chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 3000`, nil))
	var part float64
	tb.Run(chromedp.Evaluate(`((grid) => (grid.scrollTop + grid.clientHeight) / grid.scrollHeight)(document.querySelector(".grid"))`, &part))
	v := s.Session(t, l, "a part of a table",
		func(s *report.Session) bool { return s.Depth > 300_000 && s.EngagedMs > 0 })
	if !near(float64(v.Session.Depth), part*1e6, 20_000) {
		t.Errorf("depth = %v, want about %v", v.Session.Depth, part*1e6)
	}
	tb.Run(chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e6`, nil))
	s.Session(t, l, "a table that was read to its end", func(s *report.Session) bool { return s.Depth == 1_000_000 })
}

// TestBrowserTableWithoutScripting checks that without scripts the first rows
// are there, and a word that there are more.
func TestBrowserTableWithoutScripting(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, emulation.SetScriptExecutionDisabled(true), s.Page(s.Publish("visitors.csv",
		webtest.ManyRows())))
	tb.Until(shownRows + `.length === 99 && document.querySelector(".cut.no-script").checkVisibility() &&
		document.querySelector(".cut.no-script").textContent.startsWith("First 100 of 251 rows.") && !document.getElementById("finder").checkVisibility() &&
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
		tb.Until(hasRows(300) + ` && document.documentElement.scrollWidth <= innerWidth`)
		tb.Run(webtest.Type("#query", "customer 29"))
		tb.Until(`document.getElementById("found").textContent === "11 rows, 3 on other sheets" && ` + shownRows + `.length === 11`)
		tb.Run(chromedp.Click(`label[for="doc-sheet-2"]`))
		tb.Until(`document.getElementById("found").textContent === "3 rows, 11 on other sheets"`)
		tb.Run(chromedp.Click(`section:nth-of-type(2) th:nth-child(2) button`))
		tb.Until(shownRows + `.map((r) => r.cells[1].textContent).join() === "-2,9,10"`)
		tb.Run(chromedp.Click(`label[for="doc-sheet-1"]`), chromedp.Focus("#query"), webtest.Keys(kb.Escape))
		tb.Until(hasRows(300))
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

// manyRows returns a table of some columns, with a header.
func manyRows(rows int) []byte {
	b := bytes.NewBufferString("Name,City,Visitors,Price,Date,Note\n")
	for i := 1; i <= rows; i++ {
		fmt.Fprintf(b, "Visitor %d,Town %d,%d,%d.50,2026-11-%02d,\"a note, of some length\"\n", i, i%97, i*7, i%1000, i%30+1)
	}
	return b.Bytes()
}

// TestBrowserTableLarge checks that a long table has only the rows in view in
// the page, and that finding, sorting and scrolling reach all of them.
func TestBrowserTableLarge(t *testing.T) {
	const few = shownRows + `.length < 100`
	s := webtest.NewSite(t)
	l := s.Publish("visitors.csv", manyRows(5000))
	tb := webtest.NewTab(t, s.Page(l))
	tb.Until(hasRows(5000) + ` && ` + few)
	tb.Run(webtest.Type("#query", "visitor 4999"))
	tb.Until(`document.getElementById("found").textContent === "1 row" && ` + shownRows + `.length === 1 && ` + shownRows + `[0].cells[0].textContent === "5000"`)
	tb.Run(webtest.Keys(kb.Escape))
	tb.Until(hasRows(5000) + ` && ` + few)
	const visitors = `//th[button="Visitors"]/button`
	tb.Run(chromedp.Click(visitors), chromedp.Click(visitors))
	tb.Until(shownRows + `[0].cells[3].textContent === "35000" && ` + few)
	tb.Run(chromedp.Click(visitors))
	tb.Until(shownRows + `[0].cells[1].textContent === "Visitor 1"`)
	for _, at := range []string{"2500", "5000", "1"} {
		tb.Run(chromedp.Evaluate(`{ const box = document.querySelector(".grid"); box.scrollTop = box.scrollHeight * (`+at+` - 1) / 5000; }`, nil))
		tb.Until(`(() => {
			const box = document.querySelector(".grid").getBoundingClientRect();
			const row = ` + shownRows + `.find((r) => r.cells[1].textContent === "Visitor ` + at + `")?.getBoundingClientRect();
			return row && row.top >= box.top - 4 && row.bottom <= box.bottom + 4 && ` + few + `;
		})()`)
	}
	tb.Run(chromedp.Evaluate(`dispatchEvent(new Event("beforeprint"))`, nil))
	tb.Until(shownRows + `.length === 5000`)
	tb.Run(chromedp.Evaluate(`dispatchEvent(new Event("afterprint"))`, nil))
	tb.Until(few)
	tb.Run(chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e9`, nil))
	s.Session(t, l, "a table that was read to its end", func(s *report.Session) bool { return s.Depth == 1_000_000 })
	tb.Accessible("a long table")
	tb.Quiet()
}

// TestBrowserTableLayout checks what the layout of a long table costs.
func TestBrowserTableLayout(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	for name, content := range map[string][]byte{"visitors.csv": manyRows(5000), "book.xlsx": webtest.MakeBook(t, 5000)} {
		l := s.Publish(name, content)
		s.Check(s.Server.Previews.Make(t.Context()))
		ms := s.LayoutTime(t, l, hasRows(5000))
		t.Logf("%s: layout and styles took %.0f ms of the processor", name, ms)
		if ms < 1 || ms > 100 {
			t.Errorf("the layout of %s took %.0f ms of the processor, want at most 100", name, ms)
		}
	}
}

// TestBrowserTableCut checks that of a file that is too large for a table, a
// search says in which rows it looked.
func TestBrowserTableCut(t *testing.T) {
	s := webtest.NewSite(t)
	large := manyRows(90_000)
	if len(large) <= viewer.MaxTable {
		t.Fatalf("the file has only %d bytes", len(large))
	}
	tb := webtest.NewTab(t, s.Page(s.Publish("visitors.csv", large)))
	tb.Run(webtest.Type("#query", "visitor 89999"))
	tb.Until(`/^No match in the first [67]\d,\d{3} rows$/.test(document.getElementById("found").textContent)`)
	tb.Until(`[...document.querySelectorAll(".cut")].some((e) => e.checkVisibility() && e.textContent.startsWith("Only the first 5 MiB are shown."))`)
	tb.Run(webtest.Keys(kb.Escape), webtest.Type("#query", "visitor 60000"))
	tb.Until(`/^1 row in the first [67]\d,\d{3} rows$/.test(document.getElementById("found").textContent) && ` + shownRows + `.length === 1`)
	tb.Quiet()
}

// TestTableRows checks that the rows of a table are as public as its file, also
// if that is view only, and that nothing else has rows.
func TestTableRows(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("visitors.csv", manyRows(300), webtest.ViewOnly)
	rows := s.ContentAddress(l, "rows/1")
	r := s.Status(s.Get(rows), 200)
	if lines := strings.Split(r.Text, "\n"); len(lines) != 303 || lines[300] != `["Visitor 300","Town 9","2100","300.50","2026-11-01","a note, of some length"]` ||
		lines[301] != `{"cut":false}` || r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("%d lines, the last ones %q; headers %v", len(lines), lines[max(0, len(lines)-3):], r.Header)
	}
	s.Status(s.Get(rows, "Sec-Fetch-Dest: document"), 303)
	for _, other := range []string{"0", "2", "x", "-1"} {
		s.Status(s.Get(strings.TrimSuffix(rows, "1")+other), 404)
	}
	s.Status(s.Get(s.ContentAddress(s.Publish("notes.txt", []byte("a,b\n")), "rows/1")), 404)
	s.SetState(l, vitrine.StateReview)
	s.Status(s.Get(rows), 404)
	s.SetState(l, vitrine.StateDisabled)
	s.Status(s.Get(rows), 410)
}
