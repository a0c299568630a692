package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"rsc.io/qr"
)

// listed returns a tab with the list of links: b, the oldest, then a and c.
func listed(d *site) *tab {
	for i, title := range []string{"b", "a", "c"} {
		d.publish("notes.txt", []byte(strings.Repeat("x", 10*(i+1))), titled(title))
		d.ahead.Add(int64(time.Minute))
	}
	return d.memberTab(d.member, "/links")
}

// TestBrowserHeadings checks that the headings of the list order it, that the
// choice above it says the same, and that the focus stays.
func TestBrowserHeadings(t *testing.T) {
	d := newDesk(t)
	tb := listed(d)
	tb.run(chromedp.EmulateViewport(1440, 900))
	const order = `[...document.querySelectorAll(".link-rows .title")].map((a) => a.textContent).join("")`
	same(t, "order at first", tb.text(order), "cab")
	for _, step := range []struct{ heading, order, choice, query string }{
		{"Title", "abc", "title", "?sort=title"},
		{"Size", "cab", "size", "?sort=size"},
		{"Created", "cab", "", ""},
		{"Created", "bac", "oldest", "?sort=oldest"},
		{"Created", "cab", "", ""},
	} {
		tb.run(chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll(".columns a")].find((a) => a.textContent === %q).focus()`, step.heading), nil),
			chromedp.KeyEvent(kb.Enter))
		tb.until(fmt.Sprintf(`location.search === %q`, step.query))
		tb.until(fmt.Sprintf(`%s === %q && document.querySelector("[name=sort]").value === %q`, order, step.order,
			step.choice))
		tb.until(fmt.Sprintf(`document.activeElement.matches(".columns a[aria-current]") && document.activeElement.textContent === %q`,
			step.heading))
	}
	tb.checkWindows("a list with headings")
	tb.quiet()
}

// TestBrowserBulkBar checks that the bar of the selected links covers no row
// that was selected or has the focus.
func TestBrowserBulkBar(t *testing.T) {
	d := newDesk(t)
	for i := range 14 {
		d.publish("notes.txt", []byte("x"), titled(fmt.Sprint("File ", i)))
	}
	tb := d.memberTab(d.member, "/links")
	for _, width := range []int64{1440, 390} {
		tb.run(chromedp.EmulateViewport(width, 700), chromedp.Reload())
		tb.arrives(`document.body.classList.contains("has-script")`)
		// The lowest row that is seen as a whole.
		tb.run(chromedp.Evaluate(`window.row = [...document.querySelectorAll(".link-rows > li")].filter((li) => li.getBoundingClientRect().bottom < innerHeight).at(-1); row.querySelector(".row-pick input").click()`, nil))
		const above = `(row) => row.getBoundingClientRect().bottom <= document.querySelector(".picked-bar").getBoundingClientRect().top`
		tb.until(`(` + above + `)(row)`)
		tb.run(chromedp.Evaluate(`window.next = row.nextElementSibling; row.querySelector(".row-menu").focus()`, nil), chromedp.KeyEvent(kb.Tab))
		tb.until(`next.contains(document.activeElement)`)
		tb.until(`document.activeElement.getBoundingClientRect().bottom <= document.querySelector(".picked-bar").getBoundingClientRect().top`)
	}
	tb.quiet()
}

// TestBrowserChannel checks that the address for one channel is a source of the
// analytics, and that the QR code has the same address.
func TestBrowserChannel(t *testing.T) {
	d := newDesk(t)
	l := d.publish("report.pdf", samples["report.pdf"])
	tb := d.memberTab(d.member, linkPath(l)+"/share")
	page := d.url + "/p/" + string(l.Slug)
	same(t, "without a channel", tb.text(`document.querySelector("#channel-address").value`), page)
	tb.run(chromedp.SendKeys("#channel-name", " Spring & news "))
	const query = "?utm_source=Spring%20%26%20news"
	tb.until(`document.querySelector("#channel-address").value === "` + page + query + `"`)
	tb.until(`document.querySelector("img.qr").getAttribute("src").endsWith("/qr.svg` + query + `") && document.querySelector("img.qr").complete`)
	tb.until(`[...document.querySelectorAll("a[download]")].every((a) => a.href.endsWith("` + query + `"))`)
	tb.run(chromedp.Evaluate(`scrollTo(0, 0)`, nil))
	tb.checkWindows("an address for one channel")
	tb.quiet()

	d.status(d.get(strings.TrimPrefix(page, d.url)+query, readerChrome), http.StatusOK)
	report, err := d.server.Analytics.Link(t.Context(), d.member, string(l.Slug), analytics.In("all"))
	d.check(err)
	if got := report.Breakdowns.Sources; len(got) != 1 || got[0].Key != "spring & news" {
		t.Errorf("sources = %+v, want spring & news", got)
	}
	d.status(d.get(strings.TrimPrefix(page, d.url), readerChrome), http.StatusOK)
	d.status(d.get(strings.TrimPrefix(page, d.url), readerChrome, "Referer: https://museum.example/"), http.StatusOK)
	tb.visit(d.url + linkPath(l) + "/share")
	same(t, "sources so far", tb.text(`[...document.querySelectorAll(".channels li")].map((li) => li.innerText + " " + li.querySelector("button").dataset.text).join()`),
		"spring & news\n1 view\nCopy "+page+"?utm_source=spring+%26+news")
	tb.checkWindows("sources so far")
	tb.run(chromedp.Click(".channels a"))
	tb.arrives(`location.pathname.endsWith("/analytics") && document.body.innerText.includes("spring & news")`)
	for channel, want := range map[string]string{"": "", "Spring & news": "&utm_source=Spring+%26+news",
		strings.Repeat("x", 101): ""} {
		code, err := qr.Encode(page+"?qr=1"+want, qr.M)
		d.check(err)
		code.Scale = 16
		got := d.status(d.get("/p/"+string(l.Slug)+"/qr.png?utm_source="+url.QueryEscape(channel)), http.StatusOK)
		if got.body != string(code.PNG()) {
			t.Errorf("the code of %.20q does not have the address %s", channel, page+"?qr=1"+want)
		}
	}
}

// TestBrowserModerationInBar checks that moderation is in one place: on a phone
// in the bar only if links wait.
func TestBrowserModerationInBar(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.owner, "/links")
	places := func(what, want string) {
		t.Helper()
		tb.run(chromedp.Reload())
		tb.arrives(`document.body.classList.contains("has-script")`)
		tb.run(chromedp.Click(".who-button"))
		tb.until(`document.querySelector("#me").matches(":popover-open")`)
		got := tb.text(`[...document.querySelectorAll("a[href='/moderation']")].filter((a) => a.checkVisibility()).map((a) => a.closest(".menu") ? "menu" : "bar").join()`)
		same(t, what, got, want)
	}
	tb.run(chromedp.EmulateViewport(1440, 900))
	places("on a desktop", "bar")
	tb.run(chromedp.EmulateViewport(390, 844))
	places("on a phone", "menu")
	d.held("notes.txt", vitrine.ReasonSuspicious)
	places("on a phone, a link waits", "bar")
	tb.quiet()
}
