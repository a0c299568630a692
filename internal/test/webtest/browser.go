package webtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// browser is one Chromium for all tests of the package. It ends with the tests.
var browser struct {
	sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// RunTests runs the tests of a package and closes the browser that they shared.
// It does not return in a process that makes a preview.
func RunTests(m *testing.M) int {
	child()
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // tests in a browser mostly wait
		panic(err)
	}
	code := m.Run()
	if browser.stop != nil {
		browser.stop()
		fmt.Printf("%d runs of axe, %d pages opened by browsers\n", axeRuns.Load(), navigations.Load())
	}
	return code
}

// Chromium starts the browser without the sign of automation, so that its views
// count as a person's.
func Chromium(t testing.TB) context.Context {
	t.Helper()
	vitrinetest.Program(t, "chromium")
	browser.Do(func() {
		dir, err := os.MkdirTemp("", "chromium")
		if err != nil {
			browser.err = err
			return
		}
		allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), browserOptions(t, dir)...)
		ctx, stop := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
		browser.ctx, browser.stop = ctx, func() { stop(); stopAllocator(); os.RemoveAll(dir) }
		browser.err = chromedp.Run(ctx)
	})
	if browser.err != nil {
		t.Fatalf("start chromium: %v", browser.err)
	}
	return browser.ctx
}

func browserOptions(t testing.TB, dir string) []chromedp.ExecAllocatorOption {
	t.Helper()
	return append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.UserDataDir(dir), chromedp.Env(vitrinetest.Fonts(t, dir)),
		chromedp.UserAgent(Reader), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-blink-features", "AutomationControlled"),
		chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
}

// Tab is a page in the browser of a desktop user. It is in front until another
// one is opened, because background tabs are seldom drawn.
type Tab struct {
	t   testing.TB
	Ctx context.Context
	Mu  sync.Mutex
	// complaints are the browser's errors about the page: blocked by policy,
	// not found, exceptions.
	Complaints []string
}

func NewTab(t testing.TB, actions ...chromedp.Action) *Tab {
	t.Helper()
	return NewTabIn(t, Chromium(t), actions...)
}

func NewTabIn(t testing.TB, browser context.Context, actions ...chromedp.Action) *Tab {
	t.Helper()
	return newTabWith(t, browser, nil, actions...)
}

// NewVisitor returns a tab with its own cookies and storage. Cookies do not
// depend on the port, so parallel tests would otherwise sign each other out.
// NewTabIn(t, tb.ctx) opens further tabs of the same visitor.
func NewVisitor(t testing.TB, actions ...chromedp.Action) *Tab {
	t.Helper()
	b := Chromium(t)
	ctx := cdp.WithExecutor(b, chromedp.FromContext(b).Browser)
	visitor, err := target.CreateBrowserContext().Do(ctx)
	if err == nil { // the first tab is a window, in which the others open
		_, err = target.CreateTarget("about:blank").WithBrowserContextID(visitor).WithNewWindow(true).Do(ctx)
	}
	if err != nil {
		t.Fatalf("open a visitor's tab: %v", err)
	}
	t.Cleanup(func() { _ = target.DisposeBrowserContext(visitor).Do(ctx) })
	return newTabWith(t, b, []chromedp.ContextOption{chromedp.WithExistingBrowserContext(visitor)}, actions...)
}

// NewMember returns a visitor who is signed in.
func NewMember(t testing.TB, d *Site, a *vitrine.Account) *Tab {
	t.Helper()
	name, value, _ := strings.Cut(strings.TrimPrefix(d.SignIn(a), "Cookie: "), "=")
	return NewVisitor(t, network.SetCookie(name, value).WithURL(d.URL).WithHTTPOnly(true))
}

func newTabWith(t testing.TB, browser context.Context, options []chromedp.ContextOption,
	actions ...chromedp.Action) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, options...)
	ctx, stop := context.WithTimeout(ctx, tier.Pick(15*time.Minute, 50*time.Minute))
	t.Cleanup(func() { stop(); cancel() })
	tb := &Tab{t: t, Ctx: ctx}
	tb.listen(ctx)
	tb.Run(slices.Concat([]chromedp.Action{network.Enable(), log.Enable(), emulation.SetFocusEmulationEnabled(true),
		person(),
		page.BringToFront()}, actions)...)
	return tb
}

// person overrides the user agent of a headless browser.
func person() chromedp.Action {
	return emulation.SetUserAgentOverride(Reader).WithUserAgentMetadata(&emulation.UserAgentMetadata{Platform: "Linux",
		Brands: []*emulation.UserAgentBrandVersion{{Brand: "Chromium", Version: "131"},
			{Brand: "Google Chrome", Version: "131"}}})
}

// navigations counts the pages that tabs have opened.
var navigations atomic.Int64

func (tb *Tab) listen(ctx context.Context) {
	complain := func(format string, args ...any) {
		tb.Mu.Lock()
		defer tb.Mu.Unlock()
		tb.Complaints = append(tb.Complaints, fmt.Sprintf(format, args...))
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *page.EventFrameNavigated:
			if e.Frame.ParentID == "" && strings.HasPrefix(e.Frame.URL, "http") {
				navigations.Add(1)
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
				complain("%s %s", e.Entry.Text, e.Entry.URL)
			}
		case *runtime.EventExceptionThrown:
			complain("%v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeWarning || e.Type == runtime.APITypeError {
				for _, a := range e.Args {
					complain("console: %s", a.Value)
				}
			}
		}
	})
}

func (tb *Tab) Run(actions ...chromedp.Action) {
	tb.t.Helper()
	if err := chromedp.Run(tb.Ctx, actions...); err != nil {
		tb.Mu.Lock()
		defer tb.Mu.Unlock()
		tb.t.Fatalf("browser: %v\n%s", err, strings.Join(tb.Complaints, "\n"))
	}
}

// Until waits for a condition in the page.
func (tb *Tab) Until(condition string) {
	tb.t.Helper()
	// A condition about an element may throw while the element does not exist,
	// which counts as false.
	patient := "(() => { try { return (" + condition + "); } catch { return false; } })()"
	var ok bool
	poll := func() error {
		return chromedp.Run(tb.Ctx, chromedp.Poll(patient, &ok, chromedp.WithPollingTimeout(hang)))
	}
	err := poll()
	for tries := 0; err != nil && tries < 5 && (strings.Contains(err.Error(), "Cannot find context") ||
		strings.Contains(err.Error(), "context was destroyed") ||
		strings.Contains(err.Error(), "target navigated")); tries++ {
		err = poll() // one page was replaced by another
	}
	if err != nil {
		var now string
		_ = chromedp.Run(tb.Ctx, chromedp.Evaluate(`document.body.innerText.slice(0, 500)`, &now))
		tb.Mu.Lock()
		defer tb.Mu.Unlock()
		tb.t.Fatalf("%s: %v\npage: %s\n%s", condition, err, now, strings.Join(tb.Complaints, "\n"))
	}
}

// Linger waits by the page's own clock, which measures the reading time.
func (tb *Tab) Linger(d time.Duration) {
	tb.t.Helper()
	tb.Run(chromedp.Evaluate(`window.since = performance.now()`, nil))
	tb.Until(fmt.Sprintf(`performance.now() - window.since > %d`, d.Milliseconds()))
}

// Leave navigates away, so that the page sends its last beacon.
func (tb *Tab) Leave() {
	tb.t.Helper()
	tb.Run(chromedp.Navigate("about:blank"))
}

// Frame returns the content frame of the page, which has its own process. It
// ends with the tab. In that of a PDF, select with chromedp.ByQuery: a search
// also finds the text of its style sheet.
func (tb *Tab) Frame(part string) *Tab {
	tb.t.Helper()
	id := tb.frameID(part)
	ctx, cancel := chromedp.NewContext(tb.Ctx, chromedp.WithTargetID(id))
	tb.t.Cleanup(cancel)
	f := &Tab{t: tb.t, Ctx: ctx}
	f.listen(ctx)
	f.Run(log.Enable())
	return f
}

func (tb *Tab) frameID(part string) target.ID {
	tb.t.Helper()
	var id target.ID
	Eventually(tb.t, "a frame of "+part, func() bool {
		all, err := chromedp.Targets(tb.Ctx)
		if err != nil {
			tb.t.Fatal(err)
		}
		// A target has the ID of its frame. Skip the frames of other tabs.
		own := chromedp.FromContext(tb.Ctx).Target.TargetID
		parents := map[target.ID]target.ID{}
		for _, info := range all {
			parents[info.TargetID] = target.ID(info.ParentFrameID)
		}
		within := func(id target.ID) bool {
			for id != "" && id != own {
				id = parents[id]
			}
			return id == own
		}
		for _, info := range all {
			if info.Type == "iframe" && strings.Contains(info.URL, part) && within(info.TargetID) {
				id = info.TargetID
				return true
			}
		}
		return false
	})
	return id
}

// Quiet checks at the end of a test that the browser had no complaints.
func (tb *Tab) Quiet() {
	tb.t.Helper()
	tb.Mu.Lock()
	defer tb.Mu.Unlock()
	for _, c := range tb.Complaints {
		tb.t.Errorf("browser: %s", c)
	}
}

// hang is how long a test waits before it fails. Nothing else depends on it.
const hang = 2 * time.Minute

// Eventually calls yes until it returns true.
func Eventually(t testing.TB, what string, yes func() bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within %v: %s", hang, what)
		}
	}
}

// Session waits until the only view of a link has a sufficient session.
func (s *Site) Session(t *testing.T, l *vitrine.Link, what string, enough func(*report.Session) bool) report.View {
	t.Helper()
	var v report.View
	defer func() {
		if t.Failed() && v.Session != nil {
			t.Logf("session = %+v", *v.Session)
		}
	}()
	Eventually(t, what, func() bool {
		all := s.Views(l)
		if len(all) != 1 {
			t.Fatalf("%d views of %s, want 1", len(all), l.Name)
		}
		v = all[0]
		return v.Session != nil && enough(v.Session)
	})
	if v.Bot != "" {
		t.Errorf("the view of %s counts as a bot: %s", l.Name, v.Bot)
	}
	if v.Session.EngagedMs > v.Session.PresentMs || v.Session.Screen == "" {
		t.Errorf("session = %+v", *v.Session)
	}
	return v
}

func (s *Site) Page(l *vitrine.Link) chromedp.Action {
	return chromedp.Navigate(s.URL + "/p/" + string(l.Slug))
}

// OnNewDocument runs a script before the scripts of every later page.
func OnNewDocument(script string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	}
}
