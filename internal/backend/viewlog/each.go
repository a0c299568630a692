package viewlog

import (
	"context"
	"database/sql/driver"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// Each implements [vitrine.ViewLog].
func (l *ViewLog) Each(ctx context.Context, s vitrine.Scope, from, to vitrine.ViewID,
	download func(vitrine.Download) error, view func(*report.View) error) error {
	return l.eachOf(ctx, s, tables.Between(from, to), false, download, view)
}

// eachOf is Each; with named, of the views only those that count and that are
// by recipients.
func (l *ViewLog) eachOf(ctx context.Context, s vitrine.Scope, r tables.IDs, named bool,
	download func(vitrine.Download) error, view func(*report.View) error) error {
	return l.read(ctx, func(t logTx) error {
		clause, args := tables.Within(s, "downloads", r)
		err := t.Visit("o.link, o.id, coalesce(o.view, o.id)", clause, args, func(row []driver.Value) error {
			d := vitrine.Download{Link: vitrine.LinkID(row[0].(int64)), ID: vitrine.ViewID(row[1].(int64)),
				View: vitrine.ViewID(row[2].(int64)), Account: s.Account}
			if d.View < 0 {
				d.View, d.Recipient = 0, vitrine.RecipientID(-d.View)
			}
			return download(d)
		})
		if err != nil {
			return err
		}
		views, n := l.words.Reader(), 0
		each := func(v *report.View, err error) error {
			if n++; n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil || named && (v.Recipient == 0 || !v.Counted()) {
				return err
			}
			return view(v)
		}
		inSegment := func(link vitrine.LinkID, row *segment.Row) error { return each(views.View(int64(link), row)) }
		if named {
			err = t.NamedRows(s, r, inSegment)
		} else {
			err = t.SegmentRows(s, r, false, inSegment)
		}
		if err != nil {
			return err
		}
		clause, args = tables.Within(s, "views", r)
		return t.VisitViews(func(link, id int64, record, session []byte) error {
			return each(views.Read(link, id, record, session))
		}, clause, args)
	})
}
