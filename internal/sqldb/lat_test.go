//go:build unix

package sqldb

import (
	"context"
	"slices"
	"testing"
	"time"

	"vitrine"
)

func TestLatency(t *testing.T) {
	for _, links := range []int{1, 1000} {
		for _, size := range []int{32, 512} {
			l, g := openTestLog(t), newTraffic(links)
			var d []time.Duration
			var cpu time.Duration
			n := 0
			for n < 600_000/(1+links/500) {
				batch := vitrine.Batch{Opens: make([]vitrine.NewOpen, size)}
				for i := range batch.Opens {
					batch.Opens[i] = g.open()
				}
				c := processorTime()
				t0 := time.Now()
				if _, err := l.Append(context.Background(), batch); err != nil {
					t.Fatal(err)
				}
				d = append(d, time.Since(t0))
				cpu += processorTime() - c
				n += size
			}
			var sum time.Duration
			for _, x := range d {
				sum += x
			}
			slices.Sort(d)
			t.Logf("wal %d links %d batch %d: %v/open cpu %v  p50 %v p99 %v p99.9 %v max %v", walPages, links, size, sum/time.Duration(n), cpu/time.Duration(n), d[len(d)/2], d[len(d)*99/100], d[len(d)*999/1000], d[len(d)-1])
		}
	}
}
