package tables

import (
	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// ViewReader makes views from their rows. It reuses its memory: a view is valid
// until the next call.
type ViewReader struct {
	dict *Dict
	row  segment.Row
	view report.View
}

// Reader returns a reader that looks labels up in the dictionary.
func (w *Dict) Reader() *ViewReader { return &ViewReader{dict: w} }

// Read makes a view of a link from its stored record and session. The session
// is nil for a view without engagement.
func (r *ViewReader) Read(link, id int64, record, session []byte) (*report.View, error) {
	r.row.ID = vitrine.ViewID(id)
	if err := r.row.View.Decode(record); err != nil {
		return nil, err
	}
	if r.row.Engaged = session != nil; r.row.Engaged {
		if err := r.row.Session.Decode(session, r.row.ID.Ms()); err != nil {
			return nil, err
		}
	}
	return r.View(link, &r.row)
}

// View makes a view of a link from a row. The view shares the memory of the
// row's pages.
func (r *ViewReader) View(link int64, row *segment.Row) (*report.View, error) {
	v := &r.view
	if err := ReadView(r.dict.Word, link, row, v); err != nil {
		return nil, err
	}
	if !row.Engaged {
		return v, nil
	}
	screen, err := r.dict.Word(row.Session.Screen)
	if err != nil {
		return nil, err
	}
	v.Session = &row.Session.Session
	v.Session.Screen = screen.Labels[0]
	return v, nil
}
