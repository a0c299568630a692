package viewdb

import (
	"errors"

	"vitrine"
	"vitrine/report"
)

// state is how far the views of an account are rolled up. Opens lie in the
// table opens as they come, and in packs once their day is past; where both may
// hold a day, what is true is both together.
type state struct {
	version        int64
	compactedUntil report.Day // views of this day and later ones are in opens alone
	rolledUpUntil  report.Day // views of earlier days are in packs alone
	staleFrom      report.Day // at most settled: tallies of earlier days are right wherever there are any
	buildingUntil  report.Day // there may be tallies, right or wrong, of days before this one and of no others
	// forgotten is at most stale: views of earlier days are gone, and their
	// tallies are all there is.
	retainedFrom report.Day
}

// state reads the state of an account; one that is not there has nothing put
// away.
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

// changedFrom marks tallies of a day and all later ones as stale: a visit that
// comes or goes changes those after it, too.
func (s *state) changedFrom(d report.Day) {
	s.version++
	s.staleFrom = max(min(s.staleFrom, d), s.retainedFrom)
}

// unsettle allows views of a day and of later ones in the table opens again.
func (s *state) unsettle(d report.Day) {
	s.changedFrom(d)
	s.rolledUpUntil = min(s.rolledUpUntil, d)
	s.staleFrom = min(s.staleFrom, s.rolledUpUntil)
}

// nextSeq numbers a transaction that writes.
func (t logTx) nextSeq() (seq int64, err error) {
	err = t.Get([]any{&seq}, "UPDATE log SET seq = seq + 1 WHERE id = 1 RETURNING seq")
	return seq, err
}

// seq is the number of the last transaction that wrote.
func (t logTx) seq() (seq int64, err error) {
	err = t.Get([]any{&seq}, "SELECT seq FROM log WHERE id = 1")
	return seq, err
}
