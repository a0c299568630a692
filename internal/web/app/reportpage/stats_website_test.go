package reportpage_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// pageLoads returns the loads and viewers of each page: "about.html 2 1".
func pageLoads(r *report.AccountReport) string {
	var list []string
	for _, p := range r.TopLinks {
		list = append(list, fmt.Sprint(p.Title, " ", p.Views, " ", p.Uniques))
	}
	return strings.Join(list, ", ")
}

func buckets(list []report.Bucket) string {
	var words []string
	for _, b := range list {
		words = append(words, fmt.Sprint(b.Key, " ", b.Count))
	}
	return strings.Join(words, ", ")
}

// TestWebsiteNumbers checks that the server counts page loads of websites by
// page, viewer and source, and no other requests.
func TestWebsiteNumbers(t *testing.T) {
	h := webtest.NewHosting(t)
	garden := h.NewWebsite("Garden")
	h.Deployed(garden, "index.html=<p>Home", "about.html*=<p>About", "blog/index.html=<p>Blog", "style.css=p{}",
		"404.html=<p>Lost", "a.pdf=%PDF-1.7 x")
	own := "Referer: http://" + string(garden.Slug) + ".localhost:" + h.Server.PublicURL.Port() + "/"

	first := h.Status(h.Visit(garden, "/?utm_source=letter", webtest.ReaderChrome), http.StatusOK)
	h.Status(h.Visit(garden, "/about", webtest.ReaderChrome, own, "Sec-Fetch-Mode: navigate"), http.StatusOK)
	h.Status(h.Visit(garden, "/", webtest.ReaderFirefox, "Referer: https://www.news.example/today",
		"Accept-Encoding: gzip"), http.StatusOK)
	h.Status(h.Visit(garden, "/blog/", webtest.ReaderFirefox, own), http.StatusOK)
	h.Status(h.Visit(garden, "/", webtest.ReaderChrome, "If-None-Match: "+first.Header.Get("ETag")),
		http.StatusNotModified)
	h.Status(h.Visit(garden, "/", webtest.SearchEngine), http.StatusOK)
	h.Status(h.Visit(garden, "/404", webtest.SearchEngine), http.StatusOK)

	for _, r := range []webtest.Reply{
		h.Fetch(http.MethodHead, garden, "/", webtest.ReaderChrome),
		h.Visit(garden, "/", webtest.ReaderChrome, "Range: bytes=0-3"),
		h.Status(h.Visit(garden, "/", webtest.ReaderChrome, `If-Match: "another"`), http.StatusPreconditionFailed),
		h.Visit(garden, "/about", webtest.ReaderChrome, "Sec-Fetch-Mode: cors"),
		h.Visit(garden, "/style.css", webtest.ReaderChrome),
		h.Visit(garden, "/a.pdf", webtest.ReaderChrome),
		h.Visit(garden, "/nowhere", webtest.ReaderChrome),
		h.Visit(garden, "/blog", webtest.ReaderChrome),
		h.Fetch(http.MethodPost, garden, "/", webtest.ReaderChrome),
		h.Status(h.Visit(garden, "/about", webtest.ReaderChrome, "Sec-Purpose: prefetch;prerender"),
			http.StatusServiceUnavailable),
	} {
		if r.StatusCode >= 500 && r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("a refused prefetch may be cached: %v", r.Header)
		}
	}

	r := h.Numbers(garden, report.Range7d)
	if v, u, b := r.Totals.Views, r.Totals.Uniques, r.Totals.BotsExcluded; v != 5 || u != 2 || b != 2 {
		t.Errorf("%d page loads by %d viewers, %d by bots, want 5 by 2, 2", v, u, b)
	}
	if n := r.AllTime.Links; n != 3 {
		t.Errorf("%d pages in total, want 3, because one was loaded only by a bot", n)
	}
	if got, want := pageLoads(r), "index.html 3 2, about.html 1 1, blog/index.html 1 1"; got != want {
		t.Errorf("pages = %s, want %s", got, want)
	}
	if got, want := buckets(r.Breakdowns.Sources),
		"Within the website 2, Direct 1, letter 1, news.example 1"; got != want {
		t.Errorf("sources = %s, want %s", got, want)
	}
	if got, want := buckets(r.Breakdowns.Referrers), "news.example 1"; got != want {
		t.Errorf("referrers = %s, want %s", got, want)
	}
	account, err := h.Server.Analytics.Account(t.Context(), h.Member, analytics.In(report.RangeAll))
	h.Check(err)
	if account.Totals.Views != 0 || account.AllTime.Views != 0 || len(account.TopLinks) > 0 {
		t.Errorf("the account's report contains page loads of a website: %+v", account.Totals)
	}

	// The same person is one viewer on several days.
	h.Ahead.Add(int64(24 * time.Hour))
	h.Status(h.Visit(garden, "/about", webtest.ReaderChrome), http.StatusOK)
	r = h.Numbers(garden, report.Range7d)
	if v, u := r.Totals.Views, r.Totals.Uniques; v != 6 || u != 2 {
		t.Errorf("%d page loads by %d viewers in two days, want 6 by 2", v, u)
	}

	// A new version continues the numbers of the pages that it still has.
	h.Deployed(garden, "index.html=<p>New", "news.html=<p>News")
	h.Status(h.Visit(garden, "/news", webtest.ReaderChrome), http.StatusOK)
	h.Status(h.Visit(garden, "/about", webtest.ReaderChrome), http.StatusNotFound)
	if got, want := pageLoads(h.Numbers(garden, report.RangeAll)),
		"index.html 3 2, about.html 2 1, blog/index.html 1 1, news.html 1 1"; got != want {
		t.Errorf("pages = %s, want %s", got, want)
	}
}

// TestWebsiteNumbersPage checks that only the owner of a website sees its
// numbers, on a page and as files.
func TestWebsiteNumbersPage(t *testing.T) {
	h := webtest.NewHosting(t)
	garden := h.NewWebsite("Garden")
	h.Deployed(garden, "index.html=<p>Home", "a b/ünder.html=<p>About")
	path, cookie := "/websites/"+string(garden.Slug)+"/analytics", h.SignIn(h.Member)
	page := h.Status(h.Get(path, cookie), http.StatusOK).Text
	if !strings.Contains(page, "No page loads yet") {
		t.Error("the page of a website without page loads does not say so")
	}
	for range 3 {
		h.Status(h.Visit(garden, "/", webtest.ReaderChrome), http.StatusOK)
		h.Ahead.Add(int64(31 * time.Minute)) // so that the next one is a return
	}
	h.Status(h.Visit(garden, "/a%20b/%C3%BCnder", webtest.ReaderFirefox), http.StatusOK)
	r := h.Status(h.Get(path+"?range=7d", cookie), http.StatusOK)
	d := h.Parse(r.Text)
	for id, want := range map[string]string{"card-views": "4", "card-uniques": "2", "card-pages": "2",
		"card-returning": "50"} {
		if got := d.ID(id).Class("value")[0].Text(); strings.TrimSuffix(got, "%") != want {
			t.Errorf("%s = %s, want %s", id, got, want)
		}
	}
	rows := d.Class("top-links")[0].Tags("tbody")[0].Tags("tr")
	if len(rows) != 2 || rows[0].Tags("th")[0].Text() != "/" || rows[1].Tags("th")[0].Text() != "/a b/ünder.html" {
		t.Errorf("rows of pages = %s", d.Class("top-links")[0].Text())
	}
	if !strings.Contains(r.Text, ".localhost:"+h.Server.PublicURL.Port()+"/a%20b/%C3%BCnder.html") {
		t.Error("the row of a page does not link to it")
	}
	for _, absent := range []string{"Average time", "Completion", "Downloads", "Window widths", "API call",
		"Most viewed links"} {
		if strings.Contains(r.Text, absent) {
			t.Errorf("the page contains %q", absent)
		}
	}
	filtered := h.Parse(h.Status(h.Get(path+"?range=7d&filter=browser:is:Firefox", cookie), http.StatusOK).Text)
	if got := filtered.ID("card-views").Class("value")[0].Text(); got != "1" {
		t.Errorf("page loads with one browser = %s, want 1", got)
	}
	h.Status(h.Get(path+"?range=7d&filter=link:is:x", cookie), http.StatusBadRequest)
	wrong := h.Status(h.Get(path+"?from=2026-02-30&to=2026-03-01", cookie), http.StatusBadRequest).Text
	if !strings.Contains(wrong, `id="card-views"`) {
		t.Error("a report of a website with wrong dates has no numbers")
	}
	behind := d.ID("card-views").Class("behind")[0].Attribute("href")
	number := h.Parse(h.Status(h.Get(behind, cookie), http.StatusOK).Text)
	if heading := number.ID("explain-title").Text(); heading != "Page loads: 4" {
		t.Errorf("the number opens %q", heading)
	}
	if rows := number.Tags("tbody")[0].Tags("tr"); len(rows) != 4 || !strings.Contains(rows[0].Text(), "/a b/ünder.html") {
		t.Errorf("page loads = %s", number.Tags("tbody")[0].Text())
	}
	csv := h.Status(h.Get(path+"?range=7d&format=csv&card=sources", cookie), http.StatusOK)
	if !strings.Contains(csv.Text, "Direct,4") {
		t.Errorf("CSV file of sources = %q", csv.Text)
	}
	h.Status(h.Get(path+"/pulse", cookie, "Sec-Fetch-Site: same-origin"), http.StatusOK)
	h.Status(h.Get(path+"?range=9d", cookie), http.StatusBadRequest)

	for _, from := range []string{"/websites", "/websites/" + string(garden.Slug)} {
		if body := h.Status(h.Get(from, cookie), http.StatusOK).Text; !strings.Contains(body, `href="`+path+`"`) {
			t.Errorf("%s does not link to the website's numbers", from)
		}
	}
	export := h.Status(h.Get("/account/export", cookie), http.StatusOK).Text
	archive, err := zip.NewReader(strings.NewReader(export), int64(len(export)))
	h.Check(err)
	data, err := fs.ReadFile(archive, "analytics/websites/"+string(garden.Slug)+".json")
	var exported report.AccountReport
	h.Check(errors.Join(err, json.Unmarshal(data, &exported)))
	if exported.Totals.Views != 4 || len(exported.TopLinks) != 2 {
		t.Errorf("export = %s", data)
	}

	stranger := h.SignIn(h.Join("stranger@example.org", vitrine.RoleMember))
	for _, end := range []string{"", "?format=csv&card=sources", "/pulse", "/now"} {
		h.Status(h.Get(path+end, stranger, "Sec-Fetch-Site: same-origin"), http.StatusNotFound)
	}
	h.Status(h.Get("/websites/nothing/analytics", cookie), http.StatusNotFound)

	_, err = h.Server.Accounts.SetPlan(t.Context(), h.Member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Administrator})
	h.Check(err)
	if body := h.Status(h.Get(path, cookie), http.StatusOK).Text; !strings.Contains(body, "part of Pro") ||
		strings.Contains(body, "card-views") {
		t.Error("an account without analytics does not see that they are part of Pro")
	}
}

// TestWebsiteNumbersBelowContent checks that page loads also count on an
// instance without separate hosts for websites.
func TestWebsiteNumbersBelowContent(t *testing.T) {
	h := webtest.NewHosting(t)
	h.Server.SitesURL = nil
	garden, other := h.NewWebsite("Garden"), h.NewWebsite("Other")
	h.Deployed(garden, "index.html=<p>Home")
	h.Deployed(other, "index.html=<p>Other")
	at := func(s *vitrine.Site) string { return "/s/" + string(s.Slug) + "/" }
	h.Status(h.Get(at(garden), webtest.ReaderChrome), http.StatusOK)
	h.Status(h.Get(at(garden), webtest.ReaderChrome, "Referer: "+h.URL+at(garden)), http.StatusOK)
	h.Status(h.Get(at(garden), webtest.ReaderChrome, "Referer: "+h.URL+at(other)), http.StatusOK)
	if got, want := buckets(h.Numbers(garden, report.RangeAll).Breakdowns.Sources),
		"Direct 2, Within the website 1"; got != want {
		t.Errorf("sources = %s, want %s", got, want)
	}
	if n := h.Numbers(other, report.RangeAll).Totals.Views; n != 0 {
		t.Errorf("the other website has %d page loads, want 0", n)
	}
}

// TestWebsiteNumbersDeleted checks that the page loads of a deleted website are
// deleted, including those that are written during the deletion.
func TestWebsiteNumbersDeleted(t *testing.T) {
	h := webtest.NewHosting(t)
	garden, kept := h.NewWebsite("Garden"), h.NewWebsite("Kept")
	h.Deployed(garden, "index.html=<p>Home", "about.html=<p>About")
	h.Deployed(kept, "index.html=<p>Home")
	for _, path := range []string{"/", "/about"} {
		h.Status(h.Visit(garden, path, webtest.ReaderChrome), http.StatusOK)
	}
	h.Status(h.Visit(kept, "/", webtest.ReaderChrome), http.StatusOK)
	h.Check(h.Server.Sites.Delete(t.Context(), h.Member, string(garden.Slug)))
	h.Check(h.Server.SiteStats.Purge(t.Context()))
	if r := h.Numbers(garden, report.RangeAll); r.Totals.Views != 0 || r.AllTime.Views != 0 {
		t.Errorf("a deleted website has %d page loads, %d in total", r.Totals.Views, r.AllTime.Views)
	}
	// A load that was in progress.
	h.Check(h.Server.SiteStats.Count(t.Context(), garden.ID, "about.html", netip.Prefix{}, report.View{Viewer: 1}))
	h.Ahead.Add(int64(2 * time.Hour))
	h.Check(h.Server.SiteStats.Purge(t.Context()))
	if r := h.Numbers(garden, report.RangeAll); r.Totals.Views != 0 || r.AllTime.Links != 0 {
		t.Errorf("a website that was deleted two hours ago has %d page loads of %d pages", r.Totals.Views,
			r.AllTime.Links)
	}
	if n := h.Numbers(kept, report.RangeAll).Totals.Views; n != 1 {
		t.Errorf("the other website has %d page loads, want 1", n)
	}
	if err := h.Server.SiteStats.Count(t.Context(), 999, "index.html", netip.Prefix{},
		report.View{}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Count for an unknown website = %v, want not_found", err)
	}
}
