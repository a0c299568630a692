package viewdb

import (
	"vitrine"
	"vitrine/internal/viewdb/labels"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// viewReader makes views of their rows, in memory that it uses again: what it
// returned is good until its next open.
type viewReader struct {
	words *labels.Dict
	row   segment.Row
	view  report.View
}

func (r *viewReader) read(link, id int64, open, session []byte) (*report.View, error) {
	r.row.ID = vitrine.ViewID(id)
	if err := r.row.View.Decode(open); err != nil {
		return nil, err
	}
	if r.row.Engaged = session != nil; r.row.Engaged {
		if err := r.row.Session.Decode(session, r.row.ID.Ms()); err != nil {
			return nil, err
		}
	}
	return r.make(link, &r.row)
}

// make makes a view of a row, with whose pages it shares memory.
func (r *viewReader) make(link int64, row *segment.Row) (*report.View, error) {
	o := &r.view
	if err := labels.ReadView(r.words.Word, link, row, o); err != nil {
		return nil, err
	}
	if !row.Engaged {
		return o, nil
	}
	screen, err := r.words.Word(row.Session.Screen)
	if err != nil {
		return nil, err
	}
	o.Session = &row.Session.Session
	o.Session.Screen = screen.Labels[0]
	return o, nil
}

// ids is a range of IDs, its end not included.
type ids struct{ from, to vitrine.ViewID }

func idsOf(from, to report.Day) ids { return ids{segment.FirstID(from), segment.FirstID(to)} }

// within is the end of a query for a scope's rows in a range of IDs, from a
// table with link and id, which it calls o. Its arguments are args.
func within(s vitrine.Scope, table string, r ids) (clause string, args []any) {
	const inRange = " AND o.id >= $2 AND o.id < $3"
	if s.Link != 0 {
		return " FROM " + table + " o WHERE o.link = $1" + inRange, []any{int64(s.Link), int64(r.from), int64(r.to)}
	}
	// CROSS JOIN holds SQLite to going from link to link.
	return " FROM links l CROSS JOIN " + table + " o WHERE l.account = $1 AND o.link = l.link" + inRange,
		[]any{int64(s.Account), int64(r.from), int64(r.to)}
}
