package public_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestMailNetworks checks that a browser in a network of mail scanners counts
// only if its page is read. The network alone decides nothing.
func TestMailNetworks(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	const chrome = "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	const gateway, home = "X-Forwarded-For: 104.47.1.7", "X-Forwarded-For: 85.214.132.117"
	address := "/p/" + string(l.Slug)
	numbers := func(views, scanners, downloads int64) {
		t.Helper()
		r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
		s.Check(err)
		vitrinetest.Equal(t, "views, scanners, downloads",
			[3]int64{r.Totals.Views, r.Totals.BotsExcluded, r.Totals.RangeDownloads},
			[3]int64{views, scanners, downloads})
		vitrinetest.Equal(t, "counted", s.Counts(l).Views, views)
		if scanners > 0 {
			vitrinetest.Equal(t, "excluded", r.Excluded[0].Key, "mail_scanner")
			vitrinetest.Equal(t, "products", r.Products,
				[]report.Product{{Reason: "mail_scanner", Product: "Microsoft", Count: scanners}})
		}
		if until := r.FinalUntil.Time; until.IsZero() || time.Since(until) < 20*time.Hour {
			t.Errorf("final until %v, want within the last 20 hours", until)
		}
	}
	for range 5 {
		s.Status(s.Get(address, chrome, gateway), 200)
	}
	// A single visit is excluded for the reason in the report.
	visits, err := s.Server.Analytics.Visits(t.Context(), s.Account, string(l.Slug), analytics.VisitQuery{
		Query: analytics.In(report.Range7d), N: 10, All: true})
	s.Check(err)
	for _, v := range visits.Rows {
		one, err := s.Server.Analytics.Visit(t.Context(), s.Account, string(l.Slug), v.ID)
		s.Check(err)
		vitrinetest.Equal(t, "the reason of a visit", [4]string{v.Excluded, v.Product, one.Excluded, one.Product},
			[4]string{"mail_scanner", "Microsoft", "mail_scanner", "Microsoft"})
	}
	vitrinetest.Equal(t, "visits", len(visits.Rows), 5)
	s.Status(s.Get(address, chrome, home), 200)
	numbers(1, 5, 0)

	page := s.Get(address, chrome, gateway).Text
	beacon := s.BeaconOf(page)
	s.Status(s.Get(address+"/download?"+mustURL(beacon).RawQuery, chrome, gateway),
		200) // before the view has a class
	numbers(1, 6, 0)
	s.Ahead.Store(int64(time.Minute))
	send := func(body string) { s.Status(s.Do(http.MethodPost, beacon, body, webtest.PlainText), 204) }
	send(`{"engaged":900,"present":1000}`)
	numbers(1, 6, 0)
	send(`{"engaged":1500,"present":2000,"depth":50}`)
	numbers(2, 5, 1)
	s.Status(s.Get(address+"/download?"+mustURL(beacon).RawQuery, chrome, gateway), 200)
	numbers(2, 5, 1)
	for _, view := range s.Views(l) {
		if view.Counted() && view.Product != "" {
			t.Errorf("a person's view has the product %q", view.Product)
		}
	}
	// A gateway that runs scripts under automation stays excluded.
	beacon = s.BeaconOf(s.Get(address, chrome, gateway).Text)
	send(`{"engaged":900,"present":1000,"automation":true}`)
	send(`{"engaged":5000,"present":6000}`)
	r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
	s.Check(err)
	vitrinetest.Equal(t, "views, excluded", [2]int64{r.Totals.Views, r.Totals.BotsExcluded}, [2]int64{2, 6})
}

func mustURL(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}
