package public_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestReportForm(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"], webtest.Titled(`A "title" <of> the file`))
	r := s.Status(s.Get("/p/"+string(l.Slug)+"/report"), 200)
	for _, want := range []string{"A &#34;title&#34; &lt;of&gt; the file",
		`method="post" action="/p/` + string(l.Slug) + `/report"`, `value="phishing"`, `maxlength="1000"`,
		`content="noindex"`,
		"Once several people have reported a file within a day", "180 days"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q:\n%s", want, r.Text)
		}
	}
	if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "form-action 'self'") ||
		strings.Contains(csp, "script-src") || strings.Contains(r.Text, "<script") {
		t.Errorf("Content-Security-Policy = %s", csp)
	}
	if r.Header.Get("X-Robots-Tag") != "noindex" || len(r.Cookies()) > 0 {
		t.Errorf("headers = %v, want noindex and no cookies", r.Header)
	}
	r = s.Status(s.Report(l, "phishing", "It wants my password.\r\n<b>Now</b>"), 200)
	if !strings.Contains(r.Text, "Thank you") || !strings.Contains(r.Text, `">Back to the file</a>`) || strings.Contains(r.Text, "<form") {
		t.Errorf("answer without thanks, or with the form:\n%s", r.Text)
	}
	if all := s.Reports(l); len(all) != 1 || all[0].Reason != vitrine.AbusePhishing ||
		all[0].Note != "It wants my password. <b>Now</b>" {
		t.Errorf("reports = %+v, want the one that was sent", all)
	}
	s.CountViews(l, 0)
}

// TestReportFormIsWrong checks that an invalid form is shown again with its
// values, and that no report is stored.
func TestReportFormIsWrong(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	long := strings.Repeat("<", 1001)
	for _, c := range []struct{ reason, note, message string }{
		{"", "A note", "Choose what is wrong"},
		{"nonsense", "A note", "Choose what is wrong"},
		{"malware", long, "longer than 1000 characters"},
		{"malware", strings.Repeat(long, 10), "too long"},
	} {
		r := s.Status(s.Report(l, c.reason, c.note), 400)
		if !strings.Contains(r.Text, c.message) {
			t.Errorf("%s: the page lacks the message: %s", c.reason, r.Text)
		}
		if c.note == "A note" && !strings.Contains(r.Text, ">A note</textarea>") || strings.Contains(r.Text, "<<") {
			t.Errorf("the form lacks the note: %s", r.Text)
		}
	}
	s.Status(s.Do(http.MethodPost, "/p/"+string(l.Slug)+"/report", `{"reason":"malware"}`,
		"Content-Type: application/json"), 400)
	if all := s.Reports(l); len(all) > 0 {
		t.Errorf("reports = %+v, want none", all)
	}
}

// TestReportFromAnotherSite checks that another site cannot make a reader's
// browser send a report.
func TestReportFromAnotherSite(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	path := "/p/" + string(l.Slug) + "/report"
	for about, headers := range map[string][]string{
		"another site":   {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
		"a subdomain":    {"Origin: https://a.example", "Sec-Fetch-Site: same-site"},
		"a file's frame": {"Origin: null", "Sec-Fetch-Site: cross-site"},
		"an old browser": {"Origin: https://evil.example"},
	} {
		r := s.Status(s.Do(http.MethodPost, path, "reason=malware", append(headers, webtest.Form)...), 403)
		if !strings.Contains(r.Text, "another website") {
			t.Errorf("%s: want a refusal of another website: %s", about, r.Text)
		}
	}
	if all := s.Reports(l); len(all) > 0 {
		t.Errorf("reports = %+v, want none", all)
	}
	s.Status(s.Do(http.MethodPost, path, "reason=malware", webtest.Form), 200) // a client that is not a browser
}

// TestReportsSendToReview checks that reports from three networks send a link
// to review. The form is then gone, as it is for all links that are not public.
func TestReportsSendToReview(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	for _, from := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.2", "2001:db8::1"} {
		s.Status(s.Get("/p/"+string(l.Slug)), 200)
		s.Status(s.Report(l, "malware", "", "X-Forwarded-For: "+from), 200)
	}
	for _, path := range []string{"", "/report"} {
		if r := s.Status(s.Get("/p/"+string(l.Slug)+path), 404); strings.Contains(r.Text, l.Title) {
			t.Errorf("the page of a link in review contains its title: %s", r.Text)
		}
	}
	s.Status(s.Report(l, "malware", "", "X-Forwarded-For: 192.0.2.9"), 404)
	_, err := s.Server.Links.Clear(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator})
	s.Check(err)
	s.Status(s.Get("/p/"+string(l.Slug)+"/report"), 200)
	s.SetState(l, vitrine.StateDisabled)
	s.Status(s.Get("/p/"+string(l.Slug)+"/report"), 410)
	s.Status(s.Get("/p/unknown-link/report"), 404)
}

func TestReportsAreLimited(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	var links []*vitrine.Link
	for range 6 {
		links = append(links, s.Publish("notes.txt", webtest.Samples["notes.txt"]))
	}
	for _, l := range links[:5] {
		s.Status(s.Report(l, "malware", "", "X-Forwarded-For: 2001:db8::1"), 200)
	}
	r := s.Status(s.Report(links[5], "malware", "", "X-Forwarded-For: 2001:db8::2"), 429)
	if r.Header.Get("Retry-After") == "" || !strings.Contains(r.Text, "minutes") {
		t.Errorf("Retry-After %q\n%s\nwant a number and the minutes in the page", r.Header.Get("Retry-After"), r.Text)
	}
	if all := s.Reports(links[5]); len(all) > 0 {
		t.Errorf("reports = %+v, want none", all)
	}
	s.Status(s.Report(links[5], "malware", "", "X-Forwarded-For: 2001:db8:1::1"), 200)
	s.CountViews(links[5], 0)
}

// TestBrowserReport sends the form of a report with a browser without
// scripting. The page's policy must allow it.
func TestBrowserReport(t *testing.T) {
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	tb := webtest.NewTab(t, emulation.SetScriptExecutionDisabled(true),
		chromedp.Navigate(s.URL+"/p/"+string(l.Slug)+"/report"))
	tb.Run(
		chromedp.Click(`button[type="submit"]`), // the browser does not send the form without a choice
		chromedp.Click(`input[value="private_data"]`),
		webtest.Type("#note", "It is my letter."),
		chromedp.Click(`button[type="submit"]`),
	)
	webtest.Eventually(t, "one report", func() bool { return len(s.Reports(l)) == 1 })
	if r := s.Reports(l)[0]; r.Reason != vitrine.AbusePrivate || r.Note != "It is my letter." {
		t.Errorf("report = %+v", r)
	}
	tb.Run(chromedp.WaitNotPresent("form"))
	tb.Quiet()
	s.CountViews(l, 0)
}
