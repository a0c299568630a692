package viewlogtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// kept returns the model without the data before a day, which is what results
// from single views are based on.
func (m *memory) kept(from report.Day) *memory {
	k := newMemory()
	for link, account := range m.accounts {
		k.accounts[link] = account
		k.views[link] = map[vitrine.ViewID]*remembered{}
		k.downloads[link] = map[vitrine.ViewID]vitrine.ViewID{}
		for id, r := range m.views[link] {
			if report.DayOf(id.Ms()) >= from {
				k.views[link][id] = r
			}
		}
		for event, of := range m.downloads[link] {
			if report.DayOf(event.Ms()) >= from {
				k.downloads[link][event] = of
			}
		}
	}
	return k
}

// compareExpired compares results from single views over days with deleted
// views, and whether they are marked as partial.
func (t logTest) compareExpired(c random, m *memory, s vitrine.Scope, days int, kept report.Day) {
	t.Helper()
	from := day + report.Day(c.IntN(days))
	lens, w := c.lens(from, from+1+report.Day(c.IntN(days)))
	if !lens.NeedsViews() {
		return
	}
	q := vitrine.TallyQuery{Scope: s, From: w.From, To: w.To, Lens: lens}
	what := fmt.Sprintf("%+v over [%v, %v) with %q in %v of links %v, kept from %v", s, w.From, w.To,
		lens.Filter.Texts(),
		w.Zone(),
		lens.Links, kept)
	got, truncated, err := t.log.Tally(ctx, q)
	if err != nil {
		t.Fatalf("Tally of %s: %v", what, err)
	}
	views, events := m.kept(kept).narrowViews(q)
	vitrinetest.Equal(t, "reports of "+what, reportsOver(s, got, w), reportsOver(s, narrowTally(q, views, events), w))
	begin, end := q.Steps.Bounds(q.From, q.To)
	gone := m.tally(s, report.DayOf(begin), min(kept, report.DayOf(end-1)+1))
	vitrinetest.Equal(t, "truncated: "+what, truncated, gone.AllViews() > 0)
}

func narrowTally(q vitrine.TallyQuery, views []report.View, events []vitrine.ViewID) *report.Tally {
	fold := report.Fold{Steps: q.Steps}
	for _, v := range views {
		fold.Add(&v)
	}
	for _, e := range events {
		fold.AddDownload(q.Steps.Of(e.Ms()))
	}
	return fold.Tally()
}

// narrowCap tests that results from single views use the newest views of the
// window under a cap, and then apply the filter.
func (t logTest) narrowCap() {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c, m := random{rand.New(rand.NewPCG(seed, 0))}, newMemory()
	for range 12 {
		b := c.batch(m)
		m.append(b)
		t.append(b)
	}
	if err := t.log.RollUp(ctx, day+modelDays/2); err != nil {
		t.Fatal(err)
	}
	for range t.times(200) {
		s := vitrine.Scope{Account: vitrine.AccountID(1 + c.IntN(2))}
		if c.IntN(2) == 0 {
			s.Link = vitrine.LinkID(1 + c.IntN(modelLinks))
			s.Account = vitrine.AccountID(1 + s.Link%2)
		}
		from := day + report.Day(c.IntN(modelDays))
		lens, w := c.lens(from, from+1+report.Day(c.IntN(modelDays)))
		if !lens.NeedsViews() {
			continue
		}
		q := vitrine.TallyQuery{Scope: s, From: w.From, To: w.To, Lens: lens}
		all := q
		all.Filter, all.Versions = nil, nil
		newest, _ := m.narrowViews(all)
		q.Cap = 1 + c.IntN(len(newest)+1)
		what := fmt.Sprintf("%+v under a cap of %d of %d, links %v, filter %q", s, q.Cap, len(newest), q.Links,
			q.Filter.Texts())
		counted := newest[:min(q.Cap, len(newest))]
		got, truncated, err := t.log.Tally(ctx, q)
		if err != nil {
			t.Fatalf("Tally of %s: %v", what, err)
		}
		vitrinetest.Equal(t, "truncated: "+what, truncated, q.Cap < len(newest))
		views := slices.DeleteFunc(slices.Clone(counted), func(v report.View) bool { return !q.Match(&v) })
		want := narrowTally(q, views, nil)
		vitrinetest.Equal(t, "views: "+what, [2]int64{got.Views(), got.AllViews()},
			[2]int64{want.Views(), want.AllViews()})
		vitrinetest.Equal(t, "uniques: "+what, got.Uniques(q.From, q.To), want.Uniques(q.From, q.To))
		vitrinetest.Equal(t, "labels: "+what, got.Labels(report.OnCountry, 9), want.Labels(report.OnCountry, 9))
	}
}

// albumCap tests that a cap counts the newest views before a filter by album.
func (t logTest) albumCap() {
	views := []vitrine.ViewRecord{view(1, 0, 10), view(2, time.Minute, 20), view(2, time.Hour, 30)}
	views[0].Album = 7
	t.view(views...)
	if err := t.log.RollUp(ctx, day+1); err != nil {
		t.Fatal(err)
	}
	filter, err := report.ParseFilter([]string{"album:is_not:"})
	if err != nil {
		t.Fatal(err)
	}
	for cap := range 4 {
		got, truncated, err := t.log.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: day,
			To: day + 1, Cap: cap, Lens: report.Lens{Filter: filter}})
		if err != nil {
			t.Fatal(err)
		}
		capped := cap == 1 || cap == 2
		want := int64(1)
		if capped {
			want = 0
		}
		vitrinetest.Equal(t, fmt.Sprintf("truncated under a cap of %d", cap), truncated, capped)
		vitrinetest.Equal(t, fmt.Sprintf("views from albums under a cap of %d", cap), got.Views(), want)
	}
}
