package tables

import (
	"database/sql"
	"errors"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
)

// rowBytes is about how long a row of viewer days is. Several fit into a page
// of SQLite.
const rowBytes = 900

// Index is the index of viewer days within a transaction.
type Index struct{ *sqldb.Tx }

// Run is a sorted run of entries.
type Run = segment.Run

// Runs lists the valid runs of an account, oldest first.
func (t Index) Runs(account vitrine.AccountID) (list []Run, err error) {
	err = t.Each(func(s sqldb.Scanner) error {
		var r Run
		err := s.Scan(&r.Number, &r.Entries)
		list = append(list, r)
		return err
	}, "SELECT run, entries FROM runs WHERE account = $1 AND merging = 0 ORDER BY run", int64(account))
	return list, err
}

// AddRun stores sorted entries as a new run.
func (t Index) AddRun(account vitrine.AccountID, entries []segment.ViewerDay) error {
	if len(entries) == 0 {
		return nil
	}
	number, err := t.NewRun(account, int64(len(entries)), 0)
	if err != nil {
		return err
	}
	w := RunWriter{Tx: t, Account: account, Run: number}
	for _, e := range entries {
		if err := w.Add(e); err != nil {
			return err
		}
	}
	return w.End()
}

// NewRun adds a run that is still empty, and returns its number.
func (t Index) NewRun(account vitrine.AccountID, entries, merging int64) (number int64, err error) {
	// Numbers are never reused: a reader may still use an old run.
	err = t.Get([]any{&number}, "UPDATE log SET run = run + 1 WHERE id = 1 RETURNING run")
	if err == nil {
		_, err = t.Exec("INSERT INTO runs (account, run, entries, merging) VALUES ($1, $2, $3, $4)", int64(account),
			number, entries, merging)
	}
	return number, err
}

// RunWriter writes the rows of a run from sorted entries.
type RunWriter struct {
	Tx      Index
	Account vitrine.AccountID
	Run     int64
	Entries int64 // written so far
	Last    segment.ViewerDay
	row     []segment.ViewerDay // the current row
	b       []byte
}

// entryBytes is about how many bytes an entry takes.
const entryBytes = 5

// Add adds an entry. Entries come in order.
func (w *RunWriter) Add(e segment.ViewerDay) error {
	if n := len(w.row); n*entryBytes >= rowBytes && w.row[n-1].Viewer != e.Viewer {
		if err := w.End(); err != nil {
			return err
		}
	}
	w.row = append(w.row, e)
	w.Entries++
	w.Last = e
	return nil
}

// End writes the current row.
func (w *RunWriter) End() error {
	if len(w.row) == 0 {
		return nil
	}
	w.b = segment.AppendViewerDays(w.b[:0], w.row)
	_, err := w.Tx.Exec("INSERT INTO viewer_days (account, run, first, data) VALUES ($1, $2, $3, $4)", int64(w.Account),
		w.Run, w.row[0].Viewer, w.b)
	w.row = w.row[:0]
	return err
}

// History looks viewers up in the index of viewer days. Callers ask for viewers
// in ascending order.
type History struct {
	tx       Index
	account  vitrine.AccountID
	runs     []runReader
	entries  int64
	Deleting map[int64]bool // links whose entries no longer count
	found    []segment.ViewerDay
}

// runReader is a position in a run, with some of its rows in memory.
type runReader struct {
	Run
	rows    int // rows read at once
	entries []segment.ViewerDay
	at      int
}

// ManyRows is the number of rows read at once when most rows are needed.
const ManyRows = 64

// Expect announces how many viewers will be looked up.
func (h *History) Expect(viewers int) {
	rows := 1
	if int64(viewers)*rowBytes/entryBytes > h.entries/8 {
		rows = ManyRows
	}
	for i := range h.runs {
		h.runs[i].rows = rows
	}
}

// History returns the index of an account.
func (t Index) History(account vitrine.AccountID) (*History, error) {
	list, err := t.Runs(account)
	if err != nil || len(list) == 0 {
		return &History{}, err
	}
	h := &History{tx: t, account: account}
	for _, r := range list {
		h.runs = append(h.runs, runReader{Run: r, rows: 1})
		h.entries += r.Entries
	}
	err = t.Each(func(s sqldb.Scanner) error {
		var link int64
		if h.Deleting == nil {
			h.Deleting = map[int64]bool{}
		}
		err := s.Scan(&link)
		h.Deleting[link] = true
		return err
	}, "SELECT link FROM links WHERE account = $1 AND deleting = TRUE", int64(account))
	return h, err
}

// Of returns the entries of a viewer, in order. The result is valid until the
// next call.
func (h *History) Of(viewer int64) ([]segment.ViewerDay, error) {
	h.found = h.found[:0]
	for i := range h.runs {
		r := &h.runs[i]
		if err := r.seek(h.tx, h.account, viewer); err != nil {
			return nil, err
		}
		for ; r.at < len(r.entries) && r.entries[r.at].Viewer <= viewer; r.at++ {
			if e := r.entries[r.at]; e.Viewer == viewer && !h.Deleting[e.Link] {
				h.found = append(h.found, e)
			}
		}
		r.at = min(r.at, max(len(r.entries)-1, 0)) // seek reads this entry
	}
	if len(h.runs) > 1 {
		slices.SortFunc(h.found, segment.ViewerDay.Compare)
		h.found = slices.Compact(h.found)
	}
	return h.found, nil
}

// seek reads the row that may contain the entries of a viewer, and perhaps rows
// after it.
func (r *runReader) seek(t Index, account vitrine.AccountID, viewer int64) error {
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
		err := t.Get([]any{&first, &data}, selectDays,
			int64(account), r.Number, viewer)
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil
		}
		if err == nil {
			r.entries, err = segment.ReadViewerDays(r.entries, first, data)
		}
		return err
	}
	err := t.DayRows(account, r.Number, viewer, r.rows, func(first int64, data []byte) (err error) {
		r.entries, err = segment.ReadViewerDays(r.entries, first, data)
		return err
	})
	for r.at < len(r.entries) && r.entries[r.at].Viewer < viewer {
		r.at++
	}
	return err
}

// DayRows calls f with up to n rows of a run: the row that may contain the
// entries of a viewer, and those after it.
func (t Index) DayRows(account vitrine.AccountID, run, viewer int64, n int,
	f func(first int64, data []byte) error) error {
	return t.Each(func(s sqldb.Scanner) error {
		var first int64
		var data sql.RawBytes
		if err := s.Scan(&first, &data); err != nil {
			return t.Failed(err)
		}
		return f(first, data)
	}, `SELECT first, data FROM viewer_days WHERE account = $1 AND run = $2 AND first >= coalesce(
		(SELECT max(first) FROM viewer_days WHERE account = $3 AND run = $4 AND first <= $5), $6) ORDER BY first LIMIT $7`,
		int64(account), run, int64(account), run, viewer, viewer, n)
}

// LookUp returns the viewer days of a viewer. Unlike Of, it takes viewers in
// any order.
func (h *History) LookUp(viewer int64) ([]segment.ViewerDay, error) {
	for i := range h.runs {
		h.runs[i].entries, h.runs[i].at = h.runs[i].entries[:0], 0
	}
	return h.Of(viewer)
}

// selectDays selects the row of a run that may contain the entries of a
// viewer.
const selectDays = "SELECT first, data FROM viewer_days WHERE account = $1 AND run = $2 AND first <= $3 ORDER BY first DESC LIMIT 1"

// LinkViewer is a viewer of a link.
type LinkViewer struct {
	Link   vitrine.LinkID
	Viewer uint64
}

// OfMany calls f with each entry of the given viewers of links, and the index
// of the viewer. An entry may come several times.
func (h *History) OfMany(viewers []LinkViewer, f func(i int, v segment.ViewerDay)) error {
	by := map[int64][]int{}
	sorted := make([]segment.ViewerDay, 0, len(viewers))
	for i, v := range viewers {
		by[int64(v.Viewer)] = append(by[int64(v.Viewer)], i)
		sorted = append(sorted, segment.ViewerDay{Viewer: int64(v.Viewer)})
	}
	sorted = segment.SortViewerDays(sorted)
	var entries []segment.ViewerDay
	for _, run := range h.runs {
		err := h.tx.rowsOf(h.account, run.Run, sorted, func(asked int, first int64, data []byte) (err error) {
			if entries, err = segment.ReadViewerDays(entries[:0], first, data); err != nil {
				return err
			}
			for _, e := range entries {
				if asked >= 0 && e.Viewer != sorted[asked].Viewer || h.Deleting[e.Link] {
					continue
				}
				for _, i := range by[e.Viewer] {
					if int64(viewers[i].Link) == e.Link {
						f(i, e)
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// RemoveViewerDays removes sorted entries from every run.
func (t Index) RemoveViewerDays(account vitrine.AccountID, entries []segment.ViewerDay) error {
	list, err := t.Runs(account)
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

// removedAtOnce is how many entries are looked up together to be removed.
const removedAtOnce = 2000

func (t Index) removeFromRun(account vitrine.AccountID, r Run, entries []segment.ViewerDay) error {
	removed := int64(0)
	for some := range slices.Chunk(entries, removedAtOnce) {
		var rows []int64 // changed rows, by their first viewer
		kept := map[int64][]segment.ViewerDay{}
		err := t.rowsOf(account, r, some, func(_ int, first int64, data []byte) error {
			if _, read := kept[first]; read {
				return nil
			}
			all, err := segment.ReadViewerDays(nil, first, data)
			if err != nil {
				return err
			}
			n := len(all)
			from, _ := slices.BinarySearchFunc(some, all[0], segment.ViewerDay.Compare)
			gone := some[from:]
			kept[first] = slices.DeleteFunc(all, func(e segment.ViewerDay) bool {
				for len(gone) > 0 && gone[0].Compare(e) < 0 {
					gone = gone[1:]
				}
				return len(gone) > 0 && gone[0] == e
			})
			if left := len(kept[first]); left < n {
				rows, removed = append(rows, first), removed+int64(n-left)
			}
			return nil
		})
		if err == nil {
			err = t.replaceDays(account, r.Number, rows, kept)
		}
		if err != nil {
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

// rowsOf calls f with the rows of a run that may contain sorted entries. A row
// comes for one entry, which asked is the index of, or, with -1, for all; then
// it may come several times, and with rows between.
func (t Index) rowsOf(account vitrine.AccountID, r Run, entries []segment.ViewerDay,
	f func(asked int, first int64, data []byte) error) error {
	if len(entries) < ManyRows || int64(len(entries))*rowBytes/entryBytes < r.Entries/8 {
		return t.GetMany(selectDays, len(entries),
			func(i int) []any { return []any{int64(account), r.Number, entries[i].Viewer} },
			func(i int, row sqldb.Scanner) error {
				var first int64
				var data []byte
				if err := row.Scan(&first, &data); err != nil {
					return t.Failed(err)
				}
				return f(i, first, data)
			})
	}
	last := entries[len(entries)-1].Viewer
	for next, more := entries[0].Viewer, true; more; { // most rows are needed
		n, at := 0, next
		err := t.DayRows(account, r.Number, next, ManyRows, func(first int64, data []byte) error {
			n, at = n+1, first
			return f(-1, first, data)
		})
		if err != nil {
			return err
		}
		more, next = n == ManyRows && at < last, at+1
	}
	return nil
}

// replaceDays replaces the entries of the rows of a run that begin with the
// given viewers.
func (t Index) replaceDays(account vitrine.AccountID, run int64, rows []int64,
	kept map[int64][]segment.ViewerDay) error {
	_, err := t.ExecMany("DELETE FROM viewer_days WHERE account = $1 AND run = $2 AND first = $3", len(rows),
		func(i int) []any { return []any{int64(account), run, rows[i]} })
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(first int64) bool { return len(kept[first]) == 0 })
	_, err = t.ExecMany("INSERT INTO viewer_days (account, run, first, data) VALUES ($1, $2, $3, $4)", len(rows),
		func(i int) []any {
			entries := kept[rows[i]]
			return []any{int64(account), run, entries[0].Viewer, segment.AppendViewerDays(nil, entries)}
		})
	return err
}
