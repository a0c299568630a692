package links

import (
	"context"

	"vitrine"
)

// LinkDetail is a link with the details that its owner sees.
type LinkDetail struct {
	*vitrine.Link
	Old     []*vitrine.OldSlug // old slugs that still lead to the link
	History []vitrine.LinkEvent
	// Undoable reports whether the last change that is not undone was made by
	// the owner, who may undo it.
	Undoable bool
}

// Of finds a link of an account by any of its slugs, in any state. Errors:
// CodeNotFound, also for a link of another account.
func (s *Service) Of(ctx context.Context, a *vitrine.Account, slug string) (*vitrine.Link, error) {
	return OwnLink(ctx, s.Store, a, slug, s.Now())
}

// maxOwnerEvents bounds the history that an owner sees.
const maxOwnerEvents = 100

// Own returns the details of a link of an account, by any of its slugs, in any
// state. Errors: CodeNotFound, also for a link of another account.
func (s *Service) Own(ctx context.Context, a *vitrine.Account, slug string) (o *LinkDetail, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		o = new(LinkDetail)
		if o.Link, err = OwnLinkByAnySlug(tx, a, slug, s.Now()); err != nil {
			return err
		}
		o.ApplyExpiry(s.Now())
		if o.Old, err = tx.OldSlugs(o.ID, s.Now()); err != nil {
			return err
		}
		last, _, _, err := LastDecision(tx, o.ID)
		if err != nil {
			return err
		}
		o.Undoable = last != nil && vitrine.Owner(a.ID).MayUndo(last.By) && last.Action != vitrine.ActionCreate
		history, err := tx.Changes(vitrine.ChangeQuery{Link: o.ID, Limit: maxOwnerEvents})
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
