package web_test

import (
	"net/http"
	"testing"
	"time"

	"vitrine/internal/analytics"
	"vitrine/internal/vitrinetest"
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
