package collections

import (
	"context"

	"vitrine"
)

// slugUnused reports whether a look-up of a slug that an account chose finds
// nothing.
func slugUnused(ctx context.Context, store vitrine.Store, a *vitrine.Account, slug string,
	find func(vitrine.Tx, vitrine.Slug) error) error {
	if err := a.MayChooseSlug(); err != nil {
		return err
	}
	chosen, err := vitrine.ParseSlug(slug)
	if err != nil {
		return err
	}
	return store.Read(ctx, func(tx vitrine.Tx) error {
		err := find(tx, chosen)
		if err == nil {
			return vitrine.ErrSlugTaken
		}
		return vitrine.NotFoundIsNil(err)
	})
}
