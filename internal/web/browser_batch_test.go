package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// Several files at once stand in the order in which they were chosen, below a
// head that says how far all of them are and acts on all.
func TestBrowserBatch(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.member, "/dashboard")
	tb.choose("one.txt", "picture.exe", "two.txt", "three.txt")
	tb.until(`document.querySelector("#batch p").textContent === "3 links created, 1 not uploaded"`)
	var order string
	tb.run(chromedp.Evaluate(`[...document.querySelectorAll("#rows .title")].map((t) => t.textContent).join()`, &order))
	if order != "one.txt,picture.exe,two.txt,three.txt" {
		t.Errorf("the order: %s", order)
	}
	var links, buttons string
	tb.run(chromedp.Evaluate(`(() => {
		const own = [...document.querySelectorAll("#rows .address:not([hidden]) input")].map((i) => i.value).join("\n");
		return String(own === document.querySelector(".copy-all").dataset.text && own.split("\n").length === 3);
	})()`, &links), chromedp.Evaluate(`[...document.querySelectorAll("#batch button")].filter((b) => b.checkVisibility()).map((b) => b.textContent).join()`, &buttons))
	if links != "true" || buttons != "Copy all links,Clear" {
		t.Errorf("the links of all rows: %s; buttons %s", links, buttons)
	}
	tb.run(chromedp.Click(".clear-all"))
	tb.until(`!document.querySelector("#rows li") && !document.querySelector("#batch").checkVisibility()`)

	// One file alone has no head.
	tb.choose("four.txt")
	tb.until(`document.querySelector("#rows .address input")?.value.includes("/p/")`)
	tb.until(`!document.querySelector("#batch").checkVisibility()`)
}
