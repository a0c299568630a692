package sqlstore

import (
	"errors"

	"vitrine"
)

// ReserveIDs implements [vitrine.Tx].
func (t Tx) ReserveIDs(account vitrine.AccountID, link vitrine.LinkID) (passed bool, err error) {
	want := []struct {
		table string
		last  int64
	}{{"accounts", int64(account)}, {"links", int64(link)}}
	behind := false
	for _, w := range want {
		last, err := t.lastID(w.table)
		if err != nil {
			return false, err
		}
		behind = behind || last < w.last
	}
	if !behind {
		return false, nil
	}
	// PostgreSQL transactions do not protect a sequence between reading its
	// last value and setting it. So no other row may be added in between.
	if t.Conn.Postgres != nil {
		if _, err := t.Exec("LOCK TABLE turns IN EXCLUSIVE MODE"); err != nil {
			return false, err
		}
	}
	ids := map[string]int64{}
	for _, w := range want {
		last, err := t.lastID(w.table)
		if err != nil {
			return false, err
		}
		if last < w.last {
			ids[w.table] = w.last
		}
	}
	return len(ids) > 0, t.SetLastIDs(ids)
}

// lastID returns the last ID that a table has assigned, even if the row is
// deleted, or 0 if none.
func (t Tx) lastID(table string) (last int64, err error) {
	if t.Conn.Postgres != nil {
		err = t.Get([]any{&last}, "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(format('%I.%I', current_schema(), $1::text), 'id')), 0)", table)
		return last, err
	}
	err = t.Get([]any{&last}, "SELECT seq FROM sqlite_sequence WHERE name = $1", table)
	if errors.Is(err, vitrine.ErrNotFound) {
		return 0, nil
	}
	return last, err
}
