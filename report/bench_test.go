package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"vitrine/report"
)

// benchNow is the time at which the benchmarks make their reports.
var benchNow = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// benchViews returns n views of some links in a year, in the order of time. Few
// viewers, labels and links have most of the views, as in real data.
func benchViews(n, links int) []report.View {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	skewed := func(of int) int { return int(float64(of) * r.Float64() * r.Float64() * r.Float64()) }
	label := func(name string, of int) string { return fmt.Sprint(name, skewed(of)) }
	end := report.DayOf(benchNow.UnixMilli()).StartMs()
	views := make([]report.View, n)
	for i := range views {
		v := &views[i]
		*v = report.View{
			ID: int64(i), At: end - int64(n-i)*(365*86_400_000/int64(n)), Link: int64(1 + skewed(links)),
			Viewer:   uint64(skewed(n)) * 0x9e3779b97f4a7c15,
			Referrer: label("host", 400), Source: label("Source", 30),
			Device: label("Device", 4), Browser: label("Browser", 12), OS: label("OS", 8),
			QR: r.IntN(20) == 0, Returning: r.IntN(4) == 0,
		}
		city := skewed(3000)
		v.Country, v.City = fmt.Sprint("C", city%60), fmt.Sprint("City", city)
		if r.IntN(12) == 0 {
			v.Bot = "crawler"
		}
		if r.IntN(10) < 7 {
			s := &report.Session{EngagedMs: int64(r.ExpFloat64() * 40_000), Screen: label("Screen", 7)}
			s.PresentMs = s.EngagedMs + 2000
			for p := range 1 + skewed(20) {
				s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: s.EngagedMs / 20})
			}
			v.Session = s
		}
	}
	return views
}

func foldOf(views []report.View) *report.Tally {
	var f report.Fold
	for i := range views {
		f.Add(&views[i])
	}
	return f.Tally()
}

func BenchmarkFoldLink1M(b *testing.B) {
	const n = 1_000_000
	views := benchViews(n, 1)
	l := report.Link{ID: 1, Content: report.ContentPages, Pages: 20, Created: benchNow.AddDate(-1, 0, 0)}
	w := report.NewWindow(report.RangeAll, benchNow, l.Created)
	b.ReportAllocs()
	for b.Loop() {
		report.ForLink(l, w, foldOf(views), nil, views[n-100:])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/view")
}

func BenchmarkForLink1M(b *testing.B) {
	const n = 1_000_000
	views := benchViews(n, 1)
	l := report.Link{ID: 1, Content: report.ContentPages, Pages: 20, Created: benchNow.AddDate(-1, 0, 0)}
	w := report.NewWindow(report.RangeAll, benchNow, l.Created)
	t := foldOf(views)
	b.ReportAllocs()
	for b.Loop() {
		report.ForLink(l, w, t, nil, views[n-100:])
	}
}

func BenchmarkForAccount1000Links(b *testing.B) {
	const n, count = 1_000_000, 1000
	views := benchViews(n, count)
	links := make([]report.Link, count)
	byLink := make(map[int64]*report.Fold)
	for i := range links {
		links[i] = report.Link{ID: int64(i + 1), Content: report.ContentPages, Pages: 1 + i%400, Kind: "pdf",
			Created: benchNow.AddDate(-1, 0, 0)}
		byLink[links[i].ID] = new(report.Fold)
	}
	for i := range views {
		byLink[views[i].Link].Add(&views[i])
	}
	w := report.NewWindow(report.RangeAll, benchNow, links[0].Created)
	t := foldOf(views)
	var top []report.TopLink
	for _, l := range t.Top(links, 25) {
		days := w.Spark()
		top = append(top, report.TopLink{Link: l, Spark: byLink[l.ID].Tally().DailyViews(days.From, days.To)})
	}
	b.ReportAllocs()
	for b.Loop() {
		t.Top(links, 25)
		report.ForAccount(links, w, t, nil, top, report.AllTime{})
	}
}

// BenchmarkMergeYear merges the tallies of 365 days, as for a report from
// stored ones.
func BenchmarkMergeYear(b *testing.B) {
	views := benchViews(1_000_000, 1000)
	var days []*report.Tally
	for len(views) > 0 {
		day := report.DayOf(views[0].At)
		n := 0
		for n < len(views) && report.DayOf(views[n].At) == day {
			n++
		}
		days = append(days, foldOf(views[:n]))
		views = views[n:]
	}
	b.ReportAllocs()
	for b.Loop() {
		var t report.Tally
		for _, d := range days {
			t.Merge(d)
		}
	}
}
