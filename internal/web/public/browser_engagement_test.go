package public_test

import (
	"testing"
	"time"

	"vitrine/internal/test/webtest"
)

// TestBrowserEngagement checks that each way of measuring, with each way of
// leaving, is exact to the millisecond.
func TestBrowserEngagement(t *testing.T) {
	s := webtest.NewTimed(t, nil)
	for name, right := range webtest.Measures {
		for way, leave := range webtest.Ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				if n := leave(s.Open(webtest.NewTab(t), s.Sample(name))); !right(n) {
					t.Errorf("session = %+v", n)
				}
			})
		}
	}
}

// TestBrowserTimes checks what counts as reading, and what is stored when the
// browser is killed.
func TestBrowserTimes(t *testing.T) {
	for name, test := range webtest.Times {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, webtest.NewTimed(t, nil))
		})
	}
	t.Run("in and out of view by itself", func(t *testing.T) {
		t.Parallel()
		inAndOutOfView(t, webtest.NewTimed(t, nil))
	})
}

// inAndOutOfView checks that a page which scrolls a frame into view by itself,
// again and again, counts as read for half a minute at most.
func inAndOutOfView(t *testing.T, s *webtest.Timed) {
	l := s.Sample("notes.txt")
	r := s.Visit(webtest.NewTab(t), l, s.Host(t, l))
	for i := range 4 {
		r.ComesIntoView(2900)
		if i < 3 { // from 0, 10 and 20 s
			r.Read(8 * time.Second)
		} else { // from 30 s
			r.Idles(8 * time.Second)
		}
		r.LeavesView(5000)
		r.Away(2 * time.Second)
	}
}
