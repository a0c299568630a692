package app_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

func TestClock(t *testing.T) {
	tb := webtest.NewTab(t, webtest.WithClock())
	s := webtest.NewSite(t)
	tb.Run(s.Page(s.Publish("page.html", webtest.Samples["page.html"])))
	var timers []string
	tb.Run(chromedp.Evaluate(`
		window.told = [];
		setInterval(() => told.push("every " + performance.now()), 1000);
		const id = setTimeout(() => told.push("never"), 10);
		clearTimeout(id);
		setTimeout(() => setTimeout(() => told.push("after " + performance.now()), 500), 1500);
		window.first = Date.now();
		new Promise((done) => setTimeout(done)); // takes no time
	`, nil, webtest.Awaited))
	s.Tick(tb, 1999*time.Millisecond)
	s.Tick(tb, time.Millisecond)
	var later float64
	tb.Run(chromedp.Evaluate(`told`, &timers), chromedp.Evaluate(`new Date() - first`, &later))
	if got := fmt.Sprint(timers); got != "[every 2000 every 3000 after 3000]" || later != 2000 {
		t.Errorf("timers = %s after %v ms", got, later)
	}
	var frame float64
	tb.Frame("/frame").Run(chromedp.Evaluate(`performance.now()`, &frame))
	if frame != 3000 {
		t.Errorf("the clock of the frame = %v, want 3000", frame)
	}
}
