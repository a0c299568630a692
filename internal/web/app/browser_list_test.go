package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"rsc.io/qr"
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
			chromedp.KeyEvent(kb.Enter))
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
		tb.Run(chromedp.Evaluate(`window.next = row.nextElementSibling; row.querySelector(".row-menu").focus()`, nil), chromedp.KeyEvent(kb.Tab))
		tb.Until(`next.contains(document.activeElement)`)
		tb.Until(`document.activeElement.getBoundingClientRect().bottom <= document.querySelector(".picked-bar").getBoundingClientRect().top`)
	}
	tb.Quiet()
}

// TestBrowserChannel checks that the address for one channel is a source of the
// analytics, and that the QR code has the same address.
func TestBrowserChannel(t *testing.T) {
	d := webtest.NewDesk(t)
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"])
	tb := d.MemberTab(d.Member, webtest.LinkPath(l)+"/share")
	page := d.URL + "/p/" + string(l.Slug)
	webtest.Same(t, "without a channel", tb.Text(`document.querySelector("#channel-address").value`), page)
	tb.Run(chromedp.SendKeys("#channel-name", " Spring & news "))
	const query = "?utm_source=Spring%20%26%20news"
	tb.Until(`document.querySelector("#channel-address").value === "` + page + query + `"`)
	tb.Until(`document.querySelector("img.qr").getAttribute("src").endsWith("/qr.svg` + query + `") && document.querySelector("img.qr").complete`)
	tb.Until(`[...document.querySelectorAll("a[download]")].every((a) => a.href.endsWith("` + query + `"))`)
	tb.Run(chromedp.Evaluate(`scrollTo(0, 0)`, nil))
	tb.CheckWindows("an address for one channel")
	tb.Quiet()

	d.Status(d.Get(strings.TrimPrefix(page, d.URL)+query, webtest.ReaderChrome), http.StatusOK)
	report, err := d.Server.Analytics.Link(t.Context(), d.Member, string(l.Slug), analytics.In("all"))
	d.Check(err)
	if got := report.Breakdowns.Sources; len(got) != 1 || got[0].Key != "spring & news" {
		t.Errorf("sources = %+v, want spring & news", got)
	}
	d.Status(d.Get(strings.TrimPrefix(page, d.URL), webtest.ReaderChrome), http.StatusOK)
	d.Status(d.Get(strings.TrimPrefix(page, d.URL), webtest.ReaderChrome, "Referer: https://museum.example/"),
		http.StatusOK)
	tb.Visit(d.URL + webtest.LinkPath(l) + "/share")
	webtest.Same(t, "sources so far", tb.Text(`[...document.querySelectorAll(".channels li")].map((li) => li.innerText + " " + li.querySelector("button").dataset.text).join()`),
		"spring & news\n1 view\nCopy "+page+"?utm_source=spring+%26+news")
	tb.CheckWindows("sources so far")
	tb.Run(chromedp.Click(".channels a"))
	tb.Arrives(`location.pathname.endsWith("/analytics") && document.body.innerText.includes("spring & news")`)
	for channel, want := range map[string]string{"": "", "Spring & news": "&utm_source=Spring+%26+news",
		strings.Repeat("x", 101): ""} {
		code, err := qr.Encode(page+"?qr=1"+want, qr.M)
		d.Check(err)
		code.Scale = 16
		got := d.Status(d.Get("/p/"+string(l.Slug)+"/qr.png?utm_source="+url.QueryEscape(channel)), http.StatusOK)
		if got.Text != string(code.PNG()) {
			t.Errorf("the code of %.20q does not have the address %s", channel, page+"?qr=1"+want)
		}
	}
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
