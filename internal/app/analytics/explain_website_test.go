package analytics_test

import (
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
	"vitrine/report"
)

// website is what these tests give as the slug of a link for the website.
const website = "/website"

// addWebsite adds a website with random page loads.
func (e *explained) addWebsite(log *viewlog.ViewLog, n int) {
	e.site = &vitrine.Site{Account: e.account.ID, Slug: vitrine.Slug(fmt.Sprintf("garden-%d", n)), Title: "Garden",
		CreatedAt: e.now.AddDate(0, 0, -explainedDays)}
	number := vitrine.FirstSitePage + int64(10*n)
	paths := []string{"", "index.html", "about.html", "blog/index.html", vitrine.OtherSitePages, "unread.html"}
	e.must(e.Store.Update(e.Context(), func(tx vitrine.Tx) error {
		err := tx.AddSite(e.site)
		for i, path := range paths {
			err = errors.Join(err, tx.AddSitePage(&vitrine.SitePage{Site: e.site.ID, Path: path, Number: number + int64(i)}))
		}
		return err
	}))
	var loads []vitrine.ViewRecord
	for i := range 80 {
		at := e.now.UnixMilli() - e.Int64N(explainedDays*86_400_000)
		load := e.view(&vitrine.Link{ID: vitrine.LinkID(number + 1 + e.Int64N(4)), File: vitrine.File{Kind: filetype.Archive}},
			vitrine.ViewIDAt(at, i%7))
		load.Session, load.QR, load.Recipient, load.Campaign = nil, false, 0, ""
		loads = append(loads, vitrine.ViewRecord{Account: vitrine.AccountID(number), View: load})
	}
	e.must(log.Import(e.Context(), vitrine.ImportReceipt{File: [32]byte{byte(n), 2}, Lines: int64(len(loads)), At: e.now},
		loads))
}

// TestWebsiteQuery checks dates, hours, time zones and filters in the report of
// a website, and refusals of what page loads do not have.
func TestWebsiteQuery(t *testing.T) {
	f := fixture.New(t)
	now := f.Clock.Now()
	s := &analytics.Service{Store: f.Store, Log: f.Log, Signer: signer.New([]byte("k")), Now: f.Clock.Now,
		URL: func(s vitrine.Slug) string { return string(s) }}
	site := &vitrine.Site{Account: f.Account.ID, Slug: "garden", Title: "Garden", CreatedAt: now.AddDate(0, 0, -20)}
	f.Must(f.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddSite(site) }))
	empty, err := s.Website(t.Context(), site, analytics.Query{Filter: report.Filter{{Dimension: report.OnCountry, Value: "DE"}}})
	f.Must(err)
	if empty.Totals.Views != 0 || len(empty.TopLinks) != 0 {
		t.Errorf("without page loads: %+v", empty.Totals)
	}
	const number = vitrine.FirstSitePage
	f.Must(f.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return errors.Join(tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Number: number}),
			tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Path: "index.html", Number: number + 1}),
			tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Path: "about.html", Number: number + 2}))
	}))
	var b vitrine.Batch
	for day := range 10 {
		at := now.AddDate(0, 0, -day).UnixMilli()
		b.Views = append(b.Views, vitrine.ViewRecord{Account: number, View: report.View{ID: int64(vitrine.ViewIDAt(at, day)),
			At: at, Link: number + 1 + int64(day%2), Viewer: uint64(day), Country: []string{"DE", "FR"}[day%2], Browser: "Firefox"}})
	}
	_, err = f.Log.Append(t.Context(), b)
	f.Must(err)
	day := func(ago int) string { return now.AddDate(0, 0, -ago).Format(time.DateOnly) }
	for query, want := range map[string]string{
		"range=7d":                               "7 views, index.html 4, about.html 3",
		"range=30d":                              "10 views, about.html 5, index.html 5",
		"range=30d&filter=country:is:DE":         "5 views, index.html 5",
		"range=7d&filter=country:is_not:DE":      "3 views, about.html 3",
		"filter=returning:is:yes&range=7d":       "0 views",
		"granularity=hour&timezone=Asia/Kolkata": "1 views, index.html 1",
		"from=" + day(3) + "&to=" + day(2):       "2 views, about.html 1, index.html 1",
	} {
		r, err := s.Website(t.Context(), site, parsed(t, query))
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		got := fmt.Sprint(r.Totals.Views, " views")
		for _, page := range r.TopLinks {
			got += fmt.Sprint(", ", page.Slug, " ", page.Views)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"filter=link:is:a", "filter=kind:is:pdf", "filter=version:is:1", "filter=recipient:is:7",
		"filter=qr:is:yes", "filter=screen:is:", "filter=country:is:Germany", "from=2026-01-01&to=2025-01-01"} {
		_, err := s.Website(t.Context(), site, parsed(t, query))
		if code := vitrine.CodeOf(err); code != vitrine.CodeInvalidRequest && code != vitrine.CodeBadRange {
			t.Errorf("%s: %v, want a refusal", query, err)
		}
	}
	x, err := s.ExplainWebsite(t.Context(), site, analytics.ExplainQuery{Query: parsed(t, "range=7d"), Figure: "/totals/views", N: 2})
	f.Must(err)
	if x.Count != 7 || len(x.Visits) != 2 || x.Visits[0].Link != "index.html" || x.Visits[1].Link != "about.html" {
		t.Errorf("explanation = %+v", x)
	}
}

func parsed(t *testing.T, query string) analytics.Query {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	q, err := analytics.ParseQuery(values)
	if err != nil {
		t.Fatal(query, err)
	}
	return q
}
