package reportpage

import (
	"testing"

	"vitrine/internal/web/ui"
	"vitrine/report"
)

func TestStatsWords(t *testing.T) {
	for ms, want := range map[int64]string{0: "0 s", 499: "0 s", 500: "1 s", 59_499: "59 s", 59_500: "1 min 00 s", 65_000: "1 min 05 s", 3_599_499: "59 min 59 s", 3_660_000: "1 h 01 min", 3_600_000_000: "1,000 h 00 min"} {
		if got := ui.Lasting(ms).String(); got != want {
			t.Errorf("%d ms is %q, want %q", ms, got, want)
		}
	}
	for label, want := range map[string][2]string{"Berlin, DE": {"Berlin", "DE"}, "Washington, D.C., US": {"Washington, D.C.", "US"}, "Nowhere": {"Nowhere", ""}, "A, B": {"A, B", ""}} {
		if city, code := ui.CityName(label); city != want[0] || code != want[1] {
			t.Errorf("%q is %q in %q", label, city, code)
		}
	}
	for label, want := range map[string]string{"0-575": "Phone (under 576 px)", "576-767": "576–767 px", "1920+": "1920 px and more"} {
		if got := ui.ScreenName(label); got != want {
			t.Errorf("%q is called %q, want %q", label, got, want)
		}
	}
}

// Scales begin at 0, hold the largest value and have few round steps.
func TestStatsScale(t *testing.T) {
	for most := range int64(20_000) {
		step := niceStep(most)
		n := max((most+step-1)/step, 1)
		if n > 5 || n*step < most || most >= 10 && n < 3 {
			t.Fatalf("a scale to %d has %d steps of %d", most, n, step)
		}
	}
	for _, n := range []int{1, 2, 7, 14, 30, 90, 120, 400} {
		series := make([]report.Point, n)
		ticks := dateTicks(series)
		if len(ticks) > mostDates || len(ticks) == 0 {
			t.Errorf("%d dates for %d points", len(ticks), n)
		}
	}
	if got := chartPath([]int64{5}, 10); got != "M0,50L1000,50" {
		t.Errorf("a single point is drawn as %q", got)
	}
	if got := chartPath([]int64{0, 10, 5}, 10); got != "M0,100L500,0L1000,50" {
		t.Errorf("three points are drawn as %q", got)
	}
}
