package tables

import (
	"errors"
	"math"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
)

// MergeBatch is about how many entries one transaction merges.
const MergeBatch = 1 << 15

// Merge is a merge of runs in progress.
type Merge struct {
	account vitrine.AccountID
	version int64 // version of the account: it changes when entries are removed
	from    []Run
	run     int64
	next    int64 // next viewer
	entries int64
}

// mergeLife is the time without progress after which a merge counts as
// abandoned.
const mergeLife = time.Minute

// DropInvalidRun deletes a run that is invalid or abandoned. It reports whether
// there was one.
func (t Index) DropInvalidRun(account vitrine.AccountID) (some bool, err error) {
	var run int64
	err = t.Get([]any{&run}, "SELECT run FROM runs WHERE account = $1 AND merging <> 0 AND merging < $2 ORDER BY run LIMIT 1",
		int64(account), sqldb.Ms(time.Now().Add(-mergeLife)))
	if errors.Is(err, vitrine.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, table := range []string{"viewer_days", "runs"} {
		if _, err := t.Exec("DELETE FROM "+table+" WHERE account = $1 AND run = $2", int64(account), run); err != nil {
			return false, err
		}
	}
	return true, nil
}

// BeginMerge begins a merge for an account whose state has a version. It
// returns nil if there is nothing to merge.
func (t Index) BeginMerge(account vitrine.AccountID, version int64, tidy bool) (*Merge, error) {
	busy := false
	err := t.Get([]any{&busy}, "SELECT EXISTS (SELECT 1 FROM runs WHERE account = $1 AND merging > 1)", int64(account))
	if err != nil || busy { // another process is merging
		return nil, err
	}
	list, err := t.Runs(account)
	if err != nil {
		return nil, err
	}
	from := segment.RunsToMerge(list, tidy)
	if from == nil {
		return nil, nil
	}
	m := &Merge{account: account, version: version, from: from, next: math.MinInt64}
	m.run, err = t.NewRun(account, 0, sqldb.Ms(time.Now()))
	return m, err
}

// Step merges the entries of the next viewers. It ends the merge if entries
// were removed since the beginning, which changes the version of the account,
// or the new run was deleted. The new run is then deleted, and the merge starts
// again.
func (m *Merge) Step(t Index, version int64) (more bool, err error) {
	if version != m.version {
		_, err := t.Exec("UPDATE runs SET merging = 1 WHERE account = $1 AND run = $2", int64(m.account), m.run)
		return false, err
	}
	n, err := t.Exec("UPDATE runs SET merging = $1 WHERE account = $2 AND run = $3 AND merging > 1",
		sqldb.Ms(time.Now()), int64(m.account), m.run)
	if err != nil || n == 0 {
		return false, err
	}
	w := RunWriter{Tx: t, Account: m.account, Run: m.run}
	sources := t.Readers(m.account, m.from)
	for {
		best, err := FirstEntry(sources, m.next)
		if err != nil {
			return false, err
		}
		if best == nil {
			break
		}
		e := best.Head()
		if w.Entries >= MergeBatch && e.Viewer != w.Last.Viewer {
			next, entries := e.Viewer, m.entries+w.Entries
			t.Committed = append(t.Committed, func() { m.next, m.entries = next, entries })
			return true, w.End()
		}
		if w.Entries == 0 || e != w.Last {
			if err := w.Add(e); err != nil {
				return false, err
			}
		}
		best.Skip()
	}
	if err := w.End(); err != nil {
		return false, err
	}
	if _, err := t.Exec("UPDATE runs SET merging = 0, entries = $1 WHERE account = $2 AND run = $3",
		m.entries+w.Entries,
		int64(m.account), m.run); err != nil {
		return false, err
	}
	for _, r := range m.from {
		if _, err := t.Exec("UPDATE runs SET merging = 1 WHERE account = $1 AND run = $2", int64(m.account),
			r.Number); err != nil {
			return false, err
		}
	}
	return false, nil
}
