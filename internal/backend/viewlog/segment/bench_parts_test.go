package segment

import (
	"math/rand/v2"
	"testing"

	"vitrine"
	"vitrine/report"
	"vitrine/report/part"
)

// BenchmarkStoredBytes stores segments of views of a text, and reports the
// bytes of a view without parts, with the times of six sections, and with a
// click as well.
func BenchmarkStoredBytes(b *testing.B) {
	for _, c := range []struct {
		name          string
		parts, clicks int
	}{{"plain", 0, 0}, {"parts", 6, 0}, {"clicks", 6, 1}} {
		b.Run(c.name, func(b *testing.B) {
			const views = 4096
			size := 0
			for b.Loop() {
				r := rand.New(rand.NewPCG(1, 2))
				var p Encoder
				for i := range views {
					at := int64(1_790_000_000_000) + int64(i)*60_000 + r.Int64N(50_000)
					w := Row{ID: vitrine.ViewIDAt(at, 0), Engaged: true, View: View{Viewer: r.Uint64(),
						Place: WordID(r.IntN(30)), Origin: WordID(r.IntN(10)), Agent: WordID(r.IntN(20))}}
					engaged := int64(4000 + r.ExpFloat64()*70_000)
					w.Session = Session{Screen: WordID(r.IntN(6)), Session: report.Session{EngagedMs: engaged,
						PresentMs: engaged + r.Int64N(20_000), Depth: r.Int64N(101) * hundredth, Outlined: c.parts > 0}}
					for part := range c.parts {
						w.Session.Pages = append(w.Session.Pages, report.PageTime{Page: part + 1,
							Ms: engaged/int64(c.parts)/2 + r.Int64N(engaged/int64(2*c.parts))})
					}
					for range c.clicks {
						w.Session.Clicks = append(w.Session.Clicks, part.Click{Part: 1 + r.IntN(6), Count: 1,
							Target: "https://example.org/prices"})
					}
					p.Add(&w)
				}
				size = len(p.End(nil))
			}
			b.ReportMetric(float64(size)/views, "bytes/view")
		})
	}
}
