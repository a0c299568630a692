package web_test

import (
	"cmp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// sitePage is a page of the site and the account that opens it.
type sitePage struct {
	name, path string
	as         *vitrine.Account // nil if nobody is signed in
	status     int              // 0 means 200
	then       string           // a script that opens dialogs and menus of the page
	holds      string           // a condition that then holds in every window
}

// openAll opens the parts of a page that are initially closed.
const openAll = `document.querySelectorAll("details").forEach((d) => (d.open = true))`

// sitePages returns all pages of the site except the moderators' and those of
// files, which have their own tests.
func sitePages(d *demo) []sitePage {
	pages := []sitePage{
		{name: "home", path: "/"}, {name: "plans", path: "/plans"}, {name: "sign in", path: "/sign-in"},
		{name: "sign up", path: "/sign-up"}, {name: "reset", path: "/reset"},
		{name: "no page", path: "/nowhere", status: 404},
		{name: "not yet", path: "/p/" + string(d.held.Slug), status: 404},
		{name: "no longer", path: "/p/" + string(d.off.Slug), status: 410},
		{name: "gate", path: "/p/" + string(d.gated.Slug), status: 403},
		{name: "gate in a frame", path: "/p/" + string(d.gated.Slug) + "/embed", status: 403},
		{name: "public album", path: "/a/" + string(d.album.Slug)}, {name: "gallery", path: "/dev/gallery"},
	}
	for _, path := range d.docPaths() {
		pages = append(pages, sitePage{name: "docs" + strings.TrimPrefix(path, "/docs"), path: path})
	}
	member := func(a *vitrine.Account, name, path string) {
		pages = append(pages, sitePage{name: name, path: path, as: a})
	}
	for _, name := range []string{"annual-report.pdf", "tour.webm", "hours.md", "press-kit.tgz",
		"plan.svg"} { // the last one has no readers
		pages = append(pages, sitePage{name: "analytics of " + name, path: statsPath(d.links[name]) + "?range=90d",
			as: d.pro, then: openAll})
	}
	pages = append(pages, sitePage{name: "analytics of poster.pdf on Free", path: statsPath(d.links["poster.pdf"]),
		as: d.free, then: openAll},
		sitePage{name: "a definition", path: "/analytics", as: d.pro,
			then:  `document.querySelector("[popovertarget=means-views]").click()`,
			holds: `((r) => r.left >= 0 && r.right <= innerWidth && r.top >= 0)(document.getElementById("means-views").getBoundingClientRect())`})
	for name, path := range map[string]string{"dashboard": "/dashboard", "links": "/links",
		"link":          "/links/" + string(d.links["annual-report.pdf"].Slug),
		"link share":    "/links/" + string(d.links["annual-report.pdf"].Slug) + "/share",
		"link versions": "/links/" + string(d.links["annual-report.pdf"].Slug) + "/versions",
		"link settings": "/links/" + string(d.links["tour.webm"].Slug) + "/settings", "analytics": "/analytics",
		"albums": "/albums", "album": "/albums/" + string(d.album.Slug), "websites": "/websites",
		"website":           "/websites/" + string(d.website.Slug),
		"website analytics": "/websites/" + string(d.website.Slug) + "/analytics", "keys": "/keys",
		"account":      "/account",
		"plans of Pro": "/plans"} {
		member(d.pro, name, path)
	}
	for name, path := range map[string]string{"dashboard on Free": "/dashboard", "analytics on Free": "/analytics",
		"account on Free": "/account", "links on Free": "/links",
		"link on Free":       "/links/" + string(d.links["poster.pdf"].Slug) + "/settings",
		"no page, signed in": "/nowhere"} {
		member(d.free, name, path)
	}
	for _, path := range []string{"/dashboard", "/links", "/analytics", "/albums", "/websites"} {
		member(d.fresh, path[1:]+", empty", path)
	}
	member(d.owner, "people", "/people")
	member(d.member, "held link", "/links/"+string(d.held.Slug))
	l, _, err := d.server.Logins.Begin(d.t.Context(), "vitrine 1.0", "ada-laptop", auth.AnyKey, auth.Client{})
	d.check(err)
	member(d.pro, "device", "/device")
	member(d.pro, "device asks", "/device?code="+l.Code)
	for _, name := range []string{"annual-report.pdf", "tour.webm"} {
		root := statsPath(d.links[name]) + "/visits"
		some, err := d.server.Analytics.Visits(d.t.Context(), d.pro, string(d.links[name].Slug),
			analytics.VisitQuery{N: 1})
		d.check(err)
		member(d.pro, "visits of "+name, root)
		member(d.pro, "visit of "+name, root+"/"+some.Rows[0].ID)
	}
	pages = append(pages, sitePage{name: "filtered analytics",
		path: statsPath(d.links["annual-report.pdf"]) + "?range=90d&filter=country:is_not:DE&filter=device:is:Desktop",
		as:   d.pro, then: openAll},
		sitePage{name: "dates of a report", path: "/analytics?granularity=hour", as: d.pro,
			then:  `document.querySelector("[popovertarget=dates]").click()`,
			holds: `((r) => r.left >= 0 && r.right <= innerWidth && r.top >= 0)(document.getElementById("dates").getBoundingClientRect())`},
		sitePage{name: "shared report", path: d.shared(d.links["annual-report.pdf"], ""), then: openAll},
		sitePage{name: "shared report of all", path: d.shared(nil, "")},
		sitePage{name: "shared chart", path: d.shared(d.links["annual-report.pdf"], "") + "/embed"},
		sitePage{name: "shared report, password", path: d.shared(nil, "a cafe at noon")})
	for i := range pages {
		if pages[i].path == "/nowhere" {
			pages[i].status = 404
		}
		if pages[i].then == "" {
			pages[i].then = openAll
		}
	}
	return pages
}

// shared creates a read-only address of a report.
func (d *demo) shared(l *vitrine.Link, password string) string {
	d.t.Helper()
	s := &analytics.Sharing{Store: d.server.Links.Store, Signer: d.server.Signer, Now: d.server.Now}
	secret, err := s.Create(d.t.Context(), d.pro, l, analytics.SharedOptions{Label: "The board", Password: password})
	d.check(err)
	return "/r/" + secret
}

func inTheme(theme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}})
}

// audience has the tabs of a test, one for each account, each with its own
// cookies.
type audience struct {
	t       testing.TB
	d       *demo
	cookies map[*vitrine.Account]string
	tabs    map[*vitrine.Account]*tab
}

func newAudience(t testing.TB, d *demo, cookies map[*vitrine.Account]string) *audience {
	return &audience{t, d, cookies, map[*vitrine.Account]*tab{}}
}

// tab returns the tab of an account. It fails the test on requests to other
// sites.
func (a *audience) tab(who *vitrine.Account) *tab {
	a.t.Helper()
	if tb := a.tabs[who]; tb != nil {
		return tb
	}
	tb := newVisitor(a.t)
	if cookie := a.cookies[who]; cookie != "" {
		name, value, _ := strings.Cut(strings.TrimPrefix(cookie, "Cookie: "), "=")
		tb.run(network.SetCookie(name, value).WithURL(a.d.url).WithHTTPOnly(true))
	}
	tb.asksOnly(a.d.server.PublicURL.Host, a.d.server.ContentURL.Host)
	a.tabs[who] = tb
	return tb
}

// cookies returns the session cookies of all accounts, created once.
func (d *demo) cookies() map[*vitrine.Account]string {
	c := map[*vitrine.Account]string{nil: ""}
	for _, a := range []*vitrine.Account{d.pro, d.free, d.fresh, d.owner, d.moderator, d.member} {
		c[a] = d.signIn(a)
	}
	return c
}

// check opens a page and reports everything that is wrong with it.
func (a *audience) check(p sitePage) {
	a.t.Helper()
	tb := a.tab(p.as)
	var status float64
	tb.visit(a.d.url+p.path, chromedp.Evaluate(`performance.getEntriesByType("navigation")[0].responseStatus`, &status))
	if int(status) != max(p.status, 200) {
		a.t.Errorf("%s: status %v", p.name, status)
		return
	}
	tb.run(chromedp.Evaluate(p.then, nil))
	tb.checkWindows(p.name, func(_ window, where string) {
		if p.holds != "" {
			tb.until(p.holds)
		}
	})
	tb.mu.Lock()
	complaints := tb.complaints
	tb.complaints = nil
	tb.mu.Unlock()
	for _, c := range complaints {
		if p.status == 0 || !strings.Contains(c, "Failed to load resource") {
			a.t.Errorf("%s: browser: %s", p.name, c)
		}
	}
}

// TestBrowserSitePages checks that every page of the site is accessible, fits
// into each window, does not move while it loads, sends requests to no other
// host, and contains nothing that its policy forbids.
func TestBrowserSitePages(t *testing.T) {
	d := newPicturedDemo(t)
	cookies := d.cookies()
	pages := map[*vitrine.Account][]sitePage{}
	for _, p := range sitePages(d) {
		pages[p.as] = append(pages[p.as], p)
	}
	for who, pages := range pages {
		t.Run(cmp.Or(who, &vitrine.Account{Email: "nobody"}).Email, func(t *testing.T) {
			t.Parallel()
			a := newAudience(t, d, cookies)
			for _, p := range pages {
				a.check(p)
			}
		})
	}
}
