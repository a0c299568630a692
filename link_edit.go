package vitrine

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// OldSlug is a slug that was a link's before: its address leads to the link's own until a time, and is nobody else's.
type OldSlug struct {
	Slug  Slug
	Link  LinkID
	Until time.Time
}

// maxOldSlugs is how many old slugs of one link may be blocked at a time, so that nobody keeps names by going through them.
const maxOldSlugs = 10

// Edit is what an owner changes of a link. What is nil stays as it is.
type Edit struct {
	Title    *string
	Slug     *string
	Download *bool // readers may download the file, or else it is view-only
}

// Edit changes a link of an account, all of it or nothing. Errors: those of SetTitle and SetSlug.
func (s *Links) Edit(ctx context.Context, a *Account, slug string, e Edit) (l *Link, err error) {
	var title string
	var next Slug
	if e.Title != nil {
		if title, err = ParseTitle(*e.Title); err != nil {
			wrong := *err.(*Error)
			wrong.Field = "title"
			return nil, &wrong
		}
	}
	if e.Slug != nil {
		if err := a.MayChooseSlug(); err != nil {
			return nil, err
		}
		if next, err = ParseSlug(*e.Slug); err != nil {
			return nil, err
		}
	}
	return s.edit(ctx, a, slug, func(tx Tx, l *Link) error {
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
		return l.move(tx, next, s.Now())
	})
}

// SetTitle names a link of an account anew. Errors: CodeInvalidRequest (field title), CodeNotFound, as for another account's link.
func (s *Links) SetTitle(ctx context.Context, a *Account, slug, title string) (*Link, error) {
	return s.Edit(ctx, a, slug, Edit{Title: &title})
}

// SetDownload allows readers of a link to download its file, or makes it view-only. Errors: CodeNotFound.
func (s *Links) SetDownload(ctx context.Context, a *Account, slug string, allow bool) (*Link, error) {
	return s.Edit(ctx, a, slug, Edit{Download: &allow})
}

// SetSlug gives a link of an account another address, by the rules of a custom slug at upload. The one before leads to it for SlugRest, and
// is blocked for others as long. Errors: CodeProRequired, CodeInvalidSlug, CodeSlugTaken, CodeInvalidRequest when the link had too many
// addresses lately or may not have another now (MayMove), CodeNotFound.
func (s *Links) SetSlug(ctx context.Context, a *Account, slug, to string) (*Link, error) {
	return s.Edit(ctx, a, slug, Edit{Slug: &to})
}

// MayMove reports whether the owner of a link may give it another address: not of one that is being looked at, or that was taken down by others.
func (l *Link) MayMove() bool {
	return l.State == StateLive || l.State == StateDisabled && l.Reason == ReasonOwner
}

// move takes a link to another address within a transaction that then stores it.
func (l *Link) move(tx Tx, to Slug, now time.Time) error {
	if !l.MayMove() {
		return &Error{Code: CodeInvalidRequest, Field: "slug", Message: "This link keeps its address while it is being checked, held or taken down. Change it once the link is live."}
	}
	if err := slugFree(tx, slugFor{slug: to, link: l.ID}, now); err != nil {
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
		return &Error{Code: CodeInvalidRequest, Field: "slug", Message: "This link has had " + strconv.Itoa(maxOldSlugs) +
			" other addresses in the last 90 days, which all still lead to it. Go back to one of them, or wait until the oldest has lapsed."}
	}
	if err := notFoundIsNil(tx.DeleteOldSlug(to)); err != nil { // its own, or one that has lapsed
		return err
	}
	if err := tx.PutOldSlug(&OldSlug{Slug: l.Slug, Link: l.ID, Until: now.Add(SlugRest)}); err != nil {
		return err
	}
	l.Slug = to
	return nil
}

// SlugFree reports whether an account may take a slug now: for its link with a slug of, or for a new one (""). The answer about one that is
// taken is the same anyone who has it. Errors: CodeProRequired, CodeInvalidSlug, CodeSlugTaken, CodeNotFound.
func (s *Links) SlugFree(ctx context.Context, a *Account, of, slug string) error {
	if err := a.MayChooseSlug(); err != nil {
		return err
	}
	to, err := ParseSlug(slug)
	if err != nil {
		return err
	}
	return s.Store.Read(ctx, func(tx Tx) error {
		u := slugFor{slug: to}
		if of != "" {
			l, err := ownLinkIn(tx, a, of)
			if err != nil || l.Slug == to {
				return err
			}
			u.link = l.ID
		}
		return slugFree(tx, u, s.Now())
	})
}

// edit changes what an owner may choose of a link.
func (s *Links) edit(ctx context.Context, a *Account, slug string, f func(Tx, *Link) error) (l *Link, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		if l, err = ownLinkIn(tx, a, slug); err != nil {
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

// ownLinkIn looks up a link of an account; a foreign slug answers as an unknown one does.
func ownLinkIn(tx Tx, a *Account, slug string) (*Link, error) {
	l, err := linkBySlug(tx, slug)
	if CodeOf(err) == CodeNotFound || err == nil && (l.Account != a.ID || l.Site != 0) {
		return nil, errNoOwnLink
	}
	return l, err
}

// linkByAnySlug is linkBySlug, and finds a link by a slug that it had before, too.
func linkByAnySlug(tx Tx, slug string, now time.Time) (*Link, error) {
	l, unknown := linkBySlug(tx, slug)
	if CodeOf(unknown) != CodeNotFound {
		return l, unknown
	}
	l, err := movedLink(tx, Slug(strings.ToLower(slug)), now)
	if errors.Is(err, ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
		return nil, unknown
	}
	return l, err
}

// slugFor asks for a slug, on behalf of an upload that may hold it, or of a link that may have had it.
type slugFor struct {
	slug   Slug
	upload UploadID
	link   LinkID
}

// slugFree reports whether a custom slug may be taken. The answer is the same anyone who has it.
func slugFree(tx Tx, f slugFor, now time.Time) error {
	taken := &Error{Code: CodeSlugTaken, Field: "slug", Message: "This slug is taken. Choose another."}
	if _, err := tx.LinkBySlug(f.slug); err == nil {
		return taken
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	if old, err := tx.OldSlug(f.slug, now); err == nil && old.Link != f.link {
		return taken
	} else if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	holder, err := tx.SlugHolder(f.slug, now)
	if err == nil && holder.ID != f.upload {
		return taken
	}
	return notFoundIsNil(err)
}

// auditOldSlugs checks that each slug that leads to a link leads to one that exists, and is no link's own.
func auditOldSlugs(tx Tx, now time.Time, fault func(string)) error {
	old, err := tx.OldSlugs(0, now)
	if err != nil {
		return err
	}
	for _, o := range old {
		if _, err := tx.Link(o.Link); errors.Is(err, ErrNotFound) {
			fault("the old slug " + string(o.Slug) + " leads to a link that does not exist")
		} else if err != nil {
			return err
		}
		if l, err := tx.LinkBySlug(o.Slug); err == nil {
			fault("the old slug " + string(o.Slug) + " is the slug of link " + strconv.FormatInt(int64(l.ID), 10) + ", too")
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		if o.Until.After(now.Add(SlugRest + time.Hour)) {
			fault("the old slug " + string(o.Slug) + " is blocked for longer than it should be")
		}
	}
	return nil
}
