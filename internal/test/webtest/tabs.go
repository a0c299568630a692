package webtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/report"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// FakeClock is the script of WithClock.
var FakeClock = string(MustRead("testdata/clock.js"))

// WithClock gives every later page of a tab, and every frame in it, a clock
// that only [tab.tick] moves.
func WithClock() chromedp.Action { return inAllFrames(FakeClock) }

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

// Tick moves the clocks of the site, the page and its frames, one second at a
// time, so that a beacon arrives before the site's clock moves on.
func (s *Site) Tick(tb *Tab, d time.Duration) {
	tb.t.Helper()
	s.TickWith(d, func(script string) { tb.Run(chromedp.Evaluate(script, nil, Awaited)) })
}

// TickWith is Tick for a page that runs scripts with a function.
func (s *Site) TickWith(d time.Duration, run func(script string)) {
	for d > 0 {
		step := min(d, time.Second)
		d -= step
		s.Ahead.Add(int64(step))
		run(fmt.Sprintf(`clock.tick(%d)`, step.Milliseconds()))
	}
}

// EveryQuarter views a link every quarter of an hour, from before a day to
// after it. It returns the hours of the day with their number of views.
func (s *Site) EveryQuarter(l *vitrine.Link, from, to time.Time) (hours []string) {
	s.T.Helper()
	var b vitrine.Batch
	var last string
	n := 0
	for at := from.Add(-3 * time.Hour); at.Before(to.Add(time.Hour)); at = at.Add(15 * time.Minute) {
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{
			ID: int64(vitrine.ViewIDAt(at.UnixMilli(), 0)), At: at.UnixMilli(), Link: int64(l.ID),
			Viewer: uint64(len(b.Views) + 1)}})
		if at.Before(from) || !at.Before(to) {
			continue
		}
		if hour := at.Format("15 -07:00"); hour != last {
			hours, last, n = append(hours, ""), hour, 0
		}
		n++
		hours[len(hours)-1] = last[:2] + " " + strconv.Itoa(n)
	}
	done, err := s.Log.Append(s.T.Context(), b)
	s.Check(err)
	for _, err := range done.Refused {
		s.Check(err)
	}
	return hours
}

// Stranger returns a site of another origin whose page has the embed code of a
// link.
func (s *Site) Stranger(l *vitrine.Link) string {
	code := regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`).FindStringSubmatch(s.Get("/p/"+string(l.Slug),
		"User-Agent: Slackbot 1.0").Text)
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w,
			"<!doctype html><title>Elsewhere</title><link rel=icon href='data:,'><body>%s<p>More.</p></body>",
			html.UnescapeString(code[1]))
	}))
	s.T.Cleanup(hs.Close)
	return strings.Replace(hs.URL, "127.0.0.1", "localhost", 1)
}

// HeldByPage checks that the page has sent the bytes of a file and held few of
// them.
func (tb *Tab) HeldByPage(size int) {
	tb.t.Helper()
	var page struct{ Held, Sent int }
	tb.Run(chromedp.Evaluate(`({Held: held, Sent: sent})`, &page))
	if page.Held > 1<<10 || page.Sent < size {
		tb.t.Errorf("of a file of %d bytes the page sent %d and held %d", size, page.Sent, page.Held)
	}
}

// TurnTo goes to a page of a PDF with the page field, and waits until the page
// is drawn.
func (tb *Tab) TurnTo(page string) {
	tb.t.Helper()
	tb.Run(Type("#page", page+kb.Enter))
	tb.Until(`document.querySelector('[data-number="` + page + `"] canvas') !== null`)
}

// Opened waits until a PDF is shown.
func (tb *Tab) Opened(pages string) {
	tb.t.Helper()
	tb.Until(`document.querySelector(".page canvas") !== null && document.getElementById("count").textContent === "` +
		pages + `" && document.getElementById("status").hidden`)
}

// Counter counts the bytes of files that are sent.
type Counter struct {
	http.ResponseWriter
	Sent *atomic.Int64
}

func (c Counter) Write(b []byte) (int, error) {
	c.Sent.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

// Letter returns a PDF of 8 pages of which each has the same text over several
// lines, and the last has none.
func Letter() []byte {
	f := NewPDF()
	for range 7 {
		f.Page("A heading", []string{"The spring exhibi-", "tion stayed open for", "longer than planned.",
			"It was well visited,", "in all its months, by", "people of all ages."}, nil)
	}
	f.Page("", nil, nil)
	return f.Bytes()
}

// testimony is a script that adds the page's own times to each beacon.
var testimony = string(MustRead("testdata/witness.js"))

// Witness keeps the times in the pages' last beacons, by path.
type Witness struct {
	mu   sync.Mutex
	Last map[string]Evidence
	More chan struct{} // closed and replaced when a beacon arrives
}

// Evidence has times in milliseconds: when it was sent, since 1970; the
// tracker's engaged time; how long the page was visible; and how much of that
// the tracker cannot have counted, because the browser ran it late.
type Evidence struct{ At, Engaged, Seen, Lost float64 }

// listen reads a beacon on its way to the server. The returned function stores
// its times once the server has it.
func (w *Witness) listen(r *http.Request) (keep func()) {
	if !strings.HasSuffix(r.URL.Path, "/beacon") {
		return func() {}
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var e Evidence
	if err := json.Unmarshal(body, &e); err != nil {
		panic(err)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if e.At >= w.Last[r.URL.Path].At { // beacons may arrive in another order
			w.Last[r.URL.Path] = e
		}
		close(w.More)
		w.More = make(chan struct{})
	}
}

func (w *Witness) of(l *vitrine.Link) Evidence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Last["/p/"+string(l.Slug)+"/beacon"]
}

// next returns a channel that is closed when a page sends something after the
// call.
func (w *Witness) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.More
}

// lost returns by how much the measured time may be less than the elapsed time:
// nothing with a fake clock.
func (w *Witness) lost(l *vitrine.Link) time.Duration {
	if w == nil {
		return 0
	}
	return time.Duration(w.of(l).Lost * float64(time.Millisecond))
}

// since reports whether the page has sent something since a moment of its own
// clock.
func (w *Witness) since(l *vitrine.Link, moment float64) bool {
	return w == nil || w.of(l).At >= moment
}

// check compares the measured time with the time for which the page was
// visible. Up to 1.5 s without input may count before the tracker notices.
func (w *Witness) check(r *reading, n report.Session) {
	r.t.Helper()
	late := 1.0
	if r.idle > 0 {
		late = 1500
	}
	var e Evidence
	covers := func() bool {
		e = w.of(r.link)
		return float64(n.EngagedMs) <= e.Seen-float64(r.idle.Milliseconds())+late
	}
	// The page's own times may arrive after the measurement.
	patience := time.NewTimer(hang)
	defer patience.Stop()
	for waiting := true; waiting; {
		next := w.next()
		if covers() {
			break
		}
		select {
		case <-next:
		case <-patience.C:
			waiting = false
		}
	}
	if !covers() || n.PresentMs < n.EngagedMs {
		r.t.Errorf("measured %+v, want the page's own times %+v, with %v idle", n, e, r.idle)
	}
	r.t.Logf("%-12s measured %5d ms, by the page's own clock %+v", r.link.Name, n.EngagedMs, e)
}
