package bench

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine/bench/table"
)

// BenchmarkGrowth requests the same reports of accounts with more and more
// views.
func BenchmarkGrowth(b *testing.B) {
	for part := 1000; part >= 1; part /= 10 {
		opens := max(opensAsked(b)/part, 1000)
		b.Run(million(opens), func(b *testing.B) {
			w := setupFor(b, accountParams(opens))
			for _, key := range []string{"30d", "all"} {
				b.Run(key, func(b *testing.B) {
					took := medians(b, func() { w.call(b, 0, http.MethodGet, "/analytics?range="+key, "", nil) })
					summary.add(table.Row{Figure: fmt.Sprintf("growth: account report, `%s`, %s opens", key,
						million(opens)), Vitrine: table.Of(took[0])})
				})
			}
		})
	}
}
