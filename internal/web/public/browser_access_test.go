package public_test

import (
	"strings"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserGate follows a reader past the gate of a protected link, with and
// without scripts.
func TestBrowserGate(t *testing.T) {
	t.Parallel()
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("what only some may read"), webtest.Titled("Confidential"))
	s.Protect(l, "open sesame")
	for _, scripts := range []bool{true, false} {
		tb := webtest.NewVisitor(t, emulation.SetScriptExecutionDisabled(!scripts),
			chromedp.Navigate(s.URL+"/p/"+string(l.Slug)))
		if scripts {
			tb.Accessible("the gate")
		}
		tb.Run(chromedp.SendKeys("#password", "a guess\r", chromedp.ByQuery),
			chromedp.WaitVisible(".wrong", chromedp.ByQuery),
			chromedp.SendKeys("#password", "open sesame\r", chromedp.ByQuery),
			chromedp.WaitVisible(".stage", chromedp.ByQuery))
		var title, text string
		tb.Run(chromedp.Title(&title), chromedp.Text(".stage", &text, chromedp.ByQuery))
		if !strings.Contains(title, "Confidential") || !strings.Contains(text, "only some") {
			t.Errorf("scripts: %t: past the gate is %q: %q", scripts, title, text)
		}
		tb.Run(chromedp.Navigate(s.URL+"/p/"+string(l.Slug)), chromedp.WaitVisible(".stage", chromedp.ByQuery))
	}
}
