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
	"vitrine/internal/test/tier"
	"vitrine/report"
)

// testimony is a script that adds the page's own times to each beacon.
var testimony = string(mustRead("testdata/witness.js"))

// witness keeps the times in the pages' last beacons, by path.
type witness struct {
	mu   sync.Mutex
	last map[string]evidence
	more chan struct{} // closed and replaced when a beacon arrives
}

func newWitness() *witness {
	return &witness{last: map[string]evidence{}, more: make(chan struct{})}
}

// evidence has times in milliseconds: when it was sent, since 1970; the
// tracker's engaged time; how long the page was visible; and how much of that
// the tracker cannot have counted, because the browser ran it late.
type evidence struct{ At, Engaged, Seen, Lost float64 }

// listen reads a beacon on its way to the server. The returned function stores
// its times once the server has it.
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
		if e.At >= w.last[r.URL.Path].At { // beacons may arrive in another order
			w.last[r.URL.Path] = e
		}
		close(w.more)
		w.more = make(chan struct{})
	}
}

func (w *witness) of(l *vitrine.Link) evidence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last["/p/"+string(l.Slug)+"/beacon"]
}

// next returns a channel that is closed when a page sends something after the
// call.
func (w *witness) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.more
}

// lost returns by how much the measured time may be less than the elapsed time:
// nothing with a fake clock.
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

// check compares the measured time with the time for which the page was
// visible. Up to 1.5 s without input may count before the tracker notices.
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

// The tests with this prefix wait by the real clock and run alone.

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
