package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserGate follows a reader past the gate of a protected link, with and
// without scripts.
func TestBrowserGate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	l := s.publish("notes.txt", []byte("what only some may read"), titled("Confidential"))
	s.protect(l, "open sesame")
	for _, scripts := range []bool{true, false} {
		tb := newVisitor(t, emulation.SetScriptExecutionDisabled(!scripts),
			chromedp.Navigate(s.url+"/p/"+string(l.Slug)))
		if scripts {
			tb.accessible("the gate")
		}
		tb.run(chromedp.SendKeys("#password", "a guess\r", chromedp.ByQuery),
			chromedp.WaitVisible(".wrong", chromedp.ByQuery),
			chromedp.SendKeys("#password", "open sesame\r", chromedp.ByQuery),
			chromedp.WaitVisible(".stage", chromedp.ByQuery))
		var title, text string
		tb.run(chromedp.Title(&title), chromedp.Text(".stage", &text, chromedp.ByQuery))
		if !strings.Contains(title, "Confidential") || !strings.Contains(text, "only some") {
			t.Errorf("scripts: %t: past the gate is %q: %q", scripts, title, text)
		}
		tb.run(chromedp.Navigate(s.url+"/p/"+string(l.Slug)), chromedp.WaitVisible(".stage", chromedp.ByQuery))
	}
}
