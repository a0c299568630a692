package app_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserLabelsOnAPhone checks that each label of a row can be seen and
// touched on a phone, and that no filter is wider than half of the window.
func TestBrowserLabelsOnAPhone(t *testing.T) {
	d := webtest.NewDesk(t)
	long := strings.Repeat("Wide MMMM ", 3) + "MMMM"
	l := d.Publish("notes.txt", []byte("a"), webtest.Titled("First"))
	cookie := d.SignIn(d.Member)
	d.Post("/links/"+string(l.Slug)+"/settings", url.Values{"title": {"First"}, "slug": {string(l.Slug)},
		"labels": {"Board, Investors of the first round, Sales, " + long}}, cookie)
	tb := d.MemberTab(d.Member, "/links")
	for _, width := range []int64{768, 390, 320} {
		tb.Run(emulation.SetDeviceMetricsOverride(width, 800, 2, true), chromedp.Reload())
		tb.Until(`document.querySelectorAll(".labels a").length === 4`)
		const hidden = `[...document.querySelectorAll(".labels a")].filter((a) => {
			const r = a.getBoundingClientRect();
			return r.right > innerWidth || document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) !== a
				|| a.scrollWidth > a.clientWidth && a.clientWidth < a.closest(".what").clientWidth;
		}).map((a) => a.textContent).join()`
		if got := tb.Text(hidden); got != "" {
			t.Errorf("at %d px these labels are not seen: %s", width, got)
		}
		const wide = `Math.max(...[...document.querySelectorAll(".search select")].map((s) => s.getBoundingClientRect().width)) / innerWidth`
		var share float64
		if tb.Run(chromedp.Evaluate(wide, &share)); share > 0.5 {
			t.Errorf("at %d px a filter takes %.0f%% of the width", width, 100*share)
		}
	}
}
