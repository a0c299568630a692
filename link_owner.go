package vitrine

import (
	"context"
	"time"
)

// LinkDetail is what the owner of a link is told of it.
type LinkDetail struct {
	*Link
	Old     []*OldSlug // slugs that it had before, and that still lead to it
	History []LinkEvent
	// Undoable says that the last change that was not undone is the owner's own, who may take it back.
	Undoable bool
}

// LinkEvent is a change of a link as its owner is told of it: what was done and in what capacity, but never by which person, what they
// noted, or who reported what.
type LinkEvent struct {
	At       time.Time
	By       ActorKind
	Action   Action
	From, To LinkState
	Reason   string // a reason code
	Detail   string // what exactly was found in the file
}

// maxOwnersEvents bounds a history as its owner reads it.
const maxOwnersEvents = 100

// Own tells the owner of a link of it, whatever its state, by a slug that it had before, too. Errors: CodeNotFound; another account's link is like an unknown one.
func (s *Links) Own(ctx context.Context, a *Account, slug string) (o *LinkDetail, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		o = new(LinkDetail)
		o.Link, err = linkByAnySlug(tx, slug, s.Now())
		if CodeOf(err) == CodeNotFound || err == nil && (o.Account != a.ID || o.Site != 0) {
			return errNoOwnLink
		}
		if err != nil {
			return err
		}
		if o.Old, err = tx.OldSlugs(o.ID, s.Now()); err != nil {
			return err
		}
		last, _, _, err := lastDecision(tx, o.ID)
		if err != nil {
			return err
		}
		o.Undoable = last != nil && Owner(a.ID).mayUndo(last.By) && last.Action != ActionCreate
		history, err := tx.Changes(ChangeQuery{Link: o.ID, Limit: maxOwnersEvents})
		if err != nil {
			return err
		}
		for _, c := range history {
			o.History = append(o.History, c.forOwner())
		}
		return nil
	})
	return o, err
}

// forOwner is a change as the owner of the link is told of it.
func (c *Change) forOwner() LinkEvent {
	e := LinkEvent{At: c.At, By: c.By.Kind, Action: c.Action, From: c.From, To: c.To, Reason: c.Reason}
	switch c.By.Kind {
	case ActorOperator:
		e.By = ActorModerator // who of them it was is not the owner's to know
	case ActorInspection, ActorScanner:
		e.Detail = c.Detail
	}
	return e
}
