package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

var fakeClock = string(mustRead("testdata/clock.js"))

// withClock gives every later page of a tab, and every frame in it, a clock
// that only [tab.tick] moves.
func withClock() chromedp.Action { return inAllFrames(fakeClock) }

// inAllFrames runs a script before the scripts of every later page and of each
// frame in it, including frames in other processes. It does not reach frames
// within such frames.
func inAllFrames(script string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		chromedp.ListenTarget(ctx, func(event any) {
			if e, ok := event.(*target.EventAttachedToTarget); ok && e.WaitingForDebugger {
				go prepare(ctx, e.SessionID, script)
			}
		})
		// WithFlatten is not set, because chromedp can write to the sessions of
		// such frames only through the session of their page.
		if err := target.SetAutoAttach(true, true).Do(ctx); err != nil {
			return err
		}
		_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	})
}

// prepare runs a script in a frame that waits for it, and resumes the frame.
func prepare(ctx context.Context, session target.SessionID, script string) {
	for i, command := range []map[string]any{
		{"method": "Page.enable"},
		{"method": "Page.addScriptToEvaluateOnNewDocument", "params": map[string]string{"source": script}},
		{"method": "Runtime.runIfWaitingForDebugger"},
	} {
		command["id"] = i + 1
		message, err := json.Marshal(command)
		if err != nil {
			panic(err)
		}
		// The frame may be gone by now, with its page.
		_ = cdp.Execute(ctx, "Target.sendMessageToTarget",
			map[string]string{"message": string(message), "sessionId": string(session)}, nil)
	}
}

// tick moves the clocks of the site, the page and its frames, one second at a
// time, so that a beacon arrives before the site's clock moves on.
func (s *site) tick(tb *tab, d time.Duration) {
	tb.t.Helper()
	for d > 0 {
		step := min(d, time.Second)
		d -= step
		s.ahead.Add(int64(step))
		tb.run(chromedp.Evaluate(fmt.Sprintf(`clock.tick(%d)`, step.Milliseconds()), nil, awaited))
	}
}

func TestClock(t *testing.T) {
	tb := newTab(t, withClock())
	s := newSite(t)
	tb.run(s.page(s.publish("page.html", samples["page.html"])))
	var timers []string
	tb.run(chromedp.Evaluate(`
		window.told = [];
		setInterval(() => told.push("every " + performance.now()), 1000);
		const id = setTimeout(() => told.push("never"), 10);
		clearTimeout(id);
		setTimeout(() => setTimeout(() => told.push("after " + performance.now()), 500), 1500);
		window.first = Date.now();
		new Promise((done) => setTimeout(done)); // takes no time
	`, nil, awaited))
	s.tick(tb, 1999*time.Millisecond)
	s.tick(tb, time.Millisecond)
	var later float64
	tb.run(chromedp.Evaluate(`told`, &timers), chromedp.Evaluate(`new Date() - first`, &later))
	if got := fmt.Sprint(timers); got != "[every 2000 every 3000 after 3000]" || later != 2000 {
		t.Errorf("timers = %s after %v ms", got, later)
	}
	var frame float64
	tb.frame("/frame").run(chromedp.Evaluate(`performance.now()`, &frame))
	if frame != 3000 {
		t.Errorf("the clock of the frame = %v, want 3000", frame)
	}
}
