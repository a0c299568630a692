package reportpage

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"vitrine"
	"vitrine/report"
)

// The sample report is for accounts whose plan has no analytics: made-up views,
// counted by the real engine. They are the same every day except for their
// dates, and independent of the account.

const sampleDays = 180

// SamplePages is how many pages a made-up document has.
const SamplePages = 12

// sampleWork is a link of the sample.
type sampleWork struct {
	slug, title, kind string
	daily             float64 // views, at the end
}

var sampleWorks = []sampleWork{
	{"annual-report", "Annual report", "pdf", 16},
	{"product-film", "Product film", "video", 9},
	{"case-study", "Case study", "pdf", 6},
	{"press-photos", "Press photos", "archive", 3},
	{"price-list", "Price list", "document", 4},
	{"talk-recording", "Recording of the talk", "audio", 2},
}

// drawn is a value with a weight.
type drawn[T any] struct {
	value  T
	weight int
}

func drawnOf[T any](r *rand.Rand, from []drawn[T]) T {
	all := 0
	for _, d := range from {
		all += d.weight
	}
	at := r.IntN(all)
	for _, d := range from {
		if at -= d.weight; at < 0 {
			return d.value
		}
	}
	panic("weights do not add up")
}

var (
	samplePlaces = []drawn[string]{
		{"US", 28}, {"DE", 23}, {"GB", 14}, {"FR", 9}, {"NL", 6}, {"IN", 6}, {"JP", 4}, {"BR", 4},
	}
	sampleSources = []drawn[[2]string]{
		{[2]string{"Direct", ""}, 34}, {[2]string{"LinkedIn", "linkedin.com"}, 22}, {[2]string{"Email", ""}, 15},
		{[2]string{"Google", "google.com"}, 12},
		{[2]string{"QR code", ""}, 6}, {[2]string{"Slack", ""}, 5}, {[2]string{"example.org", "example.org"}, 4},
	}
	sampleAgents = []drawn[[4]string]{
		{[4]string{"Desktop", "Chrome", "Windows", "1440-1919"}, 30},
		{[4]string{"Desktop", "Safari", "macOS", "1440-1919"}, 18}, {[4]string{"Mobile", "Safari", "iOS", "0-575"}, 22},
		{[4]string{"Mobile", "Chrome", "Android", "0-575"}, 16}, {[4]string{"Desktop", "Edge", "Windows", "1920+"}, 8},
		{[4]string{"Tablet", "Safari", "iPadOS", "768-991"}, 4},
	}
	sampleBots = []drawn[string]{{report.BotLinkPreview, 6}, {report.BotCrawler, 4}, {report.BotMailScanner, 3}}
	// sampleHours are UTC.
	sampleHours = []drawn[int]{{6, 2}, {7, 5}, {8, 10}, {9, 14}, {10, 13}, {11, 10}, {12, 8}, {13, 11}, {14, 14},
		{15, 12}, {16, 9}, {17, 6}, {18, 5}, {19, 5}, {20, 4}, {21, 3}, {22, 1}}
)

// sampleFacts holds views and downloads.
type sampleFacts struct {
	opens     []report.View
	downloads []report.Day
	views     int64
}

// sampleViews returns the views of the sample's days up to now, for a link of a
// kind, sorted by time.
func sampleViews(id int64, kind report.ContentKind, daily float64, now time.Time) (f sampleFacts) {
	r := rand.New(rand.NewPCG(1874, uint64(id)))
	today := report.DayOf(now.UnixMilli())
	for age := sampleDays - 1; age >= 0; age-- {
		day := today - report.Day(age)
		busy := daily * (0.35 + 0.65*float64(sampleDays-age)/sampleDays) * (0.6 + 0.8*r.Float64())
		if w := day.Weekday(); w == 0 || w == 6 {
			busy *= 0.35
		}
		if age == 9 || age == 8 { // someone wrote about it
			busy *= 2.4
		}
		for range int(busy + r.Float64()) {
			if v := sampleView(r, id, kind, day); v.At < now.UnixMilli() {
				f.opens = append(f.opens, v)
			}
		}
	}
	byTime := func(a, b report.View) int { return cmp.Compare(a.At, b.At) }
	slices.SortFunc(f.opens, byTime)
	nameViewers(r, id, f.opens)
	slices.SortFunc(f.opens, byTime)
	markReturns(f.opens)
	for i := range f.opens {
		if v := &f.opens[i]; v.Counted() {
			f.views++
			if v.Downloaded = v.Session != nil && v.Session.Downloaded; v.Downloaded {
				f.downloads = append(f.downloads, report.DayOf(v.At))
			}
		}
	}
	return f
}

// nameViewers gives the views of a link, sorted by time, their viewers. Of
// twenty views of people, two move to within half an hour after the view
// before, and up to four return on the same day: in any range of days, viewers
// and returns together do not exceed the views.
func nameViewers(r *rand.Rand, link int64, views []report.View) {
	var people []*report.View
	for i := range views {
		v := &views[i]
		v.Viewer = uint64(link)<<32 + uint64(i) + 1
		if !v.Counted() {
			continue
		}
		var before *report.View
		if last := len(people) - 1; last >= 0 {
			switch back := r.IntN(20); {
			case back < 2:
				before = people[last]
				v.At = min(v.At, before.At+r.Int64N(report.ReturnMs))
				v.ID = sampleID(r, v.At)
			case back < 6:
				before = people[max(0, last-r.IntN(4))]
			}
		}
		if before != nil && report.DayOf(before.At) == report.DayOf(v.At) {
			v.Viewer, v.Country = before.Viewer, before.Country
			v.Device, v.Browser, v.OS = before.Device, before.Browser, before.OS
			if v.Session != nil && before.Session != nil {
				v.Session.Screen = before.Session.Screen
			}
		}
		people = append(people, v)
	}
}

// markReturns marks the returns among views of a link, sorted by time
// (analytics, Views).
func markReturns(views []report.View) {
	last := map[uint64]int64{} // when the last view of a viewer began
	for i := range views {
		v := &views[i]
		if v.Counted() {
			at, seen := last[v.Viewer]
			v.Returning = seen && v.At-at > report.ReturnMs
			last[v.Viewer] = v.At
		}
	}
}

// SampleViews returns made-up views of a link of a kind, at most so many, of
// about ten weeks before a time: of people and of programs.
func SampleViews(kind report.ContentKind, most int, now time.Time) []report.View {
	views := sampleViews(1, kind, float64(most)/60, now).opens
	views = views[max(0, len(views)-most):]
	markReturns(views)
	return views
}

// sampleID returns an ID of a view at a time.
func sampleID(r *rand.Rand, at int64) int64 { return at<<20 + r.Int64N(1<<20) }

func sampleView(r *rand.Rand, id int64, kind report.ContentKind, day report.Day) report.View {
	at := day.StartMs() + int64(drawnOf(r, sampleHours))*3_600_000 + r.Int64N(3_600_000)
	place, source, agent := drawnOf(r, samplePlaces), drawnOf(r, sampleSources), drawnOf(r, sampleAgents)
	v := report.View{
		ID: sampleID(r, at), At: at, Link: id, Country: place, Source: source[0], Referrer: source[1],
		Device: agent[0], Browser: agent[1], OS: agent[2], QR: source[0] == "QR code",
	}
	switch {
	case r.IntN(14) == 0:
		v.Bot = drawnOf(r, sampleBots)
	case r.IntN(8) > 0:
		v.Session = sampleSession(r, kind, agent[3])
	}
	return v
}

func sampleSession(r *rand.Rand, kind report.ContentKind, screen string) *report.Session {
	const whole = report.Whole
	engaged := int64(4000 + r.ExpFloat64()*70_000)
	if r.IntN(8) == 0 {
		engaged = r.Int64N(5000)
	}
	engaged = min(engaged, 1_200_000)
	s := &report.Session{EngagedMs: engaged, PresentMs: engaged + 500 + r.Int64N(20_000), Screen: screen,
		Downloaded: r.IntN(9) == 0}
	if engaged < 400 {
		s.PresentMs = engaged + 900
	}
	far := min(int64(r.ExpFloat64()*0.9*whole), whole)
	switch kind {
	case report.ContentPages:
		last := 1
		for last < SamplePages && r.IntN(100) < map[bool]int{true: 68, false: 93}[last == 4] {
			last++
		}
		weights, all := make([]int64, last), int64(0)
		for p := range weights {
			weights[p] = 50 + r.Int64N(100)
			all += weights[p]
		}
		for p, weight := range weights {
			s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: engaged * weight / all})
		}
	case report.ContentMedia:
		s.Played, s.Reached = far*9/10, far
	case report.ContentScroll:
		s.Depth = far
	}
	return s
}

// foldSample counts what lies in a window.
func foldSample(w report.Window, facts ...sampleFacts) *report.Tally {
	var f report.Fold
	for _, of := range facts {
		for i := range of.opens {
			if w.Contains(of.opens[i].At) {
				f.Add(&of.opens[i])
			}
		}
		for _, d := range of.downloads {
			if w.From <= d && d < w.To {
				f.AddDownload(d)
			}
		}
	}
	return f.Tally()
}

func sampleCreated(now time.Time) time.Time { return now.AddDate(0, 0, 1-sampleDays) }

// SampleLink returns a made-up report with the name and kind of the link, and
// nothing else of it.
func SampleLink(l *vitrine.Link, address string, rg report.Range, now time.Time) *report.LinkReport {
	kind := report.ContentOf(l.Kind)
	facts := sampleViews(1, kind, 16, now)
	of := report.Link{ID: 1, Slug: string(l.Slug), Title: l.Title, URL: address, Kind: string(l.Kind), Content: kind,
		Pages: SamplePages, Created: sampleCreated(now),
		Views: facts.views, Downloads: int64(len(facts.downloads))}
	w := report.NewWindow(rg, now, of.Created)
	return report.ForLink(of, w, foldSample(w, facts), foldSample(w.Previous(), facts), facts.opens)
}

// SampleAccount returns a made-up report of an account.
func SampleAccount(rg report.Range, now time.Time) *report.AccountReport {
	w := report.NewWindow(rg, now, sampleCreated(now))
	all := report.AllTime{Links: int64(len(sampleWorks)), Since: sampleCreated(now)}
	var facts []sampleFacts
	var links []report.Link
	var top []report.TopLink
	for i, work := range sampleWorks {
		kind := report.ContentOf(work.kind)
		f := sampleViews(int64(i+1), kind, work.daily, now)
		l := report.Link{ID: int64(i + 1), Slug: work.slug, Title: work.title, Kind: work.kind, Content: kind,
			Pages: SamplePages, Created: sampleCreated(now),
			Views: f.views, Downloads: int64(len(f.downloads))}
		facts, links = append(facts, f), append(links, l)
		days := w.Spark()
		top = append(top, report.TopLink{Link: l, Spark: foldSample(w, f).DailyViews(days.From, days.To)})
		all.Views += l.Views
		all.Downloads += l.Downloads
	}
	return report.ForAccount(links, w, foldSample(w, facts...), foldSample(w.Previous(), facts...), top, all)
}
