package web_test

import (
	"bytes"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"

	"github.com/chromedp/chromedp"
)

// thumbsOn returns the URLs of the thumbnails on a page.
func (s *site) thumbsOn(page string) []string {
	var all []string
	for _, cell := range s.parse(page).id("pages").class("thumb") {
		for _, img := range cell.tags("img") {
			all = append(all, img.attr("src"))
		}
	}
	return all
}

// isThumb checks that a URL returns a thumbnail.
func (s *site) isThumb(address string, headers ...string) {
	s.t.Helper()
	r := s.status(s.get(address, headers...), http.StatusOK)
	img, err := jpeg.Decode(bytes.NewReader([]byte(r.body)))
	s.check(err)
	if size := img.Bounds().Size(); max(size.X, size.Y) != 160 {
		s.t.Errorf("size of the thumbnail = %v", size)
	}
	if r.Header.Get("Content-Type") != "image/jpeg" ||
		r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		s.t.Errorf("headers = %v", r.Header)
	}
}

// TestThumbs checks that a document's owner sees thumbnails of its pages beside
// their numbers, and that readers of a shared report do, as long as the link is
// public.
func TestThumbs(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *site{"disk": func(t *testing.T) *site { return newDesk(t) },
		"bucket": func(t *testing.T) *site { s, _ := newBucketSite(t); return s }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			previewer(t, s)
			o := &reportSite{site: s}
			l := s.sent("report.pdf", string(samples["report.pdf"]))
			s.ahead.Add(int64(officeDays * 24 * time.Hour))
			s.readBy(l, 40)
			o.cookie = s.signIn(s.account)
			page := statsPath(l)
			if n := len(s.thumbsOn(s.status(s.get(page, o.cookie), 200).body)); n != 0 {
				t.Errorf("%d thumbnails before they are made, want 0", n)
			}
			s.status(s.get(page+"/pages/1", o.cookie), http.StatusNotFound)
			s.check(s.server.Previews.Make(t.Context()))
			own := s.thumbsOn(s.status(s.get(page+"?range=all", o.cookie), 200).body)
			if len(own) < 2 {
				t.Fatalf("%d thumbnails, want at least 2", len(own))
			}
			for _, address := range own {
				s.isThumb(address, o.cookie)
			}
			for _, wrong := range []string{"0", "99", "x", "..%2f1", "1.jpg"} {
				s.status(s.get(page+"/pages/"+wrong, o.cookie), http.StatusNotFound)
			}
			s.status(s.get(own[0]), http.StatusUnauthorized)
			s.status(s.get(own[0], s.signIn(s.owner)), http.StatusNotFound)

			form := "Content-Type: application/x-www-form-urlencoded"
			open, asks := o.share(t, page, ""), o.share(t, page, "password=a+cafe+at+noon")
			all := o.share(t, "/analytics", "")
			shared := s.thumbsOn(s.status(s.get(open+"?range=all"), 200).body)
			if len(shared) != len(own) {
				t.Errorf("%d thumbnails in the shared report, want %d", len(shared), len(own))
			}
			s.isThumb(shared[0])
			s.status(s.get(asks+"/pages/1"), http.StatusNotFound)
			s.status(s.get(all+"/pages/1"), http.StatusNotFound)
			pass, _, _ := strings.Cut(s.do("POST", asks, "password=a+cafe+at+noon", form).Header.Get("Set-Cookie"), ";")
			s.isThumb(asks+"/pages/1", "Cookie: "+pass)

			s.setState(l, vitrine.StateDisabled)
			s.status(s.get(shared[0]), http.StatusGone)
			if n := len(s.thumbsOn(s.status(s.get(open+"?range=all"), 200).body)); n != 0 {
				t.Errorf("%d thumbnails of a disabled link, want 0", n)
			}
			s.isThumb(own[0], o.cookie)
			s.check(s.server.Links.Delete(t.Context(), string(l.Slug),
				vitrine.Decision{By: vitrine.Owner(s.account.ID)}))
			s.status(s.get(own[0], o.cookie), http.StatusNotFound)
			s.status(s.get(shared[0]), http.StatusNotFound)
		})
	}
}

// TestBrowserThumbs checks that Chromium shows the thumbnails on both pages.
func TestBrowserThumbs(t *testing.T) {
	o := newReportSite(t)
	previewer(t, o.site)
	l := o.links[report.ContentPages]
	o.check(o.server.Previews.Make(t.Context()))
	tb := newMember(t, o.site, o.account)
	for _, page := range []string{statsPath(l), o.share(t, statsPath(l), "")} {
		tb.run(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(o.url+page+"?range=all"))
		tb.until(`document.querySelectorAll(".thumb img").length > 1`)
		tb.run(chromedp.Evaluate(`document.querySelector("#pages").scrollIntoView()`, nil))
		tb.until(`document.querySelector(".thumb img").naturalHeight === 160`)
		tb.until(`[...document.querySelectorAll(".thumb")].every((c) => c.offsetHeight <= 60)`)
	}
	tb.quiet()
}
