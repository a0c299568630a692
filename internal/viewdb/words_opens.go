package viewdb

import (
	"vitrine/internal/viewdb/labels"
)

// writeViews makes the records of views. What words it does not know it asks for
// together.
func writeViews(w *labels.Writer, list []adding) (err error) {
	w.Collects, w.Noted, w.Unknown = true, map[string]bool{}, nil
	var again []*adding
	for i := range list {
		before := w.Misses
		if list[i].record, err = w.View(&list[i].View); err != nil {
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
			a.record, err = w.View(&a.View)
		}
	}
	return err
}
