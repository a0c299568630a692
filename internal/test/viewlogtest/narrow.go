package viewlogtest

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// zones are the tested time zones: with clock changes of an hour, of half an
// hour, or over midnight, and without any.
var zones = []string{"UTC", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/New_York",
	"Pacific/Kiritimati"}

// lens returns a random lens and a random window within [from, to).
func (c random) lens(from, to report.Day) (report.Lens, report.Window) {
	p := report.Period{Dates: &report.Dates{First: from, Last: to - 1}}
	if c.IntN(3) > 0 {
		p.Zone, _ = time.LoadLocation(zones[c.IntN(len(zones))])
	}
	if c.IntN(4) == 0 {
		p.Hourly = true
		p.Dates.Last = min(p.Dates.Last, from+report.Day(c.IntN(3)))
	}
	w, err := report.WindowOf(p, to.Time().AddDate(0, 0, 9), time.Time{})
	if err != nil {
		panic(err)
	}
	l := report.Lens{Steps: w.Steps, Filter: c.filter()}
	if c.IntN(4) == 0 {
		l.Links = []int64{c.Int64N(modelLinks) + 1, c.Int64N(modelLinks) + 1}
	}
	if c.IntN(4) == 0 {
		l.Versions = map[int64][]int{c.Int64N(modelLinks) + 1: {2}, c.Int64N(modelLinks) + 1: {1, 4}, modelLinks: {}}
	}
	return l, w
}

// filter returns random conditions on any dimensions, with values that occur in
// the model or not.
func (c random) filter() report.Filter {
	all := report.Dimensions()
	var texts []string
	for range c.IntN(4) {
		d, v := all[c.IntN(len(all))], c.view()
		v.Session = &report.Session{Screen: c.word("screen ")}
		on := report.Condition{Dimension: d.Dimension, Not: c.IntN(3) == 0, Value: d.Key(&v.View)}
		texts = append(texts, on.String())
	}
	f, err := report.ParseFilter(texts)
	if err != nil {
		panic(err)
	}
	return f
}

// narrowViews returns the views of a query, newest first, and its download
// events.
func (m *memory) narrowViews(q vitrine.TallyQuery) (views []report.View, events []vitrine.ViewID) {
	from, to := q.Steps.Bounds(q.From, q.To)
	for link, account := range m.accounts {
		if q.Link != 0 && link != q.Link || q.Link == 0 && account != q.Account || q.Links != nil &&
			!slices.Contains(q.Links, int64(link)) {
			continue
		}
		for _, v := range m.list(link, firstDay, lastDay) {
			if v.At >= from && v.At < to && q.Match(&v) {
				views = append(views, v)
			}
		}
		for event, of := range m.downloads[link] {
			r := m.views[link][of]
			if event.Ms() >= from && event.Ms() < to && (!q.Selects() || r != nil && q.Match(&r.view) ||
				of <= 0 && q.MatchDownload(-int64(of))) {
				events = append(events, event)
			}
		}
	}
	slices.SortFunc(views, func(a, b report.View) int {
		return cmp.Or(cmp.Compare(b.ID, a.ID), cmp.Compare(b.Link, a.Link))
	})
	return views, events
}

// compareNarrow compares results that are computed from single views: tallies
// with filters and time zones, daily views, and lists of views.
func (t logTest) compareNarrow(c random, m *memory, s vitrine.Scope, from, to report.Day) {
	t.Helper()
	lens, w := c.lens(from, to)
	q := vitrine.TallyQuery{Scope: s, From: w.From, To: w.To, Lens: lens, Brief: c.IntN(3) == 0}
	what := fmt.Sprintf("%+v over [%v, %v) with %q in %v, hourly %v, of links %v, versions %v", s, from, to,
		lens.Filter.Texts(), w.Zone(), w.Hourly(), lens.Links, lens.Versions)
	views, events := m.narrowViews(q)
	want := narrowTally(q, views, events)
	got, truncated, err := t.log.Tally(ctx, q)
	if err != nil {
		t.Fatalf("Tally of %s: %v", what, err)
	}
	vitrinetest.Equal(t, "truncated: "+what, truncated, false)
	if q.Brief {
		before := report.ForLink(report.Link{}, w, nil, want, nil)
		vitrinetest.Equal(t, "previous of "+what, report.ForLink(report.Link{}, w, nil, got, nil).Previous,
			before.Previous)
		vitrinetest.Equal(t, "uniques of "+what, got.Uniques(w.From, w.To), want.Uniques(w.From, w.To))
	} else {
		vitrinetest.Equal(t, "reports of "+what, reportsOver(s, got, w), reportsOver(s, want, w))
	}
	if s.Link == 0 {
		t.compareNarrowDaily(q, views)
	}
	if s.Link != 0 && m.accounts[s.Link] == s.Account {
		t.compareRecipients(m, s.Link, w)
	}
	t.compareEach(m, s, w)
	t.compareRecent(c, m, q)
}

func (t logTest) compareNarrowDaily(q vitrine.TallyQuery, views []report.View) {
	t.Helper()
	links, want := []vitrine.LinkID{1, 2, 3}, map[vitrine.LinkID][]int64{}
	for _, link := range links {
		want[link] = make([]int64, q.To-q.From)
	}
	for _, v := range views {
		if of := want[vitrine.LinkID(v.Link)]; of != nil && v.Counted() {
			of[q.Steps.Of(v.At)-q.From]++
		}
	}
	got, err := t.log.DailyViews(ctx, q, links)
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, fmt.Sprintf("daily views of %+v, filter %q", q.Scope, q.Filter.Texts()), got, want)
}

// compareRecent compares the newest views of a query: all, only those with
// engagement data, or only counted ones, as always of an account.
func (t logTest) compareRecent(c random, m *memory, q vitrine.TallyQuery) {
	t.Helper()
	from, to := q.Steps.Bounds(q.From, q.To)
	r := vitrine.RecentQuery{Scope: q.Scope, From: vitrine.ViewIDAt(from, 0), To: vitrine.ViewIDAt(to, 0),
		N: 1 + c.IntN(9), Engaged: c.IntN(2) == 0, Counted: c.IntN(2) == 0, Filter: q.Filter}
	if viewer := uint64(c.IntN(8)); c.IntN(3) == 0 {
		r.Viewer = &viewer
	}
	q.Links, q.Versions = nil, nil
	views, _ := m.narrowViews(q)
	var want []report.View
	for _, v := range views {
		if len(want) == r.N || r.Engaged && (v.Session == nil || v.Bot == report.BotOwn) || r.Viewer != nil &&
			*r.Viewer != v.Viewer || (q.Link == 0 || r.Counted) && !v.Counted() {
			continue
		}
		for _, of := range m.downloads[vitrine.LinkID(v.Link)] {
			v.Downloaded = v.Downloaded || of == vitrine.ViewID(v.ID)
		}
		want = append(want, v)
	}
	recent, err := t.log.Recent(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	var got []report.View
	for _, v := range recent {
		got = append(got, own(v))
	}
	vitrinetest.Equal(t, fmt.Sprintf("recent views of %+v", r), got, want)
}
