package viewdb

import (
	"context"
	"errors"
	"slices"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// downloadOf is a download event and the view that it belongs to, if any.
type downloadOf struct {
	link        vitrine.LinkID
	event, view vitrine.ViewID
}

// narrow is Tally of a query that stored tallies do not answer.
func (l *ViewLog) narrow(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	var fold report.Fold
	fold.Steps, fold.Single = q.Steps, q.Single
	truncated, err = l.narrowViews(ctx, q, fold.Add, fold.AddDownloadAt)
	return trim(q.Scope, fold.Tally()), truncated, err
}

// narrowDaily is DailyViews of such a query.
func (l *ViewLog) narrowDaily(ctx context.Context, q vitrine.TallyQuery, links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error) {
	views := make(map[vitrine.LinkID][]int64, len(links))
	for _, link := range links {
		views[link] = make([]int64, max(q.To-q.From, 0))
	}
	_, err := l.narrowViews(ctx, q, func(o *report.View) {
		if of := views[vitrine.LinkID(o.Link)]; of != nil && o.Counted() {
			of[q.Steps.Of(o.At)-q.From]++
		}
	}, nil)
	return views, err
}

// narrowViews calls f with the views that a query is of, and downloaded, unless
// it is nil, with the time of each of its downloads.
func (l *ViewLog) narrowViews(ctx context.Context, q vitrine.TallyQuery, f func(*report.View), downloaded func(ms int64)) (truncated bool, err error) {
	from, to := q.Steps.Bounds(q.From, q.To)
	if from >= to {
		return false, nil
	}
	var forgotten report.Day // days of the query before this one are
	err = l.read(ctx, func(tx logTx) error {
		forgotten, truncated = 0, false
		st, err := tx.state(q.Account)
		if err != nil {
			return err
		}
		r := ids{vitrine.ViewIDAt(from, 0), vitrine.ViewIDAt(to, 0)}
		if kept := firstID(st.retainedFrom); st.retainedFrom > 0 && r.from < kept {
			r.from, forgotten = kept, st.retainedFrom
		}
		oldest := segment.Place{ID: r.from}
		if q.Cap > 0 {
			all := segment.NewestOf(q.Cap)
			if err := eachID(ctx, tx, q.Scope, r, all.Add); err != nil {
				return err
			}
			if all.Full {
				oldest, truncated = all.Places[0], true
			}
		}
		wanted := func(o *report.View) bool {
			p := segment.Place{ID: vitrine.ViewID(o.ID), Link: vitrine.LinkID(o.Link)}
			return !p.Before(oldest) && (q.Links == nil || slices.Contains(q.Links, o.Link)) && q.Filter.Match(o)
		}
		var events []downloadOf
		if downloaded != nil {
			if events, err = tx.downloadsOf(q.Scope, r); err != nil {
				return err
			}
		}
		g := l.gather(ctx, tx, q.Scope)
		g.each = func(o *report.View) {
			if wanted(o) {
				f(o)
			}
		}
		r.from = oldest.ID
		if err := errors.Join(g.idsPacked(r), g.idsRunning(r)); err != nil {
			return err
		}
		return l.narrowDownloads(tx, q, events, downloaded)
	})
	if err != nil || forgotten == 0 || truncated {
		return truncated, err
	}
	gone, err := l.tally(ctx, vitrine.TallyQuery{Scope: q.Scope, From: report.DayOf(from), To: forgotten}, true)
	return err == nil && gone.AllViews() > 0, err
}

// narrowDownloads calls downloaded with the time of each event that a query
// has: with a filter, those of views that match.
func (l *ViewLog) narrowDownloads(tx logTx, q vitrine.TallyQuery, events []downloadOf, downloaded func(ms int64)) error {
	views := viewReader{words: l.words}
	for _, e := range events {
		if q.Links != nil && !slices.Contains(q.Links, int64(e.link)) {
			continue
		}
		if len(q.Filter) > 0 {
			rows, err := tx.rows(e.link, ids{e.view, e.view + 1}, 1)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				continue
			}
			if o, err := views.make(int64(e.link), &rows[0]); err != nil {
				return err
			} else if !q.Filter.Match(o) {
				continue
			}
		}
		downloaded(e.event.Ms())
	}
	return nil
}

// downloadsOf lists the download events of a scope in a range of IDs.
func (t logTx) downloadsOf(s vitrine.Scope, r ids) (list []downloadOf, err error) {
	clause, args := within(s, "downloads", r)
	err = t.Each(func(row sqldb.Scanner) error {
		var d downloadOf
		err := row.Scan(&d.link, &d.event, &d.view)
		list = append(list, d)
		return err
	}, "SELECT o.link, o.id, o.open"+clause, args...)
	return list, err
}
