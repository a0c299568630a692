package links

import (
	"context"

	"vitrine"
)

// Edit is what an owner changes of a link. What is nil stays as it is.
type Edit struct {
	Title *string
	// Slug is another address, by the rules of a custom slug at upload. The one
	// before leads to it for SlugRest, and is blocked for others as long.
	Slug     *string
	Download *bool // readers may download the file, or else it is view-only
}

// Edit changes a link of an account, all of it or nothing. Errors: those of
// SetTitle and SetSlug.
func (s *Service) Edit(ctx context.Context, a *vitrine.Account, slug string, e Edit) (l *vitrine.Link, err error) {
	var title string
	var next vitrine.Slug
	if e.Title != nil {
		if title, err = vitrine.ParseTitle(*e.Title); err != nil {
			wrong := *err.(*vitrine.Error)
			wrong.Field = "title"
			return nil, &wrong
		}
	}
	if e.Slug != nil {
		if err := a.MayChooseSlug(); err != nil {
			return nil, err
		}
		if next, err = vitrine.ParseSlug(*e.Slug); err != nil {
			return nil, err
		}
	}
	return s.edit(ctx, a, slug, func(tx vitrine.Tx, l *vitrine.Link) error {
		if e.Title != nil {
			l.Title = title
		}
		if e.Download != nil {
			l.AllowDownload = *e.Download
		}
		if e.Slug == nil || next == l.Slug {
			return nil
		}
		owner, err := tx.Account(l.Account)
		if err != nil {
			return err
		}
		if err := owner.MayChooseSlug(); err != nil {
			return err
		}
		return l.Move(tx, next, s.Now())
	})
}

// SlugFree reports whether an account may take a slug now: for its link with a
// slug of, or for a new one (""). The answer for a taken slug does not depend
// on who has it. Errors: CodeProRequired, CodeInvalidSlug, CodeSlugTaken,
// CodeNotFound.
func (s *Service) SlugFree(ctx context.Context, a *vitrine.Account, of, slug string) error {
	if err := a.MayChooseSlug(); err != nil {
		return err
	}
	to, err := vitrine.ParseSlug(slug)
	if err != nil {
		return err
	}
	return s.Store.Read(ctx, func(tx vitrine.Tx) error {
		u := vitrine.SlugRequest{Slug: to}
		if of != "" {
			l, err := vitrine.OwnLinkIn(tx, a, of)
			if err != nil || l.Slug == to {
				return err
			}
			u.Link = l.ID
		}
		return vitrine.SlugFree(tx, u, s.Now())
	})
}

// edit changes what an owner may choose of a link.
func (s *Service) edit(ctx context.Context, a *vitrine.Account, slug string, f func(vitrine.Tx, *vitrine.Link) error) (l *vitrine.Link, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if l, err = vitrine.OwnLinkIn(tx, a, slug); err != nil {
			return err
		}
		before := *l
		if err := f(tx, l); err != nil || *l == before {
			return err
		}
		return tx.PutLink(l)
	})
	return l, err
}
