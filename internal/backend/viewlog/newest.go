package viewlog

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// newest returns the tally of the newest q.Cap views of a window. It reports
// whether older views are left out.
func (l *ViewLog) newest(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	err = l.read(ctx, func(tx logTx) error {
		all := segment.NewestOf(q.Cap)
		if err := eachID(ctx, tx, q.Scope, tables.IDsOf(q.From, q.To), all.Add); err != nil || !all.Full {
			return err
		}
		truncated = true
		oldest := all.Places[0]
		var fold report.Fold
		g := l.gather(ctx, tx, q.Scope)
		g.each = func(v *report.View) {
			if !(segment.Place{ID: vitrine.ViewID(v.ID), Link: vitrine.LinkID(v.Link)}).Before(oldest) {
				fold.Add(v)
			}
		}
		if err := g.packed(max(q.From, report.DayOf(oldest.ID.Ms())), q.To); err != nil {
			return err
		}
		if err := g.running(max(q.From, report.DayOf(oldest.ID.Ms())), q.To); err != nil {
			return err
		}
		if err := g.downloads(q.From, q.To); err != nil {
			return err
		}
		t = fold.Tally()
		for _, day := range g.tallies {
			t.Merge(day) // the day's downloads
		}
		return nil
	})
	return t, truncated, err
}

// recentSpan is the time up to the end of a query in which the newest views of
// an account are looked for first. If there are too few, it is multiplied.
const recentSpan = int64(time.Hour / time.Millisecond)

// recentOf returns the newest counted views of an account.
func (l *ViewLog) recentOf(ctx context.Context, t logTx, q vitrine.RecentQuery) (recent []report.View, err error) {
	st, err := t.state(q.Account)
	if err != nil {
		return nil, err
	}
	for span := recentSpan; ; span *= 4 {
		from := max(q.From, vitrine.ViewIDAt(q.To.Ms()-span, 0))
		var places []segment.Place
		each := eachID
		if from >= segment.FirstID(st.compactedUntil) { // no segment has any
			each = eachView
		}
		err := each(ctx, t, q.Scope, tables.Between(from, q.To), func(p segment.Place) { places = append(places, p) })
		if err != nil {
			return nil, err
		}
		slices.SortFunc(places, func(a, b segment.Place) int {
			return cmp.Or(cmp.Compare(b.ID, a.ID), cmp.Compare(b.Link, a.Link))
		})
		recent = nil
		for _, p := range places {
			if len(recent) == q.N || ctx.Err() != nil {
				break
			}
			rows, err := t.rows(p.Link, tables.Between(p.ID, p.ID+1), 1)
			if err != nil || len(rows) == 0 {
				return nil, err
			}
			v, err := l.words.Reader().View(int64(p.Link), &rows[0])
			if err != nil {
				return nil, err
			}
			if !v.Counted() || q.Engaged && v.Session == nil || !matches(q, v) {
				continue
			}
			recent = append(recent, *v)
			if err := t.MarkDownloaded(p.Link, recent[len(recent)-1:]); err != nil {
				return nil, err
			}
		}
		if len(recent) == q.N || from == q.From || ctx.Err() != nil {
			return recent, ctx.Err()
		}
	}
}

// eachID calls f with the position of each view of a scope in a range of IDs.
func eachID(ctx context.Context, t logTx, scope vitrine.Scope, r tables.IDs, f func(segment.Place)) error {
	n := 0
	err := t.SegmentRows(scope, r, true, func(link vitrine.LinkID, row *segment.Row) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f(segment.Place{ID: row.ID, Link: link})
		return nil
	})
	if err != nil {
		return err
	}
	return eachView(ctx, t, scope, r, f)
}

// eachView is eachID for the views in the table views.
func eachView(ctx context.Context, t logTx, scope vitrine.Scope, r tables.IDs, f func(segment.Place)) error {
	n := 0
	clause, args := tables.Within(scope, "views", r)
	return t.Each(func(s sqldb.Scanner) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var p segment.Place
		if err := s.Scan(&p.ID, &p.Link); err != nil {
			return err
		}
		f(p)
		return nil
	}, "SELECT o.id, o.link"+clause, args...)
}
