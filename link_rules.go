package vitrine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

var ErrNoOwnLink = Errorf(CodeNotFound, "Link not found.")

// OwnLink finds a link of an account by its slug or a former one. Another
// account's slug is treated as unknown.
func OwnLink(ctx context.Context, store Store, a *Account, slug string, now time.Time) (*Link, error) {
	l, err := Read(ctx, store, func(tx Tx) (*Link, error) { return OwnLinkByAnySlug(tx, a, slug, now) })
	if err == nil {
		l.ApplyExpiry(now)
	}
	return l, err
}

// slugTries bounds the search for a free slug among 31^10.
const slugTries = 8

func addLink(tx Tx, l *Link) error {
	if l.Slug != "" {
		return tx.AddLink(l)
	}
	return AddNamed("", func(slug Slug) error {
		if _, err := tx.OldSlug(slug, l.CreatedAt); err == nil {
			return ErrExists
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		l.Slug = slug
		return tx.AddLink(l)
	})
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
	return ownLink(a)(LinkBySlug(tx, slug))
}

// OwnLinkByAnySlug is OwnLinkIn for the slug of a link or a former one.
func OwnLinkByAnySlug(tx Tx, a *Account, slug string, now time.Time) (*Link, error) {
	return ownLink(a)(LinkByAnySlug(tx, slug, now))
}

// ownLink lets a link of an account pass, which has been looked up.
func ownLink(a *Account) func(*Link, error) (*Link, error) {
	return func(l *Link, err error) (*Link, error) {
		if CodeOf(err) == CodeNotFound || err == nil && (l.Account != a.ID || !l.Standalone()) {
			return nil, ErrNoOwnLink
		}
		return l, err
	}
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
	if _, err := tx.LinkBySlug(f.Slug); err == nil {
		return ErrSlugTaken
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	if old, err := tx.OldSlug(f.Slug, now); err == nil && old.Link != f.Link {
		return ErrSlugTaken
	} else if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	holder, err := tx.SlugHolder(f.Slug, now)
	if err == nil && holder.ID != f.Upload {
		return ErrSlugTaken
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
