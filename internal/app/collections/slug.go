package collections

import (
	"context"
	"regexp"
	"strings"

	"vitrine"
)

// chosenSlug parses a slug that a user chose. It returns "" for "".
func chosenSlug(a *vitrine.Account, slug string) (vitrine.Slug, error) {
	if slug == "" {
		return "", nil
	}
	if err := a.MayChooseSlug(); err != nil {
		return "", err
	}
	return vitrine.ParseSlug(slug)
}

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

// notSlug matches what no slug contains between its words.
var notSlug = regexp.MustCompile("[^a-z0-9]+")

// Suggest returns a slug for a new website with a title, or "" if its words are
// no slug that the account may choose.
func (s *Sites) Suggest(ctx context.Context, a *vitrine.Account, title string) string {
	slug := notSlug.ReplaceAllString(strings.ToLower(title), "-")
	slug = strings.Trim(slug[:min(len(slug), 50)], "-")
	if s.SlugFree(ctx, a, slug) != nil {
		return ""
	}
	return slug
}
