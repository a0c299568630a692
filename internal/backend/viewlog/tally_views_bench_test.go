//go:build unix

package viewlog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"
)

// benchViews returns the number of views of the benchmark's account:
// VITRINE_BENCH_OPENS, or few.
func benchViews(b *testing.B) int {
	if text := os.Getenv("VITRINE_BENCH_OPENS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	return 200_000
}

// benchLog returns a log of an account with 1,000 links that were viewed for a
// year. With VITRINE_BENCH_DIR it is kept there.
func benchLog(b *testing.B, views int) (l *ViewLog, today report.Day) {
	b.Helper()
	today = report.DayOf(time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC).UnixMilli())
	dir := os.Getenv("VITRINE_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	place := filepath.Join(dir, fmt.Sprintf("tally-views-%d.db", views))
	_, err := os.Stat(place)
	l, err2 := Open(place)
	if err2 != nil {
		b.Fatal(err2)
	}
	b.Cleanup(func() { _ = l.Close() })
	if err == nil {
		return l, today
	}
	const links = 1000
	r, line := rand.New(rand.NewPCG(1, 2)), int64(0)
	pick := func(of ...string) string { return of[min(int(r.ExpFloat64()*float64(len(of))/3), len(of)-1)] }
	for link := range links {
		n := int(float64(views) / float64(link+1) / 7.49) // Zipf's law
		ats := make([]int64, max(n, 1))
		for i := range ats {
			ats[i] = today.StartMs() - r.Int64N(365*86_400_000)
		}
		slices.Sort(ats)
		for chunk := range slices.Chunk(ats, 20_000) {
			var batch []vitrine.ViewRecord
			for i, at := range chunk {
				v := report.View{ID: int64(vitrine.ViewIDAt(at, i)), At: at, Link: int64(link + 1),
					Viewer:  r.Uint64N(uint64(views)/4) * 0x9e3779b97f4a7c15,
					Country: pick("US", "DE", "GB", "FR", "IN", "BR", "JP", "CA", "AT", "CH", "PL", "NZ"),
					City:    pick("", "Berlin", "Paris", "Rome"), Source: pick("", "Google", "LinkedIn", "Email"),
					Referrer: pick("", "google.com", "linkedin.com"), Device: pick("Desktop", "Mobile", "Tablet"),
					Browser: pick("Chrome", "Safari", "Firefox", "Edge"),
					OS:      pick("Windows", "iOS", "macOS", "Android"),
					QR:      r.IntN(30) == 0, Returning: r.IntN(3) == 0}
				if r.IntN(12) == 0 {
					v.Bot = pick("crawler", "preview")
				}
				if r.IntN(10) < 7 {
					v.Session = &report.Session{EngagedMs: 900 + r.Int64N(120_000), PresentMs: 200_000,
						Screen: pick("1440-1919", "0-575", "768-991")}
					for p := 1; p < 2+r.IntN(8); p++ {
						v.Session.Pages = append(v.Session.Pages, report.PageTime{Page: p, Ms: 1000 + r.Int64N(9000)})
					}
				}
				batch = append(batch, vitrine.ViewRecord{Account: 1, View: v})
			}
			line += int64(len(batch))
			if err := l.Import(b.Context(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: line, At: today.Time()},
				batch); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := l.RollUp(b.Context(), today-1); err != nil {
		b.Fatal(err)
	}
	return l, today
}

// BenchmarkTallyViews makes tallies of a year that no stored tally can answer.
// On two idle CPUs the elapsed time is half of cpu-ms.
func BenchmarkTallyViews(b *testing.B) {
	n := benchViews(b)
	l, today := benchLog(b, n)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		filter []string
		zone   *time.Location
		link   vitrine.LinkID
	}{
		{"one country", []string{"country:is:NZ"}, nil, 0},
		{"most views", []string{"country:is_not:NZ"}, nil, 0},
		{"device and source", []string{"device:is:Mobile", "source:is:Google"}, nil, 0},
		{"nothing", []string{"country:is:XX"}, nil, 0},
		{"time zone", nil, berlin, 0},
		{"one link", []string{"device:is:Mobile"}, nil, 1},
		{"dates", nil, nil, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			f, err := report.ParseFilter(c.filter)
			if err != nil {
				b.Fatal(err)
			}
			w, err := report.WindowOf(report.Period{Dates: &report.Dates{First: today - 364, Last: today},
				Zone: c.zone}, today.Time().Add(time.Hour), time.Time{})
			if err != nil {
				b.Fatal(err)
			}
			q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1, Link: c.link}, From: w.From, To: w.To,
				Lens: report.Lens{Steps: w.Steps, Filter: f}}
			var views int64
			from := processorTime()
			for b.Loop() {
				t, _, err := l.Tally(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				views = t.Views()
			}
			b.ReportMetric(float64((processorTime()-from).Milliseconds())/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(views), "views")
		})
	}
}
