package viewer_test

import (
	"context"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// onPaper prints a page as the browser's menu does, and returns the text of all
// sheets without spaces, as the viewer of PDF files reads it.
func onPaper(t *testing.T, s *webtest.Site, tb *webtest.Tab) string {
	t.Helper()
	var sheets []byte
	tb.Run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		sheets, _, err = page.PrintToPDF().Do(ctx)
		return err
	}))
	reader := webtest.NewTab(t, s.Page(s.Publish("printed.pdf", sheets)))
	f := reader.Frame("/view")
	f.Until(`!document.getElementById("bar").hidden`)
	f.Run(chromedp.Evaluate(`document.getElementById("read").click()`, nil))
	var text string
	f.Run(chromedp.Evaluate(`(async () => {
		const { view } = await import(document.querySelector('link[rel=modulepreload][href*="pages.js"]').href);
		let text = "";
		for (let n = 1; n <= view.doc.numPages; n++)
			for (const { str } of (await (await view.doc.getPage(n)).getTextContent()).items) text += str;
		return text;
	})()`, &text, webtest.Awaited))
	return strings.Join(strings.Fields(text), "")
}

// TestBrowserPrintsFromMenu checks what the browser's own menu prints: the
// content of a page, all of it, and for a document in a frame a note, after
// which the frame prints the document.
func TestBrowserPrintsFromMenu(t *testing.T) {
	s := webtest.NewSite(t)
	for name, want := range map[string]string{"notes.txt": "", "visitors.csv": "Town249"} {
		content := webtest.ManyRows()
		if name == "notes.txt" {
			content, want = []byte("The beginning.\n"+strings.Repeat("a line\n", 300)+"The end.\n"), "Theend."
		}
		tb := webtest.NewTab(t, s.Page(s.Publish(name, content)))
		tb.Arrives(`document.querySelector("#print:not([hidden])") !== null`)
		if text := onPaper(t, s, tb); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not on paper: %.300s", name, want, text)
		}
		tb.Quiet()
	}
	for name, path := range map[string]string{"report.pdf": "/view", "page.html": "/frame", "contract.docx": "/docx"} {
		content := webtest.Samples[name]
		if name == "contract.docx" {
			content = webtest.MakeDOCX(t, 3, "https://elsewhere.example")
		}
		l := s.Publish(name, content)
		tb := webtest.NewTab(t, s.Page(l))
		f := tb.Frame(path)
		if name == "report.pdf" {
			f.Opened("12")
		}
		f.Run(chromedp.Evaluate(`window.print = () => (window.printed = (window.printed ?? 0) + 1)`, nil)) // instead of the system's dialog
		tb.Arrives(`document.querySelector("#print:not([hidden])") !== null`)
		if text := onPaper(t, s, tb); !strings.Contains(text, "Thissheetisnotthedocument.") {
			t.Errorf("%s: there is no note on paper: %.300s", name, text)
		}
		f.Until(`window.printed === 1`)
	}
	tb := webtest.NewTab(t, s.Page(s.Publish("secret.pdf", webtest.MakePDF(1), webtest.ViewOnly)))
	tb.Frame("/view").Opened("1")
	if text := onPaper(t, s, tb); !strings.Contains(text, "Itcannotbeprintedhere.") {
		t.Errorf("view only: there is no note on paper: %.300s", text)
	}
}
