package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestDownloadAlone checks that a file which is fetched without its page counts
// as a download without a view.
func TestDownloadAlone(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	address := "/p/" + string(l.Slug) + "/download"
	const curl, browser = "User-Agent: curl/8.5.0",
		"User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	downloads := func(want int64) {
		t.Helper()
		r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
		s.Check(err)
		vitrinetest.Equal(t, "downloads, of the range, views",
			[3]int64{r.Totals.Downloads, r.Totals.RangeDownloads, r.Totals.Views}, [3]int64{want, want, 0})
	}
	s.Get(address, curl)
	downloads(1)
	s.Get(address, curl)                       // the same again
	s.Get(address, curl, "Range: bytes=0-99")  // the first part
	s.Get(address, curl, "Range: bytes=100-")  // the second part
	s.Do(http.MethodHead, address, "", curl)   // no bytes
	s.Get(address, curl, `If-None-Match: "x"`) // conditional
	downloads(1)
	s.Get(address, browser, "Range: bytes=500-") // a part that is not the first
	downloads(1)
	s.Get(address, browser)
	s.Get(address, browser, "X-Forwarded-For: 85.214.132.117")
	s.Get(address+"?v=nonsense", browser, "X-Forwarded-For: 85.214.132.118")
	downloads(4)
	s.Get(address, "User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
	s.Get(address, "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)")
	s.Get(address, browser, "X-Forwarded-For: 104.47.1.7") // the network of a mail scanner
	s.Get(address, browser, s.SignIn(s.Account))           // the owner
	downloads(4)
	s.Ahead.Store(int64(31 * time.Minute))
	s.Get(address, curl)
	downloads(5)
}

// TestRecentDownloadedIsWhatWasCounted checks that a row of recent views shows
// a download if the server counted it, whatever the page's script claims, and
// that the range's downloads agree.
func TestRecentDownloadedIsWhatWasCounted(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	open := func() (beacon, download string) {
		beacon = s.BeaconOf(s.Get("/p/" + string(l.Slug)).Text)
		s.Ahead.Add(int64(time.Minute))
		return beacon, strings.Replace(beacon, "/beacon?", "/download?", 1)
	}
	send := func(beacon, body string) { s.Status(s.Do(http.MethodPost, beacon, body, webtest.PlainText), 204) }
	claimed, _ := open()
	send(claimed, `{"engaged":5000,"present":6000,"downloaded":true}`)
	silent, download := open()
	send(silent, `{"engaged":6000,"present":7000}`)
	s.Status(s.Get(download), 200)
	s.Status(s.Get(download), 200) // one view downloads once
	s.CountViews(l, 2)

	for _, r := range []report.Range{report.Range7d, report.RangeAll} {
		rep, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(r))
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
	s.Ahead.Add(int64(10 * 24 * time.Hour))
	rep, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
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
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	other := f.Account(vitrine.PlanPro)
	old := f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "first-name"}), webtest.Note)
	owner, err := f.Server.Keys.Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	slug := "second-name"
	if _, err := f.Server.Links.Edit(t.Context(), owner.Account, old, links.Edit{Slug: &slug}); err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{slug, old, "FIRST-name"} {
		link := f.Call(key, "GET", "/links/"+of+"/analytics", nil).Want(200, "").JSON()["link"].(map[string]any)
		if link["slug"] != slug || !strings.HasSuffix(link["url"].(string), "/p/"+slug) {
			t.Errorf("%s: link = %v", of, link)
		}
		f.Call(key, "GET", "/links/"+of+"/captions", nil).Want(200, "")
	}
	f.Call(other, "GET", "/links/"+old+"/analytics", nil).Want(404, "not_found")
	f.Clock.Advance(vitrine.SlugRest)
	f.Call(key, "GET", "/links/"+old+"/analytics", nil).Want(404, "not_found")
	f.Call(key, "GET", "/links/"+slug+"/analytics", nil).Want(200, "")
	f.Audit()
}
