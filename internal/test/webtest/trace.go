package webtest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// Figures opens a page in a new browser and returns its figures.
func (s *Site) Figures(b *testing.B, l *vitrine.Link, slow float64) map[string]float64 {
	b.Helper()
	trace := s.trace(b, emulation.SetCPUThrottlingRate(slow), s.Page(l), func(context.Context) {
		<-time.After(3 * time.Second) // includes late requests, also of frames
	})
	out := map[string]float64{}
	weigh(trace, out)
	return out
}

// LayoutTime opens a page in a new browser and returns the processor time of
// its layout and styles, in ms, until a condition in the page is true.
func (s *Site) LayoutTime(t testing.TB, l *vitrine.Link, until string) (ms float64) {
	t.Helper()
	trace := s.trace(t, emulation.SetDeviceMetricsOverride(1440, 900, 1, false), s.Page(l), func(ctx context.Context) {
		(&Tab{t: t, Ctx: ctx}).Until(until)
	})
	var page traced
	for _, e := range trace {
		if e.Name == "navigationStart" && strings.Contains(e.Args.Data.DocumentURL, "/p/"+string(l.Slug)) {
			page = e
		}
	}
	for _, e := range trace {
		if e.PID == page.PID && (e.Name == "Layout" || e.Name == "UpdateLayoutTree") {
			ms += e.CPU / 1000
		}
	}
	return ms
}

// trace opens a page in a new browser and returns what the browser does until
// it is loaded and wait returns.
func (s *Site) trace(t testing.TB, before, open chromedp.Action, wait func(ctx context.Context)) []traced {
	t.Helper()
	options := browserOptions(t, vitrinetest.Profile(t))
	allocator, stopBrowser := chromedp.NewExecAllocator(context.Background(), options...)
	defer stopBrowser()
	ctx, stop := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	defer stop()
	s.Check(chromedp.Run(ctx, emulation.SetFocusEmulationEnabled(true), before))

	var mu sync.Mutex
	var trace []traced
	done := make(chan struct{})
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			for _, v := range e.Value {
				var t traced
				if json.Unmarshal(v, &t) == nil {
					trace = append(trace, t)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	})
	s.Check(chromedp.Run(ctx,
		tracing.Start().WithTransferMode(tracing.TransferModeReportEvents).WithTraceConfig(&tracing.TraceConfig{
			IncludedCategories: []string{"loading", "toplevel", "devtools.timeline", "blink.user_timing"}}),
		open))
	wait(ctx)
	s.Check(chromedp.Run(ctx, tracing.End()))
	<-done
	mu.Lock()
	defer mu.Unlock()
	return trace
}

// traced is an event of Chromium's tracing. Times are in microseconds.
type traced struct {
	Name string  `json:"name"`
	PID  int     `json:"pid"`
	TID  int     `json:"tid"`
	TS   float64 `json:"ts"`
	Dur  float64 `json:"dur"`
	CPU  float64 `json:"tdur"` // processor time
	Args struct {
		Data struct {
			Score         float64 `json:"score"`
			HadInput      bool    `json:"had_recent_input"`
			IsMain        bool    `json:"isOutermostMainFrame"`
			DocumentURL   string  `json:"documentLoaderURL"`
			NavigationURL string  `json:"url"`
		} `json:"data"`
	} `json:"args"`
}

// weigh reads the figures of a page from a trace.
func weigh(trace []traced, out map[string]float64) {
	slices.SortFunc(trace, func(a, b traced) int { return int(a.TS - b.TS) })
	var start traced
	for _, e := range trace {
		if e.Name == "navigationStart" && strings.Contains(e.Args.Data.DocumentURL, "/p/") {
			start = e
		}
	}
	ms := func(e traced) float64 { return (e.TS - start.TS) / 1000 }
	for _, e := range trace {
		if e.TS < start.TS {
			continue
		}
		switch {
		case e.PID == start.PID && e.Name == "firstContentfulPaint" && out["ms/FCP"] == 0:
			out["ms/FCP"] = ms(e)
		case e.PID == start.PID && e.Name == "largestContentfulPaint::Candidate":
			out["ms/LCP"] = ms(e)
		case e.Name == "LayoutShift" && !e.Args.Data.HadInput:
			out["CLS"] += e.Args.Data.Score
		case e.PID == start.PID && e.TID == start.TID && strings.HasSuffix(e.Name, "RunTask") && e.Dur > 50_000:
			out["ms/blocked"] += e.Dur/1000 - 50
		}
	}
	if out["ms/LCP"] == 0 {
		out["ms/LCP"] = out["ms/FCP"]
	}
	out["CLS"] += 0
	out["ms/blocked"] += 0
}
