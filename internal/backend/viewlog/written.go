package viewlog

import (
	"errors"
	"maps"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// written is an account that the transaction writes to.
type written struct {
	state
	changed bool
	history *tables.History
}

// account returns the state of an account. It reads the state once in each
// transaction.
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

// history returns the index of viewer days of an account. It reads the list of
// runs once in each transaction.
func (w *writing) history(id vitrine.AccountID) (*tables.History, error) {
	a, err := w.account(id)
	if err == nil && a.history == nil {
		a.history, err = w.tx.History(id)
	}
	if err != nil {
		return nil, err
	}
	return a.history, nil
}

// owner returns the account of a link, or 0 if the link has no views.
func (w *writing) owner(link vitrine.LinkID) (account vitrine.AccountID, err error) {
	if account, ok := w.owners[link]; ok {
		return account, nil
	}
	var deleting bool
	err = w.tx.Get([]any{&account, &deleting}, selectOwner, int64(link))
	if errors.Is(err, vitrine.ErrNotFound) {
		err = nil
	}
	w.noteOwner(link, account, deleting)
	return account, err
}

// learnOwners reads the accounts of many links in one query.
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
			var account vitrine.AccountID
			var deleting bool
			if err := row.Scan(&account, &deleting); err != nil {
				return w.tx.Failed(err)
			}
			w.noteOwner(asked[i], account, deleting)
			return nil
		})
}

const selectOwner = "SELECT account, deleting FROM links WHERE link = $1"

// noteOwner records the stored account of a link.
func (w *writing) noteOwner(link vitrine.LinkID, account vitrine.AccountID, deleting bool) {
	if deleting {
		w.deleting[link] = true
	}
	w.owners[link] = account
}

// follows reports whether changes of a link have followers.
func (w *writing) follows(account vitrine.AccountID, link vitrine.LinkID) (bool, error) {
	if !w.published.Wanted(account) {
		return false, nil
	}
	_, err := w.owner(link)
	return !w.deleting[link], err
}

// reopenDay moves the views of a link and day into the table views, where they
// can change.
func (w *writing) reopenDay(account vitrine.AccountID, link vitrine.LinkID, day report.Day) error {
	a, err := w.account(account)
	if err != nil || day >= a.compactedUntil {
		return err
	}
	if day < a.retainedFrom {
		return vitrine.ErrDayExpired
	}
	some, err := reopen(w.tx, account, link, day)
	if err != nil {
		return err
	}
	maps.DeleteFunc(w.looked, func(_ viewKey, b blobs) bool { return b.record == nil }) // they may be in the table now
	switch {
	case day < a.rolledUpUntil:
		a.reopen(day)
	case some:
		a.version++
	default:
		return nil
	}
	a.changed = true
	w.published.Reset(account)
	return nil
}

func (w *writing) change(l vitrine.LinkID) *tables.Change {
	c := w.changes[l]
	if c == nil {
		c = new(tables.Change)
		w.changes[l] = c
	}
	return c
}

// changedOn records a change of a day that no event of a view describes.
func (w *writing) changedOn(account vitrine.AccountID, day report.Day) error {
	a, err := w.account(account)
	if err == nil && day < a.rolledUpUntil { // the day has not expired, or the view would be gone too
		a.changedFrom(day)
		a.changed = true
		w.published.Reset(account)
	}
	return err
}

// reopenView moves a view into the table views, where it can change, if it is
// in a segment.
func (w *writing) reopenView(account vitrine.AccountID, link vitrine.LinkID, id vitrine.ViewID) error {
	day := report.DayOf(id.Ms())
	if a, err := w.account(account); err != nil || day >= a.compactedUntil || day < a.retainedFrom {
		return err
	}
	packed := false
	err := w.tx.SegmentRows(tables.OfLink(link), tables.Between(id, id+1), true,
		func(vitrine.LinkID, *segment.Row) error { packed = true; return nil })
	if err != nil || !packed {
		return err
	}
	return w.reopenDay(account, link, day)
}
