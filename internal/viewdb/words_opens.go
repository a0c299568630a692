package viewdb

import (
	"vitrine/internal/viewdb/labels"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// writeViews makes the records of views. What words it does not know it asks for
// together.
func writeViews(w *labels.Writer, list []adding) (err error) {
	w.Collects, w.Noted, w.Unknown = true, map[string]bool{}, nil
	var again []*adding
	for i := range list {
		before := w.Misses
		if list[i].record, err = writeView(w, &list[i].View); err != nil {
			break
		}
		if w.Misses > before {
			again = append(again, &list[i])
		}
	}
	w.Collects = false
	if err == nil {
		err = w.Learn(w.Unknown)
	}
	for _, a := range again {
		if err == nil {
			a.record, err = writeView(w, &a.View)
		}
	}
	return err
}

// writeView makes the record of a view.
func writeView(w *labels.Writer, o *report.View) (r segment.View, err error) {
	r.Viewer = o.Viewer
	if o.Returning {
		r.Flags |= segment.ViewReturning
	}
	if o.QR {
		r.Flags |= segment.ViewQR
	}
	if r.Place, err = w.ID(segment.WordPlace, o.Country, o.City); err != nil {
		return r, err
	}
	if r.Origin, err = w.ID(segment.WordOrigin, o.Referrer, o.Source); err != nil {
		return r, err
	}
	if r.Agent, err = w.ID(segment.WordAgent, o.Device, o.Browser, o.OS); err != nil {
		return r, err
	}
	if o.Bot != "" {
		r.Flags |= segment.ViewBot
		r.Bot, err = w.ID(segment.WordBot, o.Bot)
	}
	return r, err
}
