package web_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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

// TestBrowserTable pages through, searches and sorts a long table.
func TestBrowserTable(t *testing.T) {
	s := newSite(t)
	l := s.publish("visitors.csv", manyRows())
	tb := newTab(t, s.page(l))
	tb.until(shownRows + `.length === 100 && document.querySelector(".parts [aria-current]").textContent === "1"`)
	tb.run(chromedp.Click(`.parts a:nth-child(3)`))
	tb.until(shownRows + `.length === 50 && ` + shownRows + `[0].cells[1].textContent === "Town 200" && scrollY < 200`)
	// The last page is the end of the table.
	tb.run(chromedp.Evaluate(`scrollTo(0, document.body.scrollHeight)`, nil))
	s.session(t, l, "a table that was read to its end", func(s *report.Session) bool { return s.Depth == 1_000_000 })

	tb.run(chromedp.Focus("#query"), chromedp.SendKeys("#query", "cafe"))
	tb.until(`document.getElementById("found").textContent === "5 rows" && ` + shownRows + `.length === 5`)
	tb.run(chromedp.KeyEvent(kb.Escape))
	tb.until(`document.getElementById("found").textContent === "" && ` + shownRows + `.length === 50`)

	sort := `.grid thead th:nth-child(3) button`
	tb.run(chromedp.Click(sort))
	tb.until(`document.querySelector("th[aria-sort]").getAttribute("aria-sort") === "ascending" && ` + shownRows +
		`[0].cells[2].textContent === "0,000" && ` + shownRows + `.length === 100`)
	tb.run(chromedp.Click(sort))
	tb.until(shownRows + `[0].cells[2].textContent.startsWith("249,")`)
	tb.run(chromedp.Click(sort))
	tb.until(shownRows + `[0].cells[1].textContent === "Town 0" && document.querySelector("th[aria-sort]") === null`)
	tb.accessible("a table")
	tb.quiet()
}

// TestBrowserTableDepth checks that the end of the first page of a long table
// does not count as the end of the table.
func TestBrowserTableDepth(t *testing.T) {
	s := newSite(t)
	l := s.publish("visitors.csv", manyRows())
	tb := newTab(t, s.page(l))
	tb.until(shownRows + `.length === 100`)
	tb.run(chromedp.Evaluate(`scrollTo(0, document.body.scrollHeight)`, nil))
	o := s.session(t, l, "the first page of a table",
		func(s *report.Session) bool { return s.Depth > 200_000 && s.EngagedMs > 0 })
	if o.Session.Depth > 500_000 {
		t.Errorf("depth = %v after a third of the table, want at most 500000", o.Session.Depth)
	}
}

// TestBrowserTableWithoutScripting checks that without scripts the pages of a
// table are links.
func TestBrowserTableWithoutScripting(t *testing.T) {
	s := newSite(t)
	tb := newTab(t, emulation.SetScriptExecutionDisabled(true), s.page(s.publish("visitors.csv", manyRows())))
	tb.until(shownRows + `.length === 100 && ` + shownRows + `[0].cells[1].textContent === "Town 0"`)
	tb.run(chromedp.Click(`.parts a:nth-child(2)`))
	tb.until(shownRows + `.length === 100 && ` + shownRows + `[0].cells[1].textContent === "Town 100"`)
	tb.quiet()
}
