package reportpage_test

import (
	"fmt"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserTools checks that the bar of a report works with the keyboard,
// that its panels and the page of a number are accessible in each window, and
// that nothing moves when they open.
func TestBrowserTools(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	root := webtest.StatsPath(o.Links[report.ContentPages])
	shared := o.Share(t, root, "label=x&life=7d&keep=yes&view=range%3D90d%26filter%3Ddevice%3Ais%3AMobile")
	for _, p := range []struct{ name, path, then string }{
		{"range", root + "?range=90d", `document.querySelector("[popovertarget=dates]").click()`},
		{"filter", root + "?range=90d", `document.querySelector("[popovertarget=add-filter]").click(); document.querySelector("#add-filter details").open = true`},
		{"export", "/analytics?range=90d", `document.querySelector("[popovertarget=export]").click()`},
		{"wrong dates", root + "?from=2026-03-02&to=2026-03-01", ""},
		{"a number", root + "/explain?range=90d&explain=/totals/avgEngagedMs", ""},
		{"a number of all links", "/analytics/explain?range=90d&explain=/totals/uniques", ""},
		{"shared", shared, ""},
	} {
		tb.Run(chromedp.Navigate(o.URL + p.path))
		tb.Until(`document.readyState === "complete"`)
		if p.then != "" {
			tb.Run(chromedp.Evaluate(p.then, nil))
		}
		tb.CheckWindows(p.name)
	}
	tb.Run(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(o.URL+root+"?range=90d"))
	tb.Until(`document.readyState === "complete"`)
	for _, panel := range []string{"dates", "compare", "add-filter", "export"} {
		tb.Run(chromedp.Evaluate(`window.cardsAt = document.querySelector(".cards").getBoundingClientRect().top; document.querySelector("[popovertarget=`+
			panel+`]").focus()`, nil), webtest.Keys(kb.Enter))
		tb.Until(fmt.Sprintf(`document.querySelector("#%s").matches(":popover-open") && document.querySelector(".cards").getBoundingClientRect().top === cardsAt`, panel))
		tb.Run(webtest.Keys(kb.Tab))
		tb.Until(fmt.Sprintf(`document.querySelector("#%s").contains(document.activeElement)`, panel))
		tb.Run(webtest.Keys(kb.Escape))
		tb.Until(fmt.Sprintf(`!document.querySelector("#%s").matches(":popover-open") && document.activeElement === document.querySelector("[popovertarget=%s]")`,
			panel, panel))
	}
	tb.Run(chromedp.Evaluate(`document.querySelector("[popovertarget=add-filter]").focus()`, nil), webtest.Keys(kb.Enter),
		webtest.Keys(kb.Tab), webtest.Keys(kb.Enter))
	tb.Until(`document.querySelector("#add-filter details").open`)
	tb.Run(webtest.Keys(kb.Tab), webtest.Keys(kb.Enter))
	tb.Until(`document.querySelector(".conditions li") !== null && document.querySelector(".conditions").innerText.startsWith("Country is ")`)
}
