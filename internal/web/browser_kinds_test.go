package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserText checks that the depth of a text is measured and does not
// decrease when the reader scrolls back.
func TestBrowserText(t *testing.T) {
	s := newTimed(t, nil)
	l := s.publish("notes.txt", []byte(strings.Repeat("A line of a long text.\n", 400)))
	r := s.open(newTab(t), l)
	var percent int64
	for _, to := range []string{"document.documentElement.scrollHeight / 2", "0"} {
		r.run(chromedp.Evaluate(`scrollTo(0, `+to+`)`, nil))
		if percent == 0 {
			r.run(chromedp.Evaluate(`(r => Math.round((innerHeight - r.top) / r.height * 100))(document.querySelector("[data-depth]").getBoundingClientRect())`, &percent))
		}
		r.read(time.Second)
	}
	r.leave()
	if n := r.measured(0); n.Depth != percent*10_000 || percent < 45 || percent > 75 {
		t.Errorf("%d %% were seen, but the session is %+v", percent, n)
	}
	r.quiet()
}

// TestBrowserHTML checks that a user's HTML runs in another origin, that its
// scroll depth is reported, and that its time is measured outside.
func TestBrowserHTML(t *testing.T) {
	s := newTimed(t, nil)
	l := s.publish("page.html", []byte(`<!doctype html><title>x</title><body style="height:5000px"><script>
		try { parent.document.title = "taken" } catch { document.title = "apart" }
		try { localStorage.x = 1 } catch { document.title += " and without storage" }
		try { top.location = "https://example.org/" } catch {}
		parent.postMessage({vitrine: {depth: "x", engaged: 1e9, shown: [1], pages: 5, active: true}}, "*")
		parent.postMessage({vitrine: null}, "*"); parent.postMessage("rubbish", "*")
	</script></body>`))
	r := s.open(newTab(t), l)
	f := r.frame("/frame")
	f.until(`document.title === "apart and without storage" && origin === "null"`)
	r.read(1500 * time.Millisecond)
	var percent int64
	f.run(chromedp.Evaluate(`scrollTo(0, 2500), Math.round((2500 + innerHeight) / document.scrollingElement.scrollHeight * 100)`, &percent))
	r.until(fmt.Sprintf(`window.deepest === %d`, percent))
	r.read(time.Second)
	r.leave()
	if n := r.measured(0); n.Depth != percent*10_000 || percent < 50 || percent > 90 {
		t.Errorf("%d %% were seen, but the session is %+v", percent, n)
	}
}

// TestBrowserWithoutScripting checks that a page without scripting counts a
// view without a session, and shows what it can.
func TestBrowserWithoutScripting(t *testing.T) {
	s := newSite(t)
	for name, shown := range map[string]string{"report.pdf": "needs JavaScript", "notes.txt": "Second line.",
		"book.rtf": "Download it"} {
		l := s.publish(name, samples[name])
		tb := newTab(t, emulation.SetScriptExecutionDisabled(true), s.page(l))
		var text string
		tb.run(chromedp.Text("main", &text))
		if !strings.Contains(text, shown) {
			t.Errorf("%s shows %q", name, text)
		}
		tb.leave()
		if o := s.countOpens(l, 1); len(o) == 1 && (o[0].Session != nil || o[0].Bot != "") {
			t.Errorf("%s: view = %+v, want no session", name, o[0])
		}
	}
}

func TestBrowserDownload(t *testing.T) {
	s := newSite(t)
	l := s.publish("book.rtf", samples["book.rtf"])
	tb := newTab(t, s.page(l))
	tb.run(chromedp.Click(`header a[data-download]`, chromedp.ByQuery))
	s.session(t, l, "a download", func(n *report.Session) bool { return n.Downloaded && n.Depth == 1_000_000 })
	eventually(t, "one download event", func() bool { return s.counts(l).Downloads == 1 })
}

// TestBrowserAutomation checks that a browser under automation
// (navigator.webdriver) counts as a bot.
func TestBrowserAutomation(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	newTab(t, chromedp.ActionFunc(onNewDocument(`Object.defineProperty(navigator, "webdriver", {get: () => true})`)),
		s.page(l))
	eventually(t, "a bot's open", func() bool {
		o := s.views(l)
		return len(o) == 1 &&
			o[0].Bot == vitrine.BotAutomation
	})
}
