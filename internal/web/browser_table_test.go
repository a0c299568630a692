package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/xuri/excelize/v2"
)

// manyRows returns a table of 250 rows with a header.
func manyRows() []byte {
	var b strings.Builder
	b.WriteString("City,Visitors,Note\n")
	for i := range 250 {
		fmt.Fprintf(&b, "Town %d,\"%d,%03d\",%s\n", i, (i*7)%250, i, map[bool]string{true: "Café closed"}[i%50 == 3])
	}
	return []byte(b.String())
}

// shownRows is an expression for the visible rows of a table.
const shownRows = `[...document.querySelectorAll(".grid tbody tr")].filter((r) => r.checkVisibility())`

// TestBrowserTable searches and sorts a long table, which scrolls in its box
// below its head.
func TestBrowserTable(t *testing.T) {
	s := newSite(t)
	tb := newTab(t, s.page(s.publish("visitors.csv", manyRows())))
	tb.until(shownRows + `.length === 250`)
	tb.run(chromedp.Focus("#query"), chromedp.SendKeys("#query", "cafe"))
	tb.until(`document.getElementById("found").textContent === "5 rows" && ` + shownRows + `.length === 5`)
	tb.run(chromedp.KeyEvent(kb.Escape))
	tb.until(`document.getElementById("found").textContent === "" && ` + shownRows + `.length === 250`)

	sort := `.grid thead th:nth-child(3) button`
	tb.run(chromedp.Click(sort))
	tb.until(`document.querySelector("th[aria-sort]").getAttribute("aria-sort") === "ascending" && ` + shownRows +
		`[0].cells[2].textContent === "0,000" && ` + shownRows + `.length === 250`)
	tb.run(chromedp.Focus(sort), chromedp.KeyEvent(kb.Enter))
	tb.until(shownRows + `[0].cells[2].textContent.startsWith("249,")`)
	tb.run(chromedp.KeyEvent(" "))
	tb.until(shownRows + `[0].cells[1].textContent === "Town 0" && document.querySelector("th[aria-sort]") === null`)
	tb.accessible("a table")
	tb.quiet()
}

// TestBrowserTableScrolls checks on each width that the page of a table does
// not scroll, but the table does: by keys, and by the wheel beside it, with its
// head in view.
func TestBrowserTableScrolls(t *testing.T) {
	s := newSite(t)
	wide := bytes.ReplaceAll(manyRows(), []byte("\n"), []byte(strings.Repeat(",more of it", 12)+"\n"))
	wide = append([]byte("City,Visitors,Note,D,E,F,G,H,I,J,K,L,M,N,O\n"), wide...)
	for name, content := range map[string][]byte{"few.csv": manyRows(), "wide.csv": wide} {
		l := s.publish(name, content)
		for _, width := range []int64{1440, 390, 320} {
			tb := newTab(t, chromedp.EmulateViewport(width, 800), s.page(l))
			tb.until(`document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth`)
			tb.run(chromedp.KeyEvent(kb.End))
			tb.until(`((grid) => grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 1 &&
				grid.querySelector("thead").getBoundingClientRect().height > 0 &&
				Math.abs(grid.querySelector("thead th").getBoundingClientRect().top - grid.getBoundingClientRect().top) < 2 &&
				grid.getBoundingClientRect().bottom <= innerHeight)(document.querySelector(".grid"))`)
			tb.run(input.DispatchMouseEvent(input.MouseWheel, 4, 400).WithDeltaX(0).WithDeltaY(-20_000))
			tb.until(`document.querySelector(".grid").scrollTop === 0`)
			tb.accessible("a table that scrolls")
			tb.quiet()
		}
	}
}

// TestBrowserTableDepth checks that how far a table was scrolled in its box is
// how far it was read, and that a search does not count.
func TestBrowserTableDepth(t *testing.T) {
	s := newSite(t)
	l := s.publish("visitors.csv", manyRows())
	tb := newTab(t, s.page(l))
	tb.until(shownRows + `.length === 250`)
	tb.run(chromedp.SendKeys("#query", "cafe"))
	tb.until(shownRows + `.length === 5`)
	tb.run(chromedp.KeyEvent(kb.Escape), chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 3000`, nil))
	var part float64
	tb.run(chromedp.Evaluate(`((grid) => (grid.scrollTop + grid.clientHeight) / grid.scrollHeight)(document.querySelector(".grid"))`, &part))
	o := s.session(t, l, "a part of a table", func(s *report.Session) bool { return s.Depth > 300_000 && s.EngagedMs > 0 })
	if !near(float64(o.Session.Depth), part*1e6, 20_000) {
		t.Errorf("depth = %v, want about %v", o.Session.Depth, part*1e6)
	}
	tb.run(chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e6`, nil))
	s.session(t, l, "a table that was read to its end", func(s *report.Session) bool { return s.Depth == 1_000_000 })
}

// TestBrowserTableWithoutScripting checks that without scripts the whole table
// is there.
func TestBrowserTableWithoutScripting(t *testing.T) {
	s := newSite(t)
	tb := newTab(t, emulation.SetScriptExecutionDisabled(true), s.page(s.publish("visitors.csv", manyRows())))
	tb.until(shownRows + `.length === 250 && !document.getElementById("finder").checkVisibility() &&
		document.documentElement.scrollHeight <= innerHeight`)
	tb.quiet()
}

// makeBook returns a workbook with a sheet of rows below a row of names, and a
// sheet without names.
func makeBook(t *testing.T, rows int) []byte {
	f := excelize.NewFile()
	defer f.Close()
	_, err := f.NewSheet("Notes")
	for i := range rows + 1 {
		cells := &[]any{fmt.Sprintf("Customer %d", i), i * 100, 0.25}
		if i == 0 {
			cells = &[]any{"Name", "Amount", "Share"}
		}
		err = errors.Join(err, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), cells))
	}
	for i, n := range []int{-2, 10, 9} {
		err = errors.Join(err, f.SetSheetRow("Notes", fmt.Sprintf("A%d", i+1), &[]any{n, "of customer 29"}))
	}
	var b bytes.Buffer
	if err := errors.Join(err, f.Write(&b)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBrowserWorkbook searches all sheets of a workbook and sorts them by a
// column, by its name or its letter.
func TestBrowserWorkbook(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	for _, width := range []int64{1440, 390, 320} {
		l := s.publish("accounts.xlsx", makeBook(t, 300))
		s.check(s.server.Previews.Make(t.Context()))
		tb := newTab(t, chromedp.EmulateViewport(width, 800), s.page(l))
		tb.until(shownRows + `.length === 300 && document.documentElement.scrollWidth <= innerWidth`)
		tb.run(chromedp.SendKeys("#query", "customer 29"))
		tb.until(`document.getElementById("found").textContent === "11 rows, 3 on other sheets" && ` + shownRows + `.length === 11`)
		tb.run(chromedp.Click(`label[for="doc-sheet-2"]`))
		tb.until(`document.getElementById("found").textContent === "3 rows, 11 on other sheets"`)
		tb.run(chromedp.Click(`section:nth-of-type(2) th:nth-child(2) button`))
		tb.until(shownRows + `.map((r) => r.cells[1].textContent).join() === "-2,9,10"`)
		tb.run(chromedp.Click(`label[for="doc-sheet-1"]`), chromedp.Focus("#query"), chromedp.KeyEvent(kb.Escape))
		tb.until(shownRows + `.length === 300`)
		const amount = `//th[button="Amount"]/button`
		tb.run(chromedp.Click(amount), chromedp.Click(amount))
		tb.until(shownRows + `[0].cells[1].textContent === "Customer 300" && ` + shownRows + `[0].cells[0].textContent === "301"`)
		tb.run(chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e6`, nil))
		tb.until(`((grid) => grid.scrollTop > 1000 && grid.getBoundingClientRect().bottom <= innerHeight && document.documentElement.scrollHeight <= innerHeight &&
			Math.abs(grid.querySelector("thead tr:last-child th").getBoundingClientRect().top -
				grid.getBoundingClientRect().top) < 2)(document.querySelector(".grid"))`)
		tb.accessible("a workbook")
		tb.quiet()
		s.session(t, l, "a sheet that was read to its end", func(s *report.Session) bool { return s.Depth == 1_000_000 })
	}
}
