package web_test

import (
	"archive/zip"
	"fmt"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserSmallThings checks details of the demo's pages that only a browser
// shows.
func TestBrowserSmallThings(t *testing.T) {
	d := newPicturedDemo(t)
	for range 4 {
		d.Shared(d.Links["annual-report.pdf"], "")
	}
	cookies := d.Cookies()
	a := newAudience(t, d, cookies)
	visitor, member := a.tab(nil), a.tab(d.Pro)
	evaluates := func(tb *webtest.Tab, what, script string, want any) {
		t.Helper()
		var got any
		tb.Run(chromedp.Evaluate(script, &got))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}

	// On a phone the count of an album's files is aligned with the title.
	visitor.Run(chromedp.EmulateViewport(390, 844))
	visitor.Visit(d.URL + "/a/" + string(d.Album.Slug))
	evaluates(visitor, "the first letter is seen", `(() => {
		const p = document.querySelector(".caption p"), walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT),
			text = document.createRange();
		text.selectNodeContents(walk.nextNode());
		return text.toString() + " " + (text.getBoundingClientRect().left >= document.querySelector(".caption").getBoundingClientRect().left);
	})()`, "4 files true")

	// The copy button does not cover the code.
	for _, width := range []int64{390, 1440} {
		visitor.Run(chromedp.EmulateViewport(width, 844))
		for _, path := range d.DocPaths() {
			visitor.Visit(d.URL + path)
			evaluates(visitor, fmt.Sprintf("code under the button, %s at %d px", path, width), `[...document.querySelectorAll(".code-box")].filter((b) => {
				const code = b.querySelector("pre").getBoundingClientRect(),
					copy = b.querySelector(".copy")?.getBoundingClientRect();
				return copy && copy.width > 0 && code.right > copy.left;
			}).length`, 0)
		}
	}

	// A table of pages shows its first 12 rows and the greatest loss, and all
	// of them on request, without a scroll bar. On a phone it shows 6 rows, and
	// the page is at most some screens long.
	rows := `[...document.querySelectorAll("#pages tbody tr")].filter((r) => r.checkVisibility()).length`
	for name, pages := range map[string]int{"catalogue.pdf": 96, "annual-report.pdf": 24} {
		member.Visit(d.URL + webtest.StatsPath(d.Links[name]) + "?range=all")
		member.Run(chromedp.EmulateViewport(1440, 844), chromedp.Evaluate(webtest.OpenAll, nil))
		evaluates(member, name+", at first", rows, 12)
		evaluates(member, name+", the height", `(() => { const s = document.querySelector("#pages .scroll"); return s.scrollHeight <= s.clientHeight; })()`, true)
		member.Run(chromedp.Evaluate(`document.querySelector("#pages .show-all input")?.click()`, nil))
		evaluates(member, name+", all", rows, pages)
		member.Visit(d.URL + webtest.StatsPath(d.Links[name]) + "?range=90d") // on a phone
		evaluates(member, name+", on a phone", rows, 6)
		evaluates(member, name+", visits", `document.querySelectorAll(".visits tbody tr").length`, 25)
		evaluates(member, name+", the height of the page",
			`Math.max(4000, document.documentElement.scrollHeight) + " " + document.documentElement.scrollWidth`,
			"4000 390")
		evaluates(member, name+", controls of the visits", `[...document.querySelectorAll("[aria-labelledby=recent-title] :is(.button, .switch)")].filter((e) => e.checkVisibility()).map((e) => e.innerText).join()`, "All visits")
		member.Run(chromedp.EmulateViewport(360, 844))
		evaluates(member, name+", the height of the page on a narrower phone",
			`Math.max(4100, document.documentElement.scrollHeight) + " " + document.documentElement.scrollWidth`,
			"4100 360")
		member.Run(chromedp.EmulateViewport(390, 844))
		member.Run(chromedp.Evaluate(`document.querySelectorAll(".show-all input").forEach((i) => i.click())`, nil))
		evaluates(member, name+", all, on a phone", rows, pages)
		evaluates(member, name+", visits on a phone", `[...document.querySelectorAll(".visits tbody tr")].filter((r) => r.checkVisibility()).length`, 3)
	}

	// On phones the date of a link does not run into its views.
	for _, page := range []string{"/dashboard", "/links"} {
		member.Visit(d.URL + page)
		for _, width := range []int64{360, 390, 412} {
			member.Run(chromedp.EmulateViewport(width, 844))
			evaluates(member, fmt.Sprintf("rows of %s whose texts meet at %d px", page, width), `[...document.querySelectorAll(".link-rows li")].filter((row) => {
				const box = (selector) => row.querySelector(selector).getBoundingClientRect();
				const made = box(".made"), views = box(".view-count .figure");
				return made.right + 4 > views.left && made.bottom > views.top && made.top < views.bottom;
			}).length + " of " + (document.querySelectorAll(".link-rows li").length > 5)`, "0 of true")
		}
	}

	// On a phone the link's page begins with sharing, with the system's share
	// sheet if it exists.
	member.Run(chromedp.EmulateViewport(390, 844))
	member.Visit(d.URL + "/links/" + string(d.Links["catalogue.pdf"].Slug))
	evaluates(member, "no sheet, no button", `document.querySelector("[data-share]").checkVisibility()`, false)
	evaluates(member, "copying is first", `[...document.querySelectorAll("main button, main .button")].filter((b) => b.checkVisibility()).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0].className.includes("copy-link")`, true)
	member.Run(chromedp.ActionFunc(webtest.OnNewDocument(`Navigator.prototype.share = (it) => ((window.shared = it.title + " " + it.url), Promise.resolve())`)))
	member.Visit(d.URL + "/links/" + string(d.Links["catalogue.pdf"].Slug))
	evaluates(member, "sharing is first", `((b) => "share" in b.dataset && b.getBoundingClientRect().bottom < document.querySelector(".figures").getBoundingClientRect().top)([...document.querySelectorAll("main button, main .button")].filter((b) => b.checkVisibility())[0])`, true)
	member.Run(chromedp.Click("[data-share]"))
	evaluates(member, "what is shared", `window.shared === document.querySelector("h1").textContent + " " + document.querySelector("#address").href`, true)
	member.Run(chromedp.EmulateViewport(1440, 844))

	// In print the hours keep their colours, the chart fits the page, and a
	// table has all its rows.
	member.Visit(d.URL + webtest.StatsPath(d.Links["catalogue.pdf"]) + "?range=90d")
	member.Until(`document.querySelector(".marks [tabindex='0']") !== null`)
	member.Run(chromedp.Evaluate(webtest.OpenAll, nil), emulation.SetEmulatedMedia().WithMedia("print"),
		chromedp.EmulateViewport(720, 900))
	evaluates(member, "hours in print", `getComputedStyle(document.querySelector(".heat tbody td")).printColorAdjust`,
		"exact")
	evaluates(member, "the chart in print", `document.querySelector(".chart-lines").getBoundingClientRect().right <= document.querySelector(".over-time").getBoundingClientRect().right`, true)
	evaluates(member, "rows in print", rows, 96)
	evaluates(member, "the range in print", `((p) => p.checkVisibility() && /^Last 90 days: \d+ \w+ \d+ – \d+ \w+ \d+, UTC$/.test(p.textContent))(document.querySelector(".on-paper"))`, true)
	evaluates(member, "ground in print", `getComputedStyle(document.documentElement).backgroundColor`,
		"rgb(255, 255, 255)")
	evaluates(member, "a table of many pages breaks", `getComputedStyle(document.querySelector("#pages")).breakInside`,
		"auto")
	evaluates(member, "controls in print", `[...document.querySelectorAll(".top, .crumb, .edit, .only, .filters, .csv, summary, .tabs, .sharing")].filter((e) => e.checkVisibility()).map((e) => e.className).join()`, "")
	member.Run(chromedp.EmulateViewport(956, 900)) // as wide as a page of A4 is laid out
	evaluates(member, "lines of a date in print", `Math.max(...[...document.querySelectorAll(".visits time")].map((t) => t.getClientRects().length))`, 1)
	evaluates(member, "visits fit the paper", `document.querySelector(".visits").getBoundingClientRect().right <= document.querySelector(".page").getBoundingClientRect().right`, true)
	member.Run(webtest.InTheme("dark"), emulation.SetEmulatedMedia().WithMedia("print").WithFeatures(
		[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	evaluates(member, "ink in print, of a dark screen", `getComputedStyle(document.querySelector("h1")).color`, "rgb(29, 27, 24)")
	member.Run(emulation.SetEmulatedMedia().WithMedia(""))
}

// TestBrowserMotion checks that dialogs and the veils behind them fade in and
// out within a moment, and not where motion is unwanted.
func TestBrowserMotion(t *testing.T) {
	d := webtest.NewDesk(t)
	webtest.Previewer(t, d)
	l := d.Publish("kit.zip", webtest.Zipped(t, zip.Deflate))
	d.Check(d.Server.Previews.Make(t.Context()))
	tb := webtest.NewMember(t, d, d.Member)
	for path, dialog := range map[string]string{"/p/" + string(l.Slug): "#entry",
		webtest.LinkPath(l) + "/settings": "#delete"} {
		for motion, want := range map[string]string{"no-preference": "0.14s", "reduce": "0s"} {
			tb.Run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
				{Name: "prefers-reduced-motion", Value: motion}}), chromedp.Navigate(d.URL+path),
				chromedp.Evaluate(`((d) => (d.showModal ? d.showModal() : d.showPopover()))(document.querySelector("`+dialog+`"))`, nil))
			for _, part := range []string{"null", `"::backdrop"`} {
				style := `getComputedStyle(document.querySelector("` + dialog + `"), ` + part + `)`
				tb.Until(style + `.transitionDuration.split(", ").every((s) => s === "` + want + `")`)
				tb.Until(style + `.opacity === "1"`)
			}
			tb.Run(webtest.Keys(kb.Escape))
			tb.Until(`getComputedStyle(document.querySelector("` + dialog + `")).opacity === "0"`)
		}
	}
	tb.Quiet()
}
