package tables

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"strings"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// SegmentViews is the most views in a segment.
const SegmentViews = 2048

// Segment is a row of the table segments.
type Segment struct {
	First, Last     vitrine.ViewID
	Views, Sessions int64
	Data            []byte
}

// SegmentsBatch is the number of segments of a link that the first query reads.
// Later queries read more, up to MaxSegmentsBatch. When f stops early, the
// segments read ahead are wasted.
const (
	SegmentsBatch    = 4
	MaxSegmentsBatch = 64
)

// Segments calls f with each segment of a scope that may contain IDs of a
// range: link by link, oldest first. The data is valid until f returns.
func (t Index) Segments(s vitrine.Scope, r IDs, f func(vitrine.LinkID, *Segment) error) error {
	const columns = "SELECT p.link, p.first, p.last, p.views, p.sessions, p.data"
	read := func(query string, args ...any) (n int, last vitrine.ViewID, err error) {
		err = t.Each(func(row sqldb.Scanner) error {
			var link vitrine.LinkID
			var p Segment
			if err := row.Scan(&link, &p.First, &p.Last, &p.Views, &p.Sessions, (*sql.RawBytes)(&p.Data)); err != nil {
				return t.Failed(err)
			}
			n, last = n+1, p.Last
			return f(link, &p)
		}, query, args...)
		return n, last, err
	}
	if s.Link == 0 {
		from, args := segmentsIn(s, r)
		_, _, err := read(columns+from+" ORDER BY l.link, p.first", args...)
		return err
	}
	for limit := SegmentsBatch; ; limit = min(2*limit, MaxSegmentsBatch) {
		from, args := segmentsIn(s, r)
		n, last, err := read(columns+from+" ORDER BY p.first LIMIT $6", append(args, limit)...)
		if err != nil || n < limit || last == math.MaxInt64 {
			return err
		}
		r.From = last + 1
	}
}

// segmentsIn returns the FROM clause of the segments of a scope that may
// contain IDs of a range, and its arguments.
func segmentsIn(s vitrine.Scope, r IDs) (from string, args []any) {
	inRange := ` AND p.first < $2 AND p.last >= $3
		AND p.first >= coalesce((SELECT max(q.first) FROM segments q WHERE q.link = p.link AND q.first <= $4), $5)`
	if r.Albums {
		inRange += " AND p.albums"
	}
	args = []any{int64(s.Link), int64(r.To), int64(r.From), int64(r.From), int64(r.From)}
	if s.Link != 0 {
		return " FROM segments p WHERE p.link = $1" + inRange, args
	}
	args[0] = int64(s.Account)
	// CROSS JOIN makes SQLite iterate over the links.
	return " FROM links l CROSS JOIN segments p WHERE l.account = $1 AND NOT l.deleting AND p.link = l.link" +
		strings.ReplaceAll(inRange, "q.link = p.link", "q.link = l.link"), args
}

// VisitSegments does what Segments does, in any order and without copies, which
// takes less time. f gets the ID of a segment's first view and its data.
func (t Index) VisitSegments(s vitrine.Scope, r IDs, f func(vitrine.LinkID, vitrine.ViewID, []byte) error) error {
	from, args := segmentsIn(s, r)
	return t.Visit("p.link, p.first, p.data", from, args, func(row []driver.Value) error {
		return f(vitrine.LinkID(row[0].(int64)), vitrine.ViewID(row[1].(int64)), row[2].([]byte))
	})
}

// SegmentRows calls f with each row in segments of a scope in a range of IDs:
// link by link, oldest first. Brief rows have no labels and no session.
func (t Index) SegmentRows(s vitrine.Scope, r IDs, brief bool, f func(vitrine.LinkID, *segment.Row) error) error {
	return t.segmentRows(s, r, brief, false, f)
}

// NamedRows is SegmentRows without segments that have no view by a recipient.
func (t Index) NamedRows(s vitrine.Scope, r IDs, f func(vitrine.LinkID, *segment.Row) error) error {
	return t.segmentRows(s, r, false, true, f)
}

func (t Index) segmentRows(s vitrine.Scope, r IDs, brief, named bool,
	f func(vitrine.LinkID, *segment.Row) error) error {
	var u segment.Decoder
	return t.Segments(s, r, func(link vitrine.LinkID, p *Segment) error {
		if err := u.Open(p.Data, p.First); err != nil {
			return fmt.Errorf("segment %d of link %d: %w", p.First, link, err)
		}
		if named && !u.Named() {
			return nil
		}
		read := u.Next
		if brief {
			read = u.Brief
		}
		for row := read(); row != nil; row = read() {
			if row.ID < r.From {
				continue
			}
			if row.ID >= r.To {
				break
			}
			if err := f(link, row); err != nil {
				return err
			}
		}
		return u.End()
	})
}

// OfLink returns the scope of a link for functions that do not need the
// account.
func OfLink(link vitrine.LinkID) vitrine.Scope { return vitrine.Scope{Link: link} }

// SegmentWriter writes rows of a link, ordered by ID, into segments. It merges
// them with the segments of the same time.
type SegmentWriter struct {
	Tx         Index
	Link       vitrine.LinkID
	encoder    segment.Encoder
	b          []byte
	last       vitrine.ViewID      // the last ID written
	ViewerDays []segment.ViewerDay // viewer days by people among the new rows
	written    bool
}

// Write compacts new rows, ordered by ID. With mayMove, a row whose ID is taken
// gets the next free ID of its millisecond.
func (w *SegmentWriter) Write(rows []segment.Row, mayMove bool) error {
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		if rows[i].Human() {
			w.ViewerDays = append(w.ViewerDays, rows[i].ViewerDay(w.Link))
		}
	}
	last := rows[len(rows)-1].ID
	if mayMove { // to any ID of its millisecond
		last = vitrine.ViewIDAt(last.Ms()+1, 0) - 1
	}
	old, err := w.take(rows[0].ID, last)
	if err != nil {
		return err
	}
	for len(old) > 0 || len(rows) > 0 {
		if mayMove && len(rows) > 0 && w.written && rows[0].ID <= w.last {
			if w.last+1 == vitrine.ViewIDAt(rows[0].ID.Ms()+1, 0) {
				return segment.ErrFull(w.Link, rows[0].ID)
			}
			rows[0].ID = w.last + 1
		}
		from := &rows
		if len(rows) == 0 || len(old) > 0 && old[0].ID <= rows[0].ID {
			from = &old
		}
		if err := w.add(&(*from)[0]); err != nil {
			return err
		}
		*from = (*from)[1:]
	}
	return w.end()
}

// take deletes the segments that must be merged with rows of a span, and
// returns their rows: segments of the same time, and the segments before and
// after it if they are short.
func (w *SegmentWriter) take(first, last vitrine.ViewID) (old []segment.Row, err error) {
	err = w.Tx.Segments(OfLink(w.Link), Between(first, last+1), func(_ vitrine.LinkID, p *Segment) error {
		return segment.DecodeAll(p.Data, p.First, &old)
	})
	if err != nil {
		return nil, err
	}
	var before Segment
	err = w.Tx.Each(func(s sqldb.Scanner) error {
		if err := s.Scan(&before.First, &before.Last, &before.Views, (*sql.RawBytes)(&before.Data)); err != nil {
			return w.Tx.Failed(err)
		}
		if before.Last >= first || before.Views > SegmentViews*3/4 {
			return nil
		}
		var rows []segment.Row
		if err := segment.DecodeAll(before.Data, before.First, &rows); err != nil {
			return err
		}
		old = append(rows, old...)
		return nil
	}, "SELECT first, last, views, data FROM segments WHERE link = $1 AND first < $2 ORDER BY first DESC LIMIT 1",
		int64(w.Link), int64(first))
	if err != nil {
		return nil, err
	}
	err = w.Tx.Each(func(s sqldb.Scanner) error {
		var after Segment
		if err := s.Scan(&after.First, &after.Views, (*sql.RawBytes)(&after.Data)); err != nil {
			return w.Tx.Failed(err)
		}
		if after.Views > SegmentViews*3/4 {
			return nil
		}
		return segment.DecodeAll(after.Data, after.First, &old)
	}, "SELECT first, views, data FROM segments WHERE link = $1 AND first > $2 ORDER BY first LIMIT 1", int64(w.Link),
		int64(last))
	if err != nil || len(old) == 0 {
		return nil, err
	}
	_, err = w.Tx.Exec("DELETE FROM segments WHERE link = $1 AND first >= $2 AND first <= $3", int64(w.Link),
		int64(old[0].ID), int64(old[len(old)-1].ID))
	return old, err
}

func (w *SegmentWriter) add(r *segment.Row) error {
	if w.written && r.ID <= w.last {
		return fmt.Errorf("view %d of link %d is stored twice", r.ID, w.Link)
	}
	w.written, w.last = true, r.ID
	w.encoder.Add(r)
	if w.encoder.Views < SegmentViews {
		return nil
	}
	return w.end()
}

// end writes the current segment.
func (w *SegmentWriter) end() error {
	p := &w.encoder
	if p.Views == 0 {
		return nil
	}
	first, last, views, sessions, albums := p.First, p.Last, p.Views, p.Sessions, p.Albums
	w.b = p.End(w.b[:0])
	_, err := w.Tx.Exec(`INSERT INTO segments (link, first, last, views, sessions, albums, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, int64(w.Link), int64(first), int64(last), views, sessions, albums, w.b)
	return err
}

// IDs is the range of IDs [From, To). With Albums, views that were not opened
// from an album are not needed, so that segments without others are left out,
// and downloads of links without others.
type IDs struct {
	From, To vitrine.ViewID
	Albums   bool
}

// Between returns the range [from, to).
func Between(from, to vitrine.ViewID) IDs { return IDs{From: from, To: to} }

// Since returns the part of a range from an ID on.
func (r IDs) Since(from vitrine.ViewID) IDs {
	r.From = from
	return r
}

// IDsOf returns the range of some days.
func IDsOf(from, to report.Day) IDs { return Between(segment.FirstID(from), segment.FirstID(to)) }

// Within returns the FROM and WHERE clauses of a query for a scope's rows in a
// range of IDs, and its arguments. The table has the columns link and id and
// gets the alias o.
func Within(s vitrine.Scope, table string, r IDs) (clause string, args []any) {
	const inRange = " AND o.id >= $2 AND o.id < $3"
	if s.Link != 0 {
		return " FROM " + table + " o WHERE o.link = $1" + inRange, []any{int64(s.Link), int64(r.From), int64(r.To)}
	}
	of := " FROM links l CROSS JOIN " + table + " o WHERE l.account = $1 AND NOT l.deleting"
	if r.Albums && table == "downloads" {
		of += ` AND (EXISTS (SELECT 1 FROM segments p WHERE p.link = l.link AND p.albums)
			OR EXISTS (SELECT 1 FROM views w WHERE w.link = l.link))`
	}
	// CROSS JOIN makes SQLite iterate over the links.
	return of + " AND o.link = l.link" + inRange,
		[]any{int64(s.Account), int64(r.From), int64(r.To)}
}
