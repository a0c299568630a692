package public_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestUnfurl checks that each link preview program in the corpus of package
// visitor gets title, description and picture, and counts no view.
func TestUnfurl(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"], webtest.Titled("The year in numbers"))
	corpus, err := os.ReadFile("../../visitor/testdata/bots.tsv")
	s.Check(err)
	programs := 0
	for line := range strings.Lines(string(corpus)) {
		userAgent, ok := strings.CutPrefix(strings.TrimSpace(line), "link_preview\t")
		if !ok {
			continue
		}
		programs++
		page := s.Status(s.Get("/p/"+string(l.Slug), "User-Agent: "+userAgent), 200).Text
		for _, tag := range []string{`<meta property="og:title" content="The year in numbers">`,
			`<meta property="og:description" content="PDF document · 12 pages · `,
			`<meta name="twitter:card" content="summary_large_image">`} {
			if !strings.Contains(page, tag) {
				t.Errorf("the page for %s lacks %s", userAgent, tag)
			}
		}
		picture := s.Attr(page, `<meta property="og:image" content="([^"]+)">`)
		if r := s.Status(s.Get(picture, "User-Agent: "+userAgent),
			200); !strings.HasPrefix(r.Header.Get("Content-Type"), "image/") {
			t.Errorf("the picture for %s has the type %s", userAgent, r.Header.Get("Content-Type"))
		}
	}
	if programs < 40 {
		t.Fatalf("%d programs in the corpus, want at least 40", programs)
	}
	s.Status(s.Get("/p/"+string(l.Slug)), 200) // a person's view
	r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
	s.Check(err)
	if n := r.Totals; n.Views != 1 || n.Uniques != 1 || n.BotsExcluded != int64(programs) {
		t.Errorf("totals of %d programs and a person = %+v", programs, n)
	}
}

// TestMailScannerIsAtypical loads a link as a mail scanner that claims to be a
// browser, runs its scripts and leaves at once. The view counts and is listed
// as atypical, but is in no average.
func TestMailScannerIsAtypical(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	page := s.Status(s.Get("/p/"+string(l.Slug)), 200)
	s.Status(s.Do("POST", s.BeaconOf(page.Text), `{"engaged":300,"present":900,"width":1280,"final":true}`,
		"Content-Type: text/plain"), 204)
	reader := s.Status(s.Get("/p/"+string(l.Slug), "X-Forwarded-For: 192.0.2.9"), 200)
	s.Ahead.Store(int64(time.Minute))
	s.Status(s.Do("POST", s.BeaconOf(reader.Text), `{"engaged":40000,"present":41000,"width":1280,"pages":{"1":40000}}`,
		"Content-Type: text/plain"), 204)
	r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
	s.Check(err)
	if n := r.Totals; n.Views != 2 || n.Sessions != 1 || n.Atypical != 1 || n.AvgEngagedMs != 40000 ||
		n.BouncePct != 0 {
		t.Errorf("totals = %+v", n)
	}
	if len(r.Recent) != 2 || r.Recent[1].Atypical == r.Recent[0].Atypical {
		t.Errorf("recent = %+v", r.Recent)
	}
}
