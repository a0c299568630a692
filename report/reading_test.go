package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"vitrine/report"
)

// TestReadingInAnyOrder checks that how far a recipient has read does not
// depend on the order of the views.
func TestReadingInAnyOrder(t *testing.T) {
	l := &report.Link{Content: report.ContentPages, Pages: 12}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		var views []*report.View
		var want report.Reading
		for i := range 1 + r.IntN(30) {
			at := int64(1_700_000_000_000 + i)
			v := &report.View{ID: int64(i + 1), At: at, Downloaded: r.IntN(4) == 0}
			moment := time.UnixMilli(at).UTC()
			if want.Views++; want.Views == 1 {
				want.First = moment
			}
			if want.Last = moment; v.Downloaded {
				want.Downloads++
			}
			if r.IntN(3) > 0 {
				pages := int64(r.IntN(4))
				v.Session = &report.Session{EngagedMs: 5000 + r.Int64N(9), PresentMs: 9000}
				for p := range pages {
					v.Session.Pages = append(v.Session.Pages, report.PageTime{Page: int(p + 1), Ms: 1000})
				}
				want.EngagedMs += v.Session.EngagedMs
				if seen := pages * 1_000_000 / 12; want.Progress == "" || seen > want.Furthest {
					want.Furthest, want.Progress = seen, fmt.Sprintf("%d of 12 pages", pages)
				}
			}
			views = append(views, v)
		}
		r.Shuffle(len(views), func(i, j int) { views[i], views[j] = views[j], views[i] })
		var got report.Reading
		for _, v := range views {
			got.Add(l, v)
		}
		if shown := func(r report.Reading) string {
			return fmt.Sprint(r.Views, r.EngagedMs, r.Downloads, r.First, r.Last, r.Furthest, r.Progress)
		}; shown(got) != shown(want) {
			t.Fatalf("seed %d: %s, want %s", seed, shown(got), shown(want))
		}
	}
}
