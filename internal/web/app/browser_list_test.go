package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// listed returns a tab with the list of links: b, the oldest, then a and c.
func listed(d *webtest.Site) *webtest.Tab {
	for i, title := range []string{"b", "a", "c"} {
		d.Publish("notes.txt", []byte(strings.Repeat("x", 10*(i+1))), webtest.Titled(title))
		d.Ahead.Add(int64(time.Minute))
	}
	return d.MemberTab(d.Member, "/links")
}

// TestBrowserHeadings checks that the headings of the list order it, that the
// choice above it says the same, and that the focus stays.
func TestBrowserHeadings(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := listed(d)
	tb.Run(chromedp.EmulateViewport(1440, 900))
	const order = `[...document.querySelectorAll(".link-rows .title")].map((a) => a.textContent).join("")`
	webtest.Same(t, "order at first", tb.Text(order), "cab")
	for _, step := range []struct{ heading, order, choice, query string }{
		{"Title", "abc", "title", "?sort=title"},
		{"Size", "cab", "size", "?sort=size"},
		{"Created", "cab", "", ""},
		{"Created", "bac", "oldest", "?sort=oldest"},
		{"Created", "cab", "", ""},
	} {
		tb.Run(chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll(".columns a")].find((a) => a.textContent === %q).focus()`, step.heading), nil),
			webtest.Keys(kb.Enter))
		tb.Until(fmt.Sprintf(`location.search === %q`, step.query))
		tb.Until(fmt.Sprintf(`%s === %q && document.querySelector("[name=sort]").value === %q`, order, step.order,
			step.choice))
		tb.Until(fmt.Sprintf(`document.activeElement.matches(".columns a[aria-current]") && document.activeElement.textContent === %q`,
			step.heading))
	}
	tb.CheckWindows("a list with headings")
	tb.Quiet()
}

// TestBrowserBulkBar checks that the bar of the selected links covers no row
// that was selected or has the focus.
func TestBrowserBulkBar(t *testing.T) {
	d := webtest.NewDesk(t)
	for i := range 14 {
		d.Publish("notes.txt", []byte("x"), webtest.Titled(fmt.Sprint("File ", i)))
	}
	tb := d.MemberTab(d.Member, "/links")
	for _, width := range []int64{1440, 390} {
		tb.Run(chromedp.EmulateViewport(width, 700), chromedp.Reload())
		tb.Arrives(`document.body.classList.contains("has-script")`)
		// The lowest row that is seen as a whole.
		tb.Run(chromedp.Evaluate(`window.row = [...document.querySelectorAll(".link-rows > li")].filter((li) => li.getBoundingClientRect().bottom < innerHeight).at(-1); row.querySelector(".row-pick input").click()`, nil))
		const above = `(row) => row.getBoundingClientRect().bottom <= document.querySelector(".picked-bar").getBoundingClientRect().top`
		tb.Until(`(` + above + `)(row)`)
		tb.Run(chromedp.Evaluate(`window.next = row.nextElementSibling; row.querySelector(".row-menu").focus()`, nil), webtest.Keys(kb.Tab))
		tb.Until(`next.contains(document.activeElement)`)
		tb.Until(`document.activeElement.getBoundingClientRect().bottom <= document.querySelector(".picked-bar").getBoundingClientRect().top`)
	}
	tb.Quiet()
}

// TestBrowserModerationInBar checks that moderation is in one place: on a phone
// in the bar only if links wait.
func TestBrowserModerationInBar(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := d.MemberTab(d.Owner, "/links")
	places := func(what, want string) {
		t.Helper()
		tb.Run(chromedp.Reload())
		tb.Arrives(`document.body.classList.contains("has-script")`)
		tb.Run(chromedp.Click(".who-button"))
		tb.Until(`document.querySelector("#me").matches(":popover-open")`)
		got := tb.Text(`[...document.querySelectorAll("a[href='/moderation']")].filter((a) => a.checkVisibility()).map((a) => a.closest(".menu") ? "menu" : "bar").join()`)
		webtest.Same(t, what, got, want)
	}
	tb.Run(chromedp.EmulateViewport(1440, 900))
	places("on a desktop", "bar")
	tb.Run(chromedp.EmulateViewport(390, 844))
	places("on a phone", "menu")
	d.Held("notes.txt", vitrine.ReasonSuspicious)
	places("on a phone, a link waits", "bar")
	tb.Quiet()
}
