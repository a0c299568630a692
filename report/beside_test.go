package report_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"vitrine/report"
)

// TestBeside checks what pages show in addition to the API's answer: the
// previous series equals that of a report on the previous window, and the list
// of excluded views accounts for each bot.
func TestBeside(t *testing.T) {
	eachScenario(t, 60, func(t *testing.T, r *rand.Rand, w *scenario) {
		for _, win := range windows(r, w.oldest()) {
			rep := w.accountReport(win)
			before := w.accountReport(win.Previous())
			if win.Key == report.RangeAll { // it has no previous window
				before = (&scenario{}).accountReport(win.Previous())
			}
			if !reflect.DeepEqual(rep.PreviousSeries, before.Series) {
				t.Errorf("%s: previous series = %v, want %v", win.Key, rep.PreviousSeries, before.Series)
			}
			var views, left int64
			for _, p := range rep.PreviousSeries {
				views += p.Views
			}
			if views != rep.Previous.Views {
				t.Errorf("%s: the previous series has %d views, want %d", win.Key, views, rep.Previous.Views)
			}
			for _, b := range rep.Excluded {
				left += b.Count
			}
			if rep.Previous.Downloads != before.Totals.RangeDownloads {
				t.Errorf("%s: %d downloads in the previous window, want %d", win.Key,
					rep.Previous.Downloads, before.Totals.RangeDownloads)
			}
			if left != rep.Totals.BotsExcluded+rep.Totals.OwnExcluded {
				t.Errorf("%s: the list has %d excluded views, want %d", win.Key, left, rep.Totals.BotsExcluded)
			}
			for _, l := range w.links {
				if of := w.linkReport(l, win); of.AllTimeViews != l.Views {
					t.Errorf("%s: views in total = %d, want %d", l.Slug, of.AllTimeViews, l.Views)
				}
			}
		}
	})
}
