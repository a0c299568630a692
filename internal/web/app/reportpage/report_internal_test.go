package reportpage

import (
	"testing"
	"time"

	"vitrine/internal/web/ui"
	"vitrine/report"
)

// TestBothLinesOfASeriesAreVisible checks that views are a line above the area
// of viewers, so that both are visible if they are equal.
func TestBothLinesOfASeriesAreVisible(t *testing.T) {
	c := newStatsSeries(&report.Summary{Granularity: "day", Series: []report.Point{{Views: 3, Uniques: 3},
		{Views: 4, Uniques: 4}}}, 0, linkWords, time.Now())
	if n := len(c.Lines); n != 2 || c.Lines[n-1].Class != "views" || c.Lines[n-1].Area != "" || c.Lines[0].Area == "" {
		t.Errorf("lines = %+v", c.Lines)
	}
}

func TestStatsWords(t *testing.T) {
	for ms, want := range map[int64]string{0: "0 s", 499: "0 s", 500: "1 s", 59_499: "59 s", 59_500: "1 min 00 s",
		65_000: "1 min 05 s", 3_599_499: "59 min 59 s", 3_660_000: "1 h 01 min", 3_600_000_000: "1,000 h 00 min"} {
		if got := ui.Lasting(ms).String(); got != want {
			t.Errorf("Lasting(%d) = %q, want %q", ms, got, want)
		}
	}
	for label, want := range map[string][2]string{"Berlin, DE": {"Berlin", "DE"},
		"Washington, D.C., US": {"Washington, D.C.", "US"}, "Nowhere": {"Nowhere", ""}, "A, B": {"A, B", ""}} {
		if city, code := ui.CityName(label); city != want[0] || code != want[1] {
			t.Errorf("CityName(%q) = %q, %q", label, city, code)
		}
	}
	for label, want := range map[string]string{"0-575": "Phone (under 576 px)", "576-767": "576–767 px",
		"1920+": "1920 px and more"} {
		if got := ui.ScreenName(label); got != want {
			t.Errorf("ScreenName(%q) = %q, want %q", label, got, want)
		}
	}
}
