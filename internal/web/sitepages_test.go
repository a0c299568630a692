package web_test

import (
	"cmp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// audience has the tabs of a test, one for each account, each with its own
// cookies.
type audience struct {
	t       testing.TB
	d       *webtest.Demo
	cookies map[*vitrine.Account]string
	tabs    map[*vitrine.Account]*webtest.Tab
}

func newAudience(t testing.TB, d *webtest.Demo, cookies map[*vitrine.Account]string) *audience {
	return &audience{t, d, cookies, map[*vitrine.Account]*webtest.Tab{}}
}

// tab returns the tab of an account. It fails the test on requests to other
// sites.
func (a *audience) tab(who *vitrine.Account) *webtest.Tab {
	a.t.Helper()
	if tb := a.tabs[who]; tb != nil {
		return tb
	}
	tb := webtest.NewVisitor(a.t)
	if cookie := a.cookies[who]; cookie != "" {
		name, value, _ := strings.Cut(strings.TrimPrefix(cookie, "Cookie: "), "=")
		tb.Run(network.SetCookie(name, value).WithURL(a.d.URL).WithHTTPOnly(true))
	}
	tb.AsksOnly(a.d.Server.PublicURL.Host, a.d.Server.ContentURL.Host)
	a.tabs[who] = tb
	return tb
}

// check opens a page and reports everything that is wrong with it.
func (a *audience) check(p webtest.SitePage) {
	a.t.Helper()
	tb := a.tab(p.As)
	var status float64
	tb.Visit(a.d.URL+p.Path, chromedp.Evaluate(`performance.getEntriesByType("navigation")[0].responseStatus`, &status))
	if int(status) != max(p.Status, 200) {
		a.t.Errorf("%s: status %v", p.Name, status)
		return
	}
	tb.Run(chromedp.Evaluate(p.Then, nil))
	tb.CheckWindows(p.Name, func(_ webtest.Window, where string) {
		if p.Holds != "" {
			tb.Until(p.Holds)
		}
	})
	tb.Mu.Lock()
	complaints := tb.Complaints
	tb.Complaints = nil
	tb.Mu.Unlock()
	for _, c := range complaints {
		if p.Status == 0 || !strings.Contains(c, "Failed to load resource") {
			a.t.Errorf("%s: browser: %s", p.Name, c)
		}
	}
}

// TestBrowserSitePages checks that every page of the site is accessible, fits
// into each window, does not move while it loads, sends requests to no other
// host, and contains nothing that its policy forbids.
func TestBrowserSitePages(t *testing.T) {
	d := newPicturedDemo(t)
	cookies := d.Cookies()
	pages := map[*vitrine.Account][]webtest.SitePage{}
	for _, p := range webtest.SitePages(d) {
		pages[p.As] = append(pages[p.As], p)
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
