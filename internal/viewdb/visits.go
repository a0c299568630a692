package viewdb

import (
	"database/sql"
	"errors"
	"slices"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/segment"
)

// visitBytes is about how long a row of visits is. Several fit into a page of
// SQLite.
const visitBytes = 900

// run is a sorted run of entries.
type run = segment.Run

// runs lists the valid runs of an account, oldest first.
func (t logTx) runs(account vitrine.AccountID) (list []run, err error) {
	err = t.Each(func(s sqldb.Scanner) error {
		var r run
		err := s.Scan(&r.Number, &r.Entries)
		list = append(list, r)
		return err
	}, "SELECT run, entries FROM runs WHERE account = $1 AND merging = 0 ORDER BY run", int64(account))
	return list, err
}

// addRun stores sorted entries as a new run.
func (t logTx) addRun(account vitrine.AccountID, entries []segment.Visit) error {
	if len(entries) == 0 {
		return nil
	}
	number, err := t.newRun(account, int64(len(entries)), 0)
	if err != nil {
		return err
	}
	w := runWriter{tx: t, account: account, run: number}
	for _, e := range entries {
		if err := w.add(e); err != nil {
			return err
		}
	}
	return w.end()
}

func (t logTx) newRun(account vitrine.AccountID, entries, merging int64) (number int64, err error) {
	// Numbers are never reused: a reader may still use an old run.
	err = t.Get([]any{&number}, "UPDATE log SET run = run + 1 WHERE id = 1 RETURNING run")
	if err == nil {
		_, err = t.Exec("INSERT INTO runs (account, run, entries, merging) VALUES ($1, $2, $3, $4)", int64(account),
			number, entries, merging)
	}
	return number, err
}

// runWriter writes the rows of a run from sorted entries.
type runWriter struct {
	tx      logTx
	account vitrine.AccountID
	run     int64
	entries []segment.Visit // of the current row
	all     int64           // entries written so far
	last    segment.Visit
	b       []byte
}

// entryBytes is about how many bytes an entry takes.
const entryBytes = 10

func (w *runWriter) add(e segment.Visit) error {
	if n := len(w.entries); n*entryBytes >= visitBytes && w.entries[n-1].Viewer != e.Viewer {
		if err := w.end(); err != nil {
			return err
		}
	}
	w.entries = append(w.entries, e)
	w.all++
	w.last = e
	return nil
}

// end writes the current row.
func (w *runWriter) end() error {
	if len(w.entries) == 0 {
		return nil
	}
	w.b = segment.AppendVisits(w.b[:0], w.entries)
	_, err := w.tx.Exec("INSERT INTO visits (account, run, first, data) VALUES ($1, $2, $3, $4)", int64(w.account),
		w.run, w.entries[0].Viewer, w.b)
	w.entries = w.entries[:0]
	return err
}

// history looks viewers up in the index of visits. Callers ask for viewers in
// ascending order.
type history struct {
	tx      logTx
	account vitrine.AccountID
	runs    []runReader
	entries int64
	erasing map[int64]bool // links whose entries no longer count
	found   []segment.Visit
}

// runReader is a position in a run, with some of its rows in memory.
type runReader struct {
	run     int64
	rows    int // rows read at once
	entries []segment.Visit
	at      int
}

// manyRows is the number of rows read at once when most rows are needed.
const manyRows = 64

// expect announces how many viewers will be looked up.
func (h *history) expect(viewers int) {
	rows := 1
	if int64(viewers)*visitBytes/entryBytes > h.entries/8 {
		rows = manyRows
	}
	for i := range h.runs {
		h.runs[i].rows = rows
	}
}

func (t logTx) history(account vitrine.AccountID) (*history, error) {
	list, err := t.runs(account)
	if err != nil || len(list) == 0 {
		return &history{}, err
	}
	h := &history{tx: t, account: account}
	for _, r := range list {
		h.runs = append(h.runs, runReader{run: r.Number, rows: 1})
		h.entries += r.Entries
	}
	err = t.Each(func(s sqldb.Scanner) error {
		var link int64
		if h.erasing == nil {
			h.erasing = map[int64]bool{}
		}
		err := s.Scan(&link)
		h.erasing[link] = true
		return err
	}, "SELECT link FROM links WHERE account = $1", -int64(account))
	return h, err
}

// of returns the entries of a viewer, in order. The result is valid until the
// next call.
func (h *history) of(viewer int64) ([]segment.Visit, error) {
	h.found = h.found[:0]
	for i := range h.runs {
		r := &h.runs[i]
		if err := r.seek(h.tx, h.account, viewer); err != nil {
			return nil, err
		}
		for ; r.at < len(r.entries) && r.entries[r.at].Viewer <= viewer; r.at++ {
			if e := r.entries[r.at]; e.Viewer == viewer && !h.erasing[e.Link] {
				h.found = append(h.found, e)
			}
		}
		r.at = min(r.at, max(len(r.entries)-1, 0)) // seek reads this entry
	}
	if len(h.runs) > 1 {
		slices.SortFunc(h.found, segment.Visit.Compare)
		h.found = slices.Compact(h.found)
	}
	return h.found, nil
}

// seek reads the row that may contain the entries of a viewer, and perhaps rows
// after it.
func (r *runReader) seek(t logTx, account vitrine.AccountID, viewer int64) error {
	if n := len(r.entries); n > 0 && viewer <= r.entries[n-1].Viewer {
		for r.entries[r.at].Viewer < viewer {
			r.at++
		}
		return nil
	}
	r.entries, r.at = r.entries[:0], 0
	if r.rows == 1 {
		var first int64
		var data []byte
		err := t.Get([]any{&first, &data}, selectVisits,
			int64(account), r.run, viewer)
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil
		}
		if err == nil {
			r.entries, err = segment.ReadVisits(r.entries, first, data)
		}
		return err
	}
	err := t.visitRows(account, r.run, viewer, r.rows, func(first int64, data []byte) (err error) {
		r.entries, err = segment.ReadVisits(r.entries, first, data)
		return err
	})
	for r.at < len(r.entries) && r.entries[r.at].Viewer < viewer {
		r.at++
	}
	return err
}

// visitRows calls f with up to n rows of a run: the row that may contain the
// entries of a viewer, and those after it.
func (t logTx) visitRows(account vitrine.AccountID, run, viewer int64, n int,
	f func(first int64, data []byte) error) error {
	return t.Each(func(s sqldb.Scanner) error {
		var first int64
		var data sql.RawBytes
		if err := s.Scan(&first, &data); err != nil {
			return t.Failed(err)
		}
		return f(first, data)
	}, `SELECT first, data FROM visits WHERE account = $1 AND run = $2 AND first >= coalesce(
		(SELECT max(first) FROM visits WHERE account = $3 AND run = $4 AND first <= $5), $6) ORDER BY first LIMIT $7`,
		int64(account), run, int64(account), run, viewer, viewer, n)
}

// lookUp returns the visits of a viewer. Unlike of, it takes viewers in any
// order.
func (h *history) lookUp(viewer int64) ([]segment.Visit, error) {
	for i := range h.runs {
		h.runs[i].entries, h.runs[i].at = h.runs[i].entries[:0], 0
	}
	return h.of(viewer)
}

// selectVisits selects the row of a run that may contain the entries of a
// viewer.
const selectVisits = "SELECT first, data FROM visits WHERE account = $1 AND run = $2 AND first <= $3 ORDER BY first DESC LIMIT 1"

// seenBefore sets seen for the viewers that have a view of their link in packs.
func (h *history) seenBefore(viewers []viewerOf, seen map[viewerOf]bool) error {
	var entries []segment.Visit
	for _, run := range h.runs {
		err := h.tx.GetMany(selectVisits, len(viewers),
			func(i int) []any { return []any{int64(h.account), run.run, int64(viewers[i].viewer)} },
			func(i int, row sqldb.Scanner) error {
				var first int64
				var data []byte
				err := row.Scan(&first, &data)
				if err != nil {
					return h.tx.Failed(err)
				}
				if entries, err = segment.ReadVisits(entries[:0], first, data); err != nil {
					return err
				}
				v := viewers[i]
				if slices.ContainsFunc(entries, func(e segment.Visit) bool {
					return e.Viewer == int64(v.viewer) && e.Link == int64(v.link) && !h.erasing[e.Link]
				}) {
					seen[v] = true
				}
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeVisits removes sorted entries from every run.
func (t logTx) removeVisits(account vitrine.AccountID, entries []segment.Visit) error {
	list, err := t.runs(account)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := t.removeFromRun(account, r, entries); err != nil {
			return err
		}
	}
	return nil
}

func (t logTx) removeFromRun(account vitrine.AccountID, r run, entries []segment.Visit) error {
	removed := int64(0)
	for len(entries) > 0 {
		var first int64
		var data []byte
		err := t.Get([]any{&first, &data}, selectVisits,
			int64(account), r.Number, entries[0].Viewer)
		if errors.Is(err, vitrine.ErrNotFound) {
			entries = entries[1:]
			continue
		}
		if err != nil {
			return err
		}
		row, err := segment.ReadVisits(nil, first, data)
		if err != nil {
			return err
		}
		last := row[len(row)-1].Viewer
		n := 0
		for n < len(entries) && entries[n].Viewer <= last {
			n++
		}
		if n == 0 {
			entries = entries[1:] // the entry lies between this row and the next
			continue
		}
		kept := slices.DeleteFunc(row, func(e segment.Visit) bool {
			_, found := slices.BinarySearchFunc(entries[:n], e, segment.Visit.Compare)
			return found
		})
		entries = entries[n:]
		if len(kept) == len(row) {
			continue
		}
		removed += int64(len(row) - len(kept))
		if err := t.replaceVisits(account, r.Number, first, kept); err != nil {
			return err
		}
	}
	if removed == 0 {
		return nil
	}
	_, err := t.Exec("UPDATE runs SET entries = entries - $1 WHERE account = $2 AND run = $3", removed, int64(account),
		r.Number)
	return err
}

func (t logTx) replaceVisits(account vitrine.AccountID, run, first int64, entries []segment.Visit) error {
	if _, err := t.Exec("DELETE FROM visits WHERE account = $1 AND run = $2 AND first = $3", int64(account), run,
		first); err != nil || len(entries) == 0 {
		return err
	}
	_, err := t.Exec("INSERT INTO visits (account, run, first, data) VALUES ($1, $2, $3, $4)", int64(account), run,
		entries[0].Viewer, segment.AppendVisits(nil, entries))
	return err
}
