package reportpage

import (
	"fmt"
	"testing"
	"time"

	"vitrine/report"
)

// TestSampleViewsAddUp checks that made-up views return as real ones do, and
// that a month of them can be compared with the month before.
func TestSampleViewsAddUp(t *testing.T) {
	for hour := range 24 {
		now := time.Date(2026, 11, 28, hour, 30, 0, 0, time.UTC)
		for _, kind := range []report.ContentKind{report.ContentPages, report.ContentScroll} {
			for _, most := range []int{200, 500} {
				t.Run(fmt.Sprint(kind, most, hour), func(t *testing.T) {
					views := SampleViews(kind, most, now)
					if len(views) != most || views[0].At > now.AddDate(0, 0, -62).UnixMilli() {
						t.Errorf("%d views from %v on, want %d in nine weeks", len(views),
							time.UnixMilli(views[0].At).UTC(), most)
					}
					returns := 0
					for i, v := range views {
						back := false
						for _, before := range views[:i] {
							if before.Counted() && before.Viewer == v.Viewer {
								back = v.At-before.At > 30*60*1000
							}
						}
						if back = back && v.Counted(); v.Returning != back || i > 0 && views[i-1].At > v.At {
							t.Fatalf("view %d of viewer %d returns: %t, want %t", i, v.Viewer, v.Returning, back)
						}
						if back {
							returns++
						}
					}
					if returns < most/10 || returns > most/2 {
						t.Errorf("%d of %d views return", returns, most)
					}
				})
			}
		}
	}
}
