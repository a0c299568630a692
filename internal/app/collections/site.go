// Package collections groups links: albums list links, and websites show their
// versions, which are links. It also counts the page loads of websites.
package collections

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
)

// Sites implements the use cases of static websites. Uploads with
// UploadRequest.Site deploy versions.
type Sites struct {
	Store vitrine.Store
	Links *links.Service // purges deleted versions
	Plans vitrine.Plans
	Now   func() time.Time
}

// Create creates a website without a version. With slug "" it generates a slug;
// others require a plan with custom slugs. A website uses one of the plan's
// links, regardless of the number of its versions. Errors: CodeInvalidRequest
// (field title), CodeProRequired, CodeInvalidSlug, CodeSlugTaken,
// CodeLinkLimit, CodeBanned.
func (s *Sites) Create(ctx context.Context, a *vitrine.Account, title, slug string) (site *vitrine.Site, err error) {
	title, err = parseTitle(title)
	if err != nil {
		return nil, err
	}
	chosen, err := chosenSlug(a, slug)
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		if err := s.admit(tx, a.ID, chosen != "", now); err != nil {
			return err
		}
		site = &vitrine.Site{Account: a.ID, Slug: chosen, Title: title, CreatedAt: now}
		return vitrine.AddNamed(chosen, func(slug vitrine.Slug) error { site.Slug = slug; return tx.AddSite(site) })
	})
	return site, err
}

// admit reports whether an account may have one more website.
func (s *Sites) admit(tx vitrine.Tx, id vitrine.AccountID, named bool, now time.Time) error {
	a, err := accountForCreate(tx, id, named)
	if err != nil {
		return err
	}
	sites, err := tx.Sites(id)
	if err != nil {
		return err
	}
	if len(sites) >= vitrine.MaxSites {
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"An account can have %d websites. Delete one first.", vitrine.MaxSites)
	}
	u, err := links.UsageOf(tx, id, now, "")
	if most := s.Plans.LimitsOf(a).Links; err == nil && most > 0 && u.Links+u.HeldLinks >= most {
		return links.Exceeded(a, vitrine.CodeLinkLimit, most, u.Links+u.HeldLinks,
			"A website uses one link, and all links of your account are in use. Delete a link first.")
	}
	return err
}

// SlugFree reports whether an account may give a new website a slug now.
// Errors: CodeProRequired, CodeInvalidSlug, CodeSlugTaken.
func (s *Sites) SlugFree(ctx context.Context, a *vitrine.Account, slug string) error {
	return slugUnused(ctx, s.Store, a, slug, func(tx vitrine.Tx, slug vitrine.Slug) error {
		_, err := tx.SiteBySlug(slug)
		return err
	})
}

// SiteFacts is a website and its versions.
type SiteFacts struct {
	*vitrine.Site
	Shown    *vitrine.Link   // the version for visitors, once it is live; nil if none yet
	Waiting  *vitrine.Link   // the last deploy, until it is shown or refused
	Versions []*vitrine.Link // newest first
}

// Live reports whether visitors see the website.
func (f *SiteFacts) Live() bool { return f.Shown != nil && f.Shown.Live() }

// Bytes returns the storage that all versions use.
func (f *SiteFacts) Bytes() (n int64) {
	for _, l := range f.Versions {
		if l.HasBytes {
			n += l.Size
		}
	}
	return n
}

// ReadSiteFacts reads a website with its versions and what is shown of it.
func ReadSiteFacts(tx vitrine.LinkTx, site *vitrine.Site) (f *SiteFacts, err error) {
	f = &SiteFacts{Site: site}
	if f.Versions, err = tx.Links(vitrine.LinkQuery{Site: site.ID}); err != nil {
		return nil, err
	}
	f.Shown, err = site.Shown(tx)
	if err != nil {
		return nil, err
	}
	for _, l := range f.Versions {
		if l.ID == site.Pending && (f.Shown == nil || f.Shown.ID != l.ID) && l.State != vitrine.StateDisabled {
			f.Waiting = l
		}
	}
	return f, nil
}

// List returns the websites of an account, newest first.
func (s *Sites) List(ctx context.Context, a *vitrine.Account) (list []*SiteFacts, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		list = nil
		sites, err := tx.Sites(a.ID)
		for _, site := range sites {
			f, err := ReadSiteFacts(tx, site)
			if err != nil {
				return err
			}
			list = append(list, f)
		}
		return err
	})
	return list, err
}

// BySlug returns a website of an account. Errors: CodeNotFound, also for
// another account's website.
func (s *Sites) BySlug(ctx context.Context, a *vitrine.Account, slug string) (f *SiteFacts, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		site, err := vitrine.OwnSite(tx, a, slug)
		if err != nil {
			return err
		}
		f, err = ReadSiteFacts(tx, site)
		return err
	})
	return f, err
}

// OfVersion returns the website of a version. Errors: CodeNotFound.
func (s *Sites) OfVersion(ctx context.Context, l *vitrine.Link) (site *vitrine.Site, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		site, err = tx.Site(l.Site)
		if errors.Is(err, vitrine.ErrNotFound) {
			return vitrine.ErrNoSite
		}
		return err
	})
	return site, err
}

// Public returns the version for visitors of a website, and its account.
// Errors, which reveal nothing else about the website: CodeNotFound (unknown or
// deleted, or its account is closed), CodeNotAvailable (nothing is deployed, or
// the version is held), CodeDisabled (the version is disabled, or its account
// is suspended).
func (s *Sites) Public(ctx context.Context, slug vitrine.Slug) (version *vitrine.Link, a *vitrine.Account, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		version, a, err = access.Website(tx, slug, s.Now())
		return err
	})
	if err == nil {
		err = s.Links.FreshViewerKey(ctx, a)
	}
	if err != nil {
		return nil, nil, err
	}
	return version, a, nil
}

// StillPublic reports whether a version that is being sent may still be sent:
// the version, its account and its website are still public. A newer deploy
// does not matter.
func (s *Sites) StillPublic(ctx context.Context, version vitrine.LinkID) error {
	return s.Store.Read(ctx, func(tx vitrine.Tx) error {
		l, err := tx.Link(version)
		if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
			return vitrine.ErrNoSite
		}
		if err != nil {
			return err
		}
		a, err := tx.Account(l.Account)
		if err != nil {
			return err
		}
		return access.File{Link: l, Account: a, Website: true}.Check(access.Asker{}, s.Now())
	})
}

// SetTitle names a website of an account anew. Errors: CodeInvalidRequest
// (field title), CodeNotFound.
func (s *Sites) SetTitle(ctx context.Context, a *vitrine.Account, slug, title string) error {
	title, err := parseTitle(title)
	if err != nil {
		return err
	}
	return s.change(ctx, a, slug, func(_ vitrine.Tx, site *vitrine.Site) error { site.Title = title; return nil })
}

// Rollback shows a version that is live, and no other until the next deploy.
// Errors: CodeNotFound, CodeInvalidRequest for one that is not live.
func (s *Sites) Rollback(ctx context.Context, a *vitrine.Account, slug string, version vitrine.LinkID) error {
	return s.change(ctx, a, slug, func(tx vitrine.Tx, site *vitrine.Site) error {
		l, err := site.Version(tx, version)
		if err != nil {
			return err
		}
		if !l.Live() {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "This version is %s, and cannot be shown.", l.State)
		}
		site.Current, site.Pending = l.ID, 0
		return access.CheckPublish(tx, l, vitrine.Owner(a.ID))
	})
}

// DeleteVersion deletes a version and its bytes. Errors: CodeNotFound,
// CodeInvalidRequest for the one that is shown or waits to be.
func (s *Sites) DeleteVersion(ctx context.Context, a *vitrine.Account, slug string, version vitrine.LinkID) error {
	var gone []*vitrine.Link
	err := s.change(ctx, a, slug, func(tx vitrine.Tx, site *vitrine.Site) error {
		gone = nil
		l, err := site.Version(tx, version)
		if err != nil {
			return err
		}
		shown, err := site.Shown(tx)
		if err != nil {
			return err
		}
		if l.ID == site.Current || shown != nil && shown.ID == l.ID || l.ID == site.Pending &&
			l.State != vitrine.StateDisabled {
			return vitrine.Errorf(vitrine.CodeInvalidRequest,
				"This version is shown or pending. Deploy or restore another one first.")
		}
		if l.ID == site.Pending {
			site.Pending = 0
		}
		gone = append(gone, l)
		return l.DeleteVersion(tx, s.Now(), vitrine.Owner(a.ID))
	})
	if err != nil {
		return err
	}
	_ = s.purge(ctx, gone) // Links.Purge does what this leaves undone
	return nil
}

// Delete deletes a website with all its versions. Its slug stays blocked for
// SlugRest. Errors: CodeNotFound.
func (s *Sites) Delete(ctx context.Context, a *vitrine.Account, slug string) error {
	var gone []*vitrine.Link
	err := s.change(ctx, a, slug, func(tx vitrine.Tx, site *vitrine.Site) (err error) {
		if gone, err = tx.Links(vitrine.LinkQuery{Site: site.ID}); err != nil {
			return err
		}
		now := s.Now()
		for _, l := range gone {
			if err := l.DeleteVersion(tx, now, vitrine.Owner(a.ID)); err != nil {
				return err
			}
		}
		site.Current, site.Pending, site.DeletedAt = 0, 0, now
		return nil
	})
	if err != nil {
		return err
	}
	_ = s.purge(ctx, gone) // Links.Purge does what this leaves undone
	return nil
}

// Discard deletes a website whose first deploy failed. It releases its link of
// the plan, and its slug, which never showed anything. Errors: CodeNotFound;
// CodeInvalidRequest if the website has a version.
func (s *Sites) Discard(ctx context.Context, a *vitrine.Account, slug string) error {
	return s.change(ctx, a, slug, func(tx vitrine.Tx, site *vitrine.Site) error {
		versions, err := tx.Links(vitrine.LinkQuery{Site: site.ID, Limit: 1})
		if err != nil {
			return err
		}
		if len(versions) > 0 || site.Current != 0 || site.Pending != 0 {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "This website has a version. Delete it on its page.")
		}
		site.Slug, site.DeletedAt = "", s.Now()
		return nil
	})
}

// change changes a website of an account in one transaction.
func (s *Sites) change(ctx context.Context, a *vitrine.Account, slug string,
	f func(vitrine.Tx, *vitrine.Site) error) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		site, err := vitrine.OwnSite(tx, a, slug)
		if err != nil {
			return err
		}
		if err := f(tx, site); err != nil {
			return err
		}
		return tx.PutSite(site)
	})
}

// purge deletes the bytes of deleted versions. After an error, Links.Purge does
// the rest.
func (s *Sites) purge(ctx context.Context, gone []*vitrine.Link) error {
	var failed []error
	for _, l := range gone {
		failed = append(failed, s.Links.PurgeLink(ctx, l))
	}
	return errors.Join(failed...)
}
