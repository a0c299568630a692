package public_test

import (
	"net/http"
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestHostingNetworks checks that a browser in a network of rented servers is
// excluded as such until its page is read for a second, and then counts, so
// that a reader behind a VPN is never excluded.
func TestHostingNetworks(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	address, server := "/p/"+string(l.Slug), "X-Forwarded-For: 3.5.140.9"
	numbers := func(views int64, excluded ...report.Product) {
		t.Helper()
		r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
		s.Check(err)
		vitrinetest.Equal(t, "views", r.Totals.Views, views)
		vitrinetest.Equal(t, "excluded", r.Products, excluded)
	}
	s.Status(s.Get(address, server), 200)
	page := s.Status(s.Get(address, server), 200)
	s.Status(s.Get(address, "X-Forwarded-For: 104.47.1.7"), 200)
	mail := report.Product{Reason: "mail_scanner", Product: "Microsoft", Count: 1}
	numbers(0, report.Product{Reason: report.BotDatacenter, Product: "Amazon", Count: 2}, mail)
	s.Ahead.Store(int64(time.Minute))
	read := func(body string) {
		t.Helper()
		s.Status(s.Do(http.MethodPost, s.BeaconOf(page.Text), body, webtest.PlainText), 204)
	}
	read(`{"engaged":900,"present":1000}`)
	numbers(0, report.Product{Reason: report.BotDatacenter, Product: "Amazon", Count: 2}, mail)
	read(`{"engaged":1000,"present":2000}`)
	numbers(1, report.Product{Reason: report.BotDatacenter, Product: "Amazon", Count: 1}, mail)
}
