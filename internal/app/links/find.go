package links

import (
	"context"
	"errors"
	"strings"
	"time"

	"vitrine"
)

// OwnLink finds a link of an account by its slug or a former one. Another
// account's slug is treated as unknown.
func OwnLink(ctx context.Context, store vitrine.Store, a *vitrine.Account, slug string,
	now time.Time) (*vitrine.Link, error) {
	l, err := vitrine.Read(ctx, store, func(tx vitrine.Tx) (*vitrine.Link, error) {
		return OwnLinkByAnySlug(tx, a, slug, now)
	})
	if err == nil {
		l.ApplyExpiry(now)
	}
	return l, err
}

// LinkBySlug finds a link that is not deleted.
func LinkBySlug(tx vitrine.LinkTx, slug string) (*vitrine.Link, error) {
	l, err := tx.LinkBySlug(vitrine.Slug(strings.ToLower(slug)))
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
		return nil, errNoSlug(slug)
	}
	return l, err
}

// OwnLinkIn finds a link of an account. Another account's slug is treated as
// unknown.
func OwnLinkIn(tx vitrine.LinkTx, a *vitrine.Account, slug string) (*vitrine.Link, error) {
	return ifOwn(a)(LinkBySlug(tx, slug))
}

// OwnLinkByAnySlug is OwnLinkIn for the slug of a link or a former one.
func OwnLinkByAnySlug(tx vitrine.Tx, a *vitrine.Account, slug string, now time.Time) (*vitrine.Link, error) {
	return ifOwn(a)(LinkByAnySlug(tx, slug, now))
}

// ifOwn lets a link of an account pass, which has been looked up.
func ifOwn(a *vitrine.Account) func(*vitrine.Link, error) (*vitrine.Link, error) {
	return func(l *vitrine.Link, err error) (*vitrine.Link, error) {
		if vitrine.CodeOf(err) == vitrine.CodeNotFound || err == nil && (l.Account != a.ID || !l.Standalone()) {
			return nil, vitrine.ErrNoOwnLink
		}
		return l, err
	}
}

// LinkByAnySlug finds a link by its slug or a former one.
func LinkByAnySlug(tx vitrine.Tx, slug string, now time.Time) (*vitrine.Link, error) {
	l, err := AnyBySlug(tx, slug, now)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
		return nil, errNoSlug(slug)
	}
	return l, err
}

func errNoSlug(slug string) error {
	return vitrine.Errorf(vitrine.CodeNotFound, "There is no link %q.", slug)
}

// AnyBySlug finds a link by its slug or a former one: also in the trash, and a
// deleted one as long as its slug rests. Error: vitrine.ErrNotFound.
func AnyBySlug(tx vitrine.Tx, slug string, now time.Time) (*vitrine.Link, error) {
	name := vitrine.Slug(strings.ToLower(slug))
	l, err := tx.LinkBySlug(name)
	if errors.Is(err, vitrine.ErrNotFound) {
		return LinkByOldSlug(tx, name, now)
	}
	return l, err
}

// LinkByOldSlug finds a link by a former slug.
func LinkByOldSlug(tx vitrine.Tx, slug vitrine.Slug, now time.Time) (*vitrine.Link, error) {
	old, err := tx.OldSlug(slug, now)
	if err != nil {
		return nil, err
	}
	return tx.Link(old.Link)
}
