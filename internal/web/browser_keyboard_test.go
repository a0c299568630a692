package web_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserKeyboardAlone checks that Tab and Enter are sufficient to upload a
// file, copy its link, open its page and see its report.
func TestBrowserKeyboardAlone(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := d.MemberTab(d.Member, "/dashboard")
	file := filepath.Join(t.TempDir(), "deck.pdf")
	d.Check(os.WriteFile(file, webtest.Samples["report.pdf"], 0o600))
	tb.Run(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`, nil),
		page.SetInterceptFileChooserDialog(true))
	chromedp.ListenTarget(tb.Ctx, func(event any) {
		if e, ok := event.(*page.EventFileChooserOpened); ok { // the system's dialog
			go func() {
				_ = chromedp.Run(tb.Ctx, chromedp.ActionFunc(func(ctx context.Context) error {
					return dom.SetFileInputFiles([]string{file}).WithBackendNodeID(e.BackendNodeID).Do(ctx)
				}))
			}()
		}
	})
	enter := func() { t.Helper(); tb.Run(webtest.Keys(kb.Enter)) }
	tb.TabTo("#choose")
	enter()
	tb.WaitForState("deck.pdf", "live")
	tb.TabTo("#rows .copy-it")
	enter()
	tb.Until(`window.copied === document.querySelector("#rows .file-address a").href`)
	tb.TabTo("#rows .manage")
	enter()
	tb.Arrives(`/^\/links\/[^/]+$/.test(location.pathname) && document.querySelector("h1").innerText === "deck"`)
	for _, tab := range []string{"/share", "/settings", "/analytics"} {
		tb.TabTo(`.tabs a[href$="` + tab + `"]`)
		enter()
		tb.Arrives(`location.pathname.endsWith("` + tab +
			`") && document.querySelector(".tabs [aria-current]").getAttribute("href").endsWith("` + tab + `")`)
	}
	tb.Quiet()
}
