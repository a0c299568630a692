package links

import (
	"context"

	"vitrine"
)

// LinkDetail is what the owner of a link is told of it.
type LinkDetail struct {
	*vitrine.Link
	Old     []*vitrine.OldSlug // slugs that it had before, and that still lead to it
	History []vitrine.LinkEvent
	// Undoable says that the last change that was not undone is the owner's
	// own, who may take it back.
	Undoable bool
}

// Of finds a link of an account, whatever its state, by a slug that it had
// before, too. Errors: CodeNotFound; another account's link is like an unknown
// one.
func (s *Service) Of(ctx context.Context, a *vitrine.Account, slug string) (*vitrine.Link, error) {
	return vitrine.OwnLink(ctx, s.Store, a, slug, s.Now())
}

// maxOwnersEvents bounds a history as its owner reads it.
const maxOwnersEvents = 100

// Own tells the owner of a link of it, whatever its state, by a slug that it
// had before, too. Errors: CodeNotFound; another account's link is like an
// unknown one.
func (s *Service) Own(ctx context.Context, a *vitrine.Account, slug string) (o *LinkDetail, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		o = new(LinkDetail)
		o.Link, err = vitrine.LinkByAnySlug(tx, slug, s.Now())
		if vitrine.CodeOf(err) == vitrine.CodeNotFound || err == nil && (o.Account != a.ID || !o.Own()) {
			return vitrine.ErrNoOwnLink
		}
		if err != nil {
			return err
		}
		o.Settle(s.Now())
		if o.Old, err = tx.OldSlugs(o.ID, s.Now()); err != nil {
			return err
		}
		last, _, _, err := vitrine.LastDecision(tx, o.ID)
		if err != nil {
			return err
		}
		o.Undoable = last != nil && vitrine.Owner(a.ID).MayUndo(last.By) && last.Action != vitrine.ActionCreate
		history, err := tx.Changes(vitrine.ChangeQuery{Link: o.ID, Limit: maxOwnersEvents})
		if err != nil {
			return err
		}
		for _, c := range history {
			o.History = append(o.History, c.ForOwner())
		}
		return nil
	})
	return o, err
}
