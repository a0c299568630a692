package report_test

import (
	"testing"

	"vitrine/report"
)

// TestOnly checks which value the conditions on a dimension leave.
func TestOnly(t *testing.T) {
	for _, c := range []struct {
		want       string
		conditions []string
	}{{"", nil}, {"1", []string{"version:is:1"}}, {"1", []string{"version:is:1", "version:is_not:2"}},
		{"1", []string{"version:is_not:2", "version:is:1", "version:is:2"}}, {"", []string{"version:is:1", "version:is:2"}},
		{"", []string{"version:is_not:2"}}, {"", []string{"version:is:1", "version:is_not:1"}}} {
		f, err := report.ParseFilter(c.conditions)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.On(report.OnVersion).Only(); got != c.want {
			t.Errorf("%q leaves %q, want %q", c.conditions, got, c.want)
		}
	}
}
