package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// exact is how far what was measured may be from what a test did.
const exact = time.Second

// reading is somebody reading a file, of whom is known when they began and for how long they read.
type reading struct {
	*tab
	s      *site
	link   *vitrine.Link
	began  time.Time
	before time.Duration // read before the present stretch
	doing  time.Duration // that beginning and ending stretches took; how much of it was reading only the browser knows
	since  time.Time     // when the present stretch began; zero: not reading
}

// read opens a file. Reading begins when its page stands, which is when scripts run.
func (s *site) read(t *testing.T, tb *tab, l *vitrine.Link) *reading {
	t.Helper()
	r := &reading{tab: tb, s: s, link: l}
	tb.run(s.page(l))
	r.began = tb.moment(`performance.timeOrigin + performance.getEntriesByType("navigation")[0].domInteractive`)
	r.since = r.began
	if tb.has(`video, audio`) {
		tb.run(chromedp.Evaluate(`{ const m = document.querySelector("video, audio"); m.loop = true; void m.play() }`, nil))
	}
	return r
}

// has tells whether the page has such an element.
func (tb *tab) has(selector string) (yes bool) {
	tb.t.Helper()
	tb.run(chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q) !== null`, selector), &yes))
	return yes
}

// stop ends the present stretch of reading by doing something.
func (r *reading) stop(how ...chromedp.Action) {
	r.t.Helper()
	end := time.Now()
	r.before += end.Sub(r.since)
	r.since = time.Time{}
	r.run(how...)
	r.doing += time.Since(end)
}

// resume begins another.
func (r *reading) resume(how ...chromedp.Action) {
	r.t.Helper()
	begin := time.Now()
	r.run(how...)
	r.since = time.Now()
	r.doing += r.since.Sub(begin)
}

// pass lets time pass, on the test's own clock: that of a page that is hidden stands still.
func (tb *tab) pass(d time.Duration) {
	select {
	case <-time.After(d):
	case <-tb.ctx.Done():
		tb.t.Fatal(tb.ctx.Err())
	}
}

// far is how long a stretch of reading lasts that must be told from another.
const far = 2500 * time.Millisecond

// measured waits for what was measured, and holds it against what was done; less says how much of the end may be missing.
func (r *reading) measured(t *testing.T, less time.Duration) report.Session {
	t.Helper()
	want := r.before
	if !r.since.IsZero() {
		want += time.Since(r.since)
	}
	var n report.Session
	eventually(t, fmt.Sprintf("an engaged time of %v", want), func() bool {
		all := r.s.opens(r.link)
		if len(all) != 1 || all[0].Bot != "" {
			t.Fatalf("%d opens: %+v", len(all), all)
		}
		if all[0].Session == nil {
			return false
		}
		n = *all[0].Session
		return ms(n.EngagedMs) >= want-less-exact
	})
	if got := ms(n.EngagedMs); got > want+r.doing+exact {
		t.Errorf("engaged for %v, and %v more at the most, measured %v", want, r.doing, got)
	}
	if n.PresentMs < n.EngagedMs {
		t.Errorf("present for less than engaged: %+v", n)
	}
	t.Logf("%-14s read %5d ms, measured %5d ms, of which %4d may be lost", r.link.Name, want.Milliseconds(), n.EngagedMs, less.Milliseconds())
	return n
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// hide puts a tab behind another, as somebody does who looks at something else; show brings it back.
func hide() chromedp.Action {
	return chromedp.Tasks{target.ActivateTarget(chromedp.FromContext(browser.ctx).Target.TargetID), emulation.SetFocusEmulationEnabled(false)}
}
func show() chromedp.Action { return emulation.SetFocusEmulationEnabled(true) }

// offline takes the network away from a tab, and gives it back, and the browser knows.
func offline(yes bool) chromedp.Action {
	return chromedp.Tasks{
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := network.EmulateNetworkConditionsByRule(yes, []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: -1}}).Do(ctx)
			return err
		}),
		network.OverrideNetworkState(yes, 0, -1, -1),
	}
}

// keepable lets a browser keep a page for going back to it, which some do with pages that may not be stored, and this one does not.
type keepable struct{ http.ResponseWriter }

func (k keepable) WriteHeader(status int) {
	k.Header().Set("Cache-Control", "private")
	k.ResponseWriter.WriteHeader(status)
}

// ways are the ways of leaving a page. Each begins when the page stands.
var ways = map[string]func(*testing.T, *reading){
	"close": func(t *testing.T, r *reading) {
		r.pass(far)
		r.stop(page.Close())
		r.measured(t, 0)
	},
	"navigate": func(t *testing.T, r *reading) {
		r.pass(far)
		r.stop(chromedp.Navigate("about:blank"))
		r.measured(t, 0)
	},
	// Back by the back and forward cache: the same open goes on. What was between is not counted.
	"back": func(t *testing.T, r *reading) {
		r.pass(far)
		r.run(chromedp.Evaluate(`window.mark = 1`, nil))
		r.stop(chromedp.Navigate(r.s.url + "/"))
		r.pass(far)
		r.resume(chromedp.ActionFunc(func(ctx context.Context) error {
			at, all, err := page.GetNavigationHistory().Do(ctx)
			if err != nil {
				return err
			}
			return page.NavigateToHistoryEntry(all[at-1].ID).Do(ctx)
		}))
		eventually(t, "the page as it was kept", func() bool {
			var kept bool
			return chromedp.Run(r.ctx, chromedp.Evaluate(`window.mark === 1`, &kept)) == nil && kept
		})
		r.pass(far)
		r.stop(chromedp.Navigate("about:blank"))
		r.measured(t, 0)
	},
	// Hidden, and looked at again: the time behind other windows is not counted. The second time it stays hidden.
	"hidden": func(t *testing.T, r *reading) {
		r.pass(far)
		r.stop(hide())
		r.measured(t, 0)
		r.pass(far)
		r.resume(show())
		r.pass(far)
		r.stop(hide())
		r.pass(far)
		r.measured(t, 0)
	},
	// Without a network for a while: what could not be told is told when it is there again.
	"offline": func(t *testing.T, r *reading) {
		r.measured(t, far) // the first beacon has come
		r.run(offline(true))
		r.pass(far)
		r.stop(hide()) // told to nobody
		r.pass(500 * time.Millisecond)
		r.resume(show())
		r.run(offline(false))
		r.pass(far)
		r.stop(chromedp.Navigate("about:blank"))
		r.measured(t, 0)
	},
	// And when it does not come back: all is lost since the last snapshot, and nothing else.
	"gone offline": func(t *testing.T, r *reading) {
		r.pass(5500 * time.Millisecond)
		told := r.measured(t, time.Second) // the snapshot of 5 s
		r.run(offline(true))
		r.pass(far)
		r.stop(page.Close())
		r.measured(t, r.before-ms(told.EngagedMs))
	},
}

// Each kind of file, left in every way.
func TestBrowserEngagement(t *testing.T) {
	s := newSiteWith(t, siteOptions{around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(keepable{w}, r) })
	}})
	for name := range samples {
		for way, leave := range ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t)
				leave(t, s.read(t, tb, s.publish(name, samples[name])))
			})
		}
	}
}

// A killed browser loses what it had not told yet, and nothing else.
func browserKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := startBrowser(t)
	var all []*reading
	for name := range samples {
		all = append(all, s.read(t, b.tab(t), s.publish(name, samples[name])))
	}
	last := all[len(all)-1]
	last.pass(6 * time.Second) // each has told of its first 5 seconds
	b.kill(t)
	for _, r := range all {
		r.before, r.since = time.Since(r.began), time.Time{}
		n := r.measured(t, r.before-5*time.Second)
		if ms(n.EngagedMs) < 4*time.Second {
			t.Errorf("%s: of 5 s that were told %d ms are left", r.link.Name, n.EngagedMs)
		}
	}
}

// What takes its time, side by side, and beside nothing else that would keep the machine busy.
func TestBrowserTimes(t *testing.T) {
	t.Run("killed", browserKilled)
	t.Run("pages", browserPageTimes)
	t.Run("embed in view", browserEmbedInView)
	browserIdle(t)
}

// Nobody reads who does nothing for half a minute, or whose window is behind others though it can be seen.
func browserIdle(t *testing.T) {
	s := newSite(t)
	t.Run("no input", func(t *testing.T) {
		t.Parallel()
		tb := newTab(t)
		r := s.read(t, tb, s.publish("notes.txt", samples["notes.txt"]))
		r.pass(36 * time.Second)
		r.stop(chromedp.Navigate("about:blank"))
		r.before = 30 * time.Second // and six more, in which there was nobody
		r.measured(t, 0)
	})
	t.Run("input again", func(t *testing.T) {
		t.Parallel()
		tb := newTab(t)
		r := s.read(t, tb, s.publish("notes.txt", samples["notes.txt"]))
		r.pass(36 * time.Second)
		r.before = 30 * time.Second
		r.resume(chromedp.MouseEvent("mouseMoved", 200, 200))
		r.pass(far)
		r.stop(chromedp.Navigate("about:blank"))
		r.measured(t, 0)
	})
	t.Run("no focus", func(t *testing.T) {
		t.Parallel()
		tb := newTab(t, chromedp.ActionFunc(onNewDocument(`document.hasFocus = () => false`)))
		r := s.read(t, tb, s.publish("notes.txt", samples["notes.txt"]))
		r.pass(far)
		r.run(chromedp.Navigate("about:blank"))
		r.before, r.since = 0, time.Time{}
		if n := r.measured(t, 0); n.EngagedMs != 0 {
			t.Errorf("%+v", n)
		}
	})
	t.Run("in and out of view by itself", func(t *testing.T) {
		t.Parallel()
		l := s.publish("notes.txt", samples["notes.txt"])
		host := s.host(t, l, `<script>const turns = []; setInterval(() => { scrollTo(0, scrollY ? 0 : 3000); turns.push(performance.now()) }, 4000)</script>`)
		tb := newTab(t, chromedp.Navigate(host))
		tb.pass(45 * time.Second)
		var turns []float64 // when, by the page's clock, it came into view, went out of it, and so on
		tb.run(chromedp.Evaluate("turns", &turns))
		tb.leave()
		if n := len(turns); n < 9 || turns[8]-turns[0] < 30_000 {
			t.Fatalf("it did not come into view after the half minute: %v", turns)
		}
		r := &reading{tab: tb, s: s, link: l}
		for i := 0; i+1 < len(turns); i += 2 { // all of it within the half minute from when it first came into view
			in := min(turns[i+1], turns[0]+30_000) - turns[i]
			r.before += time.Duration(max(in, 0)) * time.Millisecond
		}
		r.measured(t, 0)
	})
	t.Run("music goes on", func(t *testing.T) {
		t.Parallel()
		tb := newTab(t)
		r := s.read(t, tb, s.publish("song.mp3", samples["song.mp3"]))
		r.pass(36 * time.Second)
		r.stop(chromedp.Navigate("about:blank"))
		r.measured(t, 0)
	})
}

// Time on pages, with some of it away.
func browserPageTimes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	l := s.publish("report.pdf", samples["report.pdf"])
	tb := newTab(t, chromedp.ActionFunc(onNewDocument(`addEventListener("message", (e) => { if (e.data?.vitrine?.ready) window.readyAt ??= Date.now() })`)))
	r := s.read(t, tb, l)
	tb.until(`window.readyAt > 0`)
	f := tb.frame("/view")
	want := map[int]time.Duration{}
	at, since := 1, tb.moment(`window.readyAt`)
	// turn goes to a page. What is before it took its time, which was spent on the page before.
	turn := func(to int) {
		f.run(chromedp.SetValue("#page", fmt.Sprint(to)))
		now := f.moment(`(document.getElementById("page").onchange(), Date.now())`)
		want[at] += now.Sub(since)
		at, since = to, now
	}
	tb.pass(2 * time.Second)
	turn(4)
	tb.pass(3 * time.Second)
	turn(9)
	tb.pass(1500 * time.Millisecond)
	want[at] += time.Since(since)
	r.stop(hide())
	tb.pass(far)
	r.resume(show())
	since = time.Now()
	tb.pass(far)
	turn(4)
	tb.pass(2 * time.Second)
	want[at] += time.Since(since)
	r.stop(page.Close())
	n := r.measured(t, 0)
	for _, p := range n.Pages {
		if d := ms(p.Ms) - want[p.Page]; d.Abs() > exact {
			t.Errorf("page %d was read for %v, measured %v", p.Page, want[p.Page], ms(p.Ms))
		}
		t.Logf("page %d: read %5d ms, measured %5d ms", p.Page, want[p.Page].Milliseconds(), p.Ms)
		delete(want, p.Page)
	}
	if len(want) > 0 {
		t.Errorf("not seen: %v", want)
	}
}

// host is a page of another site that shows a link 3000 pixels below its top.
func (s *site) host(t *testing.T, l *vitrine.Link, more string) string {
	t.Helper()
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><link rel=icon href="data:,"><p style="height:3000px">An article.</p><iframe src="%s/p/%s/embed" width="600" height="400"></iframe><p style="height:3000px">The end.</p>%s`,
			s.url, l.Slug, more)
	}))
	t.Cleanup(hs.Close)
	return hs.URL
}

// On another site's page an embed is read while some of it is in view there.
func browserEmbedInView(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	tb := newTab(t, chromedp.Navigate(s.host(t, l, "")))
	r := &reading{tab: tb, s: s, link: l}
	tb.pass(far) // it is there, and out of view
	r.resume(scrolled(2900))
	tb.pass(far)
	r.stop(scrolled(5000))
	r.measured(t, 0) // told when it went out of view
	tb.pass(far)
	r.resume(scrolled(3100))
	tb.pass(far)
	r.stop(chromedp.Navigate("about:blank"))
	if n := r.measured(t, 0); n.Depth != 1_000_000 {
		t.Errorf("%+v", n)
	}
}

// scrolled scrolls a page, and waits until it is drawn there: before that no frame of it knows.
func scrolled(y int) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`new Promise((done) => { scrollTo(0, %d); requestAnimationFrame(() => requestAnimationFrame(done)) })`, y), nil, awaited)
}

// moment is a time that a page tells, in ms since 1970.
func (tb *tab) moment(expression string) time.Time {
	tb.t.Helper()
	var at float64
	tb.run(chromedp.Evaluate(expression, &at))
	return time.UnixMilli(int64(at))
}

// ownBrowser is a browser of one test, to be killed.
type ownBrowser struct {
	ctx context.Context
}

func startBrowser(t *testing.T) *ownBrowser {
	t.Helper()
	chromium(t) // or there is none
	options := browserOptions(t.TempDir())
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() { stop(); stopAllocator() })
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return &ownBrowser{ctx: ctx}
}

func (b *ownBrowser) tab(t *testing.T) *tab { return newTabIn(t, b.ctx) }

// kill ends the browser and all its processes without a word.
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

// descendants are the processes that a process has started, and those they have.
func descendants(pid int) (all []int) {
	dirs, _ := os.ReadDir("/proc")
	parents := map[int]int{}
	for _, d := range dirs {
		var child, parent int
		b, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue
		}
		// The name, which may have spaces and brackets of its own, ends at the last bracket.
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
