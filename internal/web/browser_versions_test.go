package web_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserVersions replaces the file of a link on its page and restores the
// old version.
func TestBrowserVersions(t *testing.T) {
	d := newDesk(t)
	tb := d.visitorOf(d.member)
	l := d.publish("notes.txt", []byte("the first text"))
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		d.check(os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	choose := func(path string) { tb.run(chromedp.SetUploadFiles("#file", []string{path}, chromedp.ByQuery)) }
	tb.run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(d.url+linkPath(l)+"/versions"))
	tb.accessible("versions of a file that was never replaced")
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.until(`document.querySelector("#differs").innerText.includes("Current file: Text. New file: Web page (page.html).")`)
	tb.accessible("the question before a file of another kind")
	tb.run(chromedp.Click(`#differs [popovertarget]`, chromedp.ByQuery))
	tb.until(`!document.querySelector("#differs").matches(":popover-open") && document.querySelectorAll(".file-versions li").length === 1`)
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.until(`document.querySelector("#differs").matches(":popover-open")`)
	tb.run(chromedp.Click("#anyway", chromedp.ByQuery))
	tb.arrives(`document.querySelector(".banner")?.innerText.includes("Readers now see the new file")`)
	tb.until(`document.querySelector("h1").innerText === "notes.txt"`)
	tb.until(`[...document.querySelectorAll(".file-versions li b")].map((b) => b.innerText).join() === "Version 2,Version 1"`)
	tb.accessible("versions of a file")
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.until(`document.querySelector("#stage").innerText === "Nothing changed" && document.querySelector("#why").innerText.includes("already")`)
	choose(file("wrong.pdf", "no PDF at all"))
	tb.until(`document.querySelector("#differs").matches(":popover-open")`)
	tb.run(chromedp.Click("#anyway", chromedp.ByQuery))
	tb.until(`document.querySelector("#stage").innerText === "Not replaced" && document.querySelector("#why").innerText.length > 20 && !document.querySelector("#again").hidden`)
	tb.accessible("a file that was not replaced")
	tb.run(chromedp.Click(`form[action$="/versions/restore"] button`, chromedp.ByQuery))
	tb.arrives(`document.querySelector(".banner")?.innerText.includes("Version restored")`)
	tb.until(`document.querySelector(".file-versions li[aria-current]").innerText.includes("Version 1")`)
	tb.run(chromedp.Navigate(d.url + "/p/" + string(l.Slug)))
	tb.until(`document.body.innerText.includes("the first text")`)
}
