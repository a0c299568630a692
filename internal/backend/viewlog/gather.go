package viewlog

import (
	"context"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// gathering reads views and adds them to tallies of days.
type gathering struct {
	ctx        context.Context
	tx         logTx
	views      *tables.ViewReader
	scope      vitrine.Scope
	tallies    dayTallies
	viewerDays []segment.ViewerDay
	viewerDay  func(segment.ViewerDay) error // if set, receives the viewer day of each view instead
	rows       int
	each       func(*report.View) // if set, receives the views instead
	wants      func(report.Day) bool
}

// dayTallies holds tallies of single days.
type dayTallies map[report.Day]*report.Tally

// adds returns a function that adds n viewer days of a scope to the tally of
// their day. Only those of an account count the viewers of each link, too.
func (ts dayTallies) adds(s vitrine.Scope, n int64) func(segment.Fact) {
	return func(f segment.Fact) {
		switch t := ts.of(f.Day); {
		case f.Link == 0:
			t.AddViewerDays(report.ViewerDay{Day: f.Day, Prev: f.Prev}, n)
		case s.Link == 0:
			t.AddLinkViewers(f.Link, f.Prev, n)
		}
	}
}

// of returns the tally of a day. It creates an empty one if there is none.
func (ts dayTallies) of(d report.Day) *report.Tally {
	t := ts[d]
	if t == nil {
		t = new(report.Tally)
		ts[d] = t
	}
	return t
}

func (l *ViewLog) gather(ctx context.Context, t logTx, s vitrine.Scope) *gathering {
	return &gathering{ctx: ctx, tx: t, views: l.words.Reader(), scope: s, tallies: dayTallies{}, wants: everyDay}
}

// add counts a view and its viewer day.
func (g *gathering) add(view *report.View) error {
	if g.rows++; g.rows%checkEvery == 0 && g.ctx.Err() != nil {
		return g.ctx.Err()
	}
	if g.each != nil {
		g.each(view)
		return nil
	}
	d := report.DayOf(view.At)
	g.tallies.of(d).Add(view)
	if !view.Counted() {
		return nil
	}
	v := segment.ViewerDay{Viewer: int64(view.Viewer), Link: view.Link, Day: d}
	if g.viewerDay != nil {
		return g.viewerDay(v)
	}
	g.viewerDays = append(g.viewerDays, v)
	return nil
}

// links lists the links of a scope.
func (t logTx) links(s vitrine.Scope) (list []vitrine.LinkID, err error) {
	if s.Link != 0 {
		return []vitrine.LinkID{s.Link}, nil
	}
	err = t.Each(func(row sqldb.Scanner) error {
		var link vitrine.LinkID
		err := row.Scan(&link)
		list = append(list, link)
		return err
	}, "SELECT link FROM links WHERE account = $1 AND NOT deleting ORDER BY link", int64(s.Account))
	return list, err
}

// packed adds the views in segments of the days [from, to).
func (g *gathering) packed(from, to report.Day) error {
	return g.tx.SegmentRows(g.scope, tables.IDsOf(from, to), false, func(link vitrine.LinkID, r *segment.Row) error {
		if !g.wants(report.DayOf(r.ID.Ms())) {
			return nil
		}
		v, err := g.views.View(int64(link), r)
		if err != nil {
			return err
		}
		return g.add(v)
	})
}

// cold adds the views in segments and the download events of days. It reads
// days together that are close to each other.
func (g *gathering) cold(days []span) error {
	for len(days) > 0 {
		n := 1
		for n < len(days) && days[n].from-days[n-1].to <= nearDays {
			n++
		}
		some := days[:n]
		g.wants = func(d report.Day) bool {
			return slices.ContainsFunc(some, func(s span) bool { return s.from <= d && d < s.to })
		}
		from, to := some[0].from, some[n-1].to
		if err := g.packed(from, to); err != nil {
			return err
		}
		if err := g.downloads(from, to); err != nil {
			return err
		}
		days = days[n:]
	}
	g.wants = everyDay
	return nil
}

// nearDays is the longest gap between days that is read and ignored rather than
// skipped by another query.
const nearDays = 8

func everyDay(report.Day) bool { return true }

// running adds the views in the table views of the days [from, to).
func (g *gathering) running(from, to report.Day) error {
	clause, args := tables.Within(g.scope, "views", tables.IDsOf(from, to))
	return g.tx.VisitViews(func(link, id int64, record, session []byte) error {
		v, err := g.views.Read(link, id, record, session)
		if err != nil {
			return err
		}
		return g.add(v)
	}, clause, args)
}

// downloads adds the download events of the days [from, to).
func (g *gathering) downloads(from, to report.Day) error {
	clause, args := tables.Within(g.scope, "downloads", tables.IDsOf(from, to))
	return g.tx.Each(func(s sqldb.Scanner) error {
		var id vitrine.ViewID
		if err := s.Scan(&id); err != nil {
			return err
		}
		if d := report.DayOf(id.Ms()); g.wants(d) {
			g.tallies.of(d).AddDownloads(d, 1)
		}
		return nil
	}, "SELECT o.id"+clause, args...)
}

// addViewerDays adds the viewer days to the tallies of their days. With alone,
// it ignores earlier viewer days.
func (g *gathering) addViewerDays(alone bool) error {
	h := &tables.History{}
	if !alone {
		var err error
		if h, err = g.tx.History(g.scope.Account); err != nil {
			return err
		}
	}
	g.viewerDays = segment.SortViewerDays(g.viewerDays)
	h.Expect(len(g.viewerDays))
	return eachViewerDay(h, g.scope.Link, g.viewerDays, g.tallies.adds(g.scope, 1))
}

// eachViewerDay calls f with the facts of viewer days sorted by viewer. Earlier
// viewer days are found in the history and among the viewer days themselves.
// With a link, only earlier viewer days to that link matter.
func eachViewerDay(h *tables.History, link vitrine.LinkID, viewerDays []segment.ViewerDay, f func(segment.Fact)) error {
	for len(viewerDays) > 0 {
		n := 1
		for n < len(viewerDays) && viewerDays[n].Viewer == viewerDays[0].Viewer {
			n++
		}
		before, err := h.Of(viewerDays[0].Viewer)
		if err != nil {
			return err
		}
		segment.Facts(before, int64(link), viewerDays[:n], f)
		viewerDays = viewerDays[n:]
	}
	return nil
}
