package report_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vitrine/report"
	"vitrine/report/part"
)

var seed = flag.Uint64("seed", 0, "run the random scenarios from this seed alone")

// eachScenario runs check on random scenarios, each in a subtest named after
// its seed.
func eachScenario(t *testing.T, count uint64, check func(*testing.T, *rand.Rand, *scenario)) {
	first, last := uint64(1), count
	if *seed != 0 {
		first, last = *seed, *seed
	}
	for s := first; s <= last; s++ {
		r := rand.New(rand.NewPCG(s, 7))
		w := randomScenario(r)
		check(t, r, w)
		if t.Failed() {
			t.Fatalf("random scenario of -seed=%d", s)
		}
	}
}

// today is the time at which reports of random scenarios are made.
var today = time.Date(2026, 7, 9, 17, 30, 0, 0, time.UTC)

// randomScenario returns a scenario with few labels, viewers and times, so that
// ties, repetitions and edges are frequent.
func randomScenario(r *rand.Rand) *scenario {
	w := &scenario{}
	kinds := []string{"pdf", "pdf", "video", "audio", "image", "html", "text", "document", "archive"}
	for i := range 1 + r.IntN(6) {
		kind := kinds[r.IntN(len(kinds))]
		l := report.Link{
			ID: int64(i + 1), PublicID: fmt.Sprintf("id%d", i), Slug: fmt.Sprintf("slug%d", i), Title: "A title",
			URL:  "http://localhost/p/x",
			Kind: kind, Content: report.ContentOf(kind), Views: r.Int64N(100), Downloads: r.Int64N(100),
			Created: today.Add(-time.Duration(r.IntN(500*24)) * time.Hour).Add(time.Duration(i)),
		}
		if kind == "pdf" {
			l.Pages = r.IntN(12)
		}
		l.Outline = randomOutline(r, l.Content)
		if r.IntN(2) == 0 {
			l.Files = randomFiles(r, kinds, l)
		}
		w.links = append(w.links, l)
	}
	span := 1 + r.IntN(400)
	for i := range r.IntN(300) {
		l := w.links[r.IntN(len(w.links))]
		w.views = append(w.views, randomView(r, l, int64(i), span))
	}
	for range r.IntN(40) {
		w.downloads = append(w.downloads, download{w.links[r.IntN(len(w.links))].ID, randomMoment(r, span)})
	}
	return w
}

// randomFiles returns the files of a link that was replaced once or twice. The
// last one is the link's own.
func randomFiles(r *rand.Rand, kinds []string, l report.Link) map[int]report.File {
	last := 2 + r.IntN(2)
	files := map[int]report.File{last: {Kind: l.Kind, Content: l.Content, Pages: l.Pages,
		Outline: l.Outline}}
	for n := range last - 1 {
		kind := pick(r, kinds...)
		f := report.File{Kind: kind, Content: report.ContentOf(kind)}
		if kind == "pdf" {
			f.Pages = r.IntN(12)
		}
		f.Outline = randomOutline(r, f.Content)
		files[n+1] = f
	}
	return files
}

// randomMoment returns a time within the days before tomorrow, often on the
// edge of a day.
func randomMoment(r *rand.Rand, span int) int64 {
	day := report.DayOf(today.UnixMilli()).StartMs() - int64(r.IntN(span))*86_400_000
	return day + pick(r, 0, 86_399_999, r.Int64N(86_400_000), 3_600_000*r.Int64N(24))
}

func randomView(r *rand.Rand, l report.Link, id int64, span int) report.View {
	v := report.View{
		ID: id, At: randomMoment(r, span), Link: l.ID, Viewer: r.Uint64N(1 + r.Uint64N(60)),
		Country: label(r, "C", 12), City: label(r, "City", 12), Referrer: label(r, "host", 4),
		Source: label(r, "Source", 4),
		Device: label(r, "Device", 3), Browser: label(r, "Browser", 3), OS: label(r, "OS", 3),
		QR: r.IntN(5) == 0, Returning: r.IntN(3) == 0,
	}
	if r.IntN(6) == 0 {
		v.Bot, v.Product = pick(r, "crawler", "preview", "own", "mail_network"), label(r, "Bot", 3)
	}
	if r.IntN(3) == 0 {
		v.Version, v.Campaign, v.Medium, v.Content, v.Term = randomVersion(r, l), label(r, "c", 3), label(r, "m", 3),
			label(r, "n", 3), label(r, "t", 3)
	}
	if r.IntN(4) > 0 {
		v.Session = randomSession(r, l.WithFile(v.Version))
		v.Downloaded = v.Bot == "" && r.IntN(3) == 0
	}
	return v
}

func randomSession(r *rand.Rand, l report.Link) *report.Session {
	s := &report.Session{
		EngagedMs:  pick(r, 0, 999, 1000, 4999, 5000, r.Int64N(100_000), 3_600_000+r.Int64N(100)),
		Screen:     label(r, "Screen", 5),
		Downloaded: r.IntN(4) == 0,
		Played:     randomShare(r), Reached: randomShare(r), Depth: randomShare(r),
	}
	for in := range r.IntN(4) {
		if r.IntN(2) == 0 {
			s.Clicks = append(s.Clicks, part.Click{Part: in, Target: pick(r, "mailto", "https://a.example/", "https://b.example/"),
				Count: 1 + r.Int64N(3)})
		}
	}
	s.PresentMs = max(s.EngagedMs, pick(r, 0, 1999, 2000, r.Int64N(200_000)))
	if r.IntN(5) == 0 {
		s.Played, s.Reached, s.Depth, s.Unmeasured = 0, 0, 0, true
		return s
	}
	most := l.Pages
	if most == 0 {
		most = 5
	}
	if most = max(most, l.Outline.Len()); l.Outline != "" {
		if s.Outlined = r.IntN(4) > 0; !s.Outlined {
			return s // from before its parts were known
		}
	}
	for p := 1; p <= most; p++ {
		if r.IntN(2) == 0 {
			seen := report.PageTime{Page: p, Ms: r.Int64N(5000)}
			if r.IntN(2) == 0 {
				for i := range seen.Bands {
					seen.Bands[i] = r.Int64N(1 + seen.Ms/4)
				}
			}
			s.Pages = append(s.Pages, seen)
		}
	}
	return s
}

// randomOutline returns the outline of some files whose scroll is measured.
func randomOutline(r *rand.Rand, kind report.ContentKind) part.Outline {
	if kind != report.ContentScroll || r.IntN(3) == 0 {
		return ""
	}
	if r.IntN(3) == 0 {
		return part.Unnamed(pick(r, part.Slide, part.Page), 1+r.IntN(7))
	}
	parts := make([]part.Part, 1+r.IntN(7))
	for i := range parts {
		parts[i] = part.Part{Label: label(r, "Part ", 9), Words: r.IntN(900)}
	}
	return part.NewOutline(part.Section, parts)
}

func randomShare(r *rand.Rand) int64 {
	return pick(r, 0, 1, 249_999, 250_000, 500_000, 749_999, 750_000, 949_999, 950_000, 1_000_000, r.Int64N(1_000_001))
}

// label returns one of some labels, or unknown.
func label(r *rand.Rand, name string, of int) string {
	if r.IntN(5) == 0 {
		return ""
	}
	return fmt.Sprint(name, r.IntN(of))
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// visits returns every visit of a scope over all its days, counted with sets.
func (w *scenario) visits() []report.ViewerDay {
	days := make(map[uint64][]report.Day)
	for _, v := range w.views {
		if v.Bot == "" {
			days[v.Viewer] = append(days[v.Viewer], report.DayOf(v.At))
		}
	}
	var visits []report.ViewerDay
	for _, days := range days {
		slices.Sort(days)
		prev := report.NoDay
		for _, d := range slices.Compact(days) {
			visits = append(visits, report.ViewerDay{Day: d, Prev: prev})
			prev = d
		}
	}
	slices.SortFunc(visits, func(a, b report.ViewerDay) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Prev, b.Prev))
	})
	return visits
}

// randomVersion returns a version of the link's file. 0 means the first one.
func randomVersion(r *rand.Rand, l report.Link) int {
	if l.Files == nil {
		return r.IntN(4)
	}
	return r.IntN(len(l.Files) + 1)
}
