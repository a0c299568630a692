package public_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestEmbed checks that an embed counts a view and has its own layout, and that
// any site may show it in a frame.
func TestEmbed(t *testing.T) {
	s := webtest.NewSite(t)
	for name, content := range webtest.Samples {
		for _, only := range []bool{false, true} {
			change := webtest.Titled("A title")
			if only {
				change = webtest.ViewOnly
			}
			l := s.Publish(name, content, change)
			page := "/p/" + string(l.Slug)
			for range 2 { // once rendered, once from the cache
				own, frame := s.Status(s.Get(page), 200), s.Status(s.Get(page+"/embed"), 200)
				if !strings.Contains(own.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
					strings.Contains(own.Text, "data-embed") {
					t.Errorf("%s: the page has the headers or markup of an embed: %v", name, own.Header)
				}
				if !strings.Contains(frame.Header.Get("Content-Security-Policy"), "frame-ancestors *") ||
					frame.Header.Get("X-Frame-Options") != "" || frame.Header.Get("X-Robots-Tag") != "noindex" ||
					!strings.Contains(frame.Text, " data-embed>") ||
					!strings.Contains(frame.Text, `name="robots" content="noindex"`) ||
					strings.Contains(frame.Text, `id="share"`) {
					t.Errorf("%s: the embed lacks its headers or markup: %v\n%s", name, frame.Header, frame.Text)
				}
				if strings.Contains(frame.Text, "/download") == only ||
					strings.Contains(frame.Text, "View only") != only ||
					!strings.Contains(frame.Text, `target="_blank"`) {
					t.Errorf("%s, view only = %v: %s", name, only, frame.Text)
				}
				if strings.Contains(frame.Text, "<iframe") {
					content := s.Status(s.Get(s.ContentOf(frame.Text)), 200)
					if csp := content.Header.Get("Content-Security-Policy"); !strings.Contains(csp,
						"frame-ancestors *") || !strings.Contains(csp, "sandbox allow-") {
						t.Errorf("%s: policy of the embed's content = %s", name, csp)
					}
					if csp := s.Get(s.ContentOf(own.Text)).Header.Get("Content-Security-Policy"); !strings.Contains(csp,
						"frame-ancestors "+s.URL) {
						t.Errorf("%s: policy of the page's content = %s", name, csp)
					}
				}
				s.Status(s.Do(http.MethodPost, s.BeaconOf(frame.Text), "{}", "Content-Type: text/plain"), 204)
			}
			s.Status(s.Do(http.MethodHead, page+"/embed", ""), 200)
			s.Status(s.Get(page+"/embed", "Sec-Purpose: prefetch"), 503)
			s.Status(s.Get("/p/"+strings.ToUpper(string(l.Slug))+"/embed"), 308)
			s.CountViews(l, 4)
		}
	}
}

// TestEmbedOfNothing checks that an embed without content says so in its frame,
// and leads its readers nowhere.
func TestEmbedOfNothing(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"], webtest.Titled("A secret title"))
	s.SetState(l, vitrine.StateDisabled)
	for path, status := range map[string]int{"/p/" + string(l.Slug) + "/embed": 410, "/p/nothing-here/embed": 404} {
		r := s.Status(s.Get(path), status)
		if !strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors *") ||
			strings.Contains(r.Text, "secret") || strings.Contains(r.Text, "<a ") {
			t.Errorf("GET %s: headers %v\n%s", path, r.Header, r.Text)
		}
	}
	s.CountViews(l, 0)
}

// TestBrowserEmbed shows each kind of file on a page of another site, without
// complaints of the browser and in the size of the embed code.
// TestBrowserFilePages checks what does not depend on the embedding page.
func TestBrowserEmbed(t *testing.T) {
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
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
			l := s.Publish(name, webtest.Samples[name])
			tb := webtest.NewTab(t)
			tb.Run(chromedp.Navigate(s.Stranger(l)))
			f := tb.Frame("/embed")
			f.Until(there + ` && document.body.dataset.embed === ""`)
			switch name {
			case "report.pdf":
				p := f.Frame("/view?embed")
				p.Until(`document.querySelector(".page canvas") !== null`)
				p.Quiet()
			case "page.html":
				p := f.Frame("/frame?embed")
				p.Until(`document.body.innerText.includes("You are invited")`)
				p.Quiet()
			}
			var active bool
			if tb.Run(chromedp.Evaluate(`document.activeElement === document.body`, &active)); !active {
				t.Error("the embed has taken the focus of the page")
			}
			f.Until(`document.documentElement.scrollWidth <= innerWidth`)
			if name != "notes.txt" {
				f.Until(`document.documentElement.scrollHeight <= innerHeight`) // the size in the embed code is sufficient
			}
			all := s.Views(l)
			if len(all) != 2 || all[1].Bot != "" || all[1].Referrer != "localhost" {
				t.Errorf("views = %+v", all)
			}
			f.Quiet()
			tb.Quiet()
		})
	}
}

// TestBrowserEmbedWheel checks that the wheel scrolls the page around an embed
// until something in it is zoomed.
func TestBrowserEmbedWheel(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("wide.png", webtest.Solid(2400, 1800))
	tb := webtest.NewTab(t, chromedp.EmulateViewport(800, 700), chromedp.Navigate(s.URL+"/p/"+string(l.Slug)+"/embed"))
	tb.Until(webtest.ShownImage)
	fitted := tb.ImageRect()
	tb.Run(webtest.Wheel(400, 300, -240, 0))
	if r := tb.ImageRect(); r != fitted {
		t.Errorf("the wheel without a key zooms from %v to %v", fitted, r)
	}
	tb.Run(webtest.Keys("1"))
	tb.Until(`document.getElementById("scale").textContent === "100 %"`)
	before := tb.ImageRect()
	tb.Run(webtest.Wheel(400, 300, 100, 0))
	tb.Until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().top === %g`, before.Top-100))
	tb.Quiet()
}
