package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserBatch uploads several files at once. They are listed in the order
// in which they were chosen, below a header with the progress of all and the
// actions for all.
func TestBrowserBatch(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.member, "/dashboard")
	tb.choose("one.txt", "picture.exe", "two.txt", "failed.exe.gz", "three.txt")
	tb.until(`document.querySelector("#batch p").textContent === "3 links ready · 1 not uploaded"`)
	tb.until(`document.querySelector("#refused li").textContent.startsWith("picture.exe Programs") && document.querySelector("#toast").textContent.startsWith("3 links ready")`)
	var order string
	tb.run(chromedp.Evaluate(`[...document.querySelectorAll("#rows .title")].map((t) => t.textContent).join()`, &order))
	if order != "one,two,failed.exe.gz,three" {
		t.Errorf("order = %s, want one,two,failed.exe.gz,three", order)
	}
	var links, buttons string
	tb.run(chromedp.Evaluate(`(() => {
		const own = [...document.querySelectorAll("#rows .file-address:not([hidden]) a")].map((a) => a.href).join("\n");
		return String(own === document.querySelector(".copy-all").dataset.text && own.split("\n").length === 3);
	})()`, &links), chromedp.Evaluate(`[...document.querySelectorAll("#batch button")].filter((b) => b.checkVisibility()).map((b) => b.textContent).join()`, &buttons))
	if links != "true" || buttons != "Copy all links,Create album,Clear" {
		t.Errorf("all links copied = %s, buttons = %s", links, buttons)
	}
	// After a reload the links and the buttons for all are still there.
	tb.run(chromedp.Reload())
	tb.until(`document.querySelector("#batch p")?.textContent === "3 links ready" && document.querySelector(".copy-all").dataset.text.split("\n").length === 3`)
	tb.run(chromedp.Click(".clear-all"))
	tb.until(`!document.querySelector("#rows li") && !document.querySelector("#batch").checkVisibility()`)

	tb.run(chromedp.Reload())
	tb.until(`document.querySelector("#drop.compact") && !document.querySelector("#rows li")`)

	// A single file has no header.
	tb.choose("four.txt")
	tb.until(`document.querySelector("#rows .file-address a")?.href.includes("/p/")`)
	tb.until(`!document.querySelector("#batch").checkVisibility()`)

	// The files of a folder are sorted by name and become an album.
	tb.run(chromedp.Evaluate(`document.querySelector("#rows .remove").click()`, nil))
	deck := folder(t, "Deck", map[string]string{"page-10.txt": "ten", "page-2.txt": "two", ".DS_Store": "x",
		"more/end.txt": "end"})
	tb.run(chromedp.SetUploadFiles("#folder", []string{deck}, chromedp.ByQuery))
	tb.until(`document.querySelector("#batch p").textContent === "3 links ready"`)
	tb.run(chromedp.Click(".make-album button"))
	tb.arrives(`location.pathname.startsWith("/albums/") && document.querySelector(".banner").textContent.includes("Album created")`)
	var members string
	tb.run(chromedp.Evaluate(`[...document.querySelectorAll(".album-links .title")].map((a) => a.textContent).join()`,
		&members))
	if members != "end,page-2,page-10" {
		t.Errorf("files of the album = %s, want end,page-2,page-10", members)
	}
}

// TestBrowserUploadRows checks that the copy button of a single file is the
// primary one of the page, that its row gets a picture once there is one, and
// that twelve files fit on a screen, each with its extension and its menu.
func TestBrowserUploadRows(t *testing.T) {
	d := newDesk(t)
	previewer(t, d)
	tb := d.memberTab(d.member, "/dashboard")
	tb.run(chromedp.EmulateViewport(1440, 900))
	const primary = `[...document.querySelectorAll("main .primary")].filter((b) => b.checkVisibility()).map((b) => b.textContent.trim()).join()`
	tb.until(primary + ` === "Choose files"`)
	tb.choose("report.pdf")
	tb.waitForState("report.pdf", "live")
	tb.until(primary + ` === "Copy"`)
	d.check(d.server.Previews.Make(t.Context()))
	tb.until(fileRow("report.pdf") + `.querySelector(".badge img")?.naturalWidth > 0`)
	tb.checkWindows("one upload")

	names := []string{"sales.csv", "sales.txt", "a.md", "b.md", "c.md", "d.md", "e.md", "f.md", "g.md", "h.md", "i.md"}
	tb.choose(names...)
	tb.until(`document.querySelector("#batch p").textContent === "12 links ready"`)
	tb.until(primary + ` === "Copy all links"`)
	tb.until(`document.querySelector("#rows").offsetHeight <= 900`)
	got := tb.text(`[...document.querySelectorAll("#rows .ext")].map((e) => e.textContent).slice(0, 3).join()`)
	same(t, "extensions", got, "PDF,CSV,TXT")
	tb.checkWindows("many uploads")
	const menu = `document.querySelector("#rows li:nth-child(2) .menu")`
	tb.run(chromedp.Click(`#rows li:nth-child(2) .row-menu`, chromedp.ByQuery))
	tb.until(menu + `.matches(":popover-open")`)
	same(t, "menu", tb.text(menu+`.innerText.replaceAll(/\s*\n\s*/g, ",")`),
		"Open,Details,Analytics,Share,Title, address, downloads,Dismiss")
	tb.run(chromedp.Click(`#rows li:nth-child(2) .change`, chromedp.ByQuery))
	tb.until(`document.activeElement.matches("#rows li:nth-child(2) [name=title]") && document.activeElement.checkVisibility()`)
	tb.checkWindows("many uploads, options open")
	tb.quiet()
}

// TestBrowserUploadReload checks that a reload loses no link, and that the same
// file, chosen again, continues the same upload: there is one link, whatever
// state it had reached.
func TestBrowserUploadReload(t *testing.T) {
	gate := make(chan struct{})
	var held atomic.Bool
	d := newDeskWith(t, siteOptions{around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/dashboard/uploads/complete" && held.CompareAndSwap(true, false) {
				next.ServeHTTP(httptest.NewRecorder(), r) // the link is created, but the page never gets the answer
				<-gate
				return
			}
			next.ServeHTTP(w, r)
		})
	}})
	t.Cleanup(sync.OnceFunc(func() { close(gate) }))
	tb := d.memberTab(d.member, "/dashboard")
	// Headless Chromium cannot answer the question before leaving a page.
	tb.run(chromedp.ActionFunc(onNewDocument(`{ const add = addEventListener; addEventListener = (type, ...rest) => type === "beforeunload" || add(type, ...rest); }`)),
		chromedp.Navigate(d.url+"/dashboard?first"))
	dir := t.TempDir()
	file := filepath.Join(dir, "slow.txt")
	d.check(os.WriteFile(file, []byte("slow"), 0o600))
	choose := func() { tb.run(chromedp.SetUploadFiles("#files", []string{file}, chromedp.ByQuery)) }
	tb.choose("quick.txt")
	tb.waitForState("quick.txt", "live")
	held.Store(true)
	choose()
	tb.waitForState("slow.txt", "checking")
	eventually(t, "the link is made", func() bool { return len(d.linksOf(d.member)) == 2 })
	tb.run(chromedp.Reload())
	tb.waitForState("quick.txt", "live")
	tb.until(`document.querySelector("#unsent").innerText.includes("slow.txt")`)
	tb.checkWindows("after a reload")
	choose()
	tb.waitForState("slow.txt", "live")
	tb.until(`!document.querySelector("#unsent").checkVisibility()`)
	if n := len(d.linksOf(d.member)); n != 2 {
		t.Errorf("%d links, want 2", n)
	}
}

// TestBrowserFirstOfficeFile checks that the first upload, an office file, says
// how to see the time for each page.
func TestBrowserFirstOfficeFile(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.member, "/dashboard")
	contract := filepath.Join(t.TempDir(), "contract.docx")
	d.check(os.WriteFile(contract, makeDOCX(t, 2, "http://a.test"), 0o600))
	tb.run(chromedp.SetUploadFiles("#files", []string{contract}, chromedp.ByQuery))
	tb.waitForState("contract.docx", "live")
	tb.until(`document.querySelector("#next").innerText.endsWith("To see the time for each page, upload a PDF.")`)
	tb.checkWindows("the first link, of an office file")
	tb.quiet()
}
