package reportpage_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/chromedp"
)

// TestThumbs checks that a document's owner sees thumbnails of its pages beside
// their numbers, and that readers of a shared report do, as long as the link is
// public.
func TestThumbs(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *webtest.Site{"disk": func(t *testing.T) *webtest.Site { return webtest.NewDesk(t) },
		"bucket": func(t *testing.T) *webtest.Site { s, _ := webtest.NewBucketSite(t); return s }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			webtest.Previewer(t, s)
			o := &webtest.ReportSite{Site: s}
			l := s.Sent("report.pdf", string(webtest.Samples["report.pdf"]))
			s.Ahead.Add(int64(webtest.OfficeDays * 24 * time.Hour))
			s.ReadBy(l, 40)
			o.Cookie = s.SignIn(s.Account)
			page := webtest.StatsPath(l)
			if n := len(s.ThumbsOn(s.Status(s.Get(page, o.Cookie), 200).Text)); n != 0 {
				t.Errorf("%d thumbnails before they are made, want 0", n)
			}
			s.Status(s.Get(page+"/pages/1", o.Cookie), http.StatusNotFound)
			s.Check(s.Server.Previews.Make(t.Context()))
			own := s.ThumbsOn(s.Status(s.Get(page+"?range=all", o.Cookie), 200).Text)
			if len(own) < 2 {
				t.Fatalf("%d thumbnails, want at least 2", len(own))
			}
			for _, address := range own {
				s.IsThumb(address, o.Cookie)
			}
			for _, wrong := range []string{"0", "99", "x", "..%2f1", "1.jpg"} {
				s.Status(s.Get(page+"/pages/"+wrong, o.Cookie), http.StatusNotFound)
			}
			s.Status(s.Get(own[0]), http.StatusUnauthorized)
			s.Status(s.Get(own[0], s.SignIn(s.Owner)), http.StatusNotFound)

			form := "Content-Type: application/x-www-form-urlencoded"
			open, asks := o.Share(t, page, ""), o.Share(t, page, "password=a+cafe+at+noon")
			all := o.Share(t, "/analytics", "")
			shared := s.ThumbsOn(s.Status(s.Get(open+"?range=all"), 200).Text)
			if len(shared) != len(own) {
				t.Errorf("%d thumbnails in the shared report, want %d", len(shared), len(own))
			}
			s.IsThumb(shared[0])
			s.Status(s.Get(asks+"/pages/1"), http.StatusNotFound)
			s.Status(s.Get(all+"/pages/1"), http.StatusNotFound)
			pass, _, _ := strings.Cut(s.Do("POST", asks, "password=a+cafe+at+noon", form).Header.Get("Set-Cookie"), ";")
			s.IsThumb(asks+"/pages/1", "Cookie: "+pass)

			s.SetState(l, vitrine.StateDisabled)
			s.Status(s.Get(shared[0]), http.StatusGone)
			if n := len(s.ThumbsOn(s.Status(s.Get(open+"?range=all"), 200).Text)); n != 0 {
				t.Errorf("%d thumbnails of a disabled link, want 0", n)
			}
			s.IsThumb(own[0], o.Cookie)
			s.Check(s.Server.Links.Delete(t.Context(), string(l.Slug),
				vitrine.Decision{By: vitrine.Owner(s.Account.ID)}))
			s.Status(s.Get(own[0], o.Cookie), http.StatusNotFound)
			s.Status(s.Get(shared[0]), http.StatusNotFound)
		})
	}
}

// TestBrowserThumbs checks that Chromium shows the thumbnails on both pages.
func TestBrowserThumbs(t *testing.T) {
	o := webtest.NewReportSite(t)
	webtest.Previewer(t, o.Site)
	l := o.Links[report.ContentPages]
	o.Check(o.Server.Previews.Make(t.Context()))
	tb := webtest.NewMember(t, o.Site, o.Account)
	for _, page := range []string{webtest.StatsPath(l), o.Share(t, webtest.StatsPath(l), "")} {
		tb.Run(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(o.URL+page+"?range=all"))
		tb.Until(`document.querySelectorAll(".thumb img").length > 1`)
		tb.Run(chromedp.Evaluate(`document.querySelector("#pages").scrollIntoView()`, nil))
		tb.Until(`document.querySelector(".thumb img").naturalHeight === 160`)
		tb.Until(`[...document.querySelectorAll(".thumb")].every((c) => c.offsetHeight <= 64)`)
	}
	tb.Quiet()
}
