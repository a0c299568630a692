package viewlog

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"

	"vitrine"
	"vitrine/internal/backend/viewlog/scan"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// downloadOf is a download event and its view. Without one, view is the
// negative ID of its recipient, or 0.
type downloadOf struct {
	link        vitrine.LinkID
	event, view vitrine.ViewID
}

// largeScan is the views of a scope from which on its scans take turns.
const largeScan = 200_000

// turn waits for a turn to scan a scope, before there is a transaction. A scan
// of many views takes much memory and every processor.
func (l *ViewLog) turn(ctx context.Context, s vitrine.Scope) (end func(), err error) {
	of, err := l.AccountTotals(ctx, s.Account)
	if s.Link != 0 && err == nil && of.Views >= l.large {
		var counts map[vitrine.LinkID]vitrine.LinkCounts
		counts, err = l.Counts(ctx, []vitrine.LinkID{s.Link})
		of = counts[s.Link]
	}
	if err != nil || of.Views < l.large {
		return func() {}, err
	}
	return func() { l.turns.Release(s.Account) }, l.turns.Take(ctx, s.Account)
}

// tallyViews answers a Tally query that stored tallies cannot answer.
func (l *ViewLog) tallyViews(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	end, err := l.turn(ctx, q.Scope)
	if err != nil {
		return new(report.Tally), false, err
	}
	defer end()
	truncated, err = l.retained(ctx, q, func(tx logTx, r tables.IDs) (capped bool, err error) {
		oldest := segment.Place{ID: r.From}
		if q.Cap > 0 {
			all, every := segment.NewestOf(q.Cap), r
			every.Albums = false // the filter applies to the newest views
			err := eachID(ctx, tx, q.Scope, every, func(p segment.Place) {
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
		d, err := tx.downloadsOf(&q, r)
		if err != nil {
			return false, err
		}
		of := scan.Query{Lens: q.Lens, From: q.From, To: q.To, Oldest: oldest, End: r.To, Account: q.Link == 0,
			Brief: q.Brief, Events: d.within}
		s, err := l.scan(ctx, tx, []vitrine.Scope{q.Scope}, r.Since(oldest.ID), &of)
		if err != nil {
			return false, err
		}
		t = s.Tally()
		return capped, l.addDownloads(tx, q, d, t)
	})
	if t == nil {
		t = new(report.Tally)
	}
	return trim(q.Scope, t), truncated, err
}

// dailyOfViews answers a DailyViews query that stored tallies cannot answer.
func (l *ViewLog) dailyOfViews(ctx context.Context, q vitrine.TallyQuery,
	links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error) {
	end, err := l.turn(ctx, q.Scope)
	if err != nil {
		return nil, err
	}
	defer end()
	views := make(map[vitrine.LinkID][]int64, len(links))
	some := []int64{}
	for _, link := range links {
		views[link] = make([]int64, max(q.To-q.From, 0))
		if q.Links == nil || slices.Contains(q.Links, int64(link)) {
			some = append(some, int64(link))
		}
	}
	q.Links = some
	_, err = l.retained(ctx, q, func(tx logTx, r tables.IDs) (bool, error) {
		var s *scan.Scan
		scopes, err := tx.ScopesOf(q.Account, some)
		if err == nil {
			s, err = l.scan(ctx, tx, scopes, r, &scan.Query{Lens: q.Lens, From: q.From, To: q.To,
				Oldest: segment.Place{ID: r.From}, End: r.To, Daily: true})
		}
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
	f func(logTx, tables.IDs) (bool, error)) (truncated bool, err error) {
	from, to := q.Steps.Bounds(q.From, q.To)
	if from >= to {
		return false, nil
	}
	var expired report.Day // the query begins before this day
	err = l.read(ctx, func(tx logTx) error {
		st, err := tx.state(q.Account)
		if err != nil {
			return err
		}
		r := tables.IDs{From: vitrine.ViewIDAt(from, 0), To: vitrine.ViewIDAt(to, 0), Albums: q.Filter.FromAlbums()}
		expired = 0
		if kept := segment.FirstID(st.retainedFrom); st.retainedFrom > 0 && r.From < kept {
			r.From, expired = kept, st.retainedFrom
		}
		truncated, err = f(tx, r)
		return err
	})
	if err != nil || expired == 0 || truncated {
		return truncated, err
	}
	days := vitrine.TallyQuery{Scope: q.Scope, From: report.DayOf(from), To: min(expired, report.DayOf(to-1)+1)}
	gone, err := l.tally(ctx, days, true)
	return err == nil && gone.AllViews() > 0, err
}

// scan counts the views of scopes of one account in a range of IDs, in segments
// and in the table views.
func (l *ViewLog) scan(ctx context.Context, tx logTx, scopes []vitrine.Scope, r tables.IDs,
	q *scan.Query) (*scan.Scan, error) {
	q.Word = l.words.Word
	return scan.Count(ctx, q, func(s *scan.Scan) error {
		for _, scope := range scopes {
			if err := tx.feed(s, scope, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// feed supplies a scan with the views of a scope.
func (t logTx) feed(s *scan.Scan, scope vitrine.Scope, r tables.IDs) error {
	st, err := t.state(scope.Account)
	if err == nil && r.From < segment.FirstID(st.compactedUntil) { // later views are in no segment
		err = t.VisitSegments(scope, r, s.Segment)
	}
	if err != nil {
		return err
	}
	var row segment.Row
	clause, args := tables.Within(scope, "views", r)
	return t.VisitViews(func(link, id int64, record, session []byte) error {
		row.ID = vitrine.ViewID(id)
		if err := row.Decode(record, session); err != nil {
			return err
		}
		return s.Row(vitrine.LinkID(link), &row)
	}, clause, args)
}

// downloads are the download events of a query.
type downloads struct {
	all map[report.Day]int64 // by step, unless the query selects views
	// If it does: those of scanned views, by link and ordered by view, and
	// those of other views.
	within  map[vitrine.LinkID][]scan.Event
	outside []downloadOf
}

// downloadsOf reads the download events of a query in a range of IDs.
func (t logTx) downloadsOf(q *vitrine.TallyQuery, r tables.IDs) (d downloads, err error) {
	d.all, d.within = map[report.Day]int64{}, map[vitrine.LinkID][]scan.Event{}
	add := func(e downloadOf) {
		switch {
		case !q.Selects(), e.view <= 0 && q.MatchDownload(-int64(e.view)):
			d.all[q.Steps.Of(e.event.Ms())]++
		case e.view >= r.From && e.view < r.To:
			d.within[e.link] = append(d.within[e.link], scan.Event{View: e.view, Ms: e.event.Ms()})
		case e.view > 0:
			d.outside = append(d.outside, e)
		}
	}
	clause, args := tables.Within(q.Scope, "downloads", r)
	err = t.Visit("o.link, o.id, coalesce(o.view, o.id)", clause, args, func(row []driver.Value) error {
		e := downloadOf{vitrine.LinkID(row[0].(int64)), vitrine.ViewID(row[1].(int64)), vitrine.ViewID(row[2].(int64))}
		if q.Links == nil || slices.Contains(q.Links, int64(e.link)) {
			add(e)
		}
		return nil
	})
	for _, events := range d.within {
		slices.SortFunc(events, func(a, b scan.Event) int { return cmp.Compare(a.View, b.View) })
	}
	return d, err
}

// addDownloads counts download events. If the query selects views, it counts
// those whose view matches, except those that the scan has counted.
func (l *ViewLog) addDownloads(tx logTx, q vitrine.TallyQuery, d downloads, t *report.Tally) error {
	for step, n := range d.all {
		t.AddDownloads(step, n)
	}
	views := l.words.Reader()
	for _, e := range d.outside {
		rows, err := tx.rows(e.link, tables.Between(e.view, e.view+1), 1)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			continue
		}
		if v, err := views.View(int64(e.link), &rows[0]); err != nil {
			return err
		} else if q.Match(v) {
			t.AddDownloads(q.Steps.Of(e.event.Ms()), 1)
		}
	}
	return nil
}
