package export_test

import (
	"testing"

	"vitrine/internal/export"
)

// TestNoFormula checks that formulas are escaped, also with full-width letters,
// and that other cells do not change.
func TestNoFormula(t *testing.T) {
	for cell, want := range map[string]string{"": "", "7": "7", "a=1": "a=1", "=1": "'=1", "+1": "'+1", "-1": "'-1",
		"@A": "'@A", "\tx": "'\tx", "\rx": "'\rx", "\n=1": "'\n=1",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠SUM(1)": "'＠SUM(1)", "'=1": "'=1", "é": "é",
		"x;=1": "x;'=1", "x; @A;-1;b": "x; '@A;'-1;b", "a;b=1": "a;b=1", ";＝1": ";'＝1"} {
		if got := export.NoFormula(cell); got != want {
			t.Errorf("NoFormula(%q) = %q, want %q", cell, got, want)
		}
	}
}
