package bench

import (
	"fmt"
	"testing"

	"vitrine/bench/table"
)

// BenchmarkImport measures the import of all views by a process with one core.
// The reports are measured with the same dataset.
func BenchmarkImport(b *testing.B) {
	w := accountSetup(b)
	for b.Loop() { // measured once, when the setup was made
	}
	summary.add(table.Row{Figure: fmt.Sprintf("import of %s opens, one core (`GOMAXPROCS=1`)", million(w.Opens)),
		Vitrine: table.Value{Unit: table.Rate, N: w.rate},
		Aim:     "≥ 100,000/s"})
	summary.add(table.Row{Figure: "rolling them up after that, one core",
		Vitrine: table.Value{Unit: table.Rate, N: w.tallyRate}})
	b.ReportMetric(w.rate, "opens/s")
}
