package reportpage

import (
	"fmt"
	"testing"
	"time"

	"vitrine/report"
)

// TestSampleViewsAddUp checks that made-up views return as real ones do, that
// views are at least viewers and returns together in every range, and that a
// month of them can be compared with the month before. They depend on the
// weekday and the hour only.
func TestSampleViewsAddUp(t *testing.T) {
	for hour := 0; hour < 7*24; hour += 5 {
		now := time.Date(2026, 11, 22, hour, 30, 0, 0, time.UTC)
		for _, kind := range []report.ContentKind{report.ContentPages, report.ContentScroll} {
			t.Run(fmt.Sprint(kind, hour), func(t *testing.T) {
				views := SampleViews(kind, 500, now)
				if len(views) != 500 || views[0].At > now.AddDate(0, 0, -62).UnixMilli() {
					t.Errorf("%d views from %v on, want 500 in nine weeks", len(views), time.UnixMilli(views[0].At).UTC())
				}
				addUp(t, views, views[0].At, now)
			})
		}
		facts := sampleViews(1, report.ContentPages, 16, now)
		addUp(t, facts.opens, sampleCreated(now).UnixMilli(), now)
	}
}

// addUp recounts views.
func addUp(t *testing.T, views []report.View, created int64, now time.Time) {
	t.Helper()
	var f sampleFacts
	last := map[uint64]report.View{}
	for i, v := range views {
		if i > 0 && views[i-1].At > v.At {
			t.Fatalf("view %d is before the one before", i)
		}
		if !v.Counted() {
			if v.Returning {
				t.Fatalf("view %d of a program returns", i)
			}
			continue
		}
		if v.Session != nil {
			left := v.Session.EngagedMs
			for _, p := range v.Session.Pages {
				left -= p.Ms
			}
			if left < 0 {
				t.Fatalf("view %d has %d ms more on its pages than in all", i, -left)
			}
		}
		before, seen := last[v.Viewer]
		if back := seen && v.At-before.At > 30*60*1000; v.Returning != back {
			t.Fatalf("view %d of viewer %d returns: %t, want %t", i, v.Viewer, v.Returning, back)
		}
		if seen && (v.Country != before.Country || v.Device != before.Device || v.Browser != before.Browser ||
			v.OS != before.OS) {
			t.Fatalf("viewer %d has changed: %+v, %+v", v.Viewer, before, v)
		}
		last[v.Viewer] = v
	}
	f.opens = views
	for _, rg := range report.Ranges() {
		w := report.NewWindow(rg, now, time.UnixMilli(created))
		r := report.ForAccount(nil, w, foldSample(w, f), foldSample(w.Previous(), f), nil, report.AllTime{})
		returns := 0
		for _, v := range views {
			if v.Counted() && v.Returning && w.Contains(v.At) {
				returns++
			}
		}
		if n := r.Totals; n.Views < n.Uniques+int64(returns) || returns == 0 || n.Uniques*10 < n.Views*6 {
			t.Errorf("%s until %v: %d views, %d viewers, %d returns", rg, now, n.Views, n.Uniques, returns)
		}
	}
}
