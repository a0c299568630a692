package reportpage_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/chromedp"
)

// TestFewViews checks that the report of a link that only bots opened says that
// it has no views, and which are left out; and that one with few views has
// neither hours nor bars of shares.
func TestFewViews(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Publish("notes.txt", webtest.Samples["notes.txt"])
	page := func() string {
		return o.Status(o.Get(webtest.StatsPath(l), o.Cookie), http.StatusOK).Text
	}
	o.AddExcluded(l, [2]string{"crawler", "GPTBot"}, [2]string{"preview", ""})
	if text := page(); !strings.Contains(text, "No views yet") || !strings.Contains(text, `id="ledger"`) ||
		strings.Contains(text, `class="cards"`) {
		t.Errorf("a link that only bots opened:\n%s", text)
	}
	o.OpenNow(l, 3)
	few := o.Parse(page())
	if len(few.Class("heat")) != 0 || len(few.ID("by-sources").Class("fill")) != 0 ||
		len(few.ID("by-sources").Tags("tr")) < 2 {
		t.Error("few views have hours or bars")
	}
	many := o.Parse(o.Get(webtest.StatsPath(o.Links[report.ContentPages])+"?range=90d", o.Cookie).Text)
	webtest.Same(t, "hours of many views", len(many.Class("heat")), 1)
	if len(many.ID("by-sources").Class("fill")) == 0 {
		t.Error("many views have no bars")
	}
}

// TestBrowserFirstScreen checks that the first screen of a report on phones has
// numbers of the period, above the bar at the bottom.
func TestBrowserFirstScreen(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	for _, size := range [][2]int64{{390, 844}, {320, 640}} {
		for _, path := range []string{webtest.StatsPath(o.Links[report.ContentPages]), "/analytics"} {
			tb.Run(chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(o.URL+path))
			tb.Until(`document.readyState === "complete" && document.querySelector(".cards .value") !== null`)
			var value, end int
			tb.Run(chromedp.Evaluate(`Math.round(document.querySelector(".cards .value").getBoundingClientRect().bottom)`, &value),
				chromedp.Evaluate(`Math.round(Math.min(innerHeight, ...[...document.querySelectorAll("body *")].filter((e) => getComputedStyle(e).position === "fixed" && e.checkVisibility() && e.getBoundingClientRect().top > innerHeight / 2).map((e) => e.getBoundingClientRect().top)))`, &end))
			t.Logf("%s at %d × %d: the first number ends at %d of %d", path, size[0], size[1], value, end)
			if value > end {
				t.Errorf("%s at %d × %d shows no number of the period", path, size[0], size[1])
			}
		}
	}
}
