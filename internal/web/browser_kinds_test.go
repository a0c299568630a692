package web_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestBrowserText(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", []byte(strings.Repeat("A line of a long text.\n", 400)))
	tb := newTab(t, s.page(l))
	tb.until(`document.querySelector("pre") !== null`)
	tb.linger(1200 * time.Millisecond)
	tb.run(chromedp.Evaluate(`scrollTo(0, document.documentElement.scrollHeight / 2)`, nil))
	tb.linger(1200 * time.Millisecond)
	tb.leave()
	s.session(t, l, "about half of the text", func(n *report.Session) bool { return n.Depth > 450_000 && n.Depth < 750_000 && n.EngagedMs >= 2000 })
	tb.quiet()
}

// A user's HTML runs without our origin; its scroll is told, its time is measured outside.
func TestBrowserHTML(t *testing.T) {
	s := newSite(t)
	l := s.publish("page.html", []byte(`<!doctype html><title>x</title><body style="height:5000px"><script>
		try { parent.document.title = "taken" } catch { document.title = "apart" }
		try { localStorage.x = 1 } catch { document.title += " and without storage" }
		try { top.location = "https://example.org/" } catch {}
		parent.postMessage({vitrine: {depth: "x", engaged: 1e9, shown: [1], pages: 5, active: true}}, "*")
		parent.postMessage({vitrine: null}, "*"); parent.postMessage("rubbish", "*")
	</script></body>`))
	tb := newTab(t, s.page(l))
	f := tb.frame("/frame")
	f.until(`document.title === "apart and without storage" && origin === "null"`)
	tb.linger(1500 * time.Millisecond)
	f.run(chromedp.Evaluate(`scrollTo(0, 2500)`, nil))
	f.until(`scrollY > 2000`)
	tb.linger(1500 * time.Millisecond)
	arrived := time.Now()
	tb.run(chromedp.Evaluate(`document.title`, nil))
	tb.leave()
	o := s.session(t, l, "half of the page", func(n *report.Session) bool { return n.Depth >= 500_000 && n.Depth < 900_000 && n.EngagedMs >= 2000 })
	if open := time.UnixMilli(o.At); o.Session.EngagedMs > arrived.Sub(open).Milliseconds()+5000 {
		t.Errorf("more than passed: %+v", o.Session)
	}
}

// Without scripting a page is a view and no session, and shows what it can.
func TestBrowserWithoutScripting(t *testing.T) {
	s := newSite(t)
	for name, shown := range map[string]string{"report.pdf": "needs JavaScript", "notes.txt": "Second line.", "book.rtf": "Download it"} {
		l := s.publish(name, samples[name])
		tb := newTab(t, emulation.SetScriptExecutionDisabled(true), s.page(l))
		var text string
		tb.run(chromedp.Text("main", &text))
		if !strings.Contains(text, shown) {
			t.Errorf("%s shows %q", name, text)
		}
		tb.leave()
		if o := s.countOpens(l, 1); len(o) == 1 && (o[0].Session != nil || o[0].Bot != "") {
			t.Errorf("%s: %+v", name, o[0])
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

// A browser that says that it is driven is a program's.
func TestBrowserAutomation(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	newTab(t, chromedp.ActionFunc(onNewDocument(`Object.defineProperty(navigator, "webdriver", {get: () => true})`)), s.page(l))
	eventually(t, "a bot's open", func() bool { o := s.opens(l); return len(o) == 1 && o[0].Bot == vitrine.BotAutomation })
}
