package vitrine_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestApplyAnyOrder checks that repeating, reordering or losing snapshots adds
// nothing (promise 14): whatever arrives of an honest page's snapshots, in
// whatever order, the result is at most the last one, and equals it once the
// last one has arrived in time.
func TestApplyAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	opened := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for range 500 {
		v := vitrine.Viewed{Link: 1, View: vitrine.ViewIDAt(opened.UnixMilli(), 5), Kind: report.ContentPages, Pages: 9}
		var onPages int64
		var sent []vitrine.Snapshot
		c := vitrine.Claim{Pages: map[int]int64{}}
		var now int64
		for range 1 + r.IntN(8) {
			step := r.Int64N(30_000)
			now += step
			c.Present, c.Engaged = now, c.Engaged+r.Int64N(step+1)
			more := min(r.Int64N(step+1), c.Engaged-onPages)
			c.Pages[1+r.IntN(9)] += more
			onPages += more
			c.Downloaded = c.Downloaded || r.IntN(9) == 0
			s, _ := c.Snapshot(v, "0-575", opened.Add(time.Duration(now)*time.Millisecond))
			sent = append(sent, s)
		}
		last := sent[len(sent)-1]
		var in, mixed vitrine.Engagement
		for _, s := range sent {
			in.Apply(s)
		}
		if !reflect.DeepEqual(in.Session, last.Session) {
			t.Fatalf("in order = %+v, want %+v", in.Session, last.Session)
		}
		got := []vitrine.Snapshot{last}
		for range r.IntN(12) {
			got = append(got, sent[r.IntN(len(sent))])
		}
		r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		for _, s := range got {
			mixed.Apply(s)
		}
		if !reflect.DeepEqual(mixed.Session, last.Session) {
			t.Fatalf("in another order = %+v, want %+v", mixed.Session, last.Session)
		}
	}
}
