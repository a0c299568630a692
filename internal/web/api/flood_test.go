package api_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestFlood sends more views of a link from one network than people make, with
// labels of the sender's choice. The report has those within the limits, says
// how many others there were, and counts readers of other networks as ever.
func TestFlood(t *testing.T) {
	onEachStore(t, func(t *testing.T, store string) {
		s := webtest.NewSiteWith(t, webtest.SiteOptions{Store: store})
		s.Limited(20, 30)
		l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
		load := func(i, network int) string {
			return s.Status(s.Get(fmt.Sprintf("/p/%s?utm_source=s%d&utm_campaign=c%d&utm_medium=m%d&utm_content=o%d&utm_term=t%d",
				l.Slug, i, i, i, i, i), "User-Agent: "+webtest.Desktop, "Referer: https://r"+fmt.Sprint(i)+".example/",
				fmt.Sprintf("X-Forwarded-For: 198.51.%d.%d", network, i)), http.StatusOK).Text
		}
		var last string
		for i := range 50 {
			last = load(i, 100)
		}
		r := s.ReportOf(l)
		if r.Totals.Views != 20 || r.Totals.BotsExcluded != 30 || len(r.ByReason) != 1 || r.ByReason[0].Reason != report.BotExcess ||
			r.ByReason[0].Count != 30 {
			t.Errorf("%d views, %d excluded, by reason %+v, want 20 and 30 as %q", r.Totals.Views,
				r.Totals.BotsExcluded, r.ByReason, report.BotExcess)
		}
		labels := 0
		b := &r.Breakdowns
		for _, card := range [][]report.Bucket{b.Sources, b.Referrers, b.Campaigns, b.Mediums, b.Contents, b.Terms} {
			for _, bucket := range card {
				if bucket.Key != "Other" {
					labels++
				}
			}
		}
		if labels != 30 {
			t.Errorf("%d labels, want 30", labels)
		}

		s.Status(s.Do(http.MethodPost, s.BeaconOf(last), `{"engaged":5000,"present":6000}`, webtest.PlainText), http.StatusNoContent)
		token := s.Attr(last, `data-beacon="[^"]*\?(v=[^"]+)"`)
		s.Status(s.Get("/p/"+string(l.Slug)+"/download?"+token), http.StatusOK)
		for i := range 30 { // of no view, by ever another program
			s.Status(s.Get("/p/"+string(l.Slug)+"/download", fmt.Sprintf("User-Agent: fetch-%c%c/1.0 (x)", 'a'+i/9,
				'a'+i%9), "X-Forwarded-For: 198.51.100.9"), http.StatusOK)
		}
		if r = s.ReportOf(l); r.Totals.Sessions != 0 || r.Totals.Downloads > 20 {
			t.Errorf("%d sessions and %d downloads, want none and at most 20", r.Totals.Sessions, r.Totals.Downloads)
		}

		before := r.Totals
		s.Status(s.Do(http.MethodPost, s.BeaconOf(load(99, 101)), `{"engaged":1500,"present":1600}`, webtest.PlainText), http.StatusNoContent)
		if r = s.ReportOf(l); r.Totals.Views != before.Views+1 || r.Totals.Sessions != 1 || r.Totals.BotsExcluded != 30 {
			t.Errorf("with a reader of another network: %+v, before %+v", r.Totals, before)
		}
		if r = s.ReportOf(nil); r.Totals.Views != 21 || r.Totals.BotsExcluded != 30 {
			t.Errorf("all links: %+v, want 21 views and 30 excluded ones", r.Totals)
		}
		page := s.Get("/links/"+string(l.Slug)+"/analytics", s.SignIn(s.Account)).Text
		if !strings.Contains(page, "Too many from one network") || !strings.Contains(page, "30 bot views excluded") {
			t.Error("the page of the report does not say how many views were too many")
		}

		s.Check(s.Server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator}))
		s.Ahead.Add(int64(2 * time.Hour))
		s.Check(s.Server.Links.Purge(t.Context()))
		if r = s.ReportOf(nil); r.Totals.BotsExcluded != 0 {
			t.Errorf("%d excluded views of a deleted link", r.Totals.BotsExcluded)
		}
	})
}

// TestFloodOfAWebsite checks that the limit holds for the pages of websites.
func TestFloodOfAWebsite(t *testing.T) {
	s := webtest.NewHosting(t)
	s.Limited(20, 30)
	site := s.NewWebsite("Garden")
	s.Deployed(site, "index.html=<h1>Garden</h1>")
	for range 50 {
		s.Status(s.Visit(site, "/", "User-Agent: "+webtest.Desktop, "X-Forwarded-For: 198.51.100.7"), http.StatusOK)
	}
	s.Check(s.Server.Views.Limits.Write(t.Context()))
	if r := s.Numbers(site, report.Range7d); r.Totals.Views != 20 || r.Totals.BotsExcluded != 30 {
		t.Errorf("%d page loads and %d excluded ones, want 20 and 30", r.Totals.Views, r.Totals.BotsExcluded)
	}
}

// TestLongLists checks that pages of reports have the first rows of a list, say
// how many there are, and have all of them as a file.
func TestLongLists(t *testing.T) {
	s := webtest.NewHosting(t)
	cookie := s.SignIn(s.Account)
	want := func(path, card, row string, rows int, text string, all int) {
		t.Helper()
		page := s.Status(s.Get(path, cookie), http.StatusOK).Text
		_, tile, found := strings.Cut(page, `id="by-`+card+`"`) // behind the menu of filters
		if !found {
			tile = page
		}
		if n := strings.Count(tile, row); n != rows || !strings.Contains(page, text) || !strings.Contains(page,
			"All rows as CSV") {
			t.Errorf("%s has %d rows of %s, want %d, %q, and a file", path, n, card, rows, text)
		}
		file := s.Status(s.Get(path+"?format=csv&card="+card, cookie), http.StatusOK).Text
		if n := strings.Count(file, "\n") - 1; n != all {
			t.Errorf("the file of %s has %d rows, want %d", card, n, all)
		}
	}
	site := s.NewWebsite("Garden")
	for i := range 130 {
		s.Check(s.Server.SiteStats.Count(t.Context(), site.ID, fmt.Sprintf("page%d.html", i), netip.Prefix{},
			report.View{Viewer: 1}))
	}
	want("/websites/"+string(site.Slug)+"/analytics", "top_links", ` rel="noreferrer" data-line`, 100, "Show 100 of 130 pages", 130)

	pdf := s.Publish("long.pdf", webtest.MakePDF(520))
	address := "/links/" + string(pdf.Slug) + "/analytics"
	for i := range 130 {
		s.Get(fmt.Sprintf("/p/%s?utm_campaign=c%d", pdf.Slug, i), "User-Agent: "+webtest.Desktop)
	}
	beacon := s.BeaconOf(s.Get("/p/"+string(pdf.Slug), "User-Agent: "+webtest.Desktop).Text)
	s.Status(s.Do(http.MethodPost, beacon, `{"engaged":1500,"present":1500,"pages":{"520":1500}}`, webtest.PlainText), http.StatusNoContent)
	want(address, "campaigns", "<bdi>c", 100, "Show 100 of 130 campaigns", 130)
	want(address, "content", `<td class="reach">`, 500, "Show 500 of 520 pages", 520)
}
