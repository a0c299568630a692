package vitrine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"vitrine/internal/filetype"
)

var ErrNoOwnLink = Errorf(CodeNotFound, "Link not found.")

// OwnLink finds a link of an account by its slug or a former one. Another
// account's slug is treated as unknown.
func OwnLink(ctx context.Context, store Store, a *Account, slug string, now time.Time) (l *Link, err error) {
	err = store.Read(ctx, func(tx Tx) error {
		l, err = LinkByAnySlug(tx, slug, now)
		return err
	})
	switch {
	case CodeOf(err) == CodeNotFound, err == nil && (l.Account != a.ID || !l.Standalone()):
		return nil, ErrNoOwnLink
	case err != nil:
		return nil, err
	}
	l.ApplyExpiry(now)
	return l, nil
}

// slugTries bounds the search for a free slug among 31^10.
const slugTries = 8

func addLink(tx Tx, l *Link) error {
	if l.Slug != "" {
		return tx.AddLink(l)
	}
	for range slugTries {
		l.Slug = NewSlug()
		if reservedSlugs[string(l.Slug)] {
			continue
		}
		if _, err := tx.OldSlug(l.Slug, l.CreatedAt); err == nil {
			continue
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		if err := tx.AddLink(l); !errors.Is(err, ErrExists) {
			return err
		}
	}
	return errors.New("no free slug found")
}

func LinkBySlug(tx LinkTx, slug string) (*Link, error) {
	l, err := tx.LinkBySlug(Slug(strings.ToLower(slug)))
	if errors.Is(err, ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
		return nil, Errorf(CodeNotFound, "There is no link %q.", slug)
	}
	return l, err
}

// maxOldSlugs is how many former slugs of one link may be blocked at a time, so
// that nobody can block many names.
const maxOldSlugs = 10

// OwnLinkIn finds a link of an account. Another account's slug is treated as
// unknown.
func OwnLinkIn(tx LinkTx, a *Account, slug string) (*Link, error) {
	l, err := LinkBySlug(tx, slug)
	if CodeOf(err) == CodeNotFound || err == nil && (l.Account != a.ID || !l.Standalone()) {
		return nil, ErrNoOwnLink
	}
	return l, err
}

// LinkByAnySlug finds a link by its slug or a former one.
func LinkByAnySlug(tx Tx, slug string, now time.Time) (*Link, error) {
	l, unknown := LinkBySlug(tx, slug)
	if CodeOf(unknown) != CodeNotFound {
		return l, unknown
	}
	l, err := LinkByOldSlug(tx, Slug(strings.ToLower(slug)), now)
	if errors.Is(err, ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
		return nil, unknown
	}
	return l, err
}

// SlugRequest asks for a slug, for an upload that may hold it or a link that
// may have had it.
type SlugRequest struct {
	Slug   Slug
	Upload UploadID
	Link   LinkID
}

// SlugFree reports whether a custom slug may be taken. The answer does not
// depend on who has it.
func SlugFree(tx Tx, f SlugRequest, now time.Time) error {
	taken := &Error{Code: CodeSlugTaken, Field: "slug", Message: "This address is taken. Choose another."}
	if _, err := tx.LinkBySlug(f.Slug); err == nil {
		return taken
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	if old, err := tx.OldSlug(f.Slug, now); err == nil && old.Link != f.Link {
		return taken
	} else if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	holder, err := tx.SlugHolder(f.Slug, now)
	if err == nil && holder.ID != f.Upload {
		return taken
	}
	return NotFoundIsNil(err)
}

// LinkByOldSlug finds a link by a former slug.
func LinkByOldSlug(tx Tx, slug Slug, now time.Time) (*Link, error) {
	old, err := tx.OldSlug(slug, now)
	if err != nil {
		return nil, err
	}
	return tx.Link(old.Link)
}

// ChosenSlug parses a slug that a user chose. It returns "" for "".
func ChosenSlug(a *Account, slug string) (Slug, error) {
	if slug == "" {
		return "", nil
	}
	if err := a.MayChooseSlug(); err != nil {
		return "", err
	}
	return ParseSlug(slug)
}

// ErrSlugTaken is returned for a slug that is in use.
var ErrSlugTaken = &Error{Code: CodeSlugTaken, Field: "slug", Message: "This address is taken. Choose another."}

// AddNamed calls add with the chosen slug or, if it is "", with generated ones
// until one is free.
func AddNamed(chosen Slug, add func(Slug) error) error {
	if chosen != "" {
		err := add(chosen)
		if errors.Is(err, ErrExists) {
			return ErrSlugTaken
		}
		return err
	}
	for range slugTries {
		slug := NewSlug()
		if reservedSlugs[string(slug)] {
			continue
		}
		if err := add(slug); !errors.Is(err, ErrExists) {
			return err
		}
	}
	return errors.New("no free slug found")
}

// Captions returns the languages of the link's captions, canonical and sorted.
func (l *Link) Captions() []string {
	var languages []string
	for _, p := range l.Parts.All() {
		if tag, err := ParseLanguage(p.Language()); err == nil {
			languages = append(languages, tag)
		}
	}
	slices.Sort(languages)
	return languages
}

// MayHaveCaptions returns an error if the link has no sound, no bytes, or as
// many captions as allowed.
func (l *Link) MayHaveCaptions(p Part) error {
	refuse := func(message string) error { return Errorf(CodeInvalidRequest, "%s", message) }
	switch {
	case l.Kind != filetype.Video && l.Kind != filetype.Audio:
		return refuse("Only videos and sounds have captions.")
	case !l.HasBytes:
		return refuse("The file of this link is not kept here, so it cannot have captions.")
	case !l.Parts.Has(p) && len(l.Captions()) >= maxCaptionLanguages:
		return refuse("A link has captions in at most 20 languages. Delete one first.")
	}
	return nil
}
