// Package access decides whether the bytes of a link may be handed out: to
// readers, to its owner, to a moderator. Every way to the bytes asks it, and so
// does everything that makes a link public (promise 5).
package access

import (
	"errors"
	"time"

	"vitrine"
)

// File is what is asked for: the file that a link shows, or a version of a
// website.
type File struct {
	Link    *vitrine.Link    // nil for a website without a version
	Account *vitrine.Account // of the link
	Website bool             // the link is shown as a version of a website
}

// Check returns nil if readers may have the file at a time. An error reveals no
// more than the public page does.
func (f File) Check(now time.Time) error { return f.read(now) }

// read decides for readers.
func (f File) read(now time.Time) error {
	if f.Website {
		return f.visited()
	}
	l := f.Link
	if !l.DeletedAt.IsZero() || !f.Account.ClosedAt.IsZero() || !l.Standalone() {
		return vitrine.ErrNoLink
	}
	seen := *l
	seen.ApplyExpiry(now)
	switch {
	case f.Account.Banned:
	case seen.State == vitrine.StateLive:
		return nil
	case seen.State != vitrine.StateDisabled:
		return vitrine.Errorf(vitrine.CodeNotAvailable, "This link is not available yet. Try again later.")
	case seen.Reason == vitrine.ReasonExpired:
		return vitrine.Errorf(vitrine.CodeDisabled, "This link has expired.")
	}
	return vitrine.Errorf(vitrine.CodeDisabled, "This link has been disabled.")
}

// visited decides for visitors of a website.
func (f File) visited() error {
	l := f.Link
	switch {
	case !f.Account.ClosedAt.IsZero() || l != nil && l.Site == 0:
		return vitrine.ErrNoSite
	case f.Account.Banned, l != nil && l.State == vitrine.StateDisabled:
		return vitrine.Errorf(vitrine.CodeDisabled, "This website has been disabled.")
	case l == nil || l.State != vitrine.StateLive:
		return vitrine.Errorf(vitrine.CodeNotAvailable, "This website is not available yet. Try again later.")
	case !l.DeletedAt.IsZero() || !l.HasBytes:
		return vitrine.ErrNoSite
	}
	return nil
}

// Website finds the shown version of a website, and its account, for readers.
// Errors are those of Check, and CodeNotFound if there is no such website.
func Website(tx vitrine.Tx, slug vitrine.Slug, now time.Time) (*vitrine.Link, *vitrine.Account, error) {
	site, err := tx.SiteBySlug(slug)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !site.DeletedAt.IsZero() {
		return nil, nil, vitrine.ErrNoSite
	}
	if err != nil {
		return nil, nil, err
	}
	a, err := tx.Account(site.Account)
	if err != nil {
		return nil, nil, err
	}
	version, err := site.Shown(tx)
	if err != nil {
		return nil, nil, err
	}
	return version, a, File{Link: version, Account: a, Website: true}.Check(now)
}
