package web_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/versions"
)

// BenchmarkSwitch measures what readers notice of switching between two
// versions: how long the transaction takes, and how long page loads take during
// it and otherwise. After a switch has returned, no page may show the previous
// version.
func BenchmarkSwitch(b *testing.B) {
	s := newSite(b)
	l := s.sendVersion("", 1)
	s.sendVersion(string(l.Slug), 2)
	kept := &versions.Service{Store: s.server.Links.Store, Plans: s.server.Uploads.Plans, Now: s.server.Now,
		PurgeLink: s.server.Links.PurgeLink}
	address := s.url + "/p/" + string(l.Slug)
	var switching, stop atomic.Bool
	var mu sync.Mutex
	var during, between []time.Duration
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				began, meets := time.Now(), switching.Load()
				s.read(address)
				took := time.Since(began)
				meets = meets || switching.Load()
				mu.Lock()
				if meets {
					during = append(during, took)
				} else {
					between = append(between, took)
				}
				mu.Unlock()
			}
		})
	}
	var took []time.Duration
	stale := 0
	for i := 0; b.Loop(); i++ {
		if i%25 == 24 { // the rate limit of an owner is 30 an hour
			s.ahead.Add(int64(time.Hour))
		}
		n := 1 + i%2
		began := time.Now()
		switching.Store(true)
		_, err := kept.Restore(b.Context(), s.account, string(l.Slug), n, nil)
		switching.Store(false)
		took = append(took, time.Since(began))
		if vitrine.CodeOf(err) != "" {
			b.Fatal(err)
		}
		if !strings.Contains(s.read(address), fmt.Sprintf("edition%dy", n)) {
			stale++
		}
		time.Sleep(2 * time.Millisecond)
	}
	stop.Store(true)
	readers.Wait()
	at := func(list []time.Duration, share float64) float64 {
		if len(list) == 0 {
			return 0
		}
		slices.Sort(list)
		return float64(list[int(share*float64(len(list)-1))].Microseconds())
	}
	b.ReportMetric(at(took, 0.5), "switch-p50-µs")
	b.ReportMetric(at(took, 0.99), "switch-p99-µs")
	b.ReportMetric(at(between, 0.5), "page-p50-µs")
	b.ReportMetric(at(between, 0.99), "page-p99-µs")
	b.ReportMetric(at(during, 0.5), "page-during-p50-µs")
	b.ReportMetric(at(during, 0.99), "page-during-p99-µs")
	b.ReportMetric(float64(len(during)), "pages-during")
	b.ReportMetric(float64(stale), "stale")
}
