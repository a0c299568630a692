package viewlog

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

// segmentViews is the most views in a segment.
const segmentViews = 2048

// storedSegment is a row of the table segments.
type storedSegment struct {
	first, last     vitrine.ViewID
	views, sessions int64
	data            []byte
}

// segmentsBatch is the number of segments of a link that the first query reads.
// Later queries read more, up to maxSegmentsBatch. When f stops early, the
// segments read ahead are wasted.
const (
	segmentsBatch    = 4
	maxSegmentsBatch = 64
)

// segments calls f with each segment of a scope that may contain IDs of a
// range: link by link, oldest first. The data is valid until f returns.
func (t logTx) segments(s vitrine.Scope, r ids, f func(vitrine.LinkID, *storedSegment) error) error {
	const columns = "SELECT p.link, p.first, p.last, p.views, p.sessions, p.data"
	read := func(query string, args ...any) (n int, last vitrine.ViewID, err error) {
		err = t.Each(func(row sqldb.Scanner) error {
			var link vitrine.LinkID
			var p storedSegment
			if err := row.Scan(&link, &p.first, &p.last, &p.views, &p.sessions, (*sql.RawBytes)(&p.data)); err != nil {
				return t.Failed(err)
			}
			n, last = n+1, p.last
			return f(link, &p)
		}, query, args...)
		return n, last, err
	}
	if s.Link == 0 {
		from, args := segmentsIn(s, r)
		_, _, err := read(columns+from+" ORDER BY l.link, p.first", args...)
		return err
	}
	for limit := segmentsBatch; ; limit = min(2*limit, maxSegmentsBatch) {
		from, args := segmentsIn(s, r)
		n, last, err := read(columns+from+" ORDER BY p.first LIMIT $6", append(args, limit)...)
		if err != nil || n < limit || last == math.MaxInt64 {
			return err
		}
		r.from = last + 1
	}
}

// segmentsIn returns the FROM clause of the segments of a scope that may
// contain IDs of a range, and its arguments.
func segmentsIn(s vitrine.Scope, r ids) (from string, args []any) {
	const inRange = ` AND p.first < $2 AND p.last >= $3
		AND p.first >= coalesce((SELECT max(q.first) FROM segments q WHERE q.link = p.link AND q.first <= $4), $5)`
	args = []any{int64(s.Link), int64(r.to), int64(r.from), int64(r.from), int64(r.from)}
	if s.Link != 0 {
		return " FROM segments p WHERE p.link = $1" + inRange, args
	}
	args[0] = int64(s.Account)
	// CROSS JOIN makes SQLite iterate over the links.
	return " FROM links l CROSS JOIN segments p WHERE l.account = $1 AND NOT l.deleting AND p.link = l.link" +
		strings.ReplaceAll(inRange, "q.link = p.link", "q.link = l.link"), args
}

// visitSegments does what segments does, in any order and without copies, which
// takes less time. f gets the ID of a segment's first view and its data.
func (t logTx) visitSegments(s vitrine.Scope, r ids, f func(vitrine.LinkID, vitrine.ViewID, []byte) error) error {
	from, args := segmentsIn(s, r)
	return t.Visit("p.link, p.first, p.data", from, args, func(row []driver.Value) error {
		return f(vitrine.LinkID(row[0].(int64)), vitrine.ViewID(row[1].(int64)), row[2].([]byte))
	})
}

// segmentRows calls f with each row in segments of a scope in a range of IDs:
// link by link, oldest first. Brief rows have no labels and no session.
func (t logTx) segmentRows(s vitrine.Scope, r ids, brief bool, f func(vitrine.LinkID, *segment.Row) error) error {
	var u segment.Decoder
	return t.segments(s, r, func(link vitrine.LinkID, p *storedSegment) error {
		if err := u.Open(p.data, p.first); err != nil {
			return fmt.Errorf("segment %d of link %d: %w", p.first, link, err)
		}
		read := u.Next
		if brief {
			read = u.Brief
		}
		for row := read(); row != nil; row = read() {
			if row.ID < r.from {
				continue
			}
			if row.ID >= r.to {
				break
			}
			if err := f(link, row); err != nil {
				return err
			}
		}
		return u.End()
	})
}

// ofLink returns the scope of a link for functions that do not need the
// account.
func ofLink(link vitrine.LinkID) vitrine.Scope { return vitrine.Scope{Link: link} }

// segmentWriter writes rows of a link, ordered by ID, into segments. It merges
// them with the segments of the same time.
type segmentWriter struct {
	tx         logTx
	link       vitrine.LinkID
	encoder    segment.Encoder
	b          []byte
	last       vitrine.ViewID      // the last ID written
	viewerDays []segment.ViewerDay // viewer days by people among the new rows
	written    bool
}

// write compacts new rows, ordered by ID. With mayMove, a row whose ID is taken
// gets the next free ID of its millisecond.
func (w *segmentWriter) write(rows []segment.Row, mayMove bool) error {
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		if rows[i].Human() {
			w.viewerDays = append(w.viewerDays, rows[i].ViewerDay(w.link))
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
				return segment.ErrFull(w.link, rows[0].ID)
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
func (w *segmentWriter) take(first, last vitrine.ViewID) (old []segment.Row, err error) {
	err = w.tx.segments(ofLink(w.link), ids{first, last + 1}, func(_ vitrine.LinkID, p *storedSegment) error {
		return segment.DecodeAll(p.data, p.first, &old)
	})
	if err != nil {
		return nil, err
	}
	var before storedSegment
	err = w.tx.Each(func(s sqldb.Scanner) error {
		if err := s.Scan(&before.first, &before.last, &before.views, (*sql.RawBytes)(&before.data)); err != nil {
			return w.tx.Failed(err)
		}
		if before.last >= first || before.views > segmentViews*3/4 {
			return nil
		}
		var rows []segment.Row
		if err := segment.DecodeAll(before.data, before.first, &rows); err != nil {
			return err
		}
		old = append(rows, old...)
		return nil
	}, "SELECT first, last, views, data FROM segments WHERE link = $1 AND first < $2 ORDER BY first DESC LIMIT 1",
		int64(w.link), int64(first))
	if err != nil {
		return nil, err
	}
	err = w.tx.Each(func(s sqldb.Scanner) error {
		var after storedSegment
		if err := s.Scan(&after.first, &after.views, (*sql.RawBytes)(&after.data)); err != nil {
			return w.tx.Failed(err)
		}
		if after.views > segmentViews*3/4 {
			return nil
		}
		return segment.DecodeAll(after.data, after.first, &old)
	}, "SELECT first, views, data FROM segments WHERE link = $1 AND first > $2 ORDER BY first LIMIT 1", int64(w.link),
		int64(last))
	if err != nil || len(old) == 0 {
		return nil, err
	}
	_, err = w.tx.Exec("DELETE FROM segments WHERE link = $1 AND first >= $2 AND first <= $3", int64(w.link),
		int64(old[0].ID), int64(old[len(old)-1].ID))
	return old, err
}

func (w *segmentWriter) add(r *segment.Row) error {
	if w.written && r.ID <= w.last {
		return fmt.Errorf("view %d of link %d is stored twice", r.ID, w.link)
	}
	w.written, w.last = true, r.ID
	w.encoder.Add(r)
	if w.encoder.Views < segmentViews {
		return nil
	}
	return w.end()
}

// end writes the current segment.
func (w *segmentWriter) end() error {
	p := &w.encoder
	if p.Views == 0 {
		return nil
	}
	first, last, views, sessions := p.First, p.Last, p.Views, p.Sessions
	w.b = p.End(w.b[:0])
	_, err := w.tx.Exec("INSERT INTO segments (link, first, last, views, sessions, data) VALUES ($1, $2, $3, $4, $5, $6)",
		int64(w.link), int64(first), int64(last), views, sessions, w.b)
	return err
}

// ids is the range of IDs [from, to).
type ids struct{ from, to vitrine.ViewID }

func idsOf(from, to report.Day) ids { return ids{segment.FirstID(from), segment.FirstID(to)} }

// within returns the FROM and WHERE clauses of a query for a scope's rows in a
// range of IDs, and its arguments. The table has the columns link and id and
// gets the alias o.
func within(s vitrine.Scope, table string, r ids) (clause string, args []any) {
	const inRange = " AND o.id >= $2 AND o.id < $3"
	if s.Link != 0 {
		return " FROM " + table + " o WHERE o.link = $1" + inRange, []any{int64(s.Link), int64(r.from), int64(r.to)}
	}
	// CROSS JOIN makes SQLite iterate over the links.
	return " FROM links l CROSS JOIN " + table + " o WHERE l.account = $1 AND NOT l.deleting AND o.link = l.link" + inRange,
		[]any{int64(s.Account), int64(r.from), int64(r.to)}
}
