package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserSmallThings checks details of the demo's pages that only a browser
// shows.
func TestBrowserSmallThings(t *testing.T) {
	d := newPicturedDemo(t)
	cookies := d.cookies()
	a := newAudience(t, d, cookies)
	visitor, member := a.tab(nil), a.tab(d.pro)
	evaluates := func(tb *tab, what, script string, want any) {
		t.Helper()
		var got any
		tb.run(chromedp.Evaluate(script, &got))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}

	// On a phone the count of an album's files is aligned with the title.
	visitor.run(chromedp.EmulateViewport(390, 844))
	visitor.visit(d.url + "/a/" + string(d.album.Slug))
	evaluates(visitor, "the first letter is seen", `(() => {
		const p = document.querySelector(".caption p"), walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT), text = document.createRange();
		text.selectNodeContents(walk.nextNode());
		return text.toString() + " " + (text.getBoundingClientRect().left >= document.querySelector(".caption").getBoundingClientRect().left);
	})()`, "4 files true")

	// The copy button does not cover the code.
	for _, width := range []int64{390, 1440} {
		visitor.run(chromedp.EmulateViewport(width, 844))
		for _, path := range d.docPaths() {
			visitor.visit(d.url + path)
			evaluates(visitor, fmt.Sprintf("code under the button, %s at %d px", path, width), `[...document.querySelectorAll(".code-box")].filter((b) => {
				const code = b.querySelector("pre").getBoundingClientRect(), copy = b.querySelector(".copy")?.getBoundingClientRect();
				return copy && copy.width > 0 && code.right > copy.left;
			}).length`, 0)
		}
	}

	// A table of pages shows its first 12 rows and the greatest loss, and all
	// of them on request, without a scroll bar. On a phone it shows 7 rows, and
	// the page is at most some screens long.
	rows := `[...document.querySelectorAll("#pages tbody tr")].filter((r) => r.checkVisibility()).length`
	for name, pages := range map[string]int{"catalogue.pdf": 96, "annual-report.pdf": 24} {
		member.visit(d.url + statsPath(d.links[name]) + "?range=all")
		member.run(chromedp.EmulateViewport(1440, 844), chromedp.Evaluate(openAll, nil))
		evaluates(member, name+", at first", rows, 12)
		evaluates(member, name+", the height", `(() => { const s = document.querySelector("#pages .scroll"); return s.scrollHeight <= s.clientHeight; })()`, true)
		member.run(chromedp.Evaluate(`document.querySelector("#pages .show-all input")?.click()`, nil))
		evaluates(member, name+", all", rows, pages)
		member.visit(d.url + statsPath(d.links[name]) + "?range=90d") // on a phone
		evaluates(member, name+", on a phone", rows, 7)
		evaluates(member, name+", visits", `document.querySelectorAll(".visits tbody tr").length`, 25)
		evaluates(member, name+", the height of the page",
			`Math.max(4000, document.documentElement.scrollHeight) + " " + document.documentElement.scrollWidth`,
			"4000 390")
		member.run(chromedp.Evaluate(`document.querySelectorAll(".show-all input").forEach((i) => i.click())`, nil))
		evaluates(member, name+", all, on a phone", rows, pages)
		evaluates(member, name+", all visits", `[...document.querySelectorAll(".visits tbody tr")].filter((r) => r.checkVisibility()).length`, 25)
	}

	// On a phone the link's page begins with sharing, with the system's share
	// sheet if it exists.
	member.run(chromedp.EmulateViewport(390, 844))
	member.visit(d.url + "/links/" + string(d.links["catalogue.pdf"].Slug))
	evaluates(member, "no sheet, no button", `document.querySelector("[data-share]").checkVisibility()`, false)
	evaluates(member, "copying is first", `[...document.querySelectorAll("main button, main .button")].filter((b) => b.checkVisibility()).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0].className.includes("copy-link")`, true)
	member.run(chromedp.ActionFunc(onNewDocument(`Navigator.prototype.share = (it) => ((window.shared = it.title + " " + it.url), Promise.resolve())`)))
	member.visit(d.url + "/links/" + string(d.links["catalogue.pdf"].Slug))
	evaluates(member, "sharing is first", `((b) => "share" in b.dataset && b.getBoundingClientRect().bottom < document.querySelector(".figures").getBoundingClientRect().top)([...document.querySelectorAll("main button, main .button")].filter((b) => b.checkVisibility())[0])`, true)
	member.run(chromedp.Click("[data-share]"))
	evaluates(member, "what is shared", `window.shared === document.querySelector("h1").textContent + " " + document.querySelector("#address").href`, true)
	member.run(chromedp.EmulateViewport(1440, 844))

	// In print the hours keep their colours, the chart fits the page, and a
	// table has all its rows.
	member.visit(d.url + statsPath(d.links["catalogue.pdf"]) + "?range=90d")
	member.until(`document.querySelector(".marks [tabindex='0']") !== null`)
	member.run(chromedp.Evaluate(openAll, nil), emulation.SetEmulatedMedia().WithMedia("print"),
		chromedp.EmulateViewport(720, 900))
	evaluates(member, "hours in print", `getComputedStyle(document.querySelector(".heat tbody td")).printColorAdjust`,
		"exact")
	evaluates(member, "the chart in print", `document.querySelector(".lines").getBoundingClientRect().right <= document.querySelector(".over-time").getBoundingClientRect().right`, true)
	evaluates(member, "rows in print", rows, 96)
	evaluates(member, "navigation in print", `document.querySelector(".top").checkVisibility()`, false)
	member.run(emulation.SetEmulatedMedia().WithMedia(""))
}
