package links

import (
	"context"

	"vitrine"
)

// DeleteByID deletes a link of a closed account, in any state, and its files
// and views, also in the trash. It returns nil if the link is deleted already.
func (s *Service) DeleteByID(ctx context.Context, id vitrine.LinkID) error {
	var l *vitrine.Link
	var gone []*vitrine.Link
	err := s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		gone = nil
		switch l, err = tx.Link(id); {
		case err != nil:
			return err
		case l.InTrash():
			err = leaveTrash(tx, l)
			gone, err = withVersions(tx, l, err)
			return err
		case !l.DeletedAt.IsZero():
			return nil
		}
		if gone, err = deleteNow(tx, l, s.Now(), vitrine.Owner(l.Account)); err != nil {
			return err
		}
		return l.Transition(tx, l.DeletedAt, vitrine.Change{By: vitrine.Owner(l.Account), Action: vitrine.ActionDelete})
	})
	if err != nil {
		return err
	}
	for _, l := range append(gone, l) {
		if err := s.PurgeLink(ctx, l); err != nil {
			return err
		}
	}
	return nil
}
