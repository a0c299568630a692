package tables

import (
	"errors"

	"vitrine"
)

// Seq returns the number of the last write transaction.
func (t Index) Seq() (seq int64, err error) {
	err = t.Get([]any{&seq}, "SELECT seq FROM log WHERE id = 1")
	return seq, err
}

// SetCopy begins a copy with a number. 0 ends it.
func (t Index) SetCopy(number int64) error {
	_, err := t.Exec("UPDATE log SET copy = $1, next_link = 0, next_view = 0 WHERE id = 1", number)
	if err == nil {
		_, err = t.Exec("DELETE FROM changes")
	}
	return err
}

// Exists reports whether a query returns a row.
func (t Index) Exists(query string, args ...any) (bool, error) {
	var one int64
	err := t.Get([]any{&one}, query, args...)
	if errors.Is(err, vitrine.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
