package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest/tier"
	"vitrine/report"
)

// testimony has a page tell with each beacon what its own clock says.
var testimony = string(mustRead("testdata/witness.js"))

// witness holds what pages said in their last beacons, by the path they went
// to.
type witness struct {
	mu   sync.Mutex
	said map[string]evidence
	more chan struct{} // closed, and replaced, when a page says something
}

func newWitness() *witness {
	return &witness{said: map[string]evidence{}, more: make(chan struct{})}
}

// evidence is in milliseconds: when it was given, since 1970, what the tracker
// says, how long the page was visible, and how much of that the tracker cannot
// have counted, because the browser ran it late.
type evidence struct{ At, Engaged, Seen, Lost float64 }

// listen reads a beacon on its way to the server. Once the server has it, the
// function that is returned keeps what it said.
func (w *witness) listen(r *http.Request) (keep func()) {
	if !strings.HasSuffix(r.URL.Path, "/beacon") {
		return func() {}
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var e evidence
	if err := json.Unmarshal(body, &e); err != nil {
		panic(err)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if e.At >= w.said[r.URL.Path].At { // they may come in another order
			w.said[r.URL.Path] = e
		}
		close(w.more)
		w.more = make(chan struct{})
	}
}

func (w *witness) of(l *vitrine.Link) evidence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said["/p/"+string(l.Slug)+"/beacon"]
}

// next returns a channel that is closed when a page sends something after the
// call.
func (w *witness) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.more
}

// lost returns how much less than the time that has passed may be measured:
// nothing on a fake clock.
func (w *witness) lost(l *vitrine.Link) time.Duration {
	if w == nil {
		return 0
	}
	return time.Duration(w.of(l).Lost * float64(time.Millisecond))
}

// since reports whether the page has sent something since a moment of its own
// clock.
func (w *witness) since(l *vitrine.Link, moment float64) bool {
	return w == nil || w.of(l).At >= moment
}

// check compares what was measured with how long the page was visible. Up to
// 1.5 s without input may be counted before it is noticed.
func (w *witness) check(r *reading, n report.Session) {
	r.t.Helper()
	late := 1.0
	if r.idle > 0 {
		late = 1500
	}
	var e evidence
	covers := func() bool {
		e = w.of(r.link)
		return float64(n.EngagedMs) <= e.Seen-float64(r.idle.Milliseconds())+late
	}
	// What the page says of itself may arrive after what it was told to
	// measure.
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
		r.t.Errorf("measured %+v, by the page's own clock %+v with %v of nobody reading", n, e, r.idle)
	}
	r.t.Logf("%-12s measured %5d ms, by the page's own clock %+v", r.link.Name, n.EngagedMs, e)
}

// Tests of this prefix wait by the real clock, with nothing beside them.

func TestRealClockEngagement(t *testing.T) {
	tier.Need(t, tier.All, "reading by the real clock")
	s := newTimed(t, newWitness())
	for name := range samples {
		for way, leave := range ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				leave(s.open(newTab(t), s.sample(name)))
			})
		}
	}
}

func TestRealClockTimes(t *testing.T) {
	tier.Need(t, tier.All, "reading by the real clock")
	for name, test := range times {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newTimed(t, newWitness()))
		})
	}
}
