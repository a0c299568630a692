package viewdb

import (
	"errors"
	"maps"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// written is an account that a transaction writes to.
type written struct {
	state
	changed bool
	history *history
}

// account reads the state of an account, once a transaction.
func (w *writing) account(id vitrine.AccountID) (*written, error) {
	if a := w.accounts[id]; a != nil {
		return a, nil
	}
	s, err := w.tx.state(id)
	if err != nil {
		return nil, err
	}
	a := &written{state: s}
	w.accounts[id] = a
	return a, nil
}

// owner is the account of a link that has views, 0 of another.
func (w *writing) owner(link vitrine.LinkID) (account vitrine.AccountID, err error) {
	if account, ok := w.owners[link]; ok {
		return account, nil
	}
	err = w.tx.Get([]any{&account}, selectOwner, int64(link))
	if errors.Is(err, vitrine.ErrNotFound) {
		err = nil
	}
	w.own(link, account)
	return w.owners[link], err
}

// learnOwners is owner of many.
func (w *writing) learnOwners(links []vitrine.LinkID) error {
	var asked []vitrine.LinkID
	for _, link := range links {
		if _, known := w.owners[link]; !known {
			w.owners[link] = 0
			asked = append(asked, link)
		}
	}
	return w.tx.GetMany(selectOwner, len(asked), func(i int) []any { return []any{int64(asked[i])} },
		func(i int, row sqldb.Scanner) error {
			var account int64
			if err := row.Scan(&account); err != nil {
				return w.tx.Fail(err)
			}
			w.own(asked[i], vitrine.AccountID(account))
			return nil
		})
}

const selectOwner = "SELECT account FROM links WHERE link = $1"

// own notes the owner of a link, as it is stored.
func (w *writing) own(link vitrine.LinkID, account vitrine.AccountID) {
	if account < 0 { // it is being erased
		account = -account
		w.erasing[link] = true
	}
	w.owners[link] = account
}

// follows reports whether anyone wants to know what happens to a link.
func (w *writing) follows(account vitrine.AccountID, link vitrine.LinkID) (bool, error) {
	if !w.told.Wanted(account) {
		return false, nil
	}
	_, err := w.owner(link)
	return !w.erasing[link], err
}

// loosen sees to it that opens of a link on a day are where they can change.
func (w *writing) loosen(account vitrine.AccountID, link vitrine.LinkID, day report.Day) error {
	a, err := w.account(account)
	if err != nil || day >= a.compactedUntil {
		return err
	}
	if day < a.retainedFrom {
		return vitrine.ErrForgotten
	}
	some, err := reopen(w.tx, account, link, day)
	if err != nil {
		return err
	}
	maps.DeleteFunc(w.looked, func(_ viewKey, b blobs) bool { return b.open == nil }) // it may be there now
	switch {
	case day < a.rolledUpUntil:
		a.unsettle(day)
	case some:
		a.version++
	default:
		return nil
	}
	a.changed = true
	w.told.Reset(account)
	return nil
}

func (w *writing) change(l vitrine.LinkID) *change {
	c := w.changes[l]
	if c == nil {
		c = new(change)
		w.changes[l] = c
	}
	return c
}

// changedOn says that something of a day changed that no view of the day tells.
func (w *writing) changedOn(account vitrine.AccountID, day report.Day) error {
	a, err := w.account(account)
	if err == nil && day < a.rolledUpUntil { // no event is of a forgotten day: its view would be, too
		a.changedFrom(day)
		a.changed = true
		w.told.Reset(account)
	}
	return err
}

// unpackView sees to it that a view that is in a pack, if it is in any, is
// where it can change.
func (w *writing) unpackView(account vitrine.AccountID, link vitrine.LinkID, id vitrine.ViewID) error {
	day := report.DayOf(id.Ms())
	if a, err := w.account(account); err != nil || day >= a.compactedUntil || day < a.retainedFrom {
		return err
	}
	packed := false
	err := w.tx.packedRows(ofLink(link), ids{id, id + 1}, true,
		func(vitrine.LinkID, *segment.Row) error { packed = true; return nil })
	if err != nil || !packed {
		return err
	}
	return w.loosen(account, link, day)
}
