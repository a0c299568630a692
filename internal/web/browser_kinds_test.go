package web_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// turnTo goes to a page of a PDF by the field of the bar, and waits until it is drawn.
func (f *tab) turnTo(page string) {
	f.t.Helper()
	f.run(chromedp.Focus("#page"), chromedp.SetValue("#page", page), chromedp.Evaluate(`document.getElementById("page").onchange()`, nil))
	f.until(`document.querySelector('[data-number="` + page + `"] canvas') !== null`)
}

// opened waits until a PDF is shown.
func (f *tab) opened(pages string) {
	f.t.Helper()
	f.until(`document.querySelector(".page canvas") !== null && document.getElementById("count").textContent === "` + pages + `" && document.getElementById("status").hidden`)
}

func TestBrowserPDF(t *testing.T) {
	s := newSite(t)
	l := s.publish("report.pdf", samples["report.pdf"])
	tb := newTab(t, s.page(l))
	f := tb.frame("/view")
	f.opened("12")
	f.until(`document.querySelector(".text span")?.textContent === "Page 1"`)
	turned := time.Now()
	f.turnTo("5")
	tb.linger(3 * time.Second)
	tb.leave()
	stayed := time.Since(turned).Milliseconds()
	o := s.session(t, l, "page 5 for three seconds and not longer than it was", func(n *report.Session) bool {
		return slices.ContainsFunc(n.Pages, func(p report.PageTime) bool { return p.Page == 5 && p.Ms >= 2000 && p.Ms <= stayed })
	})
	for _, p := range o.Session.Pages {
		if p.Page != 1 && p.Page != 5 {
			t.Errorf("page %d was seen: %+v", p.Page, o.Session.Pages)
		}
	}
	f.quiet()
	tb.quiet()
}

// The keys and the bar of the PDF viewer, and what zooming does.
func TestBrowserPDFControls(t *testing.T) {
	s := newSiteWith(t, siteOptions{content: true})
	l := s.publish("report.pdf", samples["report.pdf"])
	tb := newTab(t, s.page(l))
	f := tb.frame("/view")
	f.opened("12")
	at := func(page string) {
		t.Helper()
		f.until(`document.getElementById("page").value === "` + page + `"`)
	}
	width := func(condition string) {
		t.Helper()
		f.until(`(() => { const w = document.querySelector(".page").offsetWidth; return ` + condition + ` })()`)
	}
	tb.until(`document.activeElement.tagName === "IFRAME"`) // keys go to the document
	at("1")
	tb.run(chromedp.KeyEvent(kb.ArrowRight))
	at("2")
	tb.run(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft))
	at("2")
	f.run(chromedp.Click("#next"), chromedp.Click("#next"), chromedp.Click("#back"))
	at("3")
	f.run(chromedp.Evaluate(`window.before = document.querySelector(".page").offsetWidth`, nil))
	tb.run(chromedp.KeyEvent("+"))
	width(`w > before`)
	at("3")
	tb.run(chromedp.KeyEvent("-"), chromedp.KeyEvent("-"))
	width(`w < before`)
	at("3")
	f.run(chromedp.Click("#fit"))
	width(`Math.abs(w - document.documentElement.clientWidth) < 40`)
	f.until(`document.querySelector("#fit").getAttribute("aria-pressed") === "true"`)
	f.until(`(() => { const c = document.querySelector('[data-number="3"] canvas'); return c && Math.abs(c.width / devicePixelRatio - c.offsetWidth) < 2 })()`) // drawn anew
	f.turnTo("12")
	f.until(`document.getElementById("next").disabled`)
	f.until(`document.querySelector('[data-number="1"] canvas') === null`) // let go, far away
	f.quiet()
	tb.quiet()
}

// A PDF with a password asks for it where it is shown; one that cannot be read says so, with the way to the file.
func TestBrowserPDFTrouble(t *testing.T) {
	s := newSite(t)
	locked := s.publish("locked.pdf", makeLockedPDF("secret"))
	tb := newTab(t, s.page(locked))
	f := tb.frame("/view")
	f.until(`!document.getElementById("password").hidden`)
	f.run(chromedp.SendKeys("#password input", "wrong"), chromedp.Click("#password button"))
	f.until(`document.getElementById("ask").textContent.includes("not the password")`)
	f.run(chromedp.SendKeys("#password input", "secret"+kb.Enter))
	f.opened("1")
	f.quiet()

	broken := s.publish("broken.pdf", bytes.ReplaceAll(makePDF(1), []byte("/Pages"), []byte("/Nopes")))
	tb = newTab(t, s.page(broken))
	tb.until(`!document.getElementById("cannot").hidden && document.querySelector("#cannot .notice").textContent.includes("damaged") && document.querySelector("#cannot a[data-download]") !== null`)

	gone := s.publish("gone.pdf", samples["report.pdf"])
	r := s.get("/p/" + string(gone.Slug))
	s.setState(gone, vitrine.StateDisabled)
	s.status(s.get(s.contentOf(r.body)), 410)
}

// counter counts the bytes of files that go out.
type counter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c counter) Write(b []byte) (int, error) {
	c.sent.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

// Of a large PDF only what is looked at is read.
func TestBrowserPDFRanges(t *testing.T) {
	var sent atomic.Int64
	s := newSiteWith(t, siteOptions{around: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/file") {
				w = counter{w, &sent}
			}
			next.ServeHTTP(w, r)
		})
	}})
	l := s.publish("large.pdf", makeLargePDF(80, 40<<20))
	tb := newTab(t, s.page(l))
	f := tb.frame("/view")
	f.opened("80")
	f.turnTo("80")
	f.until(`document.querySelector('[data-number="80"] .text span')?.textContent === "Page 80"`)
	if n := sent.Load(); n > l.Size/2 {
		t.Errorf("%d bytes were read of %d to see two pages", n, l.Size)
	}
	f.quiet()
	tb.quiet()
}

func TestBrowserImage(t *testing.T) {
	s := newSite(t)
	l := s.publish("picture.png", samples["picture.png"])
	tb := newTab(t, s.page(l))
	tb.until(`document.querySelector(".picture img").naturalWidth === 64 && document.body.classList.contains("fits")`)
	tb.linger(1500 * time.Millisecond)
	tb.leave()
	s.session(t, l, "a second over the whole image", func(n *report.Session) bool { return n.EngagedMs >= 1000 && n.Depth == 1_000_000 })
	tb.quiet()
}

// A large image fits the window, and is shown full size at a press or a key, without scripting too.
func TestBrowserZoom(t *testing.T) {
	s := newSite(t)
	l := s.publish("wide.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="3000"><style>rect{fill:teal}</style><rect width="4000" height="3000"/></svg>`))
	const fit, full = `document.querySelector(".picture img").clientWidth < innerWidth`, `document.querySelector(".picture img").clientWidth === 4000`
	tb := newTab(t, chromedp.EmulateViewport(1280, 800), s.page(l))
	tb.until(`document.querySelector(".picture img").naturalWidth === 4000 && ` + fit)
	tb.run(chromedp.KeyEvent("+"))
	tb.until(full)
	tb.until(`document.querySelector(".picture").scrollLeft > 1000`) // the middle stays the middle
	tb.run(chromedp.KeyEvent("0"))
	tb.until(fit)
	tb.run(chromedp.MouseClickXY(400, 300))
	tb.until(full)
	tb.quiet()
}

func TestBrowserMedia(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"clip.webm", "song.mp3"} {
		t.Run(name, func(t *testing.T) {
			l := s.publish(name, samples[name])
			tb := newTab(t, s.page(l))
			tb.until(`document.querySelector("video, audio").duration > 3`)
			tb.run(chromedp.Evaluate(`void document.querySelector("video, audio").play()`, nil))
			tb.until(`document.querySelector("video, audio").currentTime > 1.5`)
			tb.run(chromedp.Evaluate(`document.querySelector("video, audio").pause()`, nil))
			tb.leave()
			s.session(t, l, "more than a third played, and not all", func(n *report.Session) bool {
				return n.Played > 350_000 && n.Played < 950_000 && n.Reached >= n.Played && n.EngagedMs >= 1000
			})
			tb.quiet()
		})
	}
}

// What is played twice counts once, and what is skipped does not count; the end is told at once.
func TestBrowserMediaRanges(t *testing.T) {
	s := newSite(t)
	l := s.publish("clip.webm", samples["clip.webm"])
	tb := newTab(t, s.page(l))
	tb.until(`document.querySelector("video").duration > 3`)
	for range 2 {
		tb.run(chromedp.Evaluate(`{ const v = document.querySelector("video"); v.currentTime = v.duration - 1; void v.play() }`, nil))
		tb.until(`document.querySelector("video").ended`)
	}
	s.session(t, l, "the last second, once, and the end", func(n *report.Session) bool {
		return n.Played > 150_000 && n.Played < 400_000 && n.Reached >= 950_000
	})
}

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
	for name, shown := range map[string]string{"report.pdf": "needs scripting", "notes.txt": "Second line.", "book.rtf": "Download it"} {
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

// A page asks nobody but its own hosts, keeps nothing in the browser, and nothing on it moves while it loads.
func TestBrowserQuiet(t *testing.T) {
	s := newSite(t)
	for name, content := range samples {
		t.Run(name, func(t *testing.T) {
			l := s.publish(name, content)
			var asked []string
			tb := newTab(t)
			chromedp.ListenTarget(tb.ctx, func(event any) {
				if e, ok := event.(*network.EventRequestWillBeSent); ok {
					tb.mu.Lock()
					asked = append(asked, e.Request.URL)
					tb.mu.Unlock()
				}
			})
			tb.run(chromedp.ActionFunc(onNewDocument(`window.shift = 0; new PerformanceObserver((l) => l.getEntries().forEach((e) => (window.shift += e.value))).observe({type: "layout-shift", buffered: true})`)), s.page(l))
			tb.linger(500 * time.Millisecond)
			var kept string
			var shift float64
			tb.run(chromedp.Evaluate(`document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)`, &kept), chromedp.Evaluate(`window.shift`, &shift))
			if kept != "{}{}" || shift > 0.02 {
				t.Errorf("kept %q, shift %g", kept, shift)
			}
			tb.mu.Lock()
			for _, u := range asked {
				if !strings.HasPrefix(u, s.url+"/") && !strings.HasPrefix(u, "data:") {
					t.Errorf("asked for %s", u)
				}
			}
			tb.mu.Unlock()
			tb.quiet()
		})
	}
}
