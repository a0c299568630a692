package front_test

import (
	"strings"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserDocsSearch checks that the search of the documentation shows its
// results while the user types, that keys choose and open one, and that Enter
// leads to all results.
func TestBrowserDocsSearch(t *testing.T) {
	t.Parallel()
	s := webtest.NewSite(t)
	tb := webtest.NewVisitor(t, chromedp.Navigate(s.URL+"/docs/limits"))
	tb.Arrives(`document.body.classList.contains("has-script")`)
	const (
		field  = `document.querySelector(".docs-search input")`
		hits   = `[...document.querySelectorAll("#hits [role=option]")].map((o) => o.getAttribute("href")).join(" ")`
		chosen = `document.getElementById(` + field + `.getAttribute("aria-activedescendant"))`
	)
	tb.Run(webtest.Keys("/"))
	tb.Until(`document.activeElement === ` + field)
	tb.Run(webtest.Keys("compl"))
	tb.Until(hits + `.startsWith("/docs/how-we-count#progress ")`)
	tb.Run(webtest.Keys("etion"))
	tb.Until(`document.querySelector("#hits mark").textContent === "Completion"`)
	tb.Until(field + `.getAttribute("aria-expanded") === "true" && document.querySelector("#hits-said").textContent.endsWith("results for “completion”")`)
	tb.CheckWindows("results in the documentation", func(_ webtest.Window, where string) {
		tb.Until(`((r) => r.left >= 0 && r.right <= innerWidth && r.width > 250)(document.querySelector("#hits").getBoundingClientRect())`)
	})
	tb.Run(webtest.Keys(kb.ArrowDown), webtest.Keys(kb.ArrowDown))
	tb.Until(chosen + ` === document.querySelectorAll("#hits [role=option]")[1]`)
	tb.Run(webtest.Keys(kb.ArrowUp))
	tb.Until(chosen + `.getAttribute("href") === "/docs/how-we-count#progress"`)
	tb.Run(webtest.Keys(kb.Enter))
	tb.Arrives(`location.pathname + location.hash === "/docs/how-we-count#progress"`)

	tb.Run(webtest.Keys("/"), webtest.Keys("zebra"))
	tb.Until(`document.querySelector("#hits").textContent.includes("Nothing in the documentation matches “zebra”")`)
	tb.Run(webtest.Keys(kb.Escape))
	tb.Until(`document.querySelector("#hits").hidden && ` + field + `.value === "zebra"`)
	tb.Run(chromedp.Evaluate(field+`.value = ""`, nil), webtest.Keys("upload"))
	tb.Until(`document.querySelector("#hits .more-hits") !== null && !document.querySelector("#hits").hidden`)
	tb.Run(webtest.Keys(kb.Enter))
	tb.Arrives(`location.pathname + location.search === "/docs/search?q=upload" && document.querySelectorAll(".found li").length > 8`)
	if got := tb.Text(`document.querySelector(".found").textContent`); strings.ContainsAny(got, "{}[]") {
		t.Errorf("the results contain code: %s", got)
	}
	tb.Quiet()
}
