package viewlog

import (
	"errors"
	"fmt"

	"vitrine"
	"vitrine/report"
)

// state records how far the views of an account are rolled up. Views are
// written to the table views and move into segments when their day is past. A
// day may have views in both; together they are the views of the day. The days
// are in the order that check describes.
type state struct {
	version        int64
	compactedUntil report.Day // from this day on, views are only in the table views
	rolledUpUntil  report.Day // before this day, views are only in segments
	staleFrom      report.Day // before this day, existing tallies are right
	buildingUntil  report.Day // from this day on, there are no tallies
	// retainedFrom is a multiple of the width of the largest tallies. Before
	// this day only tallies remain.
	retainedFrom report.Day
}

// check returns an error if the days of the state are out of order.
func (s state) check() error {
	if s.retainedFrom > s.staleFrom || s.staleFrom > s.rolledUpUntil || s.rolledUpUntil > s.compactedUntil ||
		s.staleFrom > s.buildingUntil || s.retainedFrom != alignDown(s.retainedFrom, levels-1) {
		return fmt.Errorf("its days are out of order: %+v", s)
	}
	return nil
}

// checkStates makes putState check the state. Tests set it.
var checkStates = false

// state reads the state of an account. An account without a row has the zero
// state.
func (t logTx) state(account vitrine.AccountID) (s state, err error) {
	err = t.Get([]any{&s.version, &s.compactedUntil, &s.rolledUpUntil, &s.staleFrom, &s.buildingUntil, &s.retainedFrom},
		`SELECT version, compacted_until, rolled_up_until, stale_from, building_until, retained_from FROM accounts
		WHERE account = $1`, int64(account))
	if errors.Is(err, vitrine.ErrNotFound) {
		err = nil
	}
	return s, err
}

func (t logTx) putState(account vitrine.AccountID, s state) error {
	if checkStates {
		if err := s.check(); err != nil {
			panic(fmt.Sprintf("viewlog: the state of account %d: %v", account, err))
		}
	}
	_, err := t.Exec(`INSERT INTO accounts
			(account, version, compacted_until, rolled_up_until, stale_from, building_until, retained_from)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account) DO UPDATE SET version = excluded.version,
			compacted_until = excluded.compacted_until, rolled_up_until = excluded.rolled_up_until,
			stale_from = excluded.stale_from, building_until = excluded.building_until,
			retained_from = excluded.retained_from`,
		int64(account), s.version, s.compactedUntil, s.rolledUpUntil, s.staleFrom, s.buildingUntil, s.retainedFrom)
	return err
}

// changedFrom marks the tallies of a day and of all later days as stale. Later
// days change too, because tallies record returning viewers.
func (s *state) changedFrom(d report.Day) {
	s.version++
	s.staleFrom = max(min(s.staleFrom, d), s.retainedFrom)
}

// reopen allows views of a day and of later days in the table views again.
func (s *state) reopen(d report.Day) {
	s.changedFrom(d)
	s.rolledUpUntil = min(s.rolledUpUntil, d)
	s.staleFrom = min(s.staleFrom, s.rolledUpUntil)
}
