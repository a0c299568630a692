package links

import (
	"context"

	"vitrine"
)

// DeleteByID deletes a link of a closed account, in any state, and its files
// and views. It returns nil if the link is deleted already.
func (s *Service) DeleteByID(ctx context.Context, id vitrine.LinkID) error {
	var l *vitrine.Link
	var gone []*vitrine.Link
	err := s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		if l, err = tx.Link(id); err != nil || !l.DeletedAt.IsZero() {
			return err
		}
		if gone, err = DeleteVersions(tx, l, s.Now(), vitrine.Owner(l.Account)); err != nil {
			return err
		}
		l.DeletedAt, l.HasBytes = s.Now(), true
		if err := deleteReaders(tx, l.ID); err != nil {
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
