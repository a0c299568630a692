package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestDownloadAlone checks that a file which is fetched without its page counts
// as a download without a view.
func TestDownloadAlone(t *testing.T) {
	s := newSite(t)
	s.trustProxy()
	l := s.publish("report.pdf", samples["report.pdf"])
	address := "/p/" + string(l.Slug) + "/download"
	const curl, browser = "User-Agent: curl/8.5.0",
		"User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	downloads := func(want int64) {
		t.Helper()
		r, err := s.server.Analytics.Link(t.Context(), s.account, string(l.Slug), analytics.In(report.Range7d))
		s.check(err)
		vitrinetest.Equal(t, "downloads, of the range, views",
			[3]int64{r.Totals.Downloads, r.Totals.RangeDownloads, r.Totals.Views}, [3]int64{want, want, 0})
	}
	s.get(address, curl)
	downloads(1)
	s.get(address, curl)                       // the same again
	s.get(address, curl, "Range: bytes=0-99")  // the first part
	s.get(address, curl, "Range: bytes=100-")  // the second part
	s.do(http.MethodHead, address, "", curl)   // no bytes
	s.get(address, curl, `If-None-Match: "x"`) // conditional
	downloads(1)
	s.get(address, browser, "Range: bytes=500-") // a part that is not the first
	downloads(1)
	s.get(address, browser)
	s.get(address, browser, "X-Forwarded-For: 85.214.132.117")
	s.get(address+"?v=nonsense", browser, "X-Forwarded-For: 85.214.132.118")
	downloads(4)
	s.get(address, "User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
	s.get(address, "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)")
	s.get(address, browser, "X-Forwarded-For: 104.47.1.7") // the network of a mail scanner
	s.get(address, browser, s.signIn(s.account))           // the owner
	downloads(4)
	s.ahead.Store(int64(31 * time.Minute))
	s.get(address, curl)
	downloads(5)
}

// TestRecentDownloadedIsWhatWasCounted checks that a row of recent views shows
// a download if the server counted it, whatever the page's script claims, and
// that the range's downloads agree.
func TestRecentDownloadedIsWhatWasCounted(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	open := func() (beacon, download string) {
		beacon = s.beaconOf(s.get("/p/" + string(l.Slug)).body)
		s.ahead.Add(int64(time.Minute))
		return beacon, strings.Replace(beacon, "/beacon?", "/download?", 1)
	}
	send := func(beacon, body string) { s.status(s.do(http.MethodPost, beacon, body, plainText), 204) }
	claimed, _ := open()
	send(claimed, `{"engaged":5000,"present":6000,"downloaded":true}`)
	silent, download := open()
	send(silent, `{"engaged":6000,"present":7000}`)
	s.status(s.get(download), 200)
	s.status(s.get(download), 200) // one view downloads once
	s.countOpens(l, 2)

	for _, r := range []report.Range{report.Range7d, report.RangeAll} {
		rep, err := s.server.Analytics.Link(t.Context(), s.account, string(l.Slug), analytics.In(r))
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Recent) != 2 || !rep.Recent[0].Downloaded || rep.Recent[1].Downloaded {
			t.Errorf("%s: recent = %+v, want a download in the newer one", r, rep.Recent)
		}
		if rep.Totals.Downloads != 1 || rep.Totals.RangeDownloads != 1 {
			t.Errorf("%s: %d downloads and %d in the range, want 1 and 1", r, rep.Totals.Downloads,
				rep.Totals.RangeDownloads)
		}
	}
	// Days later a short range does not contain them.
	s.ahead.Add(int64(10 * 24 * time.Hour))
	rep, err := s.server.Analytics.Link(t.Context(), s.account, string(l.Slug), analytics.In(report.Range7d))
	if err != nil {
		t.Fatal(err)
	}
	if rep.Totals.Downloads != 1 || rep.Totals.RangeDownloads != 0 || rep.Previous.Downloads != 1 {
		t.Errorf("totals = %+v, previous = %+v", rep.Totals, rep.Previous)
	}
}

// TestOldSlugInTheAPI checks that the API accepts the old slug of a renamed
// link and answers with the new one, as long as the old slug redirects.
func TestOldSlugInTheAPI(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	other := f.account(vitrine.PlanPro)
	old := f.published(key, noteFile.with(fields{"slug": "first-name"}), note)
	owner, err := f.server.Keys.Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	slug := "second-name"
	if _, err := f.server.Links.Edit(t.Context(), owner.Account, old, links.Edit{Slug: &slug}); err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{slug, old, "FIRST-name"} {
		link := f.call(key, "GET", "/links/"+of+"/analytics", nil).want(200, "").json()["link"].(map[string]any)
		if link["slug"] != slug || !strings.HasSuffix(link["url"].(string), "/p/"+slug) {
			t.Errorf("%s: link = %v", of, link)
		}
		f.call(key, "GET", "/links/"+of+"/captions", nil).want(200, "")
	}
	f.call(other, "GET", "/links/"+old+"/analytics", nil).want(404, "not_found")
	f.clock.Advance(vitrine.SlugRest)
	f.call(key, "GET", "/links/"+old+"/analytics", nil).want(404, "not_found")
	f.call(key, "GET", "/links/"+slug+"/analytics", nil).want(200, "")
	f.audit()
}
