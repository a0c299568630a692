package web_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/report"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// far is the length of one stretch of reading.
const far = 2500 * time.Millisecond

// ways are the ways of leaving a page. Each begins with an open page and
// returns the expected session.
var ways = map[string]func(*reading) report.Session{
	"close": func(r *reading) report.Session {
		r.read(far)
		r.run(page.Close())
		return r.measured(0)
	},
	"navigate": func(r *reading) report.Session {
		r.read(far)
		r.leave()
		return r.measured(0)
	},
	// Back with the back-forward cache continues the same view. The time
	// between is not counted.
	"back": func(r *reading) report.Session {
		r.read(far)
		r.run(chromedp.Evaluate(fmt.Sprintf(`window.mark = 1; if (window.clock) clock.pass = %d`, far.Milliseconds()),
			nil))
		r.run(chromedp.Navigate(r.s.url + "/"))
		r.measured(0)
		r.away(far)
		r.run(chromedp.ActionFunc(func(ctx context.Context) error {
			at, all, err := page.GetNavigationHistory().Do(ctx)
			if err != nil {
				return err
			}
			return page.NavigateToHistoryEntry(all[at-1].ID).Do(ctx)
		}))
		eventually(r.t, "the page as it was kept", func() bool {
			var kept bool
			return chromedp.Run(r.ctx, chromedp.Evaluate(`window.mark === 1 && document.visibilityState === "visible"`,
				&kept)) == nil && kept
		})
		r.read(far)
		r.leave()
		return r.measured(0)
	},
	// Hidden and shown again: the time behind other windows is not counted. The
	// second time the page stays hidden.
	"hidden": func(r *reading) report.Session {
		r.read(far)
		r.hide()
		r.measured(0)
		r.away(far)
		r.show()
		r.read(far)
		r.hide()
		r.measured(0)
		r.away(far)
		return r.measured(0)
	},
	// Offline for a while: the beacons that failed are sent when the network is
	// back.
	"offline": func(r *reading) report.Session {
		r.run(offline(true))
		r.read(far)
		r.hide() // this beacon fails
		r.away(500 * time.Millisecond)
		r.show()
		r.run(offline(false))
		r.read(far)
		r.leave()
		return r.measured(0)
	},
	// Offline to the end: everything since the last snapshot is lost, and
	// nothing else.
	"gone offline": func(r *reading) report.Session {
		r.read(5500 * time.Millisecond)
		r.measured(500 * time.Millisecond) // the snapshot at 5 s
		r.run(offline(true))
		r.read(far)
		r.run(page.Close())
		return r.measured(500*time.Millisecond + far)
	},
}

// measures has one kind of file for each way of measuring, and a check of what
// else the session must have.
var measures = map[string]func(report.Session) bool{
	"notes.txt":   func(n report.Session) bool { return n.Depth == 1_000_000 }, // how far down it was visible
	"picture.png": func(n report.Session) bool { return n.Depth == 1_000_000 },
	"page.html":   func(n report.Session) bool { return n.Depth == 1_000_000 }, // as its frame reports it
	"report.pdf": func(n report.Session) bool { // by pages
		return slices.Equal(n.Pages, []report.PageTime{{Page: 1, Ms: n.EngagedMs}})
	},
	"clip.webm": func(n report.Session) bool { return n.Played > 0 && n.Reached >= n.Played },
}

// TestBrowserEngagement checks that each way of measuring, with each way of
// leaving, is exact to the millisecond.
func TestBrowserEngagement(t *testing.T) {
	s := newTimed(t, nil)
	for name, right := range measures {
		for way, leave := range ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				if n := leave(s.open(newTab(t), s.sample(name))); !right(n) {
					t.Errorf("session = %+v", n)
				}
			})
		}
	}
}

// TestBrowserTimes checks what counts as reading, and what is stored when the
// browser is killed.
func TestBrowserTimes(t *testing.T) {
	for name, test := range times {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newTimed(t, nil))
		})
	}
	t.Run("in and out of view by itself", func(t *testing.T) {
		t.Parallel()
		inAndOutOfView(t, newTimed(t, nil))
	})
}

var times = map[string]func(*testing.T, *timed){
	// A killed browser loses what it has not yet sent, and nothing else.
	"killed": func(t *testing.T, s *timed) {
		b := startBrowser(t)
		var all []*reading
		for name := range measures {
			r := s.open(b.tab(t), s.sample(name))
			r.read(6 * time.Second)
			r.measured(time.Second) // what was sent at 5 s
			all = append(all, r)
		}
		b.kill(t)
		for _, r := range all {
			r.measured(time.Second)
		}
	},
	// Time without input for half a minute does not count.
	"no input": func(t *testing.T, s *timed) {
		r := s.open(newTab(t), s.sample("notes.txt"))
		r.read(30 * time.Second)
		r.idles(6 * time.Second)
		r.leave()
		r.measured(0)
	},
	"input again": func(t *testing.T, s *timed) {
		r := s.open(newTab(t), s.sample("notes.txt"))
		r.read(30 * time.Second)
		r.idles(6 * time.Second)
		r.run(chromedp.Evaluate(`addEventListener("pointermove", () => (window.moved = true))`, nil),
			chromedp.MouseEvent("mouseMoved", 200, 200))
		r.until(`window.moved`)
		r.read(far)
		r.leave()
		r.measured(0)
	},
	// Time does not count either while the window is visible but does not have
	// the focus.
	"no focus": func(t *testing.T, s *timed) {
		tb := newTab(t, chromedp.ActionFunc(onNewDocument(`document.hasFocus = () => false`)))
		r := s.open(tb, s.sample("notes.txt"))
		r.idles(far)
		r.leave()
		if n := r.measured(0); n.EngagedMs != 0 {
			t.Errorf("session = %+v, want no engaged time", n)
		}
	},
	"music goes on": func(t *testing.T, s *timed) {
		r := s.open(newTab(t), s.sample("song.mp3"))
		r.read(36 * time.Second)
		r.leave()
		r.measured(0)
	},
	// The time on each page, with pauses. A page that is left within a second
	// does not count.
	"pages": func(t *testing.T, s *timed) {
		r := s.open(newTab(t), s.sample("report.pdf"))
		f := r.frame("/view")
		want, at := map[int]time.Duration{}, 1
		turn := func(to int) {
			r.shown(chromedp.ActionFunc(func(context.Context) error {
				f.run(chromedp.SetValue("#page", fmt.Sprint(to)),
					chromedp.Evaluate(`void document.getElementById("page").onchange()`, nil))
				return nil
			}))
			at = to
		}
		read := func(d time.Duration) {
			r.read(d)
			want[at] += d
		}
		read(2 * time.Second)
		turn(4)
		read(3 * time.Second)
		turn(9)
		read(1500 * time.Millisecond)
		r.hide()
		r.away(far)
		r.show()
		read(far)
		if s.witness == nil { // without the witness it may take longer
			turn(2)
			r.read(999 * time.Millisecond)
		}
		turn(4)
		read(2 * time.Second)
		r.run(page.Close())
		n := r.measured(0)
		for _, p := range n.Pages {
			if d := ms(p.Ms) - want[p.Page]; s.witness == nil && d != 0 || d < -s.witness.lost(r.link) {
				t.Errorf("page %d was read for %v, but measured %v", p.Page, want[p.Page], ms(p.Ms))
			}
			delete(want, p.Page)
		}
		if len(want) > 0 {
			t.Errorf("pages that were not measured: %v", want)
		}
	},
	// An embed on another site's page is read while part of it is in view
	// there.
	"embed in view": func(t *testing.T, s *timed) {
		l := s.sample("notes.txt")
		r := s.visit(newTab(t), l, s.host(t, l))
		r.away(far) // loaded, but out of view
		r.comesIntoView(2900)
		r.read(far)
		r.leavesView(5000)
		r.away(far)
		r.comesIntoView(3100)
		r.read(far)
		r.leave()
		if n := r.measured(0); n.Depth != 1_000_000 {
			t.Errorf("session = %+v, want depth 1000000", n)
		}
	},
}

// inAndOutOfView checks that a page which scrolls a frame into view by itself,
// again and again, counts as read for half a minute at most.
func inAndOutOfView(t *testing.T, s *timed) {
	l := s.sample("notes.txt")
	r := s.visit(newTab(t), l, s.host(t, l))
	for i := range 4 {
		r.comesIntoView(2900)
		if i < 3 { // from 0, 10 and 20 s
			r.read(8 * time.Second)
		} else { // from 30 s
			r.idles(8 * time.Second)
		}
		r.leavesView(5000)
		r.away(2 * time.Second)
	}
}
