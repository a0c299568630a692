package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/internal/web/ui"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// share creates a read-only address on the page of a report and returns it
// without the host.
func (o *reportSite) share(t *testing.T, page, form string) string {
	t.Helper()
	r := o.status(o.do("POST", page+"/share", form, "Content-Type: application/x-www-form-urlencoded", o.cookie),
		http.StatusOK)
	address := o.parse(r.body).id("shared-address").text()
	path, ok := strings.CutPrefix(address, o.server.PublicURL.String())
	if !ok || !regexp.MustCompile(`^/r/[A-Za-z0-9_-]{22}$`).MatchString(path) {
		t.Fatalf("shared address = %q", address)
	}
	return path
}

// TestSharedReport checks that the shared address shows the owner's report, and
// links to nothing else.
func TestSharedReport(t *testing.T) {
	o := newReportSite(t)
	for name, page := range map[string]string{"a link": statsPath(o.links[report.ContentPages]),
		"all links": "/analytics"} {
		t.Run(name, func(t *testing.T) {
			path := o.share(t, page, "label=The+board&life=7d")
			r := o.status(o.get(path+"?range=90d"), http.StatusOK)
			for header, want := range map[string]string{"Cache-Control": "no-store",
				"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer"} {
				same(t, header, r.Header.Get(header), want)
			}
			shown := o.parse(r.body)
			var want report.Summary
			o.api(page+"?range=90d", &want)
			same(t, "views", shown.id("card-views").class("value")[0].text(), humanize.Comma(want.Totals.Views))
			same(t, "points", len(shown.id("series").tags("tbody")[0].tags("tr")), len(want.Series))
			for _, a := range shown.tags("a") {
				href := a.attr("href")
				if u, err := url.Parse(href); err != nil || u.Path != "/" && u.Path != path &&
					u.Path != "/p/"+string(o.links[report.ContentPages].Slug) {
					t.Errorf("the page links to %s", href)
				}
			}
			for _, word := range []string{"office@example.org", "pulse", "curl", "card="} {
				if strings.Contains(r.body, word) {
					t.Errorf("the page contains %q", word)
				}
			}
			e := o.status(o.get(path+"/embed?range=30d"), http.StatusOK)
			if csp := e.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors *") ||
				len(o.parse(e.body).class("marks")) != 1 || len(o.parse(e.body).tags("form")) != 0 {
				t.Errorf("chart only: policy %s\n%s", csp, e.body)
			}
			if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("policy = %s, want no frames", csp)
			}

			// The list shows it until it is revoked.
			list := o.parse(o.get(page, o.cookie).body).id("share")
			if !strings.Contains(list.text(), "The board") || strings.Contains(o.get(page, o.cookie).body, path) {
				t.Errorf("list = %s", list.text())
			}
			revoke := list.tags("ul")[0].tags("form")[0].attr("action")
			o.status(o.do("POST", strings.Replace(revoke, "/revoke", "0000/revoke", 1), "",
				"Content-Type: application/x-www-form-urlencoded", o.cookie), http.StatusNotFound)
			o.status(o.do("POST", revoke, "", "Content-Type: application/x-www-form-urlencoded"),
				http.StatusSeeOther) // redirects to the sign-in
			o.status(o.get(path), http.StatusOK)
			o.status(o.do("POST", revoke, "", "Content-Type: application/x-www-form-urlencoded", o.cookie),
				http.StatusSeeOther)
			for _, gone := range []string{path, path + "/embed", "/r/AAAAAAAAAAAAAAAAAAAAAA", "/r/x"} {
				o.status(o.get(gone), http.StatusNotFound)
			}
		})
	}
}

// TestSharedReportWithoutOwnVisits checks that a shared report reveals nothing
// of its owner's visits: the page is the same with and without them.
func TestSharedReportWithoutOwnVisits(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentScroll]
	o.addExcluded(l, [2]string{visitor.BotCrawler, "Googlebot"})
	nonce := regexp.MustCompile(`nonce="[^"]*"`)
	paths := []string{o.share(t, statsPath(l), "label=The+board"), o.share(t, "/analytics", "label=The+board")}
	shown := func() (pages []string) {
		for _, path := range paths {
			for _, of := range []string{"?range=7d", "?range=all", "/embed?range=30d"} {
				pages = append(pages, nonce.ReplaceAllString(o.status(o.get(path+of), http.StatusOK).body, ""))
			}
		}
		return pages
	}
	before := shown()
	at, b := o.server.Now().UnixMilli(), vitrine.Batch{}
	for i := range 9 {
		id := vitrine.ViewIDAt(at, 950+i)
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{ID: int64(id), At: at,
			Link: int64(l.ID), Viewer: 4711, Country: "NZ", Browser: "Netscape", Referrer: "own.example.org", QR: true,
			Bot: report.BotOwn, Own: true}})
		b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: l.ID, View: id, At: at + 60_000,
			Session: report.Session{EngagedMs: 40_000, PresentMs: 50_000, Depth: 1_000_000, Downloaded: true}})
		b.Downloads = append(b.Downloads, vitrine.Download{ID: id, Link: l.ID, View: id})
	}
	_, err := o.log.Append(t.Context(), b)
	o.check(err)
	if page := o.get(statsPath(l)+"?range=7d", o.cookie).body; !strings.Contains(page, "9 of your own") {
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
	o := newReportSite(t)
	path := o.share(t, "/analytics", "life=7d")
	o.ahead.Add(int64(7*24*time.Hour - time.Minute))
	o.status(o.get(path), http.StatusOK)
	o.ahead.Add(int64(time.Minute))
	o.status(o.get(path), http.StatusNotFound)
	for _, bad := range []string{"life=99y", "password=short", "label=" + strings.Repeat("a", 81), "label=a%0Ab"} {
		r := o.status(o.do("POST", "/analytics/share", bad, "Content-Type: application/x-www-form-urlencoded",
			o.signIn(o.account)), http.StatusBadRequest)
		if share := o.parse(r.body).id("share"); len(share.class("wrong")) != 1 || len(share.tags("tbody")) != 0 {
			t.Errorf("share with %s: form = %s, want an error", bad, share.text())
		}
	}
	o.status(o.do("POST", statsPath(o.links[report.ContentPages])+"/share", "",
		"Content-Type: application/x-www-form-urlencoded", o.signIn(o.member)), http.StatusNotFound)
}

// TestSharedReportPassword checks that a shared report with a password shows
// nothing before it is entered, and that the attempts are limited.
func TestSharedReportPassword(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentPages]
	path, other := o.share(t, statsPath(l), "password=a+cafe+at+noon"),
		o.share(t, "/analytics", "password=a+cafe+at+noon")
	form := "Content-Type: application/x-www-form-urlencoded"
	r := o.status(o.get(path), http.StatusOK)
	if strings.Contains(r.body, l.Title) || len(o.parse(r.body).tags("form")) != 1 {
		t.Errorf("page without the password: %s", r.body)
	}
	o.status(o.get(path+"/embed"), http.StatusNotFound)
	r = o.status(o.do("POST", path, "password=a+cafe+at+noon", form), http.StatusSeeOther)
	cookie := r.Header.Get("Set-Cookie")
	for _, want := range []string{"Path=" + path, "HttpOnly", "SameSite=Lax"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	pass, _, _ := strings.Cut(cookie, ";")
	if r := o.status(o.get(path, "Cookie: "+pass), http.StatusOK); !strings.Contains(r.body, ui.Title(l)) {
		t.Error("the pass does not open the report")
	}
	if r := o.status(o.get(other, "Cookie: "+pass), http.StatusOK); len(o.parse(r.body).class("cards")) != 0 {
		t.Error("the pass opens another report")
	}
	for range 5 {
		if r := o.status(o.do("POST", path, "password=wrong", form),
			http.StatusBadRequest); len(o.parse(r.body).class("wrong")) != 1 {
			t.Errorf("page after a wrong password: %s", r.body)
		}
	}
	if r := o.status(o.do("POST", path, "password=a+cafe+at+noon", form),
		http.StatusTooManyRequests); r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After header")
	}
	o.status(o.do("POST", path, "password=a+cafe+at+noon", form, "Origin: https://evil.example"), http.StatusForbidden)
}
