package metrics

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/web/httpx"

	"github.com/prometheus/client_golang/prometheus"
)

// Route returns the meter of a route. A request finds its counters without a
// look-up of texts: each route has them, and makes those of a status at the
// first answer that has it.
func (m *Metrics) Route(route string) httpx.Meter {
	r := &routeMeter{}
	for i, method := range []string{"read", "write"} {
		r.methods[i] = methodMeter{vec: m.requests, took: m.took, route: route, method: method}
	}
	return r.count
}

type routeMeter struct{ methods [2]methodMeter }

func (r *routeMeter) count(method string, status int, took time.Duration) {
	i := 1
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		i = 0
	}
	r.methods[i].count(status, took)
}

// methodMeter counts the reads or the writes of a route.
type methodMeter struct {
	vec           *prometheus.CounterVec
	took          *prometheus.HistogramVec
	route, method string

	counters atomic.Pointer[statusCounters] // nil before the first answer
	mu       sync.Mutex                     // held while counters is replaced
}

// statusCounters are the counters of the statuses so far, which are few.
type statusCounters struct {
	took prometheus.Observer
	of   []statusCounter
}

type statusCounter struct {
	status int
	prometheus.Counter
}

func (m *methodMeter) count(status int, took time.Duration) {
	c := m.counters.Load()
	i := c.index(status)
	if i < 0 {
		c, i = m.add(status)
	}
	c.of[i].Inc()
	c.took.Observe(took.Seconds())
}

func (c *statusCounters) index(status int) int {
	if c != nil {
		for i := range c.of {
			if c.of[i].status == status {
				return i
			}
		}
	}
	return -1
}

// add makes the counter of a status.
func (m *methodMeter) add(status int) (*statusCounters, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.counters.Load()
	if i := c.index(status); i >= 0 { // another request has added it
		return c, i
	}
	text := strconv.Itoa(status)
	if status == 0 {
		text = "none"
	}
	next := &statusCounters{}
	if c != nil {
		next.of = append(next.of, c.of...)
	}
	next.took = m.took.WithLabelValues(m.route, m.method)
	next.of = append(next.of, statusCounter{status, m.vec.WithLabelValues(m.route, m.method, text)})
	m.counters.Store(next)
	return next, len(next.of) - 1
}
