package web_test

import (
	"testing"

	"vitrine"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserReport sends the form of a report with a browser without
// scripting. The page's policy must allow it.
func TestBrowserReport(t *testing.T) {
	s := newSiteWith(t, siteOptions{content: true})
	l := s.publish("notes.txt", samples["notes.txt"])
	tb := newTab(t, emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(s.url+"/p/"+string(l.Slug)+"/report"))
	tb.run(
		chromedp.Click(`button[type="submit"]`), // the browser does not send the form without a choice
		chromedp.Click(`input[value="private_data"]`),
		chromedp.SendKeys("#note", "It is my letter."),
		chromedp.Click(`button[type="submit"]`),
	)
	eventually(t, "one report", func() bool { return len(s.reports(l)) == 1 })
	if r := s.reports(l)[0]; r.Reason != vitrine.AbusePrivate || r.Note != "It is my letter." {
		t.Errorf("report = %+v", r)
	}
	tb.run(chromedp.WaitNotPresent("form"))
	tb.quiet()
	s.countOpens(l, 0)
}
