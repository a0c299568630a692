package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestBrowserBatch uploads several files at once. They are listed in the order
// in which they were chosen, below a header with the progress of all and the
// actions for all.
func TestBrowserBatch(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Choose("one.txt", "picture.exe", "two.txt", "failed.exe.gz", "three.txt")
	tb.Until(`document.querySelector("#batch p").textContent === "3 links ready · 1 not uploaded"`)
	tb.Until(`document.querySelector("#refused li").textContent.startsWith("picture.exe Programs") && document.querySelector("#toast").textContent.startsWith("3 links ready")`)
	var order string
	tb.Run(chromedp.Evaluate(`[...document.querySelectorAll("#rows .title")].map((t) => t.textContent).join()`, &order))
	if order != "one,two,failed.exe.gz,three" {
		t.Errorf("order = %s, want one,two,failed.exe.gz,three", order)
	}
	var links, buttons string
	tb.Run(chromedp.Evaluate(`(() => {
		const own = [...document.querySelectorAll("#rows .file-address:not([hidden]) a")].map((a) => a.href).join("\n");
		return String(own === document.querySelector(".copy-all").dataset.text && own.split("\n").length === 3);
	})()`, &links), chromedp.Evaluate(`[...document.querySelectorAll("#batch button")].filter((b) => b.checkVisibility()).map((b) => b.textContent).join()`, &buttons))
	if links != "true" || buttons != "Copy all links,Create album,Clear" {
		t.Errorf("all links copied = %s, buttons = %s", links, buttons)
	}
	// After a reload the links and the buttons for all are still there.
	tb.Run(chromedp.Reload())
	tb.Until(`document.querySelector("#batch p")?.textContent === "3 links ready" && document.querySelector(".copy-all").dataset.text.split("\n").length === 3`)
	tb.Run(chromedp.Click(".clear-all"))
	tb.Until(`!document.querySelector("#rows li") && !document.querySelector("#batch").checkVisibility()`)

	tb.Run(chromedp.Reload())
	tb.Until(`document.querySelector("#drop.compact") && !document.querySelector("#rows li")`)

	// A single file has no header.
	tb.Choose("four.txt")
	tb.Until(`document.querySelector("#rows .file-address a")?.href.includes("/p/")`)
	tb.Until(`!document.querySelector("#batch").checkVisibility()`)

	// The files of a folder are sorted by name and become an album.
	tb.Run(chromedp.Evaluate(`document.querySelector("#rows .remove").click()`, nil))
	deck := folder(t, "Deck", map[string]string{"page-10.txt": "ten", "page-2.txt": "two", ".DS_Store": "x",
		"more/end.txt": "end"})
	tb.Run(chromedp.SetUploadFiles("#folder", []string{deck}, chromedp.ByQuery))
	tb.Until(`document.querySelector("#batch p").textContent === "3 links ready"`)
	tb.Run(chromedp.Click(".make-album button"))
	tb.Arrives(`location.pathname.startsWith("/albums/") && document.querySelector(".banner").textContent.includes("Album created")`)
	var members string
	tb.Run(chromedp.Evaluate(`[...document.querySelectorAll(".album-links .title")].map((a) => a.textContent).join()`,
		&members))
	if members != "end,page-2,page-10" {
		t.Errorf("files of the album = %s, want end,page-2,page-10", members)
	}
}

// TestBrowserUploadRows checks that the copy button of a single file is the
// primary one of the page, that its row gets a picture once there is one, and
// that twelve files fit on a screen, each with its extension and its menu.
func TestBrowserUploadRows(t *testing.T) {
	d := webtest.NewDesk(t)
	webtest.Previewer(t, d)
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Run(chromedp.EmulateViewport(1440, 900))
	const primary = `[...document.querySelectorAll("main .primary")].filter((b) => b.checkVisibility()).map((b) => b.textContent.trim()).join()`
	tb.Until(primary + ` === "Choose files"`)
	tb.Choose("report.pdf")
	tb.WaitForState("report.pdf", "live")
	tb.Until(primary + ` === "Copy"`)
	d.Check(d.Server.Previews.Make(t.Context()))
	tb.Until(webtest.FileRow("report.pdf") + `.querySelector(".badge img")?.naturalWidth > 0`)
	tb.CheckWindows("one upload")

	names := []string{"sales.csv", "sales.txt", "a.md", "b.md", "c.md", "d.md", "e.md", "f.md", "g.md", "h.md", "i.md"}
	tb.Choose(names...)
	tb.Until(`document.querySelector("#batch p").textContent === "12 links ready"`)
	tb.Until(primary + ` === "Copy all links"`)
	tb.Until(`document.querySelector("#rows").offsetHeight <= 900`)
	got := tb.Text(`[...document.querySelectorAll("#rows .ext")].map((e) => e.textContent).slice(0, 3).join()`)
	webtest.Same(t, "extensions", got, "PDF,CSV,TXT")
	tb.CheckWindows("many uploads")
	const menu = `document.querySelector("#rows li:nth-child(2) .menu")`
	tb.Run(chromedp.Click(`#rows li:nth-child(2) .row-menu`, chromedp.ByQuery))
	tb.Until(menu + `.matches(":popover-open")`)
	webtest.Same(t, "menu", tb.Text(menu+`.innerText.replaceAll(/\s*\n\s*/g, ",")`),
		"Open,Details,Analytics,Share,Title, address, downloads,Dismiss")
	tb.Run(chromedp.Click(`#rows li:nth-child(2) .change`, chromedp.ByQuery))
	tb.Until(`document.activeElement.matches("#rows li:nth-child(2) [name=title]") && document.activeElement.checkVisibility()`)
	tb.CheckWindows("many uploads, options open")
	tb.Quiet()
}

// neverAsks lets a page be left during an upload. Headless Chromium cannot
// answer the question.
const neverAsks = `{
	const add = addEventListener;
	addEventListener = (type, ...rest) => type === "beforeunload" || add(type, ...rest);
}`

// TestBrowserUploadReload checks that a reload loses no link, and that the same
// file, chosen again, continues the same upload: there is one link, whatever
// state it had reached.
func TestBrowserUploadReload(t *testing.T) {
	gate := make(chan struct{})
	var held atomic.Bool
	d := webtest.NewDeskWith(t, webtest.SiteOptions{Around: func(next http.Handler) http.Handler {
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
	tb := d.MemberTab(d.Member, "/dashboard")
	tb.Run(chromedp.ActionFunc(webtest.OnNewDocument(neverAsks)), chromedp.Navigate(d.URL+"/dashboard?first"))
	dir := t.TempDir()
	file := filepath.Join(dir, "slow.txt")
	d.Check(os.WriteFile(file, []byte("slow"), 0o600))
	choose := func() { tb.Run(chromedp.SetUploadFiles("#files", []string{file}, chromedp.ByQuery)) }
	tb.Choose("quick.txt")
	tb.WaitForState("quick.txt", "live")
	held.Store(true)
	choose()
	tb.WaitForState("slow.txt", "checking")
	webtest.Eventually(t, "the link is made", func() bool { return len(d.LinksOf(d.Member)) == 2 })
	tb.Run(chromedp.Reload())
	tb.WaitForState("quick.txt", "live")
	tb.Until(`document.querySelector("#unsent").innerText.includes("slow.txt")`)
	tb.CheckWindows("after a reload")
	choose()
	tb.WaitForState("slow.txt", "live")
	tb.Until(`!document.querySelector("#unsent").checkVisibility()`)
	if n := len(d.LinksOf(d.Member)); n != 2 {
		t.Errorf("%d links, want 2", n)
	}
}

// TestBrowserFirstOfficeFile checks that the first upload, an office file, says
// how to see the time for each page, unless each page of it is measured.
func TestBrowserFirstOfficeFile(t *testing.T) {
	for _, measured := range []bool{false, true} {
		t.Run(fmt.Sprint(measured), func(t *testing.T) { firstOfficeFile(t, measured) })
	}
}

// pagesToo is a previewer that says that it makes pages.
type pagesToo struct{ vitrine.Previewer }

func (pagesToo) Makes(vitrine.Part, string) bool { return true }

func firstOfficeFile(t *testing.T, measured bool) {
	d := webtest.NewDesk(t)
	want := "Send the link. Visits appear under Analytics. To see the time for each page, upload a PDF."
	if measured {
		d.Server.Previews.Previewer = pagesToo{d.Server.Previews.Previewer}
		want = "Send the link. Visits appear under Analytics."
	}
	tb := d.MemberTab(d.Member, "/dashboard")
	contract := filepath.Join(t.TempDir(), "contract.docx")
	d.Check(os.WriteFile(contract, webtest.MakeDOCX(t, 2, "http://a.test"), 0o600))
	tb.Run(chromedp.SetUploadFiles("#files", []string{contract}, chromedp.ByQuery))
	tb.WaitForState("contract.docx", "live")
	tb.Until(`document.querySelector("#next").innerText === "` + want + `"`)
	tb.CheckWindows("the first link, of an office file")
	tb.Quiet()
}
