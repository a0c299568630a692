package vitrine_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
	"vitrine/report/part"
)

var testTime = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func viewed(kind report.ContentKind, pages int) vitrine.Viewed {
	return vitrine.Viewed{Link: 1, View: vitrine.ViewIDAt(testTime.UnixMilli(), 5), Kind: kind, Pages: pages}
}

func TestClaimSnapshot(t *testing.T) {
	at := func(d time.Duration) time.Time { return testTime.Add(d) }
	tests := []struct {
		name   string
		claim  vitrine.Claim
		viewed vitrine.Viewed
		at     time.Time
		want   report.Session
	}{
		{"honest", vitrine.Claim{Engaged: 4000, Present: 5000, Depth: 80}, viewed(report.ContentScroll, 0), at(5 * time.Second),
			report.Session{EngagedMs: 4000, PresentMs: 5000, Depth: 800_000}},
		{"ahead of the clock", vitrine.Claim{Engaged: 90_000, Present: 100_000}, viewed(report.ContentNone, 0),
			at(5 * time.Second),
			report.Session{EngagedMs: 7000, PresentMs: 7000}},
		{"engaged beyond present", vitrine.Claim{Engaged: 5000, Present: 3000}, viewed(report.ContentNone, 0),
			at(10 * time.Second),
			report.Session{EngagedMs: 3000, PresentMs: 3000}},
		{"negative", vitrine.Claim{Engaged: -1, Present: -1, Depth: -5}, viewed(report.ContentScroll, 0), at(time.Second),
			report.Session{}},
		{"clock set back", vitrine.Claim{Engaged: 9000, Present: 9000}, viewed(report.ContentNone, 0), at(-time.Hour),
			report.Session{EngagedMs: 2000, PresentMs: 2000}},
		{"all day", vitrine.Claim{Engaged: 20 * 3600_000, Present: 20 * 3600_000}, viewed(report.ContentNone, 0),
			at(20 * time.Hour),
			report.Session{EngagedMs: 4 * 3600_000, PresentMs: 4 * 3600_000}},
		{"pages: seen from one second on", vitrine.Claim{Engaged: 9000, Present: 9000,
			Pages: times(map[int]int64{1: 3000, 2: 999, 3: 1000})},
			viewed(report.ContentPages, 12), at(9 * time.Second), report.Session{EngagedMs: 9000, PresentMs: 9000,
				Pages: []report.PageTime{{Page: 1, Ms: 3000}, {Page: 3, Ms: 1000}}}},
		{"pages: outside the file", vitrine.Claim{Engaged: 9000, Present: 9000,
			Pages: times(map[int]int64{0: 2000, 12: 2000, 13: 2000, -4: 1})},
			viewed(report.ContentPages, 12), at(9 * time.Second), report.Session{EngagedMs: 9000, PresentMs: 9000,
				Pages: []report.PageTime{{Page: 12, Ms: 2000}}}},
		{"pages: more than the engaged time", vitrine.Claim{Engaged: 5000, Present: 5000,
			Pages: times(map[int]int64{1: 4000, 2: 4000, 3: 4000})},
			viewed(report.ContentPages, 12), at(5 * time.Second), report.Session{EngagedMs: 5000, PresentMs: 5000,
				Pages: []report.PageTime{{Page: 1, Ms: 4000}, {Page: 2, Ms: 1000}}}},
		{"quarters of pages", vitrine.Claim{Engaged: 9000, Present: 9000, Pages: map[int]report.PageTime{
			1: {Ms: 3000, Bands: part.Bands{1000, 2000}}, 2: {Ms: 999, Bands: part.Bands{999}}, 3: {Ms: 1000}}},
			viewed(report.ContentPages, 12), at(9 * time.Second), report.Session{EngagedMs: 9000, PresentMs: 9000,
				Pages: []report.PageTime{{Page: 1, Ms: 3000, Bands: part.Bands{1000, 2000}}, {Page: 3, Ms: 1000}}}},
		{"quarters beyond their page", vitrine.Claim{Engaged: 5000, Present: 5000, Pages: map[int]report.PageTime{
			1: {Ms: 3000, Bands: part.Bands{-1, 2000, 4000, 1}}, 2: {Ms: 4000, Bands: part.Bands{0, 0, 0, 4000}},
			13: {Ms: 1, Bands: part.Bands{1}}}},
			viewed(report.ContentPages, 12), at(5 * time.Second), report.Session{EngagedMs: 5000, PresentMs: 5000,
				Pages: []report.PageTime{{Page: 1, Ms: 3000, Bands: part.Bands{0, 2000, 1000}},
					{Page: 2, Ms: 2000, Bands: part.Bands{0, 0, 0, 2000}}}}},
		{"media", vitrine.Claim{Engaged: 5000, Present: 5000, Duration: 8000, Played: 2000, Reached: 4000},
			viewed(report.ContentMedia, 0),
			at(5 * time.Second), report.Session{EngagedMs: 5000, PresentMs: 5000, Played: 250_000, Reached: 500_000}},
		{"media beyond its end", vitrine.Claim{Engaged: 5000, Present: 5000, Duration: 8000, Played: 9000, Reached: 9000},
			viewed(report.ContentMedia, 0),
			at(5 * time.Second), report.Session{EngagedMs: 5000, PresentMs: 5000, Played: 1_000_000,
				Reached: 1_000_000}},
		{"media in parts", vitrine.Claim{Engaged: 5000, Present: 5000, Duration: 10_000, Played: 350, Reached: 9000,
			Parts: report.Parts{0b111, 1 << 24}},
			viewed(report.ContentMedia, 0), at(5 * time.Second),
			report.Session{EngagedMs: 5000, PresentMs: 5000, Played: 35_000, Reached: 900_000,
				Parts: report.Parts{0b111, 1 << 24}}},
		{"media in more parts than time", vitrine.Claim{Engaged: 5000, Present: 5000, Duration: 10_000, Played: 100,
			Reached: 9000, Parts: report.Parts{0b1011, 1 << 25}},
			viewed(report.ContentMedia, 0), at(5 * time.Second),
			report.Session{EngagedMs: 5000, PresentMs: 5000, Played: 10_000, Reached: 900_000,
				Parts: report.Parts{0b11}}},
		{"media in parts behind the furthest point",
			vitrine.Claim{Engaged: 5000, Present: 5000, Duration: 10_000, Played: 5000, Reached: 200,
				Parts: report.Parts{0b111}},
			viewed(report.ContentMedia, 0), at(5 * time.Second),
			report.Session{EngagedMs: 5000, PresentMs: 5000, Played: 500_000, Reached: 20_000,
				Parts: report.Parts{0b11}}},
		{"media without a duration", vitrine.Claim{Played: 9000, Reached: 9000}, viewed(report.ContentMedia, 0),
			at(5 * time.Second), report.Session{}},
		{"scroll beyond the end", vitrine.Claim{Depth: 400}, viewed(report.ContentScroll, 0), at(time.Second),
			report.Session{Depth: 1_000_000}},
		{"parts: seen from one second on", vitrine.Claim{Engaged: 9000, Present: 9000, Depth: 50,
			Pages: times(map[int]int64{1: 3000, 2: 999, 4: 5000})},
			viewed(report.ContentScroll, 4), at(9 * time.Second), report.Session{EngagedMs: 9000, PresentMs: 9000,
				Depth: 500_000, Outlined: true,
				Pages: []report.PageTime{{Page: 1, Ms: 3000}, {Page: 4, Ms: 5000}}}},
		{"parts: none was seen", vitrine.Claim{Engaged: 9000, Present: 9000},
			viewed(report.ContentScroll, 4), at(9 * time.Second), report.Session{EngagedMs: 9000, PresentMs: 9000,
				Outlined: true}},
		{"parts: outside the file, negative, and more than the engaged time", vitrine.Claim{Engaged: 5000, Present: 5000,
			Pages: times(map[int]int64{1: -3000, 2: 4000, 3: 4000, 101: 4000})},
			viewed(report.ContentScroll, 100), at(5 * time.Second), report.Session{EngagedMs: 5000, PresentMs: 5000,
				Outlined: true, Pages: []report.PageTime{{Page: 2, Ms: 4000}, {Page: 3, Ms: 1000}}}},
		{"parts of a file without any", vitrine.Claim{Engaged: 9000, Present: 9000, Pages: times(map[int]int64{1: 3000})},
			viewed(report.ContentScroll, 0), at(9 * time.Second), report.Session{EngagedMs: 9000, PresentMs: 9000}},
		{"what its kind has not", vitrine.Claim{Depth: 50, Duration: 5, Played: 5, Pages: times(map[int]int64{1: 5000})},
			viewed(report.ContentNone, 0), at(time.Second), report.Session{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if s := tt.claim.Snapshot(tt.viewed, "", tt.at); !reflect.DeepEqual(s.Session, tt.want) {
				t.Errorf("session %+v, want %+v", s.Session, tt.want)
			}
		})
	}
}

// TestApplyAnyOrder checks that repeating, reordering or losing snapshots adds
// nothing (promise 14): whatever arrives of an honest page's snapshots, in
// whatever order, the result is at most the last one, and equals it once the
// last one has arrived in time.
func TestApplyAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	for range 500 {
		v := viewed(report.ContentPages, 9)
		var onPages int64
		var sent []vitrine.Snapshot
		c := vitrine.Claim{Pages: map[int]report.PageTime{}}
		var now int64
		for range 1 + r.IntN(8) {
			step := r.Int64N(30_000)
			now += step
			c.Present, c.Engaged = now, c.Engaged+r.Int64N(step+1)
			more := min(r.Int64N(step+1), c.Engaged-onPages)
			page := 1 + r.IntN(9)
			p := c.Pages[page]
			p.Ms += more
			p.Bands[r.IntN(4)] += r.Int64N(more + 1)
			c.Pages[page] = p
			onPages += more
			c.Downloaded = c.Downloaded || r.IntN(9) == 0
			s := c.Snapshot(v, "0-575", testTime.Add(time.Duration(now)*time.Millisecond))
			sent = append(sent, s)
		}
		last := sent[len(sent)-1]
		var in, mixed vitrine.Engagement
		for _, s := range sent {
			in.Apply(s)
		}
		if !reflect.DeepEqual(in.Session, last.Session) {
			t.Fatalf("in order = %+v, want %+v", in.Session, last.Session)
		}
		got := []vitrine.Snapshot{last}
		for range r.IntN(12) {
			got = append(got, sent[r.IntN(len(sent))])
		}
		r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		for _, s := range got {
			mixed.Apply(s)
		}
		if !reflect.DeepEqual(mixed.Session, last.Session) {
			t.Fatalf("in another order = %+v, want %+v", mixed.Session, last.Session)
		}
	}
}

// TestApplyBoundsGrowth checks that a dishonest page gains no more than the
// time between its snapshots and the tolerance.
func TestApplyBoundsGrowth(t *testing.T) {
	v := viewed(report.ContentNone, 0)
	var e vitrine.Engagement
	at := testTime.Add(time.Minute)
	for i := range 100 {
		s := vitrine.Claim{Engaged: 1 << 40, Present: 1 << 40}.Snapshot(v, "", at)
		if i == 0 {
			s.Session.EngagedMs = 1000
			s.Session.PresentMs = 1000
		}
		e.Apply(s)
		at = at.Add(10 * time.Millisecond)
	}
	if real := at.Sub(testTime).Milliseconds(); e.Session.EngagedMs > real+2000 {
		t.Errorf("engaged time = %d ms after %d ms", e.Session.EngagedMs, real)
	}
}

// TestApplyBands checks that quarters of a page have no more time than the
// page, also if each of two snapshots claims all of it for another quarter, in
// either order and repeated.
func TestApplyBands(t *testing.T) {
	v, at := viewed(report.ContentPages, 5), testTime.Add(time.Minute)
	claim := func(b part.Bands) vitrine.Snapshot {
		pages := map[int]report.PageTime{2: {Ms: 5000, Bands: b}}
		s := vitrine.Claim{Engaged: 9000, Present: 9000, Pages: pages}.Snapshot(v, "", at)
		return s
	}
	top, bottom := claim(part.Bands{5000}), claim(part.Bands{0, 0, 0, 5000})
	for _, order := range [][]vitrine.Snapshot{{top, bottom}, {bottom, top}, {top, bottom, bottom, top}} {
		var e vitrine.Engagement
		for _, s := range order {
			e.Apply(s)
		}
		want := []report.PageTime{{Page: 2, Ms: 5000, Bands: part.Bands{5000}}}
		if !slices.Equal(e.Session.Pages, want) {
			t.Errorf("pages = %v, want %v", e.Session.Pages, want)
		}
	}
}

// times returns times on pages as a claim has them.
func times(ms map[int]int64) map[int]report.PageTime {
	pages := map[int]report.PageTime{}
	for p, ms := range ms {
		pages[p] = report.PageTime{Ms: ms}
	}
	return pages
}

// TestApplyRepeated checks that repeating one snapshot adds nothing, whatever
// it claims, and that the time on pages is at most the engaged time.
func TestApplyRepeated(t *testing.T) {
	v := viewed(report.ContentPages, 500)
	var e vitrine.Engagement
	at := testTime.Add(10 * time.Minute)
	first := vitrine.Claim{Engaged: 3000, Present: 600_000}.Snapshot(v, "", at)
	e.Apply(first)
	pages := map[int]int64{}
	for p := range 400 {
		pages[p+1] = 1500
	}
	late := vitrine.Claim{Engaged: 600_000, Present: 600_000, Pages: times(pages)}.Snapshot(v, "", at)
	e.Apply(late)
	once := e
	for range 300 {
		e.Apply(late)
	}
	if !reflect.DeepEqual(e, once) || e.Session.EngagedMs > 5000 {
		t.Errorf("engaged time = %d ms, after 300 repetitions %d ms", once.Session.EngagedMs, e.Session.EngagedMs)
	}
	var onPages int64
	for _, p := range e.Session.Pages {
		onPages += p.Ms
	}
	if onPages > e.Session.EngagedMs {
		t.Errorf("%d ms on pages, want at most the engaged %d ms", onPages, e.Session.EngagedMs)
	}
}
