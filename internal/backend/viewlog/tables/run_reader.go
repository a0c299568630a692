package tables

import (
	"database/sql"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
)

// RunReader reads the entries of a run in order.
type RunReader struct {
	index   Index
	account vitrine.AccountID
	run     int64
	began   bool
	last    int64 // first viewer of the last row read
	done    bool
	entries []segment.ViewerDay
	at      int
}

// Readers returns a reader of each of the runs.
func (t Index) Readers(account vitrine.AccountID, runs []Run) (readers []RunReader) {
	for _, r := range runs {
		readers = append(readers, RunReader{index: t, account: account, run: r.Number})
	}
	return readers
}

// FirstEntry returns the reader with the smallest entry whose viewer is at
// least from, or nil if there is none.
func FirstEntry(readers []RunReader, from int64) (best *RunReader, err error) {
	for i := range readers {
		e, ok, err := readers[i].peek(from)
		if err != nil {
			return nil, err
		}
		if ok && (best == nil || e.Compare(best.Head()) < 0) {
			best = &readers[i]
		}
	}
	return best, nil
}

// Head returns the next entry.
func (r *RunReader) Head() segment.ViewerDay { return r.entries[r.at] }

// Skip leaves the next entry behind.
func (r *RunReader) Skip() { r.at++ }

// peek returns the next entry whose viewer is at least from.
func (r *RunReader) peek(from int64) (e segment.ViewerDay, ok bool, err error) {
	for !r.done {
		for r.at < len(r.entries) && r.entries[r.at].Viewer < from {
			r.at++
		}
		if r.at < len(r.entries) {
			return r.entries[r.at], true, nil
		}
		if err := r.read(from); err != nil {
			return e, false, err
		}
	}
	return e, false, nil
}

// read reads the next rows. The first call starts at the row that may contain
// viewer from.
func (r *RunReader) read(from int64) error {
	r.entries, r.at, r.done = r.entries[:0], 0, true
	add := func(first int64, data []byte) (err error) {
		r.last, r.done = first, false
		r.entries, err = segment.ReadViewerDays(r.entries, first, data)
		return err
	}
	if !r.began {
		r.began = true
		return r.index.DayRows(r.account, r.run, from, ManyRows, add)
	}
	return r.index.Each(func(row sqldb.Scanner) error {
		var first int64
		var data sql.RawBytes
		if err := row.Scan(&first, &data); err != nil {
			return r.index.Failed(err)
		}
		return add(first, data)
	}, "SELECT first, data FROM viewer_days WHERE account = $1 AND run = $2 AND first > $3 ORDER BY first LIMIT $4",
		int64(r.account), r.run, r.last, ManyRows)
}
