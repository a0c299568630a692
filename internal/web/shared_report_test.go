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
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// share makes a read-only address on the page of a report and returns it
// without the host.
func (o *office) share(t *testing.T, page, form string) string {
	t.Helper()
	r := o.status(o.do("POST", page+"/share", form, "Content-Type: application/x-www-form-urlencoded", o.cookie),
		http.StatusOK)
	address := o.parse(r.body).id("shared-address").text()
	path, ok := strings.CutPrefix(address, o.server.PublicURL.String())
	if !ok || !regexp.MustCompile(`^/r/[A-Za-z0-9_-]{22}$`).MatchString(path) {
		t.Fatalf("the address is %q", address)
	}
	return path
}

// Whoever has the address sees the report that the owner sees, and nothing that
// leads to anything else.
func TestSharedReport(t *testing.T) {
	o := newOffice(t)
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
					t.Errorf("the page leads to %s", href)
				}
			}
			for _, word := range []string{"office@example.org", "pulse", "curl", "card="} {
				if strings.Contains(r.body, word) {
					t.Errorf("the page has %q", word)
				}
			}
			e := o.status(o.get(path+"/embed?range=30d"), http.StatusOK)
			if csp := e.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors *") ||
				len(o.parse(e.body).class("marks")) != 1 || len(o.parse(e.body).tags("form")) != 0 {
				t.Errorf("the chart alone: %s\n%s", csp, e.body)
			}
			if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("the page can be shown in a frame: %s", csp)
			}

			// It is on the list, and gone once it is revoked.
			list := o.parse(o.get(page, o.cookie).body).id("share")
			if !strings.Contains(list.text(), "The board") || strings.Contains(o.get(page, o.cookie).body, path) {
				t.Errorf("the list: %s", list.text())
			}
			revoke := list.tags("ul")[0].tags("form")[0].attr("action")
			o.status(o.do("POST", strings.Replace(revoke, "/revoke", "0000/revoke", 1), "",
				"Content-Type: application/x-www-form-urlencoded", o.cookie), http.StatusNotFound)
			o.status(o.do("POST", revoke, "", "Content-Type: application/x-www-form-urlencoded"),
				http.StatusSeeOther) // to sign in
			o.status(o.get(path), http.StatusOK)
			o.status(o.do("POST", revoke, "", "Content-Type: application/x-www-form-urlencoded", o.cookie),
				http.StatusSeeOther)
			for _, gone := range []string{path, path + "/embed", "/r/AAAAAAAAAAAAAAAAAAAAAA", "/r/x"} {
				o.status(o.get(gone), http.StatusNotFound)
			}
		})
	}
}

// A shared report tells nothing of its owner's visits: it is the same page with
// them as without, whatever the owner did.
func TestSharedReportWithoutOwnVisits(t *testing.T) {
	o := newOffice(t)
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
		t.Error("the owner is not told of them")
	}
	for i, page := range shown() {
		if page != before[i] {
			at := 0
			for at < min(len(page), len(before[i])) && page[at] == before[i][at] {
				at++
			}
			t.Errorf("page %d has changed: %.200q, and before %.200q", i, page[at:], before[i][at:])
		}
	}
}

// An address expires, and the forms say what is wrong with them.
func TestSharedReportExpires(t *testing.T) {
	o := newOffice(t)
	path := o.share(t, "/analytics", "life=7d")
	o.ahead.Add(int64(7*24*time.Hour - time.Minute))
	o.status(o.get(path), http.StatusOK)
	o.ahead.Add(int64(time.Minute))
	o.status(o.get(path), http.StatusNotFound)
	for _, bad := range []string{"life=99y", "password=short", "label=" + strings.Repeat("a", 81), "label=a%0Ab"} {
		r := o.status(o.do("POST", "/analytics/share", bad, "Content-Type: application/x-www-form-urlencoded",
			o.signIn(o.account)), http.StatusBadRequest)
		if share := o.parse(r.body).id("share"); len(share.class("wrong")) != 1 || len(share.tags("tbody")) != 0 {
			t.Errorf("%s: %s", bad, share.text())
		}
	}
	o.status(o.do("POST", statsPath(o.links[report.ContentPages])+"/share", "",
		"Content-Type: application/x-www-form-urlencoded", o.signIn(o.member)), http.StatusNotFound)
}

// A password is asked for before anything is told, and may be tried a few
// times.
func TestSharedReportPassword(t *testing.T) {
	o := newOffice(t)
	l := o.links[report.ContentPages]
	path, other := o.share(t, statsPath(l), "password=a+cafe+at+noon"),
		o.share(t, "/analytics", "password=a+cafe+at+noon")
	form := "Content-Type: application/x-www-form-urlencoded"
	r := o.status(o.get(path), http.StatusOK)
	if strings.Contains(r.body, l.Title) || len(o.parse(r.body).tags("form")) != 1 {
		t.Errorf("without the password: %s", r.body)
	}
	o.status(o.get(path+"/embed"), http.StatusNotFound)
	r = o.status(o.do("POST", path, "password=a+cafe+at+noon", form), http.StatusSeeOther)
	cookie := r.Header.Get("Set-Cookie")
	for _, want := range []string{"Path=" + path, "HttpOnly", "SameSite=Lax"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q has no %s", cookie, want)
		}
	}
	pass, _, _ := strings.Cut(cookie, ";")
	if r := o.status(o.get(path, "Cookie: "+pass), http.StatusOK); !strings.Contains(r.body, l.Title) {
		t.Error("the password does not let in")
	}
	if r := o.status(o.get(other, "Cookie: "+pass), http.StatusOK); len(o.parse(r.body).class("cards")) != 0 {
		t.Error("it lets in to another report")
	}
	for range 5 {
		if r := o.status(o.do("POST", path, "password=wrong", form),
			http.StatusBadRequest); len(o.parse(r.body).class("wrong")) != 1 {
			t.Errorf("wrong: %s", r.body)
		}
	}
	if r := o.status(o.do("POST", path, "password=a+cafe+at+noon", form),
		http.StatusTooManyRequests); r.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	o.status(o.do("POST", path, "password=a+cafe+at+noon", form, "Origin: https://evil.example"), http.StatusForbidden)
}
