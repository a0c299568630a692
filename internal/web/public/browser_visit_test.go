package public_test

import (
	"slices"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report/part"

	"github.com/chromedp/chromedp"
)

// TestBrowserFilePages checks the page and the embed of each kind of file: they
// are accessible, fit into each window, do not move while they load, send
// requests to no other host, store nothing in the browser, and contain nothing
// that their policy forbids. The pages without content are among
// webtest.SitePages.
func TestBrowserFilePages(t *testing.T) {
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
	paths := map[string]string{}
	for name, content := range webtest.Samples {
		paths[name] = "/p/" + string(s.Publish(name, content, webtest.Titled("The title of "+name)).Slug)
	}
	paths["view only"] = "/p/" + string(s.Publish("notes.txt", webtest.Samples["notes.txt"], webtest.ViewOnly).Slug)
	for form, end := range map[string]string{"page": "", "embed": "/embed"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			tb := webtest.NewVisitor(t)
			tb.AsksOnly(s.Server.PublicURL.Host, s.Server.ContentURL.Host)
			for name, path := range paths {
				tb.Visit(s.URL + path + end)
				tb.CheckFile(name, form)
			}
			var kept string
			tb.Run(chromedp.Evaluate(`document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)`,
				&kept))
			if kept != "{}{}" {
				t.Errorf("the browser has stored %s", kept)
			}
			tb.Quiet()
			tb.Visit(s.URL + "/p/nothing-here" + end)
			tb.CheckWindows("unknown, " + form)
		})
	}
	t.Run("owner", func(t *testing.T) {
		t.Parallel()
		tb := s.VisitorOf(s.Account)
		tb.Visit(s.URL + paths["notes.txt"])
		tb.Until(`document.querySelector(".own") !== null`)
		tb.CheckWindows("the owner's visit")
	})
}

// TestBrowserHeadsKeepTheirHeight checks that the head of a link or website is
// as high with a local time as with the longer one in UTC that it replaces, at
// every width: what follows it does not move when the script runs.
func TestBrowserHeadsKeepTheirHeight(t *testing.T) {
	d := webtest.NewDemo(t)
	tb := webtest.NewMember(t, d.Site, d.Pro)
	for _, path := range []string{"/links/" + string(d.Links["tour.webm"].Slug),
		"/websites/" + string(d.Website.Slug)} {
		tb.Run(chromedp.EmulateViewport(390, 844), chromedp.Navigate(d.URL+path))
		tb.Arrives(`document.body.classList.contains("has-script")`)
		var moved string
		tb.Run(chromedp.Evaluate(`(() => {
			const head = document.querySelector(".link-head"), time = head.querySelector("time[data-local]"),
				moved = [];
			for (let width = 288; width < 450; width++) {
				head.style.width = width + "px";
				const heights = ["28 Nov 2026, 20:48 UTC", "28 Nov 2026, 20:48"].map((text) => {
					time.textContent = text;
					return head.getBoundingClientRect().height;
				});
				if (heights[0] !== heights[1]) moved.push(width);
			}
			return moved.join();
		})()`, &moved))
		if moved != "" {
			t.Errorf("%s: the height of the head changes at widths of %s px", path, moved)
		}
	}
}

// TestBrowserClicksInPDF checks that clicks on links of a PDF count, by page.
func TestBrowserClicksInPDF(t *testing.T) {
	s := webtest.NewSite(t)
	pdf := webtest.NewPDF()
	pdf.Link = "https://a.test/b?q=1"
	l := s.Publish("links.pdf", pdf.Pages(2).Bytes())
	f := webtest.NewTab(t, s.Page(l)).Frame("/view")
	f.Until(`document.querySelector(".page a") !== null`)
	f.Run(chromedp.Evaluate(`{
		const a = document.querySelector(".page a");
		a.addEventListener("click", (e) => e.preventDefault());
		a.click();
		a.click();
	}`, nil))
	want := []part.Click{{Part: 1, Target: "https://a.test/b", Count: 2}}
	webtest.Eventually(t, "two clicks", func() bool {
		all := s.Views(l)
		return len(all) == 1 && all[0].Session != nil && slices.Equal(all[0].Session.Clicks, want)
	})
}
