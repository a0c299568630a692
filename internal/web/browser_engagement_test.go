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

// far is how long a stretch of reading lasts.
const far = 2500 * time.Millisecond

// ways are the ways of leaving a page. Each begins when it is open.
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
	// Back by the back-forward cache: the same view goes on. What was between
	// is not counted.
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
	// Hidden, and looked at again: the time behind other windows is not
	// counted. The second time it stays hidden.
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
	// Without a network for a while: what could not be told is told when it is
	// there again.
	"offline": func(r *reading) report.Session {
		r.run(offline(true))
		r.read(far)
		r.hide() // told to nobody
		r.away(500 * time.Millisecond)
		r.show()
		r.run(offline(false))
		r.read(far)
		r.leave()
		return r.measured(0)
	},
	// And when it does not come back: all is lost since the last snapshot, and
	// nothing else.
	"gone offline": func(r *reading) report.Session {
		r.read(5500 * time.Millisecond)
		r.measured(500 * time.Millisecond) // the snapshot of 5 s
		r.run(offline(true))
		r.read(far)
		r.run(page.Close())
		return r.measured(500*time.Millisecond + far)
	},
}

// measures are one kind of file for each way in which a page measures, with
// what else a view of it must have measured.
var measures = map[string]func(report.Session) bool{
	"notes.txt":   func(n report.Session) bool { return n.Depth == 1_000_000 }, // how far down it was visible
	"picture.png": func(n report.Session) bool { return n.Depth == 1_000_000 },
	"page.html":   func(n report.Session) bool { return n.Depth == 1_000_000 }, // as its frame tells
	"report.pdf": func(n report.Session) bool { // by pages
		return slices.Equal(n.Pages, []report.PageTime{{Page: 1, Ms: n.EngagedMs}})
	},
	"clip.webm": func(n report.Session) bool { return n.Played > 0 && n.Reached >= n.Played },
}

// Each way of measuring, left in each way, is exact to the millisecond.
func TestBrowserEngagement(t *testing.T) {
	s := newTimed(t, nil)
	for name, right := range measures {
		for way, leave := range ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				if n := leave(s.open(newTab(t), s.sample(name))); !right(n) {
					t.Errorf("%+v", n)
				}
			})
		}
	}
}

// What counts as reading, and what is kept when the browser dies.
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
	// A killed browser loses what it had not told yet, and nothing else.
	"killed": func(t *testing.T, s *timed) {
		b := startBrowser(t)
		var all []*reading
		for name := range measures {
			r := s.open(b.tab(t), s.sample(name))
			r.read(6 * time.Second)
			r.measured(time.Second) // what was told at 5 s
			all = append(all, r)
		}
		b.kill(t)
		for _, r := range all {
			r.measured(time.Second)
		}
	},
	// Nobody reads who does nothing for half a minute.
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
	// A viewer whose window is behind others does not read either, though it
	// can be seen.
	"no focus": func(t *testing.T, s *timed) {
		tb := newTab(t, chromedp.ActionFunc(onNewDocument(`document.hasFocus = () => false`)))
		r := s.open(tb, s.sample("notes.txt"))
		r.idles(far)
		r.leave()
		if n := r.measured(0); n.EngagedMs != 0 {
			t.Errorf("%+v", n)
		}
	},
	"music goes on": func(t *testing.T, s *timed) {
		r := s.open(newTab(t), s.sample("song.mp3"))
		r.read(36 * time.Second)
		r.leave()
		r.measured(0)
	},
	// Time on pages, with some of it away. A page that is left again within a
	// second was not seen.
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
		if s.witness == nil { // otherwise it may take longer
			turn(2)
			r.read(999 * time.Millisecond)
		}
		turn(4)
		read(2 * time.Second)
		r.run(page.Close())
		n := r.measured(0)
		for _, p := range n.Pages {
			if d := ms(p.Ms) - want[p.Page]; s.witness == nil && d != 0 || d < -s.witness.lost(r.link) {
				t.Errorf("page %d was read for %v, measured %v", p.Page, want[p.Page], ms(p.Ms))
			}
			delete(want, p.Page)
		}
		if len(want) > 0 {
			t.Errorf("not seen: %v", want)
		}
	},
	// On another site's page an embed is read while some of it is in view
	// there.
	"embed in view": func(t *testing.T, s *timed) {
		l := s.sample("notes.txt")
		r := s.visit(newTab(t), l, s.host(t, l))
		r.away(far) // it is there, and out of view
		r.comesIntoView(2900)
		r.read(far)
		r.leavesView(5000)
		r.away(far)
		r.comesIntoView(3100)
		r.read(far)
		r.leave()
		if n := r.measured(0); n.Depth != 1_000_000 {
			t.Errorf("%+v", n)
		}
	},
}

// A page that brings a frame into view by itself, again and again, has it read
// for half a minute at the most.
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
