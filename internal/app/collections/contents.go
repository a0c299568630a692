package collections

import (
	"context"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

// Contents deletes what closed accounts own. It implements [auth.Contents].
type Contents struct {
	Store vitrine.Store
	Links *links.Service
	Now   func() time.Time
}

// deleteBatch is the number of links that are read together.
const deleteBatch = 100

// DeleteAll deletes the albums, websites and links of an account. After a
// failure, another call continues.
func (c Contents) DeleteAll(ctx context.Context, a *vitrine.Account) error {
	if err := c.deleteCollections(ctx, a); err != nil {
		return err
	}
	if err := c.deleteLinks(ctx, vitrine.LinkQuery{Account: a.ID}); err != nil {
		return err
	}
	return c.deleteLinks(ctx, vitrine.LinkQuery{Account: a.ID, Trash: true, Sort: vitrine.SortDeleted})
}

// deleteLinks deletes the links that a query selects, which has no limit yet.
func (c Contents) deleteLinks(ctx context.Context, q vitrine.LinkQuery) error {
	q.Limit = deleteBatch
	for {
		list, err := vitrine.Read(ctx, c.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) { return tx.Links(q) })
		if err != nil || len(list) == 0 {
			return err
		}
		for _, l := range list {
			if err := c.Links.DeleteByID(ctx, l.ID); err != nil {
				return err
			}
		}
	}
}

// deleteCollections deletes the albums and websites of an account, versions
// too.
func (c Contents) deleteCollections(ctx context.Context, a *vitrine.Account) error {
	var albums []*vitrine.Album
	var sites []*vitrine.Site
	err := c.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		if albums, err = tx.Albums(a.ID); err != nil {
			return err
		}
		sites, err = tx.Sites(a.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, album := range albums {
		err := (&Albums{Store: c.Store, Now: c.Now}).Delete(ctx, a, string(album.Slug))
		if err != nil && vitrine.CodeOf(err) != vitrine.CodeNotFound {
			return err
		}
	}
	for _, site := range sites {
		err := (&Sites{Store: c.Store, Links: c.Links, Now: c.Now}).Delete(ctx, a, string(site.Slug))
		if err != nil && vitrine.CodeOf(err) != vitrine.CodeNotFound {
			return err
		}
	}
	return nil
}
