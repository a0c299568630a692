package ui

import (
	"testing"

	"vitrine/report"
)

// TestPercent checks the rule for percentages on pages: one decimal below 10,
// and none above.
func TestPercent(t *testing.T) {
	for share, want := range map[report.Tenths]string{0: "0%", 1: "0.1%", 28: "2.8%", 50: "5%", 99: "9.9%", 100: "10%", 104: "10%",
		105: "11%", 295: "30%", 439: "44%", 440: "44%", 994: "99%", 1000: "100%"} {
		if got := Percent(share); got != want {
			t.Errorf("Percent(%d) = %s, want %s", share, got, want)
		}
	}
}
