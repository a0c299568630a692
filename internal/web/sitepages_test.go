package web_test

import (
	"cmp"
	"net/url"
	"strings"
	"sync"
	"testing"

	"vitrine"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// sitePage is a page of the site, and who looks at it.
type sitePage struct {
	name, path string
	as         *vitrine.Account // nil: nobody is signed in
	status     int              // 0: 200
}

// sitePages are all pages of the site but the moderators' and those of files, which have tests of their own.
func sitePages(d *demo) []sitePage {
	pages := []sitePage{
		{name: "home", path: "/"}, {name: "plans", path: "/plans"}, {name: "sign in", path: "/sign-in"}, {name: "sign up", path: "/sign-up"}, {name: "reset", path: "/reset"},
		{name: "no page", path: "/nowhere", status: 404}, {name: "not yet", path: "/p/" + string(d.held.Slug), status: 404}, {name: "no longer", path: "/p/" + string(d.off.Slug), status: 410},
		{name: "public album", path: "/a/" + string(d.album.Slug)},
	}
	for _, path := range d.docPaths() {
		pages = append(pages, sitePage{name: "docs" + strings.TrimPrefix(path, "/docs"), path: path})
	}
	member := func(a *vitrine.Account, name, path string) {
		pages = append(pages, sitePage{name: name, path: path, as: a})
	}
	for _, name := range []string{"annual-report.pdf", "tour.webm", "hours.md", "press-kit.tgz"} {
		member(d.pro, "analytics of "+name, statsPath(d.links[name])+"?range=90d")
	}
	for name, path := range map[string]string{"dashboard": "/dashboard", "links": "/links", "link": "/links/" + string(d.links["annual-report.pdf"].Slug), "analytics": "/analytics",
		"albums": "/albums", "album": "/albums/" + string(d.album.Slug), "websites": "/websites", "website": "/websites/" + string(d.website.Slug), "keys": "/keys", "account": "/account",
		"plans of Pro": "/plans"} {
		member(d.pro, name, path)
	}
	for name, path := range map[string]string{"dashboard on Free": "/dashboard", "analytics on Free": "/analytics", "account on Free": "/account", "link on Free": "/links/" + string(d.links["poster.pdf"].Slug),
		"no page, signed in": "/nowhere"} {
		member(d.free, name, path)
	}
	for _, path := range []string{"/dashboard", "/links", "/analytics", "/albums", "/websites"} {
		member(d.fresh, path[1:]+", empty", path)
	}
	member(d.owner, "people", "/people")
	for i := range pages {
		if pages[i].path == "/nowhere" {
			pages[i].status = 404
		}
	}
	return pages
}

func inTheme(theme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}})
}

// audience are the tabs of the people who look at pages in a test, one for each
// account, each with cookies of its own.
type audience struct {
	t       testing.TB
	d       *demo
	cookies map[*vitrine.Account]string
	tabs    map[*vitrine.Account]*tab
	mu      sync.Mutex
	// strangers are addresses beyond the site that a page has asked for.
	strangers []string
}

func newAudience(t testing.TB, d *demo, cookies map[*vitrine.Account]string) *audience {
	return &audience{t: t, d: d, cookies: cookies, tabs: map[*vitrine.Account]*tab{}}
}

// tab returns the tab of an account.
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
	chromedp.ListenTarget(tb.ctx, a.watch)
	a.tabs[who] = tb
	return tb
}

// cookies are those of everybody who looks, made once.
func (d *demo) cookies() map[*vitrine.Account]string {
	c := map[*vitrine.Account]string{nil: ""}
	for _, a := range []*vitrine.Account{d.pro, d.free, d.fresh, d.owner, d.moderator} {
		c[a] = d.signIn(a)
	}
	return c
}

func (a *audience) watch(event any) {
	e, ok := event.(*network.EventRequestWillBeSent)
	if !ok {
		return
	}
	u, err := url.Parse(e.Request.URL)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != a.d.server.PublicURL.Host && u.Host != a.d.server.ContentURL.Host {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.strangers = append(a.strangers, e.Request.URL)
	}
}

// look opens a page and says whatever is wrong with it.
func (a *audience) look(p sitePage) {
	a.t.Helper()
	tb := a.tab(p.as)
	tb.mu.Lock()
	tb.complaints = nil
	tb.mu.Unlock()
	var status float64
	tb.visit(a.d.url+p.path, chromedp.Evaluate(`performance.getEntriesByType("navigation")[0].responseStatus`, &status))
	if int(status) != max(p.status, 200) {
		a.t.Errorf("%s: status %v", p.name, status)
		return
	}
	tb.look(p.name)
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, c := range tb.complaints {
		if p.status == 0 || !strings.Contains(c, "Failed to load resource") {
			a.t.Errorf("%s: the browser: %s", p.name, c)
		}
	}
}

// Every page of the site is accessible, fits into its windows, asks no other
// site for anything, and has nothing in it that its policy forbids.
func TestBrowserSitePages(t *testing.T) {
	d := newDemo(t)
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
				a.look(p)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			for _, address := range a.strangers {
				t.Errorf("%s was asked for", address)
			}
		})
	}
}
