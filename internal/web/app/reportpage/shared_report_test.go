package reportpage_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/ui"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestSharedReport checks that the shared address shows the owner's report, and
// links to nothing else.
func TestSharedReport(t *testing.T) {
	o := webtest.NewReportSite(t)
	for name, page := range map[string]string{"a link": webtest.StatsPath(o.Links[report.ContentPages]),
		"all links": "/analytics"} {
		t.Run(name, func(t *testing.T) {
			path := o.Share(t, page, "label=The+board&life=7d")
			r := o.Status(o.Get(path+"?range=90d"), http.StatusOK)
			for header, want := range map[string]string{"Cache-Control": "no-store",
				"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer"} {
				webtest.Same(t, header, r.Header.Get(header), want)
			}
			shown := o.Parse(r.Text)
			var want report.Summary
			o.API(page+"?range=90d", &want)
			webtest.Same(t, "views", shown.ID("card-views").Class("value")[0].Text(), humanize.Comma(want.Totals.Views))
			webtest.Same(t, "points", len(shown.ID("series").Tags("tbody")[0].Tags("tr")), len(want.Series))
			for _, a := range shown.Tags("a") {
				href := a.Attribute("href")
				if u, err := url.Parse(href); err != nil || u.Path != "/" && u.Path != path &&
					u.Path != path+"/explain" && u.Path != path+"/map" && u.Path != "/docs/how-we-count" &&
					u.Path != "/p/"+string(o.Links[report.ContentPages].Slug) {
					t.Errorf("the page links to %s", href)
				}
			}
			for _, word := range []string{"pulse", "curl", "card="} {
				if strings.Contains(r.Text, word) {
					t.Errorf("the page contains %q", word)
				}
			}
			e := o.Status(o.Get(path+"/embed?range=30d"), http.StatusOK)
			if csp := e.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors *") ||
				len(o.Parse(e.Text).Class("marks")) != 1 || len(o.Parse(e.Text).Tags("form")) != 0 {
				t.Errorf("chart only: policy %s\n%s", csp, e.Text)
			}
			if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("policy = %s, want no frames", csp)
			}

			// The list shows it until it is revoked.
			list := o.Parse(o.Get(page, o.Cookie).Text).ID("share")
			if !strings.Contains(list.Text(), "The board") || !strings.Contains(o.Get(page, o.Cookie).Text, path) {
				t.Errorf("list = %s", list.Text())
			}
			revoke := list.Tags("ul")[0].Tags("form")[0].Attribute("action")
			o.Status(o.Do("POST", strings.Replace(revoke, "/revoke", "0000/revoke", 1), "",
				"Content-Type: application/x-www-form-urlencoded", o.Cookie), http.StatusNotFound)
			o.Status(o.Do("POST", revoke, "", "Content-Type: application/x-www-form-urlencoded"),
				http.StatusSeeOther) // redirects to the sign-in
			o.Status(o.Get(path), http.StatusOK)
			o.Status(o.Do("POST", revoke, "", "Content-Type: application/x-www-form-urlencoded", o.Cookie),
				http.StatusSeeOther)
			for _, gone := range []string{path, path + "/embed", "/r/AAAAAAAAAAAAAAAAAAAAAA", "/r/x"} {
				o.Status(o.Get(gone), http.StatusNotFound)
			}
		})
	}
}

// TestSharedReportWithoutOwnVisits checks that a shared report reveals nothing
// of its owner's visits: the page is the same with and without them.
func TestSharedReportWithoutOwnVisits(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentScroll]
	o.AddExcluded(l, [2]string{report.BotCrawler, "Googlebot"})
	nonce := regexp.MustCompile(`nonce="[^"]*"`)
	paths := []string{o.Share(t, webtest.StatsPath(l), "label=The+board"), o.Share(t, "/analytics", "label=The+board")}
	shown := func() (pages []string) {
		for _, path := range paths {
			for _, of := range []string{"?range=7d", "?range=all", "/embed?range=30d"} {
				pages = append(pages, nonce.ReplaceAllString(o.Status(o.Get(path+of), http.StatusOK).Text, ""))
			}
		}
		return pages
	}
	before := shown()
	at, b := o.Server.Now().UnixMilli(), vitrine.Batch{}
	for i := range 9 {
		id := vitrine.ViewIDAt(at, 950+i)
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{ID: int64(id), At: at,
			Link: int64(l.ID), Viewer: 4711, Country: "NZ", Browser: "Netscape", Referrer: "own.example.org", QR: true,
			Bot: report.BotOwn, Own: true}})
		b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: l.ID, View: id, At: at + 60_000,
			Session: report.Session{EngagedMs: 40_000, PresentMs: 50_000, Depth: 1_000_000, Downloaded: true}})
		b.Downloads = append(b.Downloads, vitrine.Download{ID: id, Link: l.ID, View: id})
	}
	_, err := o.Log.Append(t.Context(), b)
	o.Check(err)
	if page := o.Get(webtest.StatsPath(l)+"?range=7d", o.Cookie).Text; !strings.Contains(page, "9 of your own") {
		t.Error("the owner's report does not list their visits")
	}
	for i, page := range shown() {
		if page != before[i] {
			at := 0
			for at < min(len(page), len(before[i])) && page[at] == before[i][at] {
				at++
			}
			t.Errorf("page %d has changed: %.200q, before %.200q", i, page[at:], before[i][at:])
		}
	}
}

// TestSharedReportExpires checks that a shared address expires, and that the
// forms show errors.
func TestSharedReportExpires(t *testing.T) {
	o := webtest.NewReportSite(t)
	path := o.Share(t, "/analytics", "life=7d")
	o.Ahead.Add(int64(7*24*time.Hour - time.Minute))
	o.Status(o.Get(path), http.StatusOK)
	o.Ahead.Add(int64(time.Minute))
	o.Status(o.Get(path), http.StatusNotFound)
	for _, bad := range []string{"life=99y", "password=short", "label=" + strings.Repeat("a", 81), "label=a%0Ab"} {
		r := o.Status(o.Do("POST", "/analytics/share", bad, "Content-Type: application/x-www-form-urlencoded",
			o.SignIn(o.Account)), http.StatusBadRequest)
		if share := o.Parse(r.Text).ID("share"); len(share.Class("wrong")) != 1 || len(share.Tags("tbody")) != 0 {
			t.Errorf("share with %s: form = %s, want an error", bad, share.Text())
		}
	}
	o.Status(o.Do("POST", webtest.StatsPath(o.Links[report.ContentPages])+"/share", "",
		"Content-Type: application/x-www-form-urlencoded", o.SignIn(o.Member)), http.StatusNotFound)
}

// TestSharedReportPassword checks that a shared report with a password shows
// nothing before it is entered, and that the attempts are limited.
func TestSharedReportPassword(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	path, other := o.Share(t, webtest.StatsPath(l), "password=a+cafe+at+noon"),
		o.Share(t, "/analytics", "password=a+cafe+at+noon")
	form := "Content-Type: application/x-www-form-urlencoded"
	r := o.Status(o.Get(path), http.StatusOK)
	if strings.Contains(r.Text, l.Title) || len(o.Parse(r.Text).Tags("form")) != 1 {
		t.Errorf("page without the password: %s", r.Text)
	}
	o.Status(o.Get(path+"/embed"), http.StatusNotFound)
	r = o.Status(o.Do("POST", path, "password=a+cafe+at+noon", form), http.StatusSeeOther)
	cookie := r.Header.Get("Set-Cookie")
	for _, want := range []string{"Path=" + path, "HttpOnly", "SameSite=Lax"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	pass, _, _ := strings.Cut(cookie, ";")
	if r := o.Status(o.Get(path, "Cookie: "+pass), http.StatusOK); !strings.Contains(r.Text, ui.Title(l)) {
		t.Error("the pass does not open the report")
	}
	if r := o.Status(o.Get(other, "Cookie: "+pass), http.StatusOK); len(o.Parse(r.Text).Class("cards")) != 0 {
		t.Error("the pass opens another report")
	}
	for range 5 {
		if r := o.Status(o.Do("POST", path, "password=wrong", form),
			http.StatusBadRequest); len(o.Parse(r.Text).Class("wrong")) != 1 {
			t.Errorf("page after a wrong password: %s", r.Text)
		}
	}
	if r := o.Status(o.Do("POST", path, "password=a+cafe+at+noon", form),
		http.StatusTooManyRequests); r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After header")
	}
	o.Status(o.Do("POST", path, "password=a+cafe+at+noon", form, "Origin: https://evil.example"), http.StatusForbidden)
}
