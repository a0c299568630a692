package web_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"vitrine"
)

const form = "Content-Type: application/x-www-form-urlencoded"

// report posts the form of a report like a browser at an address.
func (s *site) report(l *vitrine.Link, reason, note string, headers ...string) reply {
	s.t.Helper()
	body := url.Values{"reason": {reason}, "note": {note}}.Encode()
	return s.do(http.MethodPost, "/p/"+string(l.Slug)+"/report", body,
		append([]string{form, "Origin: " + s.url, "Sec-Fetch-Site: same-origin"}, headers...)...)
}

// trustProxy makes the site trust the client addresses in the tests' headers.
func (s *site) trustProxy() {
	s.server.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func (s *site) reports(l *vitrine.Link) []*vitrine.AbuseReport {
	s.t.Helper()
	all, err := vitrine.Read(s.t.Context(), s.server.Abuse.Store, func(tx vitrine.Tx) ([]*vitrine.AbuseReport, error) {
		return tx.AbuseReports(l.ID, time.Time{})
	})
	s.check(err)
	return all
}

func TestReportForm(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"], titled(`A "title" <of> the file`))
	r := s.status(s.get("/p/"+string(l.Slug)+"/report"), 200)
	for _, want := range []string{"A &#34;title&#34; &lt;of&gt; the file",
		`method="post" action="/p/` + string(l.Slug) + `/report"`, `value="phishing"`, `maxlength="1000"`,
		`content="noindex"`,
		"Once several people have reported a file within a day", "180 days"} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %q:\n%s", want, r.body)
		}
	}
	if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "form-action 'self'") ||
		strings.Contains(csp, "script-src") || strings.Contains(r.body, "<script") {
		t.Errorf("Content-Security-Policy = %s", csp)
	}
	if r.Header.Get("X-Robots-Tag") != "noindex" || len(r.Cookies()) > 0 {
		t.Errorf("headers = %v, want noindex and no cookies", r.Header)
	}
	r = s.status(s.report(l, "phishing", "It wants my password.\r\n<b>Now</b>"), 200)
	if !strings.Contains(r.body, "Thank you") || !strings.Contains(r.body, `">Back to the file</a>`) || strings.Contains(r.body, "<form") {
		t.Errorf("answer without thanks, or with the form:\n%s", r.body)
	}
	if all := s.reports(l); len(all) != 1 || all[0].Reason != vitrine.AbusePhishing ||
		all[0].Note != "It wants my password. <b>Now</b>" {
		t.Errorf("reports = %+v, want the one that was sent", all)
	}
	s.countOpens(l, 0)
}

// TestReportFormIsWrong checks that an invalid form is shown again with its
// values, and that no report is stored.
func TestReportFormIsWrong(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	long := strings.Repeat("<", 1001)
	for _, c := range []struct{ reason, note, message string }{
		{"", "A note", "Choose what is wrong"},
		{"nonsense", "A note", "Choose what is wrong"},
		{"malware", long, "longer than 1000 characters"},
		{"malware", strings.Repeat(long, 10), "too long"},
	} {
		r := s.status(s.report(l, c.reason, c.note), 400)
		if !strings.Contains(r.body, c.message) {
			t.Errorf("%s: the page lacks the message: %s", c.reason, r.body)
		}
		if c.note == "A note" && !strings.Contains(r.body, ">A note</textarea>") || strings.Contains(r.body, "<<") {
			t.Errorf("the form lacks the note: %s", r.body)
		}
	}
	s.status(s.do(http.MethodPost, "/p/"+string(l.Slug)+"/report", `{"reason":"malware"}`,
		"Content-Type: application/json"), 400)
	if all := s.reports(l); len(all) > 0 {
		t.Errorf("reports = %+v, want none", all)
	}
}

// TestReportFromAnotherSite checks that another site cannot make a reader's
// browser send a report.
func TestReportFromAnotherSite(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	path := "/p/" + string(l.Slug) + "/report"
	for about, headers := range map[string][]string{
		"another site":   {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
		"a subdomain":    {"Origin: https://a.example", "Sec-Fetch-Site: same-site"},
		"a file's frame": {"Origin: null", "Sec-Fetch-Site: cross-site"},
		"an old browser": {"Origin: https://evil.example"},
	} {
		r := s.status(s.do(http.MethodPost, path, "reason=malware", append(headers, form)...), 403)
		if !strings.Contains(r.body, "another website") {
			t.Errorf("%s: want a refusal of another website: %s", about, r.body)
		}
	}
	if all := s.reports(l); len(all) > 0 {
		t.Errorf("reports = %+v, want none", all)
	}
	s.status(s.do(http.MethodPost, path, "reason=malware", form), 200) // a client that is not a browser
}

// TestReportsSendToReview checks that reports from three networks send a link
// to review. The form is then gone, as it is for all links that are not public.
func TestReportsSendToReview(t *testing.T) {
	s := newSite(t)
	s.trustProxy()
	l := s.publish("notes.txt", samples["notes.txt"])
	for _, from := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.2", "2001:db8::1"} {
		s.status(s.get("/p/"+string(l.Slug)), 200)
		s.status(s.report(l, "malware", "", "X-Forwarded-For: "+from), 200)
	}
	for _, path := range []string{"", "/report"} {
		if r := s.status(s.get("/p/"+string(l.Slug)+path), 404); strings.Contains(r.body, l.Title) {
			t.Errorf("the page of a link in review contains its title: %s", r.body)
		}
	}
	s.status(s.report(l, "malware", "", "X-Forwarded-For: 192.0.2.9"), 404)
	_, err := s.server.Links.Clear(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Operator})
	s.check(err)
	s.status(s.get("/p/"+string(l.Slug)+"/report"), 200)
	s.setState(l, vitrine.StateDisabled)
	s.status(s.get("/p/"+string(l.Slug)+"/report"), 410)
	s.status(s.get("/p/unknown-link/report"), 404)
}

func TestReportsAreLimited(t *testing.T) {
	s := newSite(t)
	s.trustProxy()
	var links []*vitrine.Link
	for range 6 {
		links = append(links, s.publish("notes.txt", samples["notes.txt"]))
	}
	for _, l := range links[:5] {
		s.status(s.report(l, "malware", "", "X-Forwarded-For: 2001:db8::1"), 200)
	}
	r := s.status(s.report(links[5], "malware", "", "X-Forwarded-For: 2001:db8::2"), 429)
	if r.Header.Get("Retry-After") == "" || !strings.Contains(r.body, "minutes") {
		t.Errorf("Retry-After %q\n%s\nwant a number and the minutes in the page", r.Header.Get("Retry-After"), r.body)
	}
	if all := s.reports(links[5]); len(all) > 0 {
		t.Errorf("reports = %+v, want none", all)
	}
	s.status(s.report(links[5], "malware", "", "X-Forwarded-For: 2001:db8:1::1"), 200)
	s.countOpens(links[5], 0)
}

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
