package links

import (
	"errors"
	"strconv"
	"time"

	"vitrine"
)

// maxOldSlugs is how many former slugs of one link may be blocked at a time, so
// that nobody can block many names.
const maxOldSlugs = 10

// changeSlug changes the slug of a link. The caller stores the link in the same
// transaction.
func changeSlug(tx vitrine.Tx, l *vitrine.Link, to vitrine.Slug, now time.Time) error {
	if !l.MayMove() {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "slug",
			Message: "This link keeps its address while it is being checked, held or taken down. Change it once the link is live."}
	}
	if err := SlugFree(tx, SlugRequest{Slug: to, Link: l.ID}, now); err != nil {
		return err
	}
	old, err := tx.OldSlugs(l.ID, now)
	if err != nil {
		return err
	}
	kept := 1
	for _, o := range old {
		if o.Slug != to {
			kept++
		}
	}
	if kept > maxOldSlugs {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "slug", Message: "This link has had " +
			strconv.Itoa(maxOldSlugs) + " other addresses in the last 90 days, which all still lead to it. Go back to one of them, or wait until the oldest has lapsed."}
	}
	if err := vitrine.NotFoundIsNil(tx.DeleteOldSlug(to)); err != nil { // one of its own, or one that has lapsed
		return err
	}
	if err := tx.PutOldSlug(&vitrine.OldSlug{Slug: l.Slug, Link: l.ID, Until: now.Add(vitrine.SlugRest)}); err != nil {
		return err
	}
	l.Slug = to
	return nil
}

// SlugRequest asks for a slug, for an upload that may hold it or a link that
// may have had it.
type SlugRequest struct {
	Slug   vitrine.Slug
	Upload vitrine.UploadID
	Link   vitrine.LinkID
}

// SlugFree reports whether a custom slug may be taken. The answer does not
// depend on who has it.
func SlugFree(tx vitrine.Tx, f SlugRequest, now time.Time) error {
	if _, err := tx.LinkBySlug(f.Slug); err == nil {
		return vitrine.ErrSlugTaken
	} else if !errors.Is(err, vitrine.ErrNotFound) {
		return err
	}
	if old, err := tx.OldSlug(f.Slug, now); err == nil && old.Link != f.Link {
		return vitrine.ErrSlugTaken
	} else if err != nil && !errors.Is(err, vitrine.ErrNotFound) {
		return err
	}
	holder, err := tx.SlugHolder(f.Slug, now)
	if err == nil && holder.ID != f.Upload {
		return vitrine.ErrSlugTaken
	}
	return vitrine.NotFoundIsNil(err)
}
