package vitrine

import (
	"context"
	"errors"
	"time"
)

// Site is a static website: a name, and the version that is shown under it. Each version is a Link of kind archive with Link.Site set: a
// sealed ZIP, inspected, scanned and moderated as any file is, and never unpacked.
type Site struct {
	ID      SiteID
	Account AccountID
	Slug    Slug // its host, or the part of its address; "" once a deleted website's slug was released
	Title   string
	// Current is the version that is shown, 0 before the first, unless Pending is live.
	Current LinkID
	// Pending is the last deploy, when it could not be shown at once: held for a person. It is shown as soon as it is live.
	Pending   LinkID
	CreatedAt time.Time
	DeletedAt time.Time // zero: not deleted
}

// Bounds of websites.
const (
	// MaxSites is how many websites an account may have, whatever its plan: a list of them is read by a person.
	MaxSites = 200
	// KeptVersions are the newest versions of a website that stay. Older ones are deleted by the deploy that exceeds them, never those that
	// are current or pending, nor the one that was shown before.
	KeptVersions = 20
)

var errNoSite = Errorf(CodeNotFound, "There is no website at this address.")

// Sites is the service of static websites. A version is deployed by Uploads, of which UploadRequest.Site names the website.
type Sites struct {
	Store Store
	Links *Links // removes what deleted versions leave
	Plans Plans
	Now   func() time.Time
}

// Create makes a website without any version yet. slug "" has one made; another is for plans with custom slugs. A website takes one of the
// plan's links, whatever its versions. Errors: CodeInvalidRequest (field title), CodeProRequired, CodeInvalidSlug, CodeSlugTaken,
// CodeLinkLimit, CodeBanned.
func (s *Sites) Create(ctx context.Context, a *Account, title, slug string) (site *Site, err error) {
	title, err = parseTitleField(title)
	if err != nil {
		return nil, err
	}
	chosen, err := chosenSlug(a, slug)
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		now := s.Now()
		if err := s.admit(tx, a.ID, chosen != "", now); err != nil {
			return err
		}
		site = &Site{Account: a.ID, Slug: chosen, Title: title, CreatedAt: now}
		return addNamed(chosen, func(slug Slug) error { site.Slug = slug; return tx.AddSite(site) })
	})
	return site, err
}

// admit reports whether an account may have one more website.
func (s *Sites) admit(tx Tx, id AccountID, named bool, now time.Time) error {
	a, err := mayMake(tx, id, named)
	if err != nil {
		return err
	}
	sites, err := tx.Sites(id)
	if err != nil {
		return err
	}
	if len(sites) >= MaxSites {
		return Errorf(CodeInvalidRequest, "There are %d websites, which is as many as an account may have. Delete one first.", MaxSites)
	}
	links, _, err := tx.CountLinks(id)
	if err != nil {
		return err
	}
	held, _, err := tx.Held(id, now, "")
	if err != nil {
		return err
	}
	if most := s.Plans.LimitsOf(a).Links; most > 0 && links+held >= most {
		used := links + held
		return &Error{Code: CodeLinkLimit, Limit: &most, Used: &used, Upgrade: !a.Plan.Pro(),
			Message: "All links of your account are in use, and a website takes one. Delete a link to make room."}
	}
	return nil
}

// parseTitleField is ParseTitle for a form.
func parseTitleField(title string) (string, error) {
	title, err := ParseTitle(title)
	var e *Error
	if errors.As(err, &e) {
		in := *e
		in.Field = "title"
		return "", &in
	}
	return title, err
}

// chosenSlug parses a slug that someone chose; "" of none.
func chosenSlug(a *Account, slug string) (Slug, error) {
	if slug == "" {
		return "", nil
	}
	if err := a.MayChooseSlug(); err != nil {
		return "", err
	}
	return ParseSlug(slug)
}

var errSlugTaken = &Error{Code: CodeSlugTaken, Field: "slug", Message: "This slug is taken. Choose another."}

// addNamed adds what has a slug of its own, the chosen one or, with "", one that it makes.
func addNamed(chosen Slug, add func(Slug) error) error {
	if chosen != "" {
		err := add(chosen)
		if errors.Is(err, ErrExists) {
			return errSlugTaken
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

// SlugFree reports whether an account may give a new website a slug now. Errors: CodeProRequired, CodeInvalidSlug, CodeSlugTaken.
func (s *Sites) SlugFree(ctx context.Context, a *Account, slug string) error {
	return slugUnused(ctx, s.Store, a, slug, func(tx Tx, slug Slug) error { _, err := tx.SiteBySlug(slug); return err })
}

// slugUnused reports whether a look-up of a slug that an account chose finds nothing.
func slugUnused(ctx context.Context, store Store, a *Account, slug string, find func(Tx, Slug) error) error {
	if err := a.MayChooseSlug(); err != nil {
		return err
	}
	chosen, err := ParseSlug(slug)
	if err != nil {
		return err
	}
	return store.Read(ctx, func(tx Tx) error {
		err := find(tx, chosen)
		if err == nil {
			return errSlugTaken
		}
		return notFoundIsNil(err)
	})
}

// SiteFacts are a website and its versions.
type SiteFacts struct {
	*Site
	Shown    *Link   // the version that visitors get, or would if it were live; nil: there is none yet
	Waiting  *Link   // the last deploy, as long as it is not shown and was not refused
	Versions []*Link // newest first
}

// Live reports whether visitors see the website.
func (f *SiteFacts) Live() bool { return f.Shown != nil && f.Shown.Live() }

// Bytes are what all versions take of the account's storage.
func (f *SiteFacts) Bytes() (n int64) {
	for _, l := range f.Versions {
		if l.HasBytes {
			n += l.Size
		}
	}
	return n
}

func siteFacts(tx Tx, site *Site) (f *SiteFacts, err error) {
	f = &SiteFacts{Site: site}
	if f.Versions, err = tx.Links(LinkQuery{Site: site.ID}); err != nil {
		return nil, err
	}
	f.Shown, err = site.shown(tx)
	if err != nil {
		return nil, err
	}
	for _, l := range f.Versions {
		if l.ID == site.Pending && (f.Shown == nil || f.Shown.ID != l.ID) && l.State != StateDisabled {
			f.Waiting = l
		}
	}
	return f, nil
}

// shown is the version that stands for the website now, whatever its state: the pending one from when it is live; nil before the first.
func (s *Site) shown(tx Tx) (*Link, error) {
	if s.Pending != 0 {
		l, err := tx.Link(s.Pending)
		if err == nil && l.Live() {
			return l, nil
		}
		if err = notFoundIsNil(err); err != nil {
			return nil, err
		}
	}
	if s.Current == 0 {
		return nil, nil
	}
	return tx.Link(s.Current)
}

// List is an account's websites, newest first.
func (s *Sites) List(ctx context.Context, a *Account) (list []*SiteFacts, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		list = nil
		sites, err := tx.Sites(a.ID)
		for _, site := range sites {
			f, err := siteFacts(tx, site)
			if err != nil {
				return err
			}
			list = append(list, f)
		}
		return err
	})
	return list, err
}

// BySlug is a website of an account. Errors: CodeNotFound, as for another account's.
func (s *Sites) BySlug(ctx context.Context, a *Account, slug string) (f *SiteFacts, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		site, err := ownSite(tx, a, slug)
		if err != nil {
			return err
		}
		f, err = siteFacts(tx, site)
		return err
	})
	return f, err
}

func ownSite(tx Tx, a *Account, slug string) (*Site, error) {
	site, err := tx.SiteBySlug(Slug(slug))
	if errors.Is(err, ErrNotFound) || err == nil && (site.Account != a.ID || !site.DeletedAt.IsZero()) {
		return nil, errNoSite
	}
	return site, err
}

// OfVersion is the website that a link is a version of. Errors: CodeNotFound.
func (s *Sites) OfVersion(ctx context.Context, l *Link) (site *Site, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		site, err = tx.Site(l.Site)
		if errors.Is(err, ErrNotFound) {
			return errNoSite
		}
		return err
	})
	return site, err
}

// Public is the version that visitors of a website get, and whose it is. Errors: CodeNotFound (unknown or deleted, or its account is closed), CodeNotAvailable (nothing was deployed, or
// it is held), CodeDisabled (taken down, or its account is suspended); with any of them nothing of the website is told.
func (s *Sites) Public(ctx context.Context, slug Slug) (version *Link, a *Account, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		version, a, err = publicSite(tx, slug)
		return err
	})
	if err == nil {
		err = s.Links.freshViewerKey(ctx, a)
	}
	if err != nil {
		return nil, nil, err
	}
	return version, a, nil
}

// publicSite is Public within a transaction.
func publicSite(tx Tx, slug Slug) (*Link, *Account, error) {
	site, err := tx.SiteBySlug(slug)
	if errors.Is(err, ErrNotFound) || err == nil && !site.DeletedAt.IsZero() {
		return nil, nil, errNoSite
	}
	if err != nil {
		return nil, nil, err
	}
	a, err := tx.Account(site.Account)
	if err != nil {
		return nil, nil, err
	}
	version, err := site.shown(tx)
	if err != nil {
		return nil, nil, err
	}
	return version, a, version.siteShownBy(a)
}

// StillPublic reports whether what is being sent of a version may be sent on: it, its account and its website are as they were. That another
// version has been deployed meanwhile ends nothing.
func (s *Sites) StillPublic(ctx context.Context, version LinkID) error {
	return s.Store.Read(ctx, func(tx Tx) error {
		l, err := tx.Link(version)
		if errors.Is(err, ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
			return errNoSite
		}
		if err != nil {
			return err
		}
		a, err := tx.Account(l.Account)
		if err != nil {
			return err
		}
		return l.siteShownBy(a)
	})
}

// siteShownBy is nil when the public may see a version of an account; l nil: there is none.
func (l *Link) siteShownBy(a *Account) error {
	switch {
	case !a.ClosedAt.IsZero():
		return errNoSite
	case a.Banned, l != nil && l.State == StateDisabled:
		return Errorf(CodeDisabled, "This website has been disabled.")
	case l == nil || l.State != StateLive:
		return Errorf(CodeNotAvailable, "This website is not available yet. Try again later.")
	case !l.DeletedAt.IsZero() || !l.HasBytes:
		return errNoSite
	}
	return nil
}

// SetTitle names a website of an account anew. Errors: CodeInvalidRequest (field title), CodeNotFound.
func (s *Sites) SetTitle(ctx context.Context, a *Account, slug, title string) error {
	title, err := parseTitleField(title)
	if err != nil {
		return err
	}
	return s.change(ctx, a, slug, func(_ Tx, site *Site) error { site.Title = title; return nil })
}

// Rollback shows a version that is live, and no other until the next deploy. Errors: CodeNotFound, CodeInvalidRequest for one that is not live.
func (s *Sites) Rollback(ctx context.Context, a *Account, slug string, version LinkID) error {
	return s.change(ctx, a, slug, func(tx Tx, site *Site) error {
		l, err := site.version(tx, version)
		if err != nil {
			return err
		}
		if !l.Live() {
			return Errorf(CodeInvalidRequest, "This version is %s, and cannot be shown.", l.State)
		}
		site.Current, site.Pending = l.ID, 0
		return nil
	})
}

// version finds a version of the website that is not deleted.
func (s *Site) version(tx Tx, id LinkID) (*Link, error) {
	l, err := tx.Link(id)
	if errors.Is(err, ErrNotFound) || err == nil && (l.Site != s.ID || !l.DeletedAt.IsZero()) {
		return nil, Errorf(CodeNotFound, "There is no such version of this website.")
	}
	return l, err
}

// DeleteVersion deletes a version and its bytes. Errors: CodeNotFound, CodeInvalidRequest for the one that is shown or waits to be.
func (s *Sites) DeleteVersion(ctx context.Context, a *Account, slug string, version LinkID) error {
	var gone []*Link
	err := s.change(ctx, a, slug, func(tx Tx, site *Site) error {
		gone = nil
		l, err := site.version(tx, version)
		if err != nil {
			return err
		}
		shown, err := site.shown(tx)
		if err != nil {
			return err
		}
		if l.ID == site.Current || shown != nil && shown.ID == l.ID || l.ID == site.Pending && l.State != StateDisabled {
			return Errorf(CodeInvalidRequest, "This version is shown, or waits to be. Deploy or restore another one first.")
		}
		if l.ID == site.Pending {
			site.Pending = 0
		}
		gone = append(gone, l)
		return l.deleteVersion(tx, s.Now(), Owner(a.ID))
	})
	if err != nil {
		return err
	}
	_ = s.purge(ctx, gone) // they are deleted; what this leaves, Links.Purge removes
	return nil
}

// Delete deletes a website with all its versions. Its slug stays blocked for SlugRest. Errors: CodeNotFound.
func (s *Sites) Delete(ctx context.Context, a *Account, slug string) error {
	var gone []*Link
	err := s.change(ctx, a, slug, func(tx Tx, site *Site) (err error) {
		if gone, err = tx.Links(LinkQuery{Site: site.ID}); err != nil {
			return err
		}
		now := s.Now()
		for _, l := range gone {
			if err := l.deleteVersion(tx, now, Owner(a.ID)); err != nil {
				return err
			}
		}
		site.Current, site.Pending, site.DeletedAt = 0, 0, now
		return nil
	})
	if err != nil {
		return err
	}
	_ = s.purge(ctx, gone) // they are deleted; what this leaves, Links.Purge removes
	return nil
}

// Discard deletes a website that nothing has been deployed to, because its first deploy failed: it gives back the link of the plan that it took,
// and its slug, which nobody has seen anything at. Errors: CodeNotFound; CodeInvalidRequest for one that has a version.
func (s *Sites) Discard(ctx context.Context, a *Account, slug string) error {
	return s.change(ctx, a, slug, func(tx Tx, site *Site) error {
		versions, err := tx.Links(LinkQuery{Site: site.ID, Limit: 1})
		if err != nil {
			return err
		}
		if len(versions) > 0 || site.Current != 0 || site.Pending != 0 {
			return Errorf(CodeInvalidRequest, "This website has a version. Delete it on its page.")
		}
		site.Slug, site.DeletedAt = "", s.Now()
		return nil
	})
}

// change changes a website of an account in one transaction.
func (s *Sites) change(ctx context.Context, a *Account, slug string, f func(Tx, *Site) error) error {
	return s.Store.Update(ctx, func(tx Tx) error {
		site, err := ownSite(tx, a, slug)
		if err != nil {
			return err
		}
		if err := f(tx, site); err != nil {
			return err
		}
		return tx.PutSite(site)
	})
}

// purge removes what deleted versions leave; what is left when that fails, Links.Purge removes.
func (s *Sites) purge(ctx context.Context, gone []*Link) error {
	var failed []error
	for _, l := range gone {
		failed = append(failed, s.Links.purge(ctx, l))
	}
	return errors.Join(failed...)
}
