package web_test

import (
	"fmt"
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

// themes are what a browser may ask for.
var themes = []string{"light", "dark"}

func inTheme(theme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}})
}

// audience are the tabs of those who look at pages, one for each account, each with cookies of their own.
type audience struct {
	d    *demo
	tabs map[*vitrine.Account]*tab
	mu   sync.Mutex
	// strangers are addresses beyond the site that a page has asked for.
	strangers []string
}

func newAudience(t testing.TB, d *demo, cookies map[*vitrine.Account]string) *audience {
	t.Helper()
	a := &audience{d: d, tabs: map[*vitrine.Account]*tab{}}
	for who, cookie := range cookies {
		tb := newVisitor(t)
		if cookie != "" {
			name, value, _ := strings.Cut(strings.TrimPrefix(cookie, "Cookie: "), "=")
			tb.run(network.SetCookie(name, value).WithURL(d.url).WithHTTPOnly(true))
		}
		chromedp.ListenTarget(tb.ctx, a.watch)
		a.tabs[who] = tb
	}
	return a
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

// shiftOf is how far the parts of a page have moved by themselves since it came, once it has been drawn.
const shiftOf = `new Promise((done) => {
	let sum = 0;
	const moved = [], box = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	const name = (n) => n ? n.nodeName + "." + (n.className ?? n.data) : "something gone";
	new PerformanceObserver((l) => l.getEntries().forEach((e) => {
		if (e.hadRecentInput) return;
		sum += e.value;
		moved.push(...e.sources.map((s) => name(s.node) + " from " + box(s.previousRect) + " to " + box(s.currentRect)));
	})).observe({type: "layout-shift", buffered: true});
	const idle = window.requestIdleCallback ?? requestAnimationFrame;
	requestAnimationFrame(() => requestAnimationFrame(() => idle(() => requestAnimationFrame(() => done({sum, moved})))));
})`

// look opens a page and says whatever is wrong with it.
func (a *audience) look(p sitePage, width int64) {
	tb := a.tabs[p.as]
	tb.t.Helper()
	where := fmt.Sprintf("%s, %d px", p.name, width)
	tb.mu.Lock()
	tb.complaints = nil
	tb.mu.Unlock()
	var status float64
	var shift struct {
		Sum   float64
		Moved []string
	}
	tb.run(inTheme(themes[0]), chromedp.EmulateViewport(width, 844), chromedp.Navigate(a.d.url+p.path),
		chromedp.Evaluate(shiftOf, &shift, awaited), chromedp.Evaluate(`performance.getEntriesByType("navigation")[0].responseStatus`, &status))
	if int(status) != max(p.status, 200) {
		tb.t.Errorf("%s: status %v", where, status)
		return
	}
	if shift.Sum > 0.02 {
		tb.t.Errorf("%s: layout shift %.3f: %s", where, shift.Sum, strings.Join(shift.Moved, "; "))
	}
	var wide float64
	tb.run(chromedp.Evaluate(`document.documentElement.scrollWidth - innerWidth`, &wide))
	if wide > 0 {
		tb.t.Errorf("%s: %v px wider than the window", where, wide)
	}
	tb.accessibleIn(themes[0], where+", "+themes[0])
	tb.run(inTheme(themes[1]))
	tb.accessibleIn(themes[1], where+", "+themes[1])
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, c := range tb.complaints {
		if p.status == 0 || !strings.Contains(c, "Failed to load resource") {
			tb.t.Errorf("%s: the browser: %s", where, c)
		}
	}
}

// Every page of the site, by day and by night, on a phone, a tablet and a desk, keeps nobody out, stays where it is while it comes, fits into
// the window, asks nobody else for anything, and has nothing in it that its policy forbids.
func TestBrowserSitePages(t *testing.T) {
	d := newDemo(t)
	pages, cookies := sitePages(d), d.cookies()
	for _, width := range []int64{390, 820, 1440} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			a := newAudience(t, d, cookies)
			for _, p := range pages {
				a.look(p, width)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			for _, address := range a.strangers {
				t.Errorf("%d px: %s was asked for", width, address)
			}
		})
	}
}
