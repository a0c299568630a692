package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"vitrine"
	"vitrine/internal/visits"
	"vitrine/report"
)

// passing counts the views by persons that pass by: their viewers, engaged
// times, steps and local hours, and, if the window selects views, their
// downloads.
type passing struct {
	w          window
	clock      visits.Clock
	from       report.Day    // the first step
	steps      []report.Sums // by step
	viewers    *visits.Set   // nil if the database counts visits
	heat       [7][24]int64
	times      []uint32
	events     map[int64][]event // by link, ordered by view
	downloaded []int64           // times of the download events that count
}

// event is a download event of a view.
type event struct{ view, id vitrine.ViewID }

func newPassing(w window, viewers bool) *passing {
	p := &passing{w: w, clock: visits.Clock{Steps: w.Steps}}
	if w.ids.from < w.ids.to {
		p.from = w.Steps.Of(w.ids.from.Ms())
		p.steps = make([]report.Sums, w.Steps.Of((w.ids.to-1).Ms())+1-p.from)
	}
	if viewers {
		p.viewers = new(visits.Set)
	}
	return p
}

// pass reads the views of a window, and their downloads first if it selects
// views.
func (c *client) pass(ctx context.Context, w window, p *passing) error {
	if len(p.steps) == 0 {
		return nil
	}
	time := "id"
	if w.Selects() {
		if err := c.downloadsOf(ctx, w, p); err != nil {
			return err
		}
	} else if w.ids.to.Ms()/1000 < math.MaxUint32 { // seconds are enough
		time = "toUInt32(intDiv(bitShiftRight(id, 21), 1000))"
	}
	return c.native(ctx, fmt.Sprintf("SELECT viewer, link, %s, toUInt32(e), toUInt8(counted) FROM %s", time,
		w.persons("viewer, link, id")), 5, p.block)
}

// block counts the views of a block of rows.
func (p *passing) block(rows int, columns []column) error {
	viewers, links, times, engaged, counted := columns[0], columns[1], columns[2], columns[3], columns[4]
	link, last := int64(-1), vitrine.ViewID(-1)
	var events []event
	for i := range rows {
		id := vitrine.ViewID(times.at(i))
		ms := id.Ms()
		if times.width == 4 {
			ms = max(int64(id)*1000, p.w.ids.from.Ms())
		}
		p.clock.Set(ms)
		step := int(p.clock.Step - p.from)
		if step < 0 || step >= len(p.steps) {
			return errAnswer
		}
		if l := int64(links.at(i)); l != link || id < last {
			link = l
			events = eventsFrom(p.events[link], id)
		}
		last = id
		for len(events) > 0 && events[0].view <= id {
			if events[0].view == id {
				p.downloaded = append(p.downloaded, events[0].id.Ms())
			}
			events = events[1:]
		}
		sums := &p.steps[step]
		sums.Views++
		p.heat[p.clock.Weekday][p.clock.Hour]++
		if counted.at(i) != 0 {
			e := uint32(engaged.at(i))
			sums.Sessions++
			sums.EngagedMs += int64(e)
			if !p.w.Brief {
				p.times = append(p.times, e)
			}
		}
		if p.viewers != nil {
			p.viewers.Add(viewers.at(i), link, p.clock.Step)
		}
	}
	return nil
}

// eventsFrom returns the events from the first one of a view on.
func eventsFrom(events []event, view vitrine.ViewID) []event {
	i, _ := slices.BinarySearchFunc(events, view, func(e event, v vitrine.ViewID) int { return cmp.Compare(e.view, v) })
	return events[i:]
}

// downloadsOf reads the download events of a window. It counts those of views
// outside the window; block counts the others.
func (c *client) downloadsOf(ctx context.Context, w window, p *passing) error {
	p.events = map[int64][]event{}
	outside := map[key][]vitrine.ViewID{}
	var keys []key
	sql := fmt.Sprintf("SELECT link, id, open FROM downloads FINAL WHERE %s AND %s%s AND open != 0", within(w.Scope),
		w.ids.where(), linksSQL(w.Links))
	err := c.query(ctx, sql, func(r *reader) error {
		link, e := r.int64(), event{id: vitrine.ViewID(r.int64()), view: vitrine.ViewID(r.int64())}
		if e.view >= w.ids.from && e.view < w.ids.to {
			p.events[link] = append(p.events[link], e)
			return nil
		}
		k := key{vitrine.LinkID(link), e.view}
		keys = append(keys, k)
		outside[k] = append(outside[k], e.id)
		return nil
	})
	if err != nil {
		return err
	}
	for _, events := range p.events {
		slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.view, b.view) })
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(a.id, b.id) })
	for some := range slices.Chunk(keys, keysBatch) {
		var set rows
		for _, k := range some {
			set.int64(int64(w.Account))
			set.int64(int64(k.link))
			set.int64(int64(k.id))
		}
		sql := fmt.Sprintf("SELECT link, id FROM opens FINAL WHERE (account, link, id) IN %s AND id >= %d AND id <= %d%s",
			keySet("a Int64, l Int64, i Int64", set), some[0].id, some[len(some)-1].id, lensSQL(&w.Lens))
		err := c.query(ctx, sql, func(r *reader) error {
			for _, id := range outside[key{vitrine.LinkID(r.int64()), vitrine.ViewID(r.int64())}] {
				p.downloaded = append(p.downloaded, id.Ms())
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// total returns the sums of all views that passed by.
func (p *passing) total() (t total) {
	for i := range p.steps {
		t.views += p.steps[i].Views
		t.sessions += p.steps[i].Sessions
		t.engagedMs += p.steps[i].EngagedMs
	}
	return t
}

// addTo adds what was counted to a tally.
func (p *passing) addTo(t *report.Tally) {
	for i := range p.steps {
		t.AddDaySums(p.from+report.Day(i), &p.steps[i])
	}
	for weekday := range p.heat {
		for hour, n := range p.heat[weekday] {
			t.AddHour(visits.Sunday+report.Day(weekday), hour, n)
		}
	}
	t.AddEngaged(p.times)
	for _, ms := range p.downloaded {
		t.AddDownload(p.w.Steps.Of(ms))
	}
	if p.viewers != nil {
		visits.Count(t, &visits.Query{From: p.from, To: p.from + report.Day(len(p.steps)),
			Links: p.w.Link == 0 && !p.w.Brief}, p.viewers)
	}
}
