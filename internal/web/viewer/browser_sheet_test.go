package viewer_test

import (
	"archive/zip"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestBrowserSheetEndsWithItsText checks that no empty paper is below a short
// text, list or table, and that a long text still has all of the window.
func TestBrowserSheetEndsWithItsText(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	files := map[string][]byte{"long.txt": []byte(strings.Repeat("A line.\n", 200)), "few.csv": []byte("a,b\n1,2\n3,4\n")}
	files["archive.zip"] = webtest.Zipped(t, zip.Deflate)
	for _, name := range []string{"notes.txt", "data.json", "view-only.md"} {
		files[name] = webtest.Samples[name]
	}
	for name, content := range files {
		l := s.Publish(name, content)
		s.Check(s.Server.Previews.Make(t.Context())) // the list of an archive
		for _, window := range [][2]int64{{1440, 900}, {390, 844}} {
			tb := webtest.NewTab(t, chromedp.EmulateViewport(window[0], window[1]), s.Page(l))
			tb.Until(`document.querySelector(".sheet") !== null`)
			const below = `((sheet) => {
				const words = document.createTreeWalker(sheet, NodeFilter.SHOW_TEXT), range = document.createRange();
				let end = 0;
				for (let n = words.nextNode(); n; n = words.nextNode()) {
					range.selectNode(n);
					if (n.textContent.trim()) end = Math.max(end, range.getBoundingClientRect().bottom);
				}
				return sheet.getBoundingClientRect().bottom - end;
			})(document.querySelector(".sheet"))`
			var empty, bottom float64
			tb.Run(chromedp.Evaluate(below, &empty), chromedp.Evaluate(`document.querySelector(".sheet").getBoundingClientRect().bottom`, &bottom))
			if empty > 100 || (bottom > float64(window[1])) != (name == "long.txt") {
				t.Errorf("%s at %d px: the sheet ends %.0f px below its text, at %.0f of %d px", name, window[0], empty, bottom, window[1])
			}
			tb.Quiet()
		}
	}
}
