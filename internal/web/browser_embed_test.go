package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"vitrine"

	"github.com/chromedp/chromedp"
)

// TestEmbed checks that an embed counts a view and has its own layout, and that
// any site may show it in a frame.
func TestEmbed(t *testing.T) {
	s := newSite(t)
	for name, content := range samples {
		for _, only := range []bool{false, true} {
			change := titled("A title")
			if only {
				change = viewOnly
			}
			l := s.publish(name, content, change)
			page := "/p/" + string(l.Slug)
			for range 2 { // once rendered, once from the cache
				own, frame := s.status(s.get(page), 200), s.status(s.get(page+"/embed"), 200)
				if !strings.Contains(own.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
					strings.Contains(own.body, "data-embed") {
					t.Errorf("%s: the page has the headers or markup of an embed: %v", name, own.Header)
				}
				if !strings.Contains(frame.Header.Get("Content-Security-Policy"), "frame-ancestors *") ||
					frame.Header.Get("X-Frame-Options") != "" || frame.Header.Get("X-Robots-Tag") != "noindex" ||
					!strings.Contains(frame.body, " data-embed>") ||
					!strings.Contains(frame.body, `name="robots" content="noindex"`) ||
					strings.Contains(frame.body, `id="share"`) {
					t.Errorf("%s: the embed lacks its headers or markup: %v\n%s", name, frame.Header, frame.body)
				}
				if strings.Contains(frame.body, "/download") == only ||
					strings.Contains(frame.body, "View only") != only ||
					!strings.Contains(frame.body, `target="_blank"`) {
					t.Errorf("%s, view only = %v: %s", name, only, frame.body)
				}
				if strings.Contains(frame.body, "<iframe") {
					content := s.status(s.get(s.contentOf(frame.body)), 200)
					if csp := content.Header.Get("Content-Security-Policy"); !strings.Contains(csp,
						"frame-ancestors *") || !strings.Contains(csp, "sandbox allow-") {
						t.Errorf("%s: policy of the embed's content = %s", name, csp)
					}
					if csp := s.get(s.contentOf(own.body)).Header.Get("Content-Security-Policy"); !strings.Contains(csp,
						"frame-ancestors "+s.url) {
						t.Errorf("%s: policy of the page's content = %s", name, csp)
					}
				}
				s.status(s.do(http.MethodPost, s.beaconOf(frame.body), "{}", "Content-Type: text/plain"), 204)
			}
			s.status(s.do(http.MethodHead, page+"/embed", ""), 200)
			s.status(s.get(page+"/embed", "Sec-Purpose: prefetch"), 503)
			s.status(s.get("/p/"+strings.ToUpper(string(l.Slug))+"/embed"), 308)
			s.countOpens(l, 4)
		}
	}
}

// TestEmbedOfNothing checks that an embed without content says so in its frame,
// and leads its readers nowhere.
func TestEmbedOfNothing(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"], titled("A secret title"))
	s.setState(l, vitrine.StateDisabled)
	for path, status := range map[string]int{"/p/" + string(l.Slug) + "/embed": 410, "/p/nothing-here/embed": 404} {
		r := s.status(s.get(path), status)
		if !strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors *") ||
			strings.Contains(r.body, "secret") || strings.Contains(r.body, "<a ") {
			t.Errorf("GET %s: headers %v\n%s", path, r.Header, r.body)
		}
	}
	s.countOpens(l, 0)
}

// stranger returns a site of another origin whose page has the embed code of a
// link.
func (s *site) stranger(l *vitrine.Link) string {
	code := regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`).FindStringSubmatch(s.get("/p/"+string(l.Slug),
		"User-Agent: Slackbot 1.0").body)
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>Elsewhere</title><link rel=icon href='data:,'><body>%s<p>More.</p></body>", html.UnescapeString(code[1]))
	}))
	s.t.Cleanup(hs.Close)
	return strings.Replace(hs.URL, "127.0.0.1", "localhost", 1)
}

// TestBrowserEmbed shows each kind of file on a page of another site, without
// complaints of the browser and in the size of the embed code.
// TestBrowserFilePages checks what does not depend on the embedding page.
func TestBrowserEmbed(t *testing.T) {
	s := newSiteWith(t, siteOptions{content: true})
	for name, there := range map[string]string{
		"report.pdf":  `document.querySelector("iframe").checkVisibility()`,
		"picture.png": `document.querySelector("img").naturalWidth === 64 && !document.getElementById("bar").hidden`,
		"clip.webm":   `document.querySelector("video").videoWidth > 0 && document.getElementById("speed").checkVisibility()`,
		"song.mp3":    `document.querySelector("audio").duration > 3`,
		"notes.txt":   `document.querySelector("main").innerText.includes("Second line")`,
		"page.html":   `document.querySelector("iframe").checkVisibility()`,
		"book.rtf":    `document.querySelector("main").innerText !== ""`,
	} {
		t.Run(name, func(t *testing.T) {
			l := s.publish(name, samples[name])
			tb := newTab(t)
			tb.run(chromedp.Navigate(s.stranger(l)))
			f := tb.frame("/embed")
			f.until(there + ` && document.body.dataset.embed === ""`)
			switch name {
			case "report.pdf":
				p := f.frame("/view?embed")
				p.until(`document.querySelector(".page canvas") !== null`)
				p.quiet()
			case "page.html":
				p := f.frame("/frame?embed")
				p.until(`document.body.innerText.includes("You are invited")`)
				p.quiet()
			}
			var active bool
			if tb.run(chromedp.Evaluate(`document.activeElement === document.body`, &active)); !active {
				t.Error("the embed has taken the focus of the page")
			}
			f.until(`document.documentElement.scrollWidth <= innerWidth`)
			if name != "notes.txt" {
				f.until(`document.documentElement.scrollHeight <= innerHeight`) // the size in the embed code is sufficient
			}
			all := s.views(l)
			if len(all) != 2 || all[1].Bot != "" || all[1].Referrer != "localhost" {
				t.Errorf("views = %+v", all)
			}
			f.quiet()
			tb.quiet()
		})
	}
}

// TestBrowserEmbedWheel checks that the wheel scrolls the page around an embed
// until something in it is zoomed.
func TestBrowserEmbedWheel(t *testing.T) {
	s := newSite(t)
	l := s.publish("wide.png", solid(2400, 1800))
	tb := newTab(t, chromedp.EmulateViewport(800, 700), chromedp.Navigate(s.url+"/p/"+string(l.Slug)+"/embed"))
	tb.until(shownImage)
	fitted := tb.imageRect()
	tb.run(wheel(400, 300, -240, 0))
	if r := tb.imageRect(); r != fitted {
		t.Errorf("the wheel without a key zooms from %v to %v", fitted, r)
	}
	tb.run(chromedp.KeyEvent("1"))
	tb.until(`document.getElementById("scale").textContent === "100 %"`)
	before := tb.imageRect()
	tb.run(wheel(400, 300, 100, 0))
	tb.until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().top === %g`, before.Top-100))
	tb.quiet()
}
