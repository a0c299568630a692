package tables

import (
	"encoding/binary"
	"errors"
	"fmt"

	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
)

// newsRows is the number of rows of the table news that one query reads.
const newsRows = 500

var errEnough = errors.New("enough was read")

// NewsRows reads news after a row, with about most views and downloads. It
// reports whether there are more.
func (t Index) NewsRows(after int64, most int) (rows []NewsRow, more bool, err error) {
	found := 0
	for n := newsRows; n == newsRows && err == nil; {
		n = 0
		err = t.Each(func(s sqldb.Scanner) error {
			if more = found >= most; more {
				return errEnough
			}
			var r NewsRow
			var data []byte
			if err := s.Scan(&r.Seq, &r.At, &data); err != nil {
				return err
			}
			err := Pairs(data, func(link, id uint64) { r.Keys = append(r.Keys, KeyOf(link, id)) })
			rows, after, n, found = append(rows, r), r.Seq, n+1, found+len(r.Keys)
			return err
		}, "SELECT seq, at, data FROM news WHERE seq > $1 ORDER BY seq LIMIT $2", after, newsRows)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rows, more, err
}

// Pairs calls f with the pairs of numbers in a row of the news, or of the
// changes for a copy: links and what they have.
func Pairs(data []byte, f func(link, id uint64)) error {
	for len(data) > 0 {
		link, a := binary.Uvarint(data)
		id, b := binary.Uvarint(data[max(a, 0):])
		if a <= 0 || b <= 0 {
			return fmt.Errorf("the views that were changed: %w", segment.ErrDamaged)
		}
		f(link, id)
		data = data[a+b:]
	}
	return nil
}

// NewsPlace returns the row up to which all news are decided.
func (t Index) NewsPlace() (place int64, err error) {
	return place, t.Get([]any{&place}, "SELECT news FROM log WHERE id = 1")
}

// DropNews sets the place, and deletes the rows up to it.
func (t Index) DropNews(place int64) error {
	_, err := t.Exec("UPDATE log SET news = $1 WHERE id = 1 AND news < $1", place)
	if err == nil {
		_, err = t.Exec("DELETE FROM news WHERE seq <= $1", place)
	}
	return err
}
