package web_test

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
	"vitrine/report"
)

const (
	readerChrome  = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	readerFirefox = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	searchEngine  = "User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
)

// numbers returns the report of a website.
func (s *site) numbers(of *vitrine.Site, rg report.Range) *report.AccountReport {
	s.t.Helper()
	r, err := s.server.SiteStats.Report(s.t.Context(), of, rg)
	s.check(err)
	return r
}

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
	h := newHosting(t)
	garden := h.newWebsite("Garden")
	h.deployed(garden, "index.html=<p>Home", "about.html*=<p>About", "blog/index.html=<p>Blog", "style.css=p{}",
		"404.html=<p>Lost", "a.pdf=%PDF-1.7 x")
	own := "Referer: http://" + string(garden.Slug) + ".localhost:" + h.server.PublicURL.Port() + "/"

	first := h.status(h.visit(garden, "/?utm_source=letter", readerChrome), http.StatusOK)
	h.status(h.visit(garden, "/about", readerChrome, own, "Sec-Fetch-Mode: navigate"), http.StatusOK)
	h.status(h.visit(garden, "/", readerFirefox, "Referer: https://www.news.example/today", "Accept-Encoding: gzip"),
		http.StatusOK)
	h.status(h.visit(garden, "/blog/", readerFirefox, own), http.StatusOK)
	h.status(h.visit(garden, "/", readerChrome, "If-None-Match: "+first.Header.Get("ETag")), http.StatusNotModified)
	h.status(h.visit(garden, "/", searchEngine), http.StatusOK)
	h.status(h.visit(garden, "/404", searchEngine), http.StatusOK)

	for _, r := range []reply{
		h.fetch(http.MethodHead, garden, "/", readerChrome),
		h.visit(garden, "/", readerChrome, "Range: bytes=0-3"),
		h.status(h.visit(garden, "/", readerChrome, `If-Match: "another"`), http.StatusPreconditionFailed),
		h.visit(garden, "/about", readerChrome, "Sec-Fetch-Mode: cors"),
		h.visit(garden, "/style.css", readerChrome),
		h.visit(garden, "/a.pdf", readerChrome),
		h.visit(garden, "/nowhere", readerChrome),
		h.visit(garden, "/blog", readerChrome),
		h.fetch(http.MethodPost, garden, "/", readerChrome),
		h.status(h.visit(garden, "/about", readerChrome, "Sec-Purpose: prefetch;prerender"),
			http.StatusServiceUnavailable),
	} {
		if r.StatusCode >= 500 && r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("a refused prefetch may be cached: %v", r.Header)
		}
	}

	r := h.numbers(garden, report.Range7d)
	if v, u, b := r.Totals.Views, r.Totals.Uniques, r.Totals.BotsExcluded; v != 5 || u != 2 || b != 2 {
		t.Errorf("%d page loads by %d viewers, %d by bots, want 5 by 2, 2", v, u, b)
	}
	if n := r.AllTime.Links; n != 3 {
		t.Errorf("%d pages in total, want 3, because one was loaded only by a bot", n)
	}
	if got, want := pageLoads(r), "index.html 3 2, about.html 1 1, blog/index.html 1 1"; got != want {
		t.Errorf("pages = %s, want %s", got, want)
	}
	if got, want := buckets(r.Breakdowns.Sources), "Within the website 2, Direct 1, letter 1, news.example 1"; got != want {
		t.Errorf("sources = %s, want %s", got, want)
	}
	if got, want := buckets(r.Breakdowns.Referrers), "news.example 1"; got != want {
		t.Errorf("referrers = %s, want %s", got, want)
	}
	account, err := h.server.Analytics.Account(t.Context(), h.member, analytics.In(report.RangeAll))
	h.check(err)
	if account.Totals.Views != 0 || account.AllTime.Views != 0 || len(account.TopLinks) > 0 {
		t.Errorf("the account's report contains page loads of a website: %+v", account.Totals)
	}

	// The same person is one viewer on several days.
	h.ahead.Add(int64(24 * time.Hour))
	h.status(h.visit(garden, "/about", readerChrome), http.StatusOK)
	r = h.numbers(garden, report.Range7d)
	if v, u := r.Totals.Views, r.Totals.Uniques; v != 6 || u != 2 {
		t.Errorf("%d page loads by %d viewers in two days, want 6 by 2", v, u)
	}

	// A new version continues the numbers of the pages that it still has.
	h.deployed(garden, "index.html=<p>New", "news.html=<p>News")
	h.status(h.visit(garden, "/news", readerChrome), http.StatusOK)
	h.status(h.visit(garden, "/about", readerChrome), http.StatusNotFound)
	if got, want := pageLoads(h.numbers(garden, report.RangeAll)), "index.html 3 2, about.html 2 1, blog/index.html 1 1, news.html 1 1"; got != want {
		t.Errorf("pages = %s, want %s", got, want)
	}
}

// TestWebsiteNumbersPage checks that only the owner of a website sees its
// numbers, on a page and as files.
func TestWebsiteNumbersPage(t *testing.T) {
	h := newHosting(t)
	garden := h.newWebsite("Garden")
	h.deployed(garden, "index.html=<p>Home", "a b/ünder.html=<p>About")
	path, cookie := "/websites/"+string(garden.Slug)+"/analytics", h.signIn(h.member)
	page := h.status(h.get(path, cookie), http.StatusOK).body
	if !strings.Contains(page, "No page loads yet") {
		t.Error("the page of a website without page loads does not say so")
	}
	for range 3 {
		h.status(h.visit(garden, "/", readerChrome), http.StatusOK)
	}
	h.status(h.visit(garden, "/a%20b/%C3%BCnder", readerFirefox), http.StatusOK)
	r := h.status(h.get(path+"?range=7d", cookie), http.StatusOK)
	d := h.parse(r.body)
	for id, want := range map[string]string{"card-views": "4", "card-uniques": "2", "card-pages": "2",
		"card-returning": "50"} {
		if got := d.id(id).class("value")[0].text(); strings.TrimSuffix(got, "%") != want {
			t.Errorf("%s = %s, want %s", id, got, want)
		}
	}
	rows := d.class("top-links")[0].tags("tbody")[0].tags("tr")
	if len(rows) != 2 || rows[0].tags("th")[0].text() != "/" || rows[1].tags("th")[0].text() != "/a b/ünder.html" {
		t.Errorf("rows of pages = %s", d.class("top-links")[0].text())
	}
	if !strings.Contains(r.body, ".localhost:"+h.server.PublicURL.Port()+"/a%20b/%C3%BCnder.html") {
		t.Error("the row of a page does not link to it")
	}
	for _, absent := range []string{"Average time", "Completion", "Downloads", "Window widths", "API call",
		"Most viewed links"} {
		if strings.Contains(r.body, absent) {
			t.Errorf("the page contains %q", absent)
		}
	}
	csv := h.status(h.get(path+"?range=7d&format=csv&card=sources", cookie), http.StatusOK)
	if !strings.Contains(csv.body, "Direct,4") {
		t.Errorf("CSV file of sources = %q", csv.body)
	}
	h.status(h.get(path+"/pulse", cookie, "Sec-Fetch-Site: same-origin"), http.StatusOK)
	h.status(h.get(path+"?range=9d", cookie), http.StatusBadRequest)

	for _, from := range []string{"/websites", "/websites/" + string(garden.Slug)} {
		if body := h.status(h.get(from, cookie), http.StatusOK).body; !strings.Contains(body, `href="`+path+`"`) {
			t.Errorf("%s does not link to the website's numbers", from)
		}
	}
	export := h.status(h.get("/account/export", cookie), http.StatusOK).body
	archive, err := zip.NewReader(strings.NewReader(export), int64(len(export)))
	h.check(err)
	data, err := fs.ReadFile(archive, "analytics/websites/"+string(garden.Slug)+".json")
	var exported report.AccountReport
	h.check(errors.Join(err, json.Unmarshal(data, &exported)))
	if exported.Totals.Views != 4 || len(exported.TopLinks) != 2 {
		t.Errorf("export = %s", data)
	}

	stranger := h.signIn(h.join("stranger@example.org", vitrine.RoleMember))
	for _, end := range []string{"", "?format=csv&card=sources", "/pulse", "/now"} {
		h.status(h.get(path+end, stranger, "Sec-Fetch-Site: same-origin"), http.StatusNotFound)
	}
	h.status(h.get("/websites/nothing/analytics", cookie), http.StatusNotFound)

	_, err = h.server.Accounts.SetPlan(t.Context(), h.member.Email, vitrine.PlanFree, nil,
		vitrine.Decision{By: vitrine.Operator})
	h.check(err)
	if body := h.status(h.get(path, cookie), http.StatusOK).body; !strings.Contains(body, "part of Pro") ||
		strings.Contains(body, "card-views") {
		t.Error("an account without analytics does not see that they are part of Pro")
	}
}

// TestWebsiteNumbersBelowContent checks that page loads also count on an
// instance without separate hosts for websites.
func TestWebsiteNumbersBelowContent(t *testing.T) {
	h := newHosting(t)
	h.server.SitesURL = nil
	garden, other := h.newWebsite("Garden"), h.newWebsite("Other")
	h.deployed(garden, "index.html=<p>Home")
	h.deployed(other, "index.html=<p>Other")
	at := func(s *vitrine.Site) string { return "/s/" + string(s.Slug) + "/" }
	h.status(h.get(at(garden), readerChrome), http.StatusOK)
	h.status(h.get(at(garden), readerChrome, "Referer: "+h.url+at(garden)), http.StatusOK)
	h.status(h.get(at(garden), readerChrome, "Referer: "+h.url+at(other)), http.StatusOK)
	if got, want := buckets(h.numbers(garden, report.RangeAll).Breakdowns.Sources), "Direct 2, Within the website 1"; got != want {
		t.Errorf("sources = %s, want %s", got, want)
	}
	if n := h.numbers(other, report.RangeAll).Totals.Views; n != 0 {
		t.Errorf("the other website has %d page loads, want 0", n)
	}
}

// TestWebsiteNumbersDeleted checks that the page loads of a deleted website are
// deleted, including those that are written during the deletion.
func TestWebsiteNumbersDeleted(t *testing.T) {
	h := newHosting(t)
	garden, kept := h.newWebsite("Garden"), h.newWebsite("Kept")
	h.deployed(garden, "index.html=<p>Home", "about.html=<p>About")
	h.deployed(kept, "index.html=<p>Home")
	for _, path := range []string{"/", "/about"} {
		h.status(h.visit(garden, path, readerChrome), http.StatusOK)
	}
	h.status(h.visit(kept, "/", readerChrome), http.StatusOK)
	h.check(h.server.Sites.Delete(t.Context(), h.member, string(garden.Slug)))
	h.check(h.server.SiteStats.Purge(t.Context()))
	if r := h.numbers(garden, report.RangeAll); r.Totals.Views != 0 || r.AllTime.Views != 0 {
		t.Errorf("a deleted website has %d page loads, %d in total", r.Totals.Views, r.AllTime.Views)
	}
	// A load that was in progress.
	h.check(h.server.SiteStats.Count(t.Context(), garden.ID, "about.html", netip.Prefix{}, report.View{Viewer: 1}))
	h.ahead.Add(int64(2 * time.Hour))
	h.check(h.server.SiteStats.Purge(t.Context()))
	if r := h.numbers(garden, report.RangeAll); r.Totals.Views != 0 || r.AllTime.Links != 0 {
		t.Errorf("a website that was deleted two hours ago has %d page loads of %d pages", r.Totals.Views,
			r.AllTime.Links)
	}
	if n := h.numbers(kept, report.RangeAll).Totals.Views; n != 1 {
		t.Errorf("the other website has %d page loads, want 1", n)
	}
	if err := h.server.SiteStats.Count(t.Context(), 999, "index.html", netip.Prefix{},
		report.View{}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Count for an unknown website = %v, want not_found", err)
	}
}
