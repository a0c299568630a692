package web_test

import (
	"testing"

	"vitrine"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The form of a report is sent by a browser without scripting, and its policy
// lets it.
func TestBrowserReport(t *testing.T) {
	s := newSiteWith(t, siteOptions{content: true})
	l := s.publish("notes.txt", samples["notes.txt"])
	tb := newTab(t, emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(s.url+"/p/"+string(l.Slug)+"/report"))
	tb.run(
		chromedp.Click(`button[type="submit"]`), // nothing is chosen: the browser does not send it
		chromedp.Click(`input[value="private_data"]`),
		chromedp.SendKeys("#note", "It is my letter."),
		chromedp.Click(`button[type="submit"]`),
	)
	eventually(t, "one report", func() bool { return len(s.reports(l)) == 1 })
	if r := s.reports(l)[0]; r.Reason != vitrine.AbusePrivate || r.Note != "It is my letter." {
		t.Errorf("%+v", r)
	}
	tb.run(chromedp.WaitNotPresent("form"))
	tb.quiet()
	s.countOpens(l, 0)
}
