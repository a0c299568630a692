package links

import (
	"slices"
	"time"

	"vitrine"
)

// EachChange calls f with the changes of a link, newest first, until f returns
// false.
func EachChange(tx vitrine.ChangeTx, l vitrine.LinkID, f func(*vitrine.Change) bool) error {
	q := vitrine.ChangeQuery{Link: l, Limit: 100}
	for {
		list, err := tx.Changes(q)
		if err != nil {
			return err
		}
		for _, c := range list {
			if !f(c) {
				return nil
			}
		}
		if len(list) < q.Limit {
			return nil
		}
		q.Before = list[len(list)-1].ID
	}
}

// keepState are the actions that do not change the state of a link.
var keepState = []vitrine.Action{vitrine.ActionReplace, vitrine.ActionRestore, vitrine.ActionDate,
	vitrine.ActionDelete, vitrine.ActionRevive}

// LastDecision returns the last change of a link that is not undone, the change
// before it, to which an undo returns, and since when the link was in that
// earlier state. Both are nil if there is none.
func LastDecision(tx vitrine.ChangeTx, l vitrine.LinkID) (last, before *vitrine.Change, since time.Time, err error) {
	undone := 0
	err = EachChange(tx, l, func(c *vitrine.Change) bool {
		switch {
		case slices.Contains(keepState, c.Action):
		case c.Action == vitrine.ActionUndo:
			undone++
		case undone > 0:
			undone--
		case last == nil:
			last = c
		case before == nil:
			before, since = c, c.At
		case c.To == before.To:
			since = c.At
		default:
			return false
		}
		return true
	})
	if before == nil || err != nil {
		return nil, nil, time.Time{}, err
	}
	return last, before, since, nil
}
