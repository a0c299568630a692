package web_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// nudge has the page ask for what is new at once, as when its network is back:
// what it does of itself, every few seconds, is tried once.
var nudge = chromedp.Evaluate(`dispatchEvent(new Event("online"))`, nil)

// The first view of a link shows up on its page within seconds, by itself; and
// so do later ones, without taking away what someone is at.
func TestBrowserStatsLive(t *testing.T) {
	d := newDesk(t)
	l := d.publish("notes.txt", samples["notes.txt"])
	tb := newMember(t, d, d.member)
	tb.run(chromedp.Navigate(d.url + statsPath(l)))
	tb.until(`document.querySelector("#stats").innerText.includes("Nobody has opened it yet")`)
	d.status(d.get("/p/"+string(l.Slug)), 200)
	tb.until(`document.querySelector("#card-views .value")?.textContent === "1"`)
	tb.until(`document.querySelector("#plot .uplot canvas") !== null && /^Changed at \d\d:\d\d UTC$/.test(document.querySelector("#live").innerText.trim())`)
	tb.run(chromedp.Evaluate(`document.querySelector("#series-details summary").click(), document.querySelector("#ledger summary").click(), document.querySelector("#series-details summary").focus(), scrollTo(0, 200)`, nil))
	d.openNow(l, 2)
	tb.run(nudge)
	tb.until(`document.querySelector("#card-views .value").textContent === "2"`)
	tb.until(`document.querySelector("#plot").getAttribute("aria-valuetext").includes(": 2 views, 2 unique viewers")`)
	for _, kept := range []string{`document.querySelector("#series-details").open`, `document.querySelector("#ledger").open`, `scrollY === 200`,
		`document.activeElement === document.querySelector("#series-details summary")`, `document.querySelectorAll("#plot .uplot").length === 1`, `document.querySelector("#heard").textContent !== ""`} {
		tb.until(kept)
	}
	d.countOpens(l, 2) // looking at numbers is none
	tb.run(chromedp.Navigate(d.url + "/analytics"))
	tb.until(`document.querySelector("#about").innerText.includes(": 2 views and")`)
	d.openNow(l, 3)
	tb.run(nudge)
	tb.until(`document.querySelector("#about").innerText.includes(": 3 views and") && document.querySelector("#card-views .value").textContent === "3"`)
	tb.quiet()

	tb.run(chromedp.Evaluate(`fetch("/sign-out", {method: "POST"})`, nil, awaited), nudge) // in another tab, say
	tb.until(`document.querySelector("#live a")?.textContent.startsWith("Signed out")`)
}

// The chart is drawn from its table, and speaks to mouse, finger and keys.
func TestBrowserStatsChart(t *testing.T) {
	o := newOffice(t)
	tb := newMember(t, o.site, o.account)
	tb.run(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(o.url+statsPath(o.links[report.ContentPages])+"?range=30d"))
	tb.until(`document.querySelector("#plot .uplot canvas") !== null`)
	row := func(i int) string {
		return fmt.Sprintf(`((r, n) => r.cells[0].textContent + ": " + n(r.cells[1], " view") + ", " + n(r.cells[2], " unique viewer"))(document.querySelectorAll("#series tbody tr")[%d], (cell, what) => cell.textContent + what + (cell.textContent === "1" ? "" : "s"))`, i)
	}
	says := func(i int) {
		t.Helper()
		tb.until(`document.querySelector("#plot").getAttribute("aria-valuetext").startsWith(` + row(i) + `) && document.querySelector("#plot").getAttribute("aria-valuenow") === "` + fmt.Sprint(i+1) + `"`)
		tb.until(`!document.querySelector("#plot .tip").hidden && document.querySelector("#plot .tip").innerText.startsWith(document.querySelectorAll("#series tbody th")[` + fmt.Sprint(i) + `].textContent)`)
	}
	tb.run(chromedp.Focus("#plot"), chromedp.KeyEvent(kb.Home))
	says(0)
	tb.run(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	says(2)
	tb.run(chromedp.KeyEvent(kb.End))
	says(29)
	tb.run(chromedp.KeyEvent(kb.Escape))
	tb.until(`document.querySelector("#plot .tip").hidden`)
	tb.run(chromedp.Evaluate(`document.activeElement.blur(); document.querySelector("#plot .u-over").dispatchEvent(new PointerEvent("pointerdown", {pointerType: "touch", bubbles: true,
		clientX: document.querySelector("#plot").getBoundingClientRect().left + 1}))`, nil))
	says(0)
	// What a legend turns off is gone from the canvas.
	tb.run(chromedp.Evaluate(`window.painted = document.querySelector("#plot canvas").toDataURL()`, nil), chromedp.Click("#show-views"), chromedp.Click("#show-was"))
	tb.until(`!document.querySelector("#show-views").checked && document.querySelector("#plot canvas").toDataURL().length < window.painted.length`)
	tb.quiet()
}

// Without scripts the page says all the same.
func TestBrowserStatsWithoutScript(t *testing.T) {
	o := newOffice(t)
	tb := newMember(t, o.site, o.account)
	tb.run(chromedp.ActionFunc(func(ctx context.Context) error { return emulation.SetScriptExecutionDisabled(true).Do(ctx) }),
		chromedp.EmulateViewport(1280, 900), chromedp.Navigate(o.url+"/analytics"))
	for _, shown := range []string{`document.querySelector(".lines .views").getBoundingClientRect().width > 500`, `getComputedStyle(document.querySelector(".lines")).visibility === "visible"`,
		`document.querySelector("#plot").childElementCount === 0`} {
		tb.until(shown)
	}
}
