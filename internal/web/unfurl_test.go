package web_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/report"
)

// TestUnfurl checks that each link preview program in the corpus of package
// visitor gets title, description and picture, and counts no view.
func TestUnfurl(t *testing.T) {
	s := newSite(t)
	l := s.publish("report.pdf", samples["report.pdf"], titled("The year in numbers"))
	corpus, err := os.ReadFile("../visitor/testdata/bots.tsv")
	s.check(err)
	programs := 0
	for line := range strings.Lines(string(corpus)) {
		userAgent, ok := strings.CutPrefix(strings.TrimSpace(line), "link_preview\t")
		if !ok {
			continue
		}
		programs++
		page := s.status(s.get("/p/"+string(l.Slug), "User-Agent: "+userAgent), 200).body
		for _, tag := range []string{`<meta property="og:title" content="The year in numbers">`,
			`<meta property="og:description" content="PDF document · 12 pages · `,
			`<meta name="twitter:card" content="summary_large_image">`} {
			if !strings.Contains(page, tag) {
				t.Errorf("the page for %s lacks %s", userAgent, tag)
			}
		}
		picture := s.attr(page, `<meta property="og:image" content="([^"]+)">`)
		if r := s.status(s.get(picture, "User-Agent: "+userAgent),
			200); !strings.HasPrefix(r.Header.Get("Content-Type"), "image/") {
			t.Errorf("the picture for %s has the type %s", userAgent, r.Header.Get("Content-Type"))
		}
	}
	if programs < 40 {
		t.Fatalf("%d programs in the corpus, want at least 40", programs)
	}
	s.status(s.get("/p/"+string(l.Slug)), 200) // a person's view
	r, err := s.server.Analytics.Link(t.Context(), s.account, string(l.Slug), analytics.In(report.Range7d))
	s.check(err)
	if n := r.Totals; n.Views != 1 || n.Uniques != 1 || n.BotsExcluded != int64(programs) {
		t.Errorf("totals of %d programs and a person = %+v", programs, n)
	}
}

// TestMailScannerIsAtypical loads a link as a mail scanner that claims to be a
// browser, runs its scripts and leaves at once. The view counts and is listed
// as atypical, but is in no average.
func TestMailScannerIsAtypical(t *testing.T) {
	s := newSite(t)
	l := s.publish("report.pdf", samples["report.pdf"])
	page := s.status(s.get("/p/"+string(l.Slug)), 200)
	s.status(s.do("POST", s.beaconOf(page.body), `{"engaged":300,"present":900,"width":1280,"final":true}`,
		"Content-Type: text/plain"), 204)
	reader := s.status(s.get("/p/"+string(l.Slug), "X-Forwarded-For: 192.0.2.9"), 200)
	s.ahead.Store(int64(time.Minute))
	s.status(s.do("POST", s.beaconOf(reader.body), `{"engaged":40000,"present":41000,"width":1280,"pages":{"1":40000}}`,
		"Content-Type: text/plain"), 204)
	r, err := s.server.Analytics.Link(t.Context(), s.account, string(l.Slug), analytics.In(report.Range7d))
	s.check(err)
	if n := r.Totals; n.Views != 2 || n.Sessions != 1 || n.Atypical != 1 || n.AvgEngagedMs != 40000 ||
		n.BouncePct != 0 {
		t.Errorf("totals = %+v", n)
	}
	if len(r.Recent) != 2 || r.Recent[1].Atypical == r.Recent[0].Atypical {
		t.Errorf("recent = %+v", r.Recent)
	}
}
