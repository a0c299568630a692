package reportpage_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// nudge makes the page poll at once, as when its network is back. Without it
// the page polls every few seconds.
var nudge = chromedp.Evaluate(`dispatchEvent(new Event("online"))`, nil)

// TestBrowserStatsLive checks that the first view of a link appears on its page
// within seconds, and that later ones appear without disturbing the reader.
func TestBrowserStatsLive(t *testing.T) {
	d := webtest.NewDesk(t)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	tb := webtest.NewMember(t, d, d.Member)
	tb.Run(chromedp.Navigate(d.URL + webtest.StatsPath(l)))
	tb.Until(`document.querySelector("#stats").innerText.includes("No views yet")`)
	d.Status(d.Get("/p/"+string(l.Slug)), 200)
	tb.Until(`document.querySelector("#card-views .value")?.textContent === "1"`)
	tb.Until(`document.querySelector(".marks [tabindex='0']") !== null && /^Changed \d+ \w+, \d\d:\d\d$/.test(document.querySelector("#live").innerText.trim()) && document.querySelector("#live time").title.includes(" UTC")`)
	tb.Run(chromedp.Evaluate(`document.querySelector("#series-details summary").click(), document.querySelector("#ledger summary").click(), document.querySelector("#series-details summary").focus(), scrollTo(0, 200)`, nil))
	d.OpenNow(l, 2)
	tb.Run(nudge)
	tb.Until(`document.querySelector("#card-views .value").textContent === "2"`)
	tb.Until(`document.querySelector(".over-time .marks g:last-child").dataset.tip.includes("Views|2\nuniques|Unique viewers|2")`)
	for _, kept := range []string{`document.querySelector("#series-details").open`,
		`document.querySelector("#ledger").open`, `scrollY === 200`,
		`document.activeElement === document.querySelector("#series-details summary")`,
		`document.querySelectorAll(".over-time .marks [tabindex='0']").length === 1`,
		`document.querySelector("#heard").textContent !== ""`} {
		tb.Until(kept)
	}
	d.CountViews(l, 2) // looking at the report counts no view
	tb.Run(chromedp.Navigate(d.URL + "/analytics"))
	tb.Until(`document.querySelector("#about").innerText.includes("· 2 views and")`)
	d.OpenNow(l, 3)
	tb.Run(nudge)
	tb.Until(`document.querySelector("#about").innerText.includes("· 3 views and") && document.querySelector("#card-views .value").textContent === "3"`)
	tb.Quiet()

	tb.Run(chromedp.Evaluate(`fetch("/sign-out", {method: "POST"})`, nil, webtest.Awaited), nudge) // for example in another tab
	tb.Until(`document.querySelector("#live a")?.textContent.startsWith("Signed out")`)
}

// tipOf returns a condition: the tip is shown and has the text of the mark that
// a script finds.
func tipOf(mark string) string {
	return `((m, tip) => m.classList.contains("is-on") && !tip.hidden && tip.querySelector("b").textContent === m.dataset.tip.split("\n")[0] &&
		[...tip.querySelectorAll("span")].map((s) => s.textContent).join() === m.dataset.tip.split("\n").slice(1).map((l) => l.split("|").slice(1).reverse().join("")).join())(` + mark + `, document.querySelector(".tip"))`
}

const noTip = `document.querySelector(".tip").hidden && document.querySelector("[data-tip].is-on") === null`

// TestBrowserStatsChart checks that every mark of every chart shows its value
// for the keyboard and the mouse.
func TestBrowserStatsChart(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(o.URL+webtest.StatsPath(o.Links[report.ContentPages])+
		"?range=30d"))
	tb.Until(`document.querySelectorAll(".over-time .marks g").length === 30 && document.querySelector(".marks [tabindex='0']") === document.querySelector(".marks g:last-child")`)
	day := func(i int) string { return fmt.Sprintf(`document.querySelectorAll(".over-time .marks g")[%d]`, i) }
	showsTip := func(mark string) {
		t.Helper()
		tb.Until(tipOf(mark))
	}
	focus := func(mark string) {
		t.Helper()
		tb.Run(chromedp.Evaluate(mark+`.focus({focusVisible: true})`, nil))
	}
	// With the keyboard.
	focus(day(29))
	showsTip(day(29))
	tb.Until(day(29) + `.getAttribute("aria-label").includes("today so far: Views ")`)
	tb.Run(webtest.Keys(kb.Home))
	showsTip(day(0))
	tb.Run(webtest.Keys(kb.ArrowRight), webtest.Keys(kb.ArrowRight))
	showsTip(day(2))
	tb.Until(`document.activeElement === ` + day(2) +
		` && document.querySelectorAll(".over-time .marks [tabindex='0']").length === 1`)
	tb.Run(webtest.Keys(kb.Escape))
	tb.Until(noTip)
	// The table has the same values.
	tb.Until(`[...document.querySelectorAll("#series tbody tr")].every((r, i) => document.querySelectorAll(".over-time .marks g")[i].dataset.tip.includes("Views|" + r.querySelector("data").textContent + "\n"))`)
	cell := func(day, hour int) string {
		return fmt.Sprintf(`document.querySelectorAll(".heat tbody tr")[%d].querySelectorAll("[data-tip]")[%d]`, day,
			hour)
	}
	focus(cell(0, 0))
	showsTip(cell(0, 0))
	tb.Run(webtest.Keys(kb.ArrowDown), webtest.Keys(kb.ArrowRight))
	showsTip(cell(1, 1))
	tb.Run(webtest.Keys(kb.ArrowUp), webtest.Keys(kb.ArrowUp)) // there is no row above
	showsTip(cell(0, 1))
	pages := func(i int) string { return fmt.Sprintf(`document.querySelectorAll(".by-page [data-tip]")[%d]`, i) }
	focus(pages(0))
	tb.Run(webtest.Keys(kb.ArrowDown))
	showsTip(pages(1))
	tb.Run(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	tb.Until(noTip)
	// With a mouse.
	for _, mark := range []string{day(12), cell(4, 9), pages(0), `document.querySelector("#by-countries [data-tip]")`} {
		var at []float64
		tb.Run(chromedp.Evaluate(`((m, r) => { m.scrollIntoView({block: "center"}); r = m.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] })(`+mark+`)`, &at))
		tb.Run(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
		showsTip(mark)
		tb.Until(`(([a, b]) => a.left >= 0 && a.right <= innerWidth && a.top >= 0)([document.querySelector(".tip").getBoundingClientRect()])`)
	}
	tb.Run(chromedp.MouseEvent("mouseMoved", 2, 2))
	tb.Until(noTip)
	// A series that the legend turns off is hidden.
	tb.Run(chromedp.Evaluate(`document.querySelector("#show-views").click(), document.querySelector("#show-was").click()`, nil))
	for shown, want := range map[string]string{".chart-lines .views": "none", ".chart-lines .was": "none",
		".chart-lines .uniques": "inline"} {
		tb.Until(`getComputedStyle(document.querySelector("` + shown + `")).display === "` + want + `"`)
	}
	tb.Quiet()
}

// TestBrowserStatsTouch checks that a tap on a mark shows its value until the
// next tap elsewhere, and that a finger may move over the marks.
func TestBrowserStatsTouch(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.EmulateViewport(390, 844, chromedp.EmulateTouch),
		chromedp.Navigate(o.URL+webtest.StatsPath(o.Links[report.ContentPages])+"?range=30d"))
	tb.Until(`document.querySelector(".marks [tabindex='0']") !== null`)
	day := func(i int) string { return fmt.Sprintf(`document.querySelectorAll(".over-time .marks g")[%d]`, i) }
	touch := func(kind input.TouchType, mark string) {
		t.Helper()
		points := []*input.TouchPoint{}
		if mark != "" {
			var at []float64
			tb.Run(chromedp.Evaluate(`((m, r) => { m.scrollIntoView({block: "center"}); r = m.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] })(`+mark+`)`, &at))
			points = append(points, &input.TouchPoint{X: at[0], Y: at[1]})
		}
		tb.Run(input.DispatchTouchEvent(kind, points))
	}
	lifted := `window.lifted === true`
	tb.Run(chromedp.Evaluate(`document.documentElement.addEventListener("pointerleave", () => (window.lifted = true)); undefined`, nil))
	tap := func(mark string) {
		t.Helper()
		tb.Run(chromedp.Evaluate(`window.lifted = false`, nil))
		touch(input.TouchStart, mark)
		touch(input.TouchEnd, "")
		tb.Until(lifted)
	}
	for _, mark := range []string{day(29), day(3), // the first of them also has the focus
		`document.querySelectorAll(".heat tbody tr")[2].querySelectorAll("[data-tip]")[5]`,
		`document.querySelectorAll(".by-page [data-tip]")[0]`} {
		tap(mark)
		tb.Until(tipOf(mark))
	}
	tb.Run(chromedp.Evaluate(`window.lifted = false`, nil))
	touch(input.TouchStart, day(3))
	touch(input.TouchMove, day(7))
	tb.Until(tipOf(day(7)))
	touch(input.TouchEnd, "")
	tb.Until(lifted)
	tb.Until(tipOf(day(7)))
	tap(`document.querySelector("h1")`)
	tb.Until(noTip)
	tb.Quiet()
}

// TestBrowserStatsCurve checks that the curves of a video, a sound and a text
// are drawn like other charts.
func TestBrowserStatsCurve(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	for _, kind := range []report.ContentKind{report.ContentMedia, report.ContentScroll} {
		tb.Run(chromedp.EmulateViewport(1280, 900),
			chromedp.Navigate(o.URL+webtest.StatsPath(o.Links[kind])+"?range=all"))
		tb.Until(`document.querySelectorAll("[aria-labelledby=content-title] .marks g").length === 101`)
		mark := `document.querySelector("[aria-labelledby=content-title] .marks g:last-child")`
		tb.Until(mark + `?.tabIndex === 0`)
		tb.Run(chromedp.Evaluate(mark+`.focus({focusVisible: true})`, nil))
		tb.Until(tipOf(mark))
		tb.Until(mark + `.dataset.tip.includes("100%\nkept|of sessions|")`)
	}
	tb.Quiet()
}

// TestBrowserStatsTimes checks that times of visits are in the reader's time
// zone, with UTC in the title, and that days are not converted. The page names
// both zones where they are used, and only one if they are the same.
func TestBrowserStatsTimes(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(emulation.SetTimezoneOverride("Asia/Kathmandu"), chromedp.EmulateViewport(1280, 900),
		chromedp.Navigate(o.URL+webtest.StatsPath(o.Links[report.ContentPages])))
	tb.Until(`[...document.querySelectorAll(".visits time")].every((t) => { const local = new Date(new Date(t.dateTime).getTime() + 345 * 60000).toISOString(); return t.textContent.includes(local.slice(11, 16)) && !t.textContent.includes("UTC") && t.title.includes(new Date(t.dateTime).toISOString().slice(11, 16) + " UTC") })`)
	clocks := `[document.querySelector("#recent-title").innerText, document.querySelector("#chart-title").innerText, document.querySelector("[data-clocks]").checkVisibility()].join("; ")`
	tb.Until(clocks + `.replace("Katmandu", "Kathmandu") === "Recent visits Asia/Kathmandu; By day UTC; true"`)
	tb.Run(emulation.SetTimezoneOverride("UTC"), chromedp.Reload())
	tb.Until(clocks + ` === "Recent visits UTC; By day UTC; false"`)
	tb.Quiet()
}

// TestBrowserStatsWithoutScript checks that the page shows the same without
// scripts.
func TestBrowserStatsWithoutScript(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.ActionFunc(func(ctx context.Context) error { return emulation.SetScriptExecutionDisabled(true).Do(ctx) }),
		chromedp.EmulateViewport(1280, 900), chromedp.Navigate(o.URL+webtest.StatsPath(o.Links[report.ContentPages])))
	for _, shown := range []string{`document.querySelector(".chart-lines .views").getBoundingClientRect().width > 500`,
		`getComputedStyle(document.querySelector(".chart-lines")).visibility === "visible"`,
		`/, \d\d:\d\d UTC$/.test(document.querySelector(".visits time").textContent)`} {
		tb.Until(shown)
	}
}
