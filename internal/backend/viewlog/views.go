package viewlog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// selectRecent returns the query for the newest views of a link, or for those
// with engagement only.
func (t logTx) selectRecent(engaged bool) string {
	use, with := "", ""
	if engaged {
		use, with = t.Dialect.UseEngaged, " AND engaged"
	}
	return "SELECT link, id, record, session FROM views" + use + " WHERE link = $1 AND id >= $2 AND id < $3" + with +
		" ORDER BY id DESC LIMIT $4"
}

// Recent implements [vitrine.ViewLog].
func (l *ViewLog) Recent(ctx context.Context, q vitrine.RecentQuery) (recent []report.View, err error) {
	if q.N <= 0 {
		return nil, nil
	}
	err = l.read(ctx, func(t logTx) error {
		if q.Link == 0 {
			recent, err = l.recentOf(ctx, t, q)
			return err
		}
		n := q.N
		if len(q.Filter) > 0 || q.Viewer != nil {
			n = math.MaxInt32
		}
		for ; ; n *= 4 { // excluded views are left out, so more may be needed
			read := 0
			recent = nil
			err := t.Views(func(link, id int64, record, session []byte) error {
				if read++; len(recent) == q.N {
					return errStop
				}
				views := l.words.Reader()
				v, err := views.Read(link, id, record, session)
				if err == nil && matches(q, v) {
					recent = append(recent, *v)
				}
				return err
			}, t.selectRecent(q.Engaged), int64(q.Link), int64(q.From), int64(q.To), n)
			if err != nil && !errors.Is(err, errStop) {
				return err
			}
			if read < n || len(recent) == q.N {
				break
			}
		}
		if err := l.recentInSegments(t, q, &recent); err != nil {
			return err
		}
		return t.MarkDownloaded(q.Link, recent)
	})
	return recent, err
}

func matches(q vitrine.RecentQuery, v *report.View) bool {
	return (v.Counted() || !q.Counted) && q.Filter.Lists(v, q.Engaged) && (q.Viewer == nil || *q.Viewer == v.Viewer)
}

// recentInSegments adds the newest views in segments to a list of views, newest
// first, and cuts it to q.N.
func (l *ViewLog) recentInSegments(t logTx, q vitrine.RecentQuery, recent *[]report.View) error {
	for before, limit := q.To, tables.SegmentsBatch; ; limit = min(2*limit, tables.MaxSegmentsBatch) {
		segments, first, err := l.recentIn(t, q, before, limit, recent)
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil || segments < limit {
			return err
		}
		before = first
	}
}

// recentIn adds the views of the newest segments that begin before an ID. It
// returns the number of segments and the first ID of the last one. It returns
// errStop if no other segment has newer views.
func (l *ViewLog) recentIn(t logTx, q vitrine.RecentQuery, before vitrine.ViewID, limit int,
	recent *[]report.View) (segments int, first vitrine.ViewID, err error) {
	some := 0
	if q.Engaged {
		some = 1
	}
	in := segmentReader{views: l.words.Reader()}
	err = t.Each(func(s sqldb.Scanner) error {
		var p tables.Segment
		if err := s.Scan(&p.First, (*sql.RawBytes)(&p.Data)); err != nil {
			return t.Failed(err)
		}
		segments, first = segments+1, p.First
		found, err := in.newest(q, &p)
		if err != nil {
			return err
		}
		*recent = append(*recent, found...)
		if slices.SortFunc(*recent, func(a, b report.View) int { return cmp.Compare(b.ID, a.ID) }); len(*recent) < q.N {
			return nil
		}
		*recent = (*recent)[:q.N]
		if (*recent)[q.N-1].ID >= int64(p.First) {
			return errStop
		}
		return nil
	}, "SELECT first, data FROM segments WHERE link = $1 AND first < $2 AND last >= $3 AND sessions >= $4 ORDER BY first DESC LIMIT $5",
		int64(q.Link), int64(before), int64(q.From), some, limit)
	return segments, first, err
}

// segmentReader finds recent views in segments.
type segmentReader struct {
	segment.Decoder
	views *tables.ViewReader
}

// newest returns the newest views of a segment that match: at least q.N of
// them, if the segment has so many. It makes as few others as possible.
func (in *segmentReader) newest(q vitrine.RecentQuery, p *tables.Segment) ([]report.View, error) {
	if err := in.Open(p.Data, p.First); err != nil {
		return nil, fmt.Errorf("segment %d: %w", p.First, err)
	}
	eligible := func(r *segment.Row) bool {
		return (r.Engaged || !q.Engaged) && q.From <= r.ID && r.ID < q.To
	}
	all := 0
	for r := in.Brief(); r != nil; r = in.Brief() {
		if eligible(r) {
			all++
		}
	}
	some := q.N
	if len(q.Filter) > 0 || q.Viewer != nil {
		some = all
	}
	for {
		found, err := in.last(q, p, eligible, max(all-some, 0))
		if err != nil || len(found) >= q.N || some >= all {
			return found, err
		}
		some *= 4 // there were excluded views
	}
}

// last returns the views of a segment that match, without the first eligible
// ones.
func (in *segmentReader) last(q vitrine.RecentQuery, p *tables.Segment, eligible func(*segment.Row) bool,
	without int) (found []report.View, err error) {
	if err := in.Open(p.Data, p.First); err != nil {
		return nil, err
	}
	for r := in.Next(); r != nil; r = in.Next() {
		if !eligible(r) {
			continue
		}
		if without--; without >= 0 {
			continue
		}
		view, err := in.views.View(int64(q.Link), r)
		if err != nil {
			return nil, err
		}
		if !matches(q, view) {
			continue
		}
		v := *view
		if v.Session != nil {
			s := *v.Session
			s.Pages = append([]report.PageTime(nil), s.Pages...)
			v.Session = &s
		}
		found = append(found, v)
	}
	if err := in.End(); err != nil {
		return nil, fmt.Errorf("segment %d: %w", p.First, err)
	}
	return found, nil
}

// viewsBatch is the number of views that one transaction reads before they are
// passed on. The consumer may be slow; an open transaction would block the
// connection and keep the database's write-ahead log from shrinking.
const viewsBatch = 2 * tables.SegmentViews

// Views implements [vitrine.ViewLog].
func (l *ViewLog) Views(ctx context.Context, link vitrine.LinkID, from, to report.Day,
	f func(*report.View) error) error {
	return l.each(ctx, link, tables.IDsOf(from, to), f)
}

// Recipients implements [vitrine.ViewLog].
func (l *ViewLog) Recipients(ctx context.Context, link vitrine.LinkID,
	f func(*report.View) error) (alone map[vitrine.RecipientID]int64, err error) {
	of, alone := map[vitrine.ViewID]bool{}, map[vitrine.RecipientID]int64{}
	err = l.eachOf(ctx, tables.OfLink(link), tables.Between(0, math.MaxInt64), true, func(d vitrine.Download) error {
		if of[d.View] = true; d.Recipient != 0 {
			alone[d.Recipient]++
		}
		return nil
	}, func(v *report.View) error {
		v.Downloaded = of[vitrine.ViewID(v.ID)]
		return f(v)
	})
	return alone, err
}

// each calls f with views as rows returns them.
func (l *ViewLog) each(ctx context.Context, link vitrine.LinkID, r tables.IDs, f func(*report.View) error) error {
	for views := l.words.Reader(); ; {
		var rows []segment.Row
		err := l.read(ctx, func(t logTx) (err error) {
			rows, err = t.rows(link, r, viewsBatch)
			return err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			if v, err := views.View(int64(link), &rows[i]); err != nil {
				return readable(err)
			} else if err := f(v); err != nil {
				return err
			}
		}
		if len(rows) < viewsBatch {
			return nil
		}
		r.From = rows[len(rows)-1].ID + 1
	}
}

// rows reads the first n views of a link in a range of IDs, from segments and
// from the table views.
func (t logTx) rows(link vitrine.LinkID, r tables.IDs, n int) (rows []segment.Row, err error) {
	err = t.Segments(tables.OfLink(link), r, func(_ vitrine.LinkID, p *tables.Segment) error {
		if len(rows) >= n && p.First > rows[n-1].ID {
			return errStop
		}
		before := len(rows)
		err := segment.DecodeAll(p.Data, p.First, &rows)
		rows = rows[:before+len(slices.DeleteFunc(rows[before:], func(row segment.Row) bool {
			return row.ID < r.From || row.ID >= r.To
		}))]
		return err
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	err = t.Views(func(_, id int64, record, session []byte) error {
		row := segment.Row{ID: vitrine.ViewID(id)}
		err := row.Decode(record, session)
		rows = append(rows, row)
		return err
	}, "SELECT link, id, record, session FROM views WHERE link = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4",
		int64(link), int64(r.From), int64(r.To), n)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b segment.Row) int { return cmp.Compare(a.ID, b.ID) })
	return rows[:min(n, len(rows))], nil
}
