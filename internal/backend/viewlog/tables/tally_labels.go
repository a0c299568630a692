package tables

import "vitrine/internal/backend/viewlog/segment"

// Label returns the number of a label in a tally.
func (w *LabelWriter) Label(label string) (uint64, error) {
	id, err := w.ID(segment.WordLabel, label)
	return uint64(id), err
}

// Label returns the label with a number.
func (w *Dict) Label(id uint64) (string, error) {
	word, err := w.Word(segment.WordID(id))
	if err != nil {
		return "", err
	}
	return word.Labels[0], nil
}
