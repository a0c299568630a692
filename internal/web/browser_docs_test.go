package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserDocsSearch checks that the search of the documentation shows its
// results while the user types, that keys choose and open one, and that Enter
// leads to all results.
func TestBrowserDocsSearch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tb := newVisitor(t, chromedp.Navigate(s.url+"/docs/limits"))
	tb.arrives(`document.body.classList.contains("has-script")`)
	const (
		field  = `document.querySelector(".docs-search input")`
		hits   = `[...document.querySelectorAll("#hits [role=option]")].map((o) => o.getAttribute("href")).join(" ")`
		chosen = `document.getElementById(` + field + `.getAttribute("aria-activedescendant"))`
	)
	// A script can keep the letter of this event from the field, unlike that of
	// chromedp.KeyEvent.
	slash := input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithText("/")
	tb.run(slash)
	tb.until(`document.activeElement === ` + field)
	tb.run(chromedp.KeyEvent("compl"))
	tb.until(hits + `.startsWith("/docs/how-we-count#progress ")`)
	tb.run(chromedp.KeyEvent("etion"))
	tb.until(`document.querySelector("#hits mark").textContent === "Completion"`)
	tb.until(field + `.getAttribute("aria-expanded") === "true" && document.querySelector("#hits-said").textContent.endsWith("results for “completion”")`)
	tb.checkWindows("results in the documentation", func(_ window, where string) {
		tb.until(`((r) => r.left >= 0 && r.right <= innerWidth && r.width > 250)(document.querySelector("#hits").getBoundingClientRect())`)
	})
	tb.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	tb.until(chosen + `.getAttribute("href") === "/docs/send-a-deck#follow"`)
	tb.run(chromedp.KeyEvent(kb.ArrowUp))
	tb.until(chosen + `.getAttribute("href") === "/docs/how-we-count#progress"`)
	// With chromedp.KeyEvent the form could be sent as well.
	tb.run(input.DispatchKeyEvent(input.KeyDown).WithKey("Enter").WithText("\r"))
	tb.arrives(`location.pathname + location.hash === "/docs/how-we-count#progress"`)

	tb.run(slash, chromedp.KeyEvent("zebra"))
	tb.until(`document.querySelector("#hits").textContent.includes("Nothing in the documentation matches “zebra”")`)
	tb.run(chromedp.KeyEvent(kb.Escape))
	tb.until(`document.querySelector("#hits").hidden && ` + field + `.value === "zebra"`)
	tb.run(chromedp.Evaluate(field+`.value = ""`, nil), chromedp.KeyEvent("upload"))
	tb.until(`document.querySelector("#hits .more-hits") !== null && !document.querySelector("#hits").hidden`)
	tb.run(chromedp.KeyEvent(kb.Enter))
	tb.arrives(`location.pathname + location.search === "/docs/search?q=upload" && document.querySelectorAll(".found li").length > 8`)
	if got := tb.text(`document.querySelector(".found").textContent`); strings.ContainsAny(got, "{}[]") {
		t.Errorf("the results contain code: %s", got)
	}
	tb.quiet()
}
