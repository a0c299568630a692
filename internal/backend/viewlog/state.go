package viewlog

import (
	"errors"

	"vitrine"
	"vitrine/report"
)

// state records how far the views of an account are rolled up. Views are
// written to the table opens and move into packs when their day is past. A day
// may have views in both; together they are the views of the day.
type state struct {
	version        int64
	compactedUntil report.Day // from this day on, views are only in opens
	rolledUpUntil  report.Day // before this day, views are only in packs
	staleFrom      report.Day // at most rolledUpUntil; before this day, existing tallies are right
	buildingUntil  report.Day // from this day on, there are no tallies
	// retainedFrom is at most staleFrom. Before this day only tallies remain.
	retainedFrom report.Day
}

// state reads the state of an account. An account without a row has the zero
// state.
func (t logTx) state(account vitrine.AccountID) (s state, err error) {
	err = t.Get([]any{&s.version, &s.compactedUntil, &s.rolledUpUntil, &s.staleFrom, &s.buildingUntil, &s.retainedFrom},
		"SELECT version, packed, settled, stale, begun, forgotten FROM accounts WHERE account = $1", int64(account))
	if errors.Is(err, vitrine.ErrNotFound) {
		err = nil
	}
	return s, err
}

func (t logTx) putState(account vitrine.AccountID, s state) error {
	_, err := t.Exec(`INSERT INTO accounts (account, version, packed, settled, stale, begun, forgotten) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account) DO UPDATE
		SET version = excluded.version, packed = excluded.packed, settled = excluded.settled, stale = excluded.stale, begun = excluded.begun, forgotten = excluded.forgotten`,
		int64(account), s.version, s.compactedUntil, s.rolledUpUntil, s.staleFrom, s.buildingUntil, s.retainedFrom)
	return err
}

// changedFrom marks the tallies of a day and of all later days as stale. Later
// days change too, because tallies record returning viewers.
func (s *state) changedFrom(d report.Day) {
	s.version++
	s.staleFrom = max(min(s.staleFrom, d), s.retainedFrom)
}

// unsettle allows views of a day and of later days in the table opens again.
func (s *state) unsettle(d report.Day) {
	s.changedFrom(d)
	s.rolledUpUntil = min(s.rolledUpUntil, d)
	s.staleFrom = min(s.staleFrom, s.rolledUpUntil)
}

// seq returns the number of the last write transaction.
func (t logTx) seq() (seq int64, err error) {
	err = t.Get([]any{&seq}, "SELECT seq FROM log WHERE id = 1")
	return seq, err
}
