package web_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tabTo presses Tab until an element has the focus. Each element on the way
// must show its focus.
func (tb *tab) tabTo(selector string) {
	tb.t.Helper()
	for range 150 {
		var there, seen bool
		tb.run(chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(`document.activeElement.matches(`+"`"+selector+"`"+`)`, &there), chromedp.Evaluate(`(() => {
			const e = document.activeElement;
			if (e === document.body) return true;
			const shows = (e) => { const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; };
			for (let at = e; at; at = at.parentElement) if (shows(at)) return true;
			return false;
		})()`, &seen))
		if !seen {
			tb.t.Errorf("the focus is not visible on %s", tb.text(`document.activeElement.outerHTML.slice(0, 120)`))
		}
		if there {
			return
		}
	}
	tb.t.Fatalf("Tab does not reach %s", selector)
}

// TestBrowserKeyboardAlone checks that Tab and Enter are sufficient to upload a
// file, copy its link, open its page and see its report.
func TestBrowserKeyboardAlone(t *testing.T) {
	d := newDesk(t)
	tb := d.memberTab(d.member, "/dashboard")
	file := filepath.Join(t.TempDir(), "deck.pdf")
	d.check(os.WriteFile(file, samples["report.pdf"], 0o600))
	tb.run(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`, nil),
		page.SetInterceptFileChooserDialog(true))
	chromedp.ListenTarget(tb.ctx, func(event any) {
		if e, ok := event.(*page.EventFileChooserOpened); ok { // the system's dialog
			go func() {
				_ = chromedp.Run(tb.ctx, chromedp.ActionFunc(func(ctx context.Context) error {
					return dom.SetFileInputFiles([]string{file}).WithBackendNodeID(e.BackendNodeID).Do(ctx)
				}))
			}()
		}
	})
	enter := func() { t.Helper(); tb.run(chromedp.KeyEvent(kb.Enter)) }
	tb.tabTo("#choose")
	enter()
	tb.waitForState("deck.pdf", "live")
	tb.tabTo("#rows .copy-it")
	enter()
	tb.until(`window.copied === document.querySelector("#rows .file-address a").href`)
	tb.tabTo("#rows .manage")
	enter()
	tb.arrives(`/^\/links\/[^/]+$/.test(location.pathname) && document.querySelector("h1").innerText === "deck"`)
	for _, tab := range []string{"/share", "/settings", "/analytics"} {
		tb.tabTo(`.tabs a[href$="` + tab + `"]`)
		enter()
		tb.arrives(`location.pathname.endsWith("` + tab +
			`") && document.querySelector(".tabs [aria-current]").getAttribute("href").endsWith("` + tab + `")`)
	}
	tb.quiet()
}
