package public_test

import (
	"strings"
	"testing"

	"vitrine/internal/app/access"
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
		tb.Run(webtest.Type("#password", "a guess\r"),
			chromedp.WaitVisible(".wrong", chromedp.ByQuery),
			webtest.Type("#password", "open sesame\r"),
			chromedp.WaitVisible(".stage", chromedp.ByQuery))
		var title, text string
		tb.Run(chromedp.Title(&title), chromedp.Text(".stage", &text, chromedp.ByQuery))
		if !strings.Contains(title, "Confidential") || !strings.Contains(text, "only some") {
			t.Errorf("scripts: %t: past the gate is %q: %q", scripts, title, text)
		}
		tb.Run(chromedp.Navigate(s.URL+"/p/"+string(l.Slug)), chromedp.WaitVisible(".stage", chromedp.ByQuery))
	}
}

// TestBrowserEmailGate follows a reader through an email gate: with the code,
// and with the address in the mail in another browser, without scripts.
func TestBrowserEmailGate(t *testing.T) {
	t.Parallel()
	s := webtest.NewSite(t)
	post := s.Gatekeeper()
	l := s.Publish("notes.txt", []byte("what only some may read"), webtest.Titled("Confidential"))
	s.AskEmail(l, access.Email{Allow: []string{"example.com"}, Consent: "I keep this to myself.\nI tell nobody."})
	tb := webtest.NewVisitor(t, chromedp.Navigate(s.URL+"/p/"+string(l.Slug)))
	tb.Accessible("the gate that asks for an address")
	tb.Run(webtest.Type("[name=email]", "ann@example.com"), chromedp.Click("[name=agree]", chromedp.ByQuery),
		chromedp.Click("main button[type=submit]", chromedp.ByQuery), chromedp.WaitVisible("[name=code]", chromedp.ByQuery))
	tb.Accessible("the gate that asks for a code")
	mail := post.To("ann@example.com")[0]
	tb.Run(webtest.Type("[name=code]", "111111\r"), chromedp.WaitVisible(".wrong", chromedp.ByQuery),
		webtest.Type("[name=code]", mail.Code()+"\r"), chromedp.WaitVisible(".stage", chromedp.ByQuery))

	other := webtest.NewVisitor(t, emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(s.URL+mail.Address()))
	var title string
	other.Run(chromedp.Click("main button[type=submit]", chromedp.ByQuery), chromedp.WaitVisible(".stage", chromedp.ByQuery),
		chromedp.Title(&title))
	if !strings.Contains(title, "Confidential") {
		t.Errorf("past the gate is %q", title)
	}
}
