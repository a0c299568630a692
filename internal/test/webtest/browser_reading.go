package webtest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Timed is a site that measures how its pages are read: with a clock that only
// the test moves, so that everything is exact, or with the real clock, which
// the pages themselves report.
type Timed struct {
	*Site
	witness *Witness // nil if the test moves the clock
	told    sync.Map // the paths that pages called in their handlers of pagehide
}

func NewTimed(t *testing.T, w *Witness) *Timed {
	t.Helper()
	s := &Timed{witness: w}
	s.Site = NewSiteWith(t, SiteOptions{Around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/told/") {
				s.told.Store(r.URL.Path, true)
				return
			}
			if w != nil {
				defer w.listen(r)()
			}
			next.ServeHTTP(keepable{rw}, r)
		})
	}})
	return s
}

// keepable lets a browser keep a page in its back-forward cache. Chromium does
// not keep pages with no-store; some other browsers do.
type keepable struct{ http.ResponseWriter }

func (k keepable) WriteHeader(status int) {
	k.Header().Set("Cache-Control", "private")
	k.ResponseWriter.WriteHeader(status)
}

// reading is one view of a file, with what the test has done so far.
type reading struct {
	*Tab
	s    *Timed
	link *vitrine.Link

	elapsed time.Duration // since the page was opened
	present time.Duration // until the page was last visible
	engaged time.Duration // while the reader reads
	idle    time.Duration // while the page is visible and nobody reads
	moment  float64       // when the page was last visible, by its real clock; ms since 1970
}

// Open opens a file and waits until reading begins.
func (s *Timed) Open(tb *Tab, l *vitrine.Link) *reading {
	tb.t.Helper()
	tb.Run(chromedp.ActionFunc(OnNewDocument(`addEventListener("message", ({data}) => {
		if (data?.vitrine?.shown) window.shown = (window.shown ?? 0) + 1
		if (data?.vitrine?.bands) window.bands = JSON.stringify([data.vitrine.shown, data.vitrine.bands])
		if (data?.vitrine?.edges) window.edges = data.vitrine.edges
		if (data?.vitrine?.depth > 0) window.deepest = data.vitrine.depth
	})`)))
	r := s.Visit(tb, l, s.URL+"/p/"+string(l.Slug))
	if tb.Has(`video, audio`) {
		tb.Run(chromedp.Evaluate(`{ const m = document.querySelector("video, audio"); m.loop = true; void m.play() }`,
			nil))
		tb.Until(`!document.querySelector("video, audio").paused`)
	}
	r.Measured(0) // the tracker runs
	if tb.Has(`[data-kind="pages"]`) {
		tb.Until(`window.shown > 0`)
		r.shown(chromedp.Evaluate(`document.querySelector("iframe").contentWindow.postMessage({vitrine: "again"}, "*")`,
			nil))
	}
	return r
}

// Visit opens an address that shows a link.
func (s *Timed) Visit(tb *Tab, l *vitrine.Link, address string) *reading {
	tb.t.Helper()
	if s.witness == nil {
		tb.Run(WithClock())
	} else {
		tb.Run(chromedp.ActionFunc(OnNewDocument(testimony)))
	}
	tb.Run(chromedp.Navigate(address))
	return &reading{Tab: tb, s: s, link: l}
}

// shown runs an action that makes the PDF viewer report the visible pages, and
// waits until the page has the report.
func (r *reading) shown(by chromedp.Action) {
	r.t.Helper()
	var before int
	r.Run(chromedp.Evaluate(`window.shown`, &before), by)
	r.Until(fmt.Sprintf(`window.shown > %d`, before))
}

// Sample publishes the sample file of a name.
func (s *Site) Sample(name string) *vitrine.Link {
	s.T.Helper()
	return s.Publish(name, Samples[name])
}

// Has reports whether the page has a matching element.
func (tb *Tab) Has(selector string) (yes bool) {
	tb.t.Helper()
	tb.Run(chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q) !== null`, selector), &yes))
	return yes
}

// Read advances the clock while the reader reads.
func (r *reading) Read(d time.Duration) {
	r.t.Helper()
	r.engaged += d
	r.spend(d)
}

// Idles advances the clock while the page is visible and nobody reads.
func (r *reading) Idles(d time.Duration) {
	r.t.Helper()
	r.idle += d
	r.spend(d)
}

func (r *reading) spend(d time.Duration) {
	r.t.Helper()
	r.Away(d)
	r.present = r.elapsed
	if r.s.witness != nil {
		r.Run(chromedp.Evaluate(`performance.timeOrigin + performance.now()`, &r.moment))
	}
}

// Away advances the clock while the page is not visible.
func (r *reading) Away(d time.Duration) {
	r.t.Helper()
	r.elapsed += d
	if r.s.witness == nil {
		r.s.Tick(r.Tab, d)
	} else {
		r.Pass(d)
	}
}

// Pass waits by the test's own clock, because the clock of a hidden page may
// stand still.
func (tb *Tab) Pass(d time.Duration) {
	select {
	case <-time.After(d):
	case <-tb.Ctx.Done():
		tb.t.Fatal(tb.Ctx.Err())
	}
}

// Measured waits for the session measured so far, without the last part that
// was not sent, and compares it with the test's actions.
func (r *reading) Measured(untold time.Duration) report.Session {
	r.t.Helper()
	engaged, present := r.engaged-untold, r.present-untold
	var n report.Session
	defer func() {
		if r.t.Failed() {
			r.t.Logf("read for %v until %v, measured %+v", engaged, present, n)
		}
	}()
	Eventually(r.t, fmt.Sprintf("engaged for %v", engaged), func() bool {
		complete := untold > 0 || r.s.witness.since(r.link, r.moment-1)
		all := r.s.Views(r.link)
		if len(all) > 1 || len(all) == 1 && all[0].Bot != "" {
			r.t.Fatalf("%d views, want at most one, of a person: %+v", len(all), all)
		}
		if len(all) == 0 || all[0].Session == nil {
			return false
		}
		n = *all[0].Session
		return complete && ms(n.EngagedMs) >= engaged-r.s.witness.lost(r.link) && ms(n.PresentMs) >= present
	})
	switch {
	case r.s.witness != nil:
		r.s.witness.check(r, n)
	case ms(n.EngagedMs) != engaged || ms(n.PresentMs) != present:
		r.t.Errorf("engaged for %v of %v, want %v of %v", ms(n.EngagedMs), ms(n.PresentMs), engaged, present)
	}
	return n
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// hide puts the tab behind another one. The page then sends what it measured,
// without the time limit of a page that is left (see [reading.leaveBy]).
func (r *reading) hide() {
	r.t.Helper()
	r.Run(target.ActivateTarget(chromedp.FromContext(browser.ctx).Target.TargetID),
		emulation.SetFocusEmulationEnabled(false))
	r.becomes("hidden")
}

func (r *reading) show() {
	r.t.Helper()
	r.Run(emulation.SetFocusEmulationEnabled(true))
	r.becomes("visible")
	r.Until(`document.hasFocus()`) // the focus comes later
}

// becomes waits for the visibility of the page. [Tab.Until] would wait forever
// on a hidden page, because it is not drawn.
func (r *reading) becomes(state string) {
	r.t.Helper()
	Eventually(r.t, state, func() (yes bool) {
		r.Run(chromedp.Evaluate(fmt.Sprintf(`document.visibilityState === %q`, state), &yes))
		return yes
	})
}

// leaveBy leaves the page and reports whether its handlers of pagehide ran.
// Chromium ends a page that does not answer within half a second, as on a busy
// machine, without them.
func (r *reading) leaveBy(leave chromedp.Action) bool {
	r.t.Helper()
	r.Run(chromedp.Evaluate(fmt.Sprintf(`addEventListener("pagehide", () => navigator.sendBeacon("/told/%s"), true)`,
		r.link.Slug), nil), leave)
	for range 100 {
		if _, told := r.s.told.Load("/told/" + string(r.link.Slug)); told {
			return true
		}
		r.Pass(100 * time.Millisecond)
	}
	return false
}

// offline disconnects a tab from the network, or connects it again.
func offline(yes bool) chromedp.Action {
	return chromedp.Tasks{
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := network.EmulateNetworkConditionsByRule(yes,
				[]*network.Conditions{{DownloadThroughput: -1, UploadThroughput: -1}}).Do(ctx)
			return err
		}),
		network.OverrideNetworkState(yes, 0, -1, -1),
	}
}

// ComesIntoView scrolls a page that has the link in a frame, and waits until
// the link's tracker reports the change.
func (r *reading) ComesIntoView(y int) {
	r.t.Helper()
	r.Run(scrolled(y))
	r.present = r.elapsed
	r.Measured(0)
}

func (r *reading) LeavesView(y int) {
	r.t.Helper()
	r.Run(scrolled(y))
	r.Measured(0)
}

// scrolled scrolls a page and waits until it is drawn, because its frames are
// notified then.
func scrolled(y int) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`new Promise((done) => { scrollTo(0, %d); requestAnimationFrame(() => requestAnimationFrame(done)) })`, y), nil, Awaited)
}

// Host returns a page of another site that shows a link 3000 pixels below its
// top.
func (s *Site) Host(t *testing.T, l *vitrine.Link) string {
	t.Helper()
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><link rel=icon href="data:,"><p style="height:3000px">An article.</p><iframe src="%s/p/%s/embed" width="600" height="400"></iframe><p style="height:3000px">The end.</p>`,
			s.URL, l.Slug)
	}))
	t.Cleanup(hs.Close)
	return hs.URL
}

// ownBrowser is a browser of one test, which may kill it.
type ownBrowser struct {
	ctx context.Context
}

func startBrowser(t *testing.T) *ownBrowser {
	t.Helper()
	Chromium(t) // skips the test without Chromium
	options := browserOptions(t, vitrinetest.Profile(t))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() { stop(); stopAllocator() })
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return &ownBrowser{ctx: ctx}
}

func (b *ownBrowser) tab(t *testing.T) *Tab { return NewTabIn(t, b.ctx) }

// kill kills the browser and all its processes.
func (b *ownBrowser) kill(t *testing.T) {
	t.Helper()
	p := chromedp.FromContext(b.ctx).Browser.Process()
	children := descendants(p.Pid)
	for _, pid := range append([]int{p.Pid}, children...) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
}

// descendants returns the child processes of a process, with their children.
func descendants(pid int) (all []int) {
	dirs, _ := os.ReadDir("/proc")
	parents := map[int]int{}
	for _, d := range dirs {
		var child, parent int
		b, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue
		}
		// The name may contain spaces and brackets, so it ends at the last
		// bracket.
		for i := len(b) - 1; i >= 0; i-- {
			if b[i] == ')' {
				var state string
				fmt.Sscan(string(b[i+1:]), &state, &parent)
				break
			}
		}
		fmt.Sscan(d.Name(), &child)
		parents[child] = parent
	}
	for child := range parents {
		for p := child; p > 1; p = parents[p] {
			if parents[p] == pid {
				all = append(all, child)
				break
			}
		}
	}
	return all
}
