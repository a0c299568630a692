package viewdb

import (
	"cmp"
	"context"
	"slices"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/scan"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// downloadOf is a download event and its view, if any.
type downloadOf struct {
	link        vitrine.LinkID
	event, view vitrine.ViewID
}

// narrow answers a Tally query that stored tallies cannot answer.
func (l *ViewLog) narrow(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	truncated, err = l.retained(ctx, q, func(tx logTx, r ids) (capped bool, err error) {
		oldest := segment.Place{ID: r.from}
		if q.Cap > 0 {
			all := segment.NewestOf(q.Cap)
			err := eachID(ctx, tx, q.Scope, r, func(p segment.Place) {
				if q.Links == nil || slices.Contains(q.Links, int64(p.Link)) {
					all.Add(p)
				}
			})
			if err != nil {
				return false, err
			}
			if capped = all.Full; capped {
				oldest = all.Places[0]
			}
		}
		events, err := tx.downloadsOf(q.Scope, r)
		if err != nil {
			return false, err
		}
		of := scan.Query{Lens: q.Lens, From: q.From, To: q.To, Oldest: oldest, End: r.to, Account: q.Link == 0,
			Brief: q.Brief}
		if q.Selects() {
			of.Events = map[vitrine.LinkID][]scan.Event{}
			events = slices.DeleteFunc(events, func(e downloadOf) bool {
				within := e.view >= r.from && e.view < r.to
				if within {
					of.Events[e.link] = append(of.Events[e.link], scan.Event{View: e.view, Ms: e.event.Ms()})
				}
				return within
			})
		}
		s, err := l.scan(ctx, tx, q.Scope, ids{oldest.ID, r.to}, &of)
		if err != nil {
			return false, err
		}
		t = s.Tally()
		return capped, l.narrowDownloads(tx, q, events, t)
	})
	if t == nil {
		t = new(report.Tally)
	}
	return trim(q.Scope, t), truncated, err
}

// narrowDaily answers a DailyViews query that stored tallies cannot answer.
func (l *ViewLog) narrowDaily(ctx context.Context, q vitrine.TallyQuery,
	links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error) {
	views := make(map[vitrine.LinkID][]int64, len(links))
	some := []int64{}
	for _, link := range links {
		views[link] = make([]int64, max(q.To-q.From, 0))
		if q.Links == nil || slices.Contains(q.Links, int64(link)) {
			some = append(some, int64(link))
		}
	}
	q.Links = some
	_, err := l.retained(ctx, q, func(tx logTx, r ids) (bool, error) {
		s, err := l.scan(ctx, tx, q.Scope, r, &scan.Query{Lens: q.Lens, From: q.From, To: q.To,
			Oldest: segment.Place{ID: r.from}, End: r.to, Daily: true})
		if err != nil {
			return false, err
		}
		s.EachDaily(func(link vitrine.LinkID, step report.Day, n int64) { views[link][step-q.From] += n })
		return false, nil
	})
	return views, err
}

// retained calls f with the IDs of a query whose views have not expired. It
// reports whether views are left out, because they expired or because f says
// so.
func (l *ViewLog) retained(ctx context.Context, q vitrine.TallyQuery,
	f func(logTx, ids) (bool, error)) (truncated bool, err error) {
	from, to := q.Steps.Bounds(q.From, q.To)
	if from >= to {
		return false, nil
	}
	var forgotten report.Day // the query begins before this day
	err = l.read(ctx, func(tx logTx) error {
		st, err := tx.state(q.Account)
		if err != nil {
			return err
		}
		r := ids{vitrine.ViewIDAt(from, 0), vitrine.ViewIDAt(to, 0)}
		forgotten = 0
		if kept := segment.FirstID(st.retainedFrom); st.retainedFrom > 0 && r.from < kept {
			r.from, forgotten = kept, st.retainedFrom
		}
		truncated, err = f(tx, r)
		return err
	})
	if err != nil || forgotten == 0 || truncated {
		return truncated, err
	}
	days := vitrine.TallyQuery{Scope: q.Scope, From: report.DayOf(from), To: min(forgotten, report.DayOf(to-1)+1)}
	gone, err := l.tally(ctx, days, true)
	return err == nil && gone.AllViews() > 0, err
}

// scan counts the views of a scope in a range of IDs, in packs and in the table
// opens.
func (l *ViewLog) scan(ctx context.Context, tx logTx, scope vitrine.Scope, r ids,
	q *scan.Query) (s *scan.Scan, err error) {
	q.Word = l.words.Word
	s = scan.Begin(ctx, q)
	defer func() {
		if again := s.End(); err == nil {
			err = again
		}
	}()
	st, err := tx.state(scope.Account)
	if err == nil && r.from < segment.FirstID(st.compactedUntil) { // later views are in no pack
		err = tx.packs(scope, r,
			func(link vitrine.LinkID, p *storedPack) error { return s.Segment(link, p.first, p.data) })
	}
	if err != nil {
		return nil, err
	}
	clause, args := within(scope, "opens", r)
	var row segment.Row
	return s, tx.VisitOpens(func(link, id int64, open, session []byte) error {
		row.ID = vitrine.ViewID(id)
		if err := row.Decode(open, session); err != nil {
			return err
		}
		return s.Row(vitrine.LinkID(link), &row)
	}, clause, args)
}

// narrowDownloads counts download events. If the query selects views, it counts
// those whose view matches.
func (l *ViewLog) narrowDownloads(tx logTx, q vitrine.TallyQuery, events []downloadOf, t *report.Tally) error {
	views := l.words.Reader()
	for _, e := range events {
		if q.Links != nil && !slices.Contains(q.Links, int64(e.link)) {
			continue
		}
		if q.Selects() {
			rows, err := tx.rows(e.link, ids{e.view, e.view + 1}, 1)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				continue
			}
			if o, err := views.View(int64(e.link), &rows[0]); err != nil {
				return err
			} else if !q.Match(o) {
				continue
			}
		}
		t.AddDownload(q.Steps.Of(e.event.Ms()))
	}
	return nil
}

// downloadsOf lists the download events of a scope in a range of IDs, ordered
// by their views.
func (t logTx) downloadsOf(s vitrine.Scope, r ids) (list []downloadOf, err error) {
	clause, args := within(s, "downloads", r)
	err = t.Each(func(row sqldb.Scanner) error {
		var d downloadOf
		err := row.Scan(&d.link, &d.event, &d.view)
		list = append(list, d)
		return err
	}, "SELECT o.link, o.id, o.open"+clause, args...)
	slices.SortFunc(list, func(a, b downloadOf) int {
		return cmp.Or(cmp.Compare(a.link, b.link), cmp.Compare(a.view, b.view))
	})
	return list, err
}
