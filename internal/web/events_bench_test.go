package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/test/webtest"
)

// BenchmarkEvents opens pages of 100 links like people who read for a minute,
// and makes the events of these views. It reports the processor time of a page
// with its two beacons, that of its events, until they are deleted, and their
// ratio. In "year" a view comes every three seconds, as with ten million in a
// year; in "busy" 100 a second do.
func BenchmarkEvents(b *testing.B) {
	b.Run("year", func(b *testing.B) { benchEvents(b, 1, 3*time.Second) })
	b.Run("busy", func(b *testing.B) { benchEvents(b, 16, 160*time.Millisecond) })
}

// reader is a visit of the benchmark.
type reader struct {
	h            http.Handler
	site, beacon string
	from         int
}

var beaconOf = regexp.MustCompile(`data-beacon="([^"]+)"`)

// ask sends a request of the reader and returns the body of the answer.
func (r *reader) ask(b *testing.B, method, address, body string, want int) string {
	q := httptest.NewRequest(method, address, strings.NewReader(body))
	q.RemoteAddr = fmt.Sprintf("[2001:db8:%x:%x::1]:1", r.from>>16, r.from&0xffff)
	q.Header.Set("User-Agent", webtest.Desktop)
	q.Header.Set("Content-Type", "text/plain")
	w := httptest.NewRecorder()
	if r.h.ServeHTTP(w, q); w.Code != want {
		b.Errorf("%s %s: %d %s", method, address, w.Code, w.Body)
	}
	return w.Body.String()
}

// benchEvents opens pages, some of them at once, and lets the clock go on by a
// pause after these.
func benchEvents(b *testing.B, at int, pause time.Duration) {
	clock := time.Now().Truncate(24 * time.Hour).Add(12 * time.Hour)
	s := webtest.NewSiteWith(b, webtest.SiteOptions{Now: func() time.Time { return clock }})
	h := s.Server.Handler()
	var links []*vitrine.Link
	for i := range 100 {
		links = append(links, s.Publish("notes.txt", fmt.Appendf(nil, "note %d", i)))
	}
	s.Server.Events.Log = s.Log
	s.Server.Events.Mail = nil
	tell := func() { s.Check(s.Server.Events.Tell(b.Context())) }
	var pages, told time.Duration
	timed := func(of *time.Duration, f func()) {
		before := processorTime()
		f()
		*of += processorTime() - before
	}
	n := 0
	// Each visit is in the queue until it has sent its second beacon, after a
	// minute.
	var reading [][]*reader
	together := func(list []*reader, f func(*reader)) {
		var all sync.WaitGroup
		for _, r := range list {
			all.Go(func() { f(r) })
		}
		all.Wait()
	}
	later := int(time.Minute / pause)
	tellAt := clock
	step := func() {
		group := make([]*reader, at)
		for i := range group {
			n++
			group[i] = &reader{h: h, site: s.URL, from: n}
		}
		timed(&pages, func() {
			together(group, func(r *reader) {
				page := r.ask(b, http.MethodGet, s.URL+"/p/"+string(links[r.from*r.from*7%len(links)].Slug), "", 200)
				if m := beaconOf.FindStringSubmatch(page); m != nil {
					r.beacon = s.URL + m[1]
				}
			})
		})
		reading = append(reading, group)
		for past, present := range map[int]int{later / 12: 5000, later: 60_000} {
			if at := len(reading) - 1 - past; at >= 0 && present <= 60_000 {
				timed(&pages, func() {
					together(reading[at], func(r *reader) {
						r.ask(b, http.MethodPost, r.beacon, fmt.Sprintf(`{"engaged":%d,"present":%d,"depth":90}`, present, present), 204)
					})
				})
			}
		}
		clock = clock.Add(pause)
		if clock.Sub(tellAt) >= 10*time.Second {
			tellAt = clock
			timed(&told, tell)
		}
	}
	for b.Loop() {
		step()
	}
	for range 64 { // until the last events are made
		clock = clock.Add(time.Minute)
		timed(&told, tell)
	}
	total := 0
	s.Check(s.Server.Events.Each(b.Context(), s.Account, func(e events.Item) error { total++; return nil }))
	clock = clock.Add(31 * 24 * time.Hour)
	var expire time.Duration
	timed(&expire, func() { s.Check(s.Server.Events.Expire(b.Context())) })
	micros := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(n) }
	b.ReportMetric(micros(pages), "page-µs/view")
	b.ReportMetric(micros(told), "tell-µs/view")
	b.ReportMetric(micros(expire), "expire-µs/view")
	b.ReportMetric(100*float64(told+expire)/float64(pages), "%")
	b.ReportMetric(float64(total)/float64(n), "events/view")
}
