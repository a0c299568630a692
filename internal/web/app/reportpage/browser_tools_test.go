package reportpage_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/cdproto/page"
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
		{"definitions", root + "?range=30d", `document.querySelector("[popovertarget=means]").click()`},
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
	for _, panel := range []string{"dates", "compare", "add-filter", "export", "means"} {
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

// TestBrowserRowsStay checks that a row says that its number can be opened, and
// that its name can be read while the row is marked as a filter.
func TestBrowserRowsStay(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.EmulateViewport(1280, 900),
		chromedp.Navigate(o.URL+webtest.StatsPath(o.Links[report.ContentPages])+"?range=90d"))
	tb.Until(`document.readyState === "complete"`)
	const link = `document.querySelector(".bars tbody th a")`
	// dark counts the dark pixels of the name.
	dark := func() (n int) {
		var at page.Viewport
		tb.Run(chromedp.Evaluate(`(() => {
			`+link+`.scrollIntoView({block: "center"});
			const r = document.createRange();
			r.selectNodeContents(`+link+`);
			const {x, y, width, height} = r.getBoundingClientRect();
			return {x: x + scrollX, y: y + scrollY, width, height, scale: 1};
		})()`, &at), chromedp.ActionFunc(func(ctx context.Context) error {
			b, err := page.CaptureScreenshot().WithClip(&at).Do(ctx)
			if err != nil {
				return err
			}
			m, err := png.Decode(bytes.NewReader(b))
			if err != nil {
				return err
			}
			for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
				for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
					if r, g, b, _ := m.At(x, y).RGBA(); r+g+b < 3*0x8000 {
						n++
					}
				}
			}
			return nil
		}))
		return n
	}
	tb.Until(`getComputedStyle(document.querySelector(".bars .behind")).textDecorationLine === "underline"`)
	alone := dark()
	stays := func(how string) {
		tb.Until(`getComputedStyle(` + link + `, "::before").opacity === "1"`)
		if marked := dark(); alone == 0 || marked < alone/2 {
			t.Errorf("by %s, the name of a marked row has %d dark pixels, and %d otherwise", how, marked, alone)
		}
	}
	tb.Run(chromedp.Evaluate(link+`.focus({focusVisible: true})`, nil))
	stays("keyboard")
	tb.Run(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	tb.Until(`getComputedStyle(` + link + `, "::before").opacity === "0"`)
	var at []float64
	tb.Run(chromedp.Evaluate(`((r) => [r.left + 2, r.top + r.height / 2])(`+link+`.getBoundingClientRect())`, &at))
	tb.Run(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	stays("pointer")
}
