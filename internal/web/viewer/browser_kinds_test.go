package viewer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserText checks that the depth of a text is measured and does not
// decrease when the reader scrolls back.
func TestBrowserText(t *testing.T) {
	s := webtest.NewTimed(t, nil)
	l := s.Publish("notes.txt", []byte(strings.Repeat("A line of a long text.\n", 400)))
	r := s.Open(webtest.NewTab(t), l)
	var percent int64
	for _, to := range []string{"document.documentElement.scrollHeight / 2", "0"} {
		r.Run(chromedp.Evaluate(`scrollTo(0, `+to+`)`, nil))
		if percent == 0 {
			r.Run(chromedp.Evaluate(`(r => Math.round((innerHeight - r.top) / r.height * 100))(document.querySelector("[data-depth]").getBoundingClientRect())`, &percent))
		}
		r.Read(time.Second)
	}
	r.Leave()
	if n := r.Measured(0); n.Depth != percent*10_000 || percent < 45 || percent > 75 {
		t.Errorf("%d %% were seen, but the session is %+v", percent, n)
	}
	r.Quiet()
}

// TestBrowserHTML checks that a user's HTML runs in another origin, that its
// scroll depth is reported, and that its time is measured outside.
func TestBrowserHTML(t *testing.T) {
	s := webtest.NewTimed(t, nil)
	l := s.Publish("page.html", []byte(`<!doctype html><title>x</title><body style="height:5000px"><script>
		try { parent.document.title = "taken" } catch { document.title = "apart" }
		try { localStorage.x = 1 } catch { document.title += " and without storage" }
		try { top.location = "https://example.org/" } catch {}
		parent.postMessage({vitrine: {depth: "x", engaged: 1e9, shown: [1], pages: 5, active: true}}, "*")
		parent.postMessage({vitrine: null}, "*"); parent.postMessage("rubbish", "*")
	</script></body>`))
	r := s.Open(webtest.NewTab(t), l)
	f := r.Frame("/frame")
	f.Until(`document.title === "apart and without storage" && origin === "null"`)
	r.Read(1500 * time.Millisecond)
	var percent int64
	f.Run(chromedp.Evaluate(`scrollTo(0, 2500), Math.round((2500 + innerHeight) / document.scrollingElement.scrollHeight * 100)`, &percent))
	r.Until(fmt.Sprintf(`window.deepest === %d`, percent))
	r.Read(time.Second)
	r.Leave()
	if n := r.Measured(0); n.Depth != percent*10_000 || percent < 50 || percent > 90 {
		t.Errorf("%d %% were seen, but the session is %+v", percent, n)
	}
}

// TestBrowserWithoutScripting checks that a page without scripting counts a
// view without a session, and shows what it can.
func TestBrowserWithoutScripting(t *testing.T) {
	s := webtest.NewSite(t)
	for name, shown := range map[string]string{"report.pdf": "needs JavaScript", "notes.txt": "Second line.",
		"book.rtf": "Download it"} {
		l := s.Publish(name, webtest.Samples[name])
		tb := webtest.NewTab(t, emulation.SetScriptExecutionDisabled(true), s.Page(l))
		var text string
		tb.Run(chromedp.Text("main", &text))
		if !strings.Contains(text, shown) {
			t.Errorf("%s shows %q", name, text)
		}
		tb.Leave()
		if o := s.CountViews(l, 1); len(o) == 1 && (o[0].Session != nil || o[0].Bot != "") {
			t.Errorf("%s: view = %+v, want no session", name, o[0])
		}
	}
}

func TestBrowserDownload(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("book.rtf", webtest.Samples["book.rtf"])
	tb := webtest.NewTab(t, s.Page(l))
	tb.Run(chromedp.Click(`header a[data-download]`, chromedp.ByQuery))
	s.Session(t, l, "a download", func(n *report.Session) bool { return n.Downloaded && n.Depth == 1_000_000 })
	webtest.Eventually(t, "one download event", func() bool { return s.Counts(l).Downloads == 1 })
}

// TestBrowserAutomation checks that a browser under automation
// (navigator.webdriver) counts as a bot.
func TestBrowserAutomation(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	webtest.NewTab(t, chromedp.ActionFunc(webtest.OnNewDocument(`Object.defineProperty(navigator, "webdriver", {get: () => true})`)),
		s.Page(l))
	webtest.Eventually(t, "a bot's open", func() bool {
		o := s.Views(l)
		return len(o) == 1 &&
			o[0].Bot == report.BotAutomation
	})
}
