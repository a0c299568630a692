package web_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/tier"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// late are the resource types that a page must not need for its layout: all but
// the document and its stylesheets.
var late = []network.ResourceType{network.ResourceTypeScript, network.ResourceTypeImage, network.ResourceTypeMedia,
	network.ResourceTypeFont, network.ResourceTypeXHR, network.ResourceTypeFetch}

// visit opens an address in the window in which the checks begin, and checks
// that nothing on the page moves while it loads. So that the result does not
// depend on the machine's load, it forces the worst order of loading: scripts,
// pictures, media and fonts are held back until the page has been painted
// without them. Tier all also does so in a wide window. The tab must be in
// front in its window, or it is not painted.
func (tb *tab) visit(address string, then ...chromedp.Action) {
	tb.t.Helper()
	for _, width := range tier.Pick([]int64{390}, []int64{1440, 390}) {
		tb.visitAt(width, address)
	}
	tb.run(then...)
}

func (tb *tab) visitAt(width int64, address string) {
	tb.t.Helper()
	var patterns []*fetch.RequestPattern
	for _, kind := range late {
		patterns = append(patterns, &fetch.RequestPattern{ResourceType: kind})
	}
	navigate := func(ctx context.Context) error {
		_, _, _, _, err := page.Navigate(address).Do(ctx)
		return err
	}
	tb.run(inTheme("light"), chromedp.EmulateViewport(width, 844), chromedp.Evaluate(`window.leaving = true`, nil),
		fetch.Enable().WithPatterns(patterns), chromedp.ActionFunc(navigate))
	tb.until(`window.leaving !== true && document.readyState !== "loading" && performance.getEntriesByName("first-contentful-paint").length > 0`)
	tb.run(fetch.Disable()) // continues the requests that were held back
	tb.until(`document.readyState === "complete"`)
	var shift struct {
		Sum   float64
		Moved []string
	}
	if tb.run(chromedp.Evaluate(shiftOf, &shift, awaited)); shift.Sum > 0.02 {
		tb.t.Errorf("%s, %d px: layout shift %.3f: %s", address, width, shift.Sum, strings.Join(shift.Moved, "; "))
	}
}

// shiftOf is the layout shift of a page since its first paint, and what has
// moved. It leaves out a picture that is fitted into its stage, because its
// size is only known when it has loaded, and nothing else moves.
const shiftOf = `new Promise((done) => {
	let sum = 0;
	const moved = [], box = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	const name = (n) => n ? n.nodeName + "." + (n.className ?? n.data) : "something gone";
	new PerformanceObserver((l) => l.getEntries().forEach((e) => {
		if (e.hadRecentInput || e.sources.every((s) => s.node?.matches?.(".picture img"))) return;
		sum += e.value;
		moved.push(...e.sources.map((s) => name(s.node) + " from " + box(s.previousRect) + " to " + box(s.currentRect)));
	})).observe({type: "layout-shift", buffered: true});
	const idle = window.requestIdleCallback ?? requestAnimationFrame;
	requestAnimationFrame(() => requestAnimationFrame(() => idle(() => requestAnimationFrame(() => done({sum, moved})))));
})`

// asksOnly fails the test if the tab sends a request to another host.
func (tb *tab) asksOnly(hosts ...string) {
	chromedp.ListenTarget(tb.ctx, func(event any) {
		e, ok := event.(*network.EventRequestWillBeSent)
		if !ok {
			return
		}
		u, err := url.Parse(e.Request.URL)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && !slices.Contains(hosts, u.Host) {
			tb.mu.Lock()
			defer tb.mu.Unlock()
			tb.complaints = append(tb.complaints, "asked for "+e.Request.URL)
		}
	})
}

// TestBrowserFilePages checks the page and the embed of each kind of file: they
// are accessible, fit into each window, do not move while they load, send
// requests to no other host, store nothing in the browser, and contain nothing
// that their policy forbids. The pages without content are among sitePages.
func TestBrowserFilePages(t *testing.T) {
	s := newSiteWith(t, siteOptions{content: true})
	paths := map[string]string{}
	for name, content := range samples {
		paths[name] = "/p/" + string(s.publish(name, content, titled("The title of "+name)).Slug)
	}
	paths["view only"] = "/p/" + string(s.publish("notes.txt", samples["notes.txt"], viewOnly).Slug)
	for form, end := range map[string]string{"page": "", "embed": "/embed"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			tb := newVisitor(t)
			tb.asksOnly(s.server.PublicURL.Host, s.server.ContentURL.Host)
			for name, path := range paths {
				tb.visit(s.url + path + end)
				tb.checkFile(name, form)
			}
			var kept string
			tb.run(chromedp.Evaluate(`document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)`,
				&kept))
			if kept != "{}{}" {
				t.Errorf("the browser has stored %s", kept)
			}
			tb.quiet()
			tb.visit(s.url + "/p/nothing-here" + end)
			tb.checkWindows("unknown, " + form)
		})
	}
}

// checkFile checks the page of a file, and what opens on it.
func (tb *tab) checkFile(name, form string) {
	tb.t.Helper()
	what := name + ", " + form
	var frames []func(window, string)
	if name == "report.pdf" {
		f := tb.frame("/view")
		f.until(`document.querySelector(".page canvas") !== null`)
		frames = append(frames, func(w window, where string) {
			tb.t.Helper()
			f.run(inTheme(w.theme))
			f.axe(where+", in its frame", w.rules)
		})
	}
	tb.checkWindows(what, frames...)
	for panel, of := range map[string]string{"share": "picture.png", "view-only": "view only"} {
		if name != of || form == "embed" && panel == "share" {
			continue
		}
		tb.run(chromedp.Evaluate(`document.querySelector("[popovertarget=`+panel+
			`]").click(), document.querySelector("#`+panel+` details")?.setAttribute("open", "")`, nil))
		tb.checkWindows(what+", "+panel+" open", func(window, string) {
			tb.until(`(r => r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight)(document.getElementById("` + panel + `").getBoundingClientRect())`)
		})
	}
}

// TestBrowserHeadsKeepTheirHeight checks that the head of a link or website is
// as high with a local time as with the longer one in UTC that it replaces, at
// every width: what follows it does not move when the script runs.
func TestBrowserHeadsKeepTheirHeight(t *testing.T) {
	d := newDemo(t)
	tb := newMember(t, d.site, d.pro)
	for _, path := range []string{"/links/" + string(d.links["tour.webm"].Slug), "/websites/" + string(d.website.Slug)} {
		tb.run(chromedp.EmulateViewport(390, 844), chromedp.Navigate(d.url+path))
		tb.arrives(`document.body.classList.contains("has-script")`)
		var moved string
		tb.run(chromedp.Evaluate(`(() => {
			const head = document.querySelector(".link-head"), time = head.querySelector("time[data-local]"), moved = [];
			for (let width = 288; width < 450; width++) {
				head.style.width = width + "px";
				const heights = ["28 Nov 2026, 20:48 UTC", "28 Nov 2026, 20:48"].map((text) => {
					time.textContent = text;
					return head.getBoundingClientRect().height;
				});
				if (heights[0] !== heights[1]) moved.push(width);
			}
			return moved.join();
		})()`, &moved))
		if moved != "" {
			t.Errorf("%s: the height of the head changes at widths of %s px", path, moved)
		}
	}
}
