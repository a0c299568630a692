package viewlog

import (
	"cmp"
	"os"
	"strconv"
	"testing"

	"vitrine"
	"vitrine/report"
)

// BenchmarkExtremes rolls up and sums logs with extreme contents: VITRINE_OPENS
// views (default 100,000).
func BenchmarkExtremes(b *testing.B) {
	n, err := strconv.ParseInt(cmp.Or(os.Getenv("VITRINE_OPENS"), "100000"), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	for name, view := range map[string]func(i int64) vitrine.ViewRecord{
		"one viewer": func(i int64) vitrine.ViewRecord {
			return on(firstTestDay+report.Day(i%250), i/250%86_400_000, 1+i/250%400, 7)
		},
		"all viewers one day": func(i int64) vitrine.ViewRecord {
			return on(firstTestDay, i%86_400_000, 1+i*3/n, uint64(i)*0x9e3779b97f4a7c15)
		},
		"one link in disorder": func(i int64) vitrine.ViewRecord {
			return on(firstTestDay+report.Day(i*7919%200), i*104_729%86_400_000, 1, uint64(i%9000))
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l := openTestLog(b)
				var views []vitrine.ViewRecord
				for i := range n {
					if views = append(views, view(i)); len(views) == 5000 || i == n-1 {
						receipt := vitrine.ImportReceipt{Lines: i + 1, At: (firstTestDay + 300).Time()}
						if err := l.Import(b.Context(), receipt, views); err != nil {
							b.Fatal(err)
						}
						views = views[:0]
					}
				}
				if err := l.RollUp(b.Context(), firstTestDay+298); err != nil {
					b.Fatal(err)
				}
				late := on(firstTestDay+260, 5, 1, 7)
				if _, err := l.Append(b.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{late}}); err != nil {
					b.Fatal(err)
				}
				if _, _, err := l.Tally(b.Context(),
					vitrine.TallyQuery{Scope: account1, From: firstTestDay, To: firstTestDay + 300}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
