package publish

import (
	"context"
	"errors"

	"vitrine"
	"vitrine/internal/filetype"
)

// deploysTo sets the website that an upload becomes a version of.
func deploysTo(tx vitrine.SiteTx, a *vitrine.Account, u *vitrine.Upload, slug string) error {
	site, err := vitrine.OwnSite(tx, a, slug)
	if errors.Is(err, vitrine.ErrNoSite) {
		return errNoWebsite
	}
	if err == nil {
		u.Site = site.ID
	}
	return err
}

var errNoWebsite = &vitrine.Error{Code: vitrine.CodeNotFound, Field: "website",
	Message: "Your account has no website with this address. Create it in the app, on the page Websites."}

// openSite finds the website of an upload. It returns an error if the website
// is deleted.
func openSite(tx vitrine.SiteTx, u *vitrine.Upload) (*vitrine.Site, error) {
	site, err := tx.Site(u.Site)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && (site.Account != u.Account || !site.DeletedAt.IsZero()) {
		return nil, vitrine.ErrNoSite
	}
	return site, err
}

// keepsSite returns the error of a deploy that also names another property.
func keepsSite(field string) error {
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field,
		Message: "A website keeps its title and address when it is deployed, and has no other settings. Leave " +
			field + " out."}
}

// MayDeploy returns an error unless the file of a link can be deployed to a
// website: the link is live, and its file is a ZIP that this instance has. What
// is in the ZIP decides only in DeployLink.
func MayDeploy(l *vitrine.Link) error {
	t, err := filetype.ByName(l.Name, l.Type)
	switch {
	case err != nil || t.Ext != "zip" || !l.HasBytes:
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "Only a link to a ZIP can be published as a website.")
	case !l.Live():
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "Only a link that is live can be published as a website.")
	}
	return nil
}

// DeployLink deploys the current file of a link of the account to a website of
// the account, without another upload. The bytes are copied within the storage,
// and then checked, scanned and limited as those of an upload: the copy counts
// as storage and as an upload of the hour. The link stays as it is. If
// DeployLink fails, nothing of the copy remains.
//
// Errors: those of MayDeploy, Create and Complete; CodeContentMismatch if the
// ZIP has no index.html at its top.
func (s *Uploads) DeployLink(ctx context.Context, a *vitrine.Account, l *vitrine.Link,
	website string) (version *vitrine.Link, err error) {
	if err := MayDeploy(l); err != nil {
		return nil, err
	}
	b, err := s.Create(ctx, a, UploadRequest{Name: l.Name, Type: l.Type, Size: l.Size, Website: website})
	defer func() {
		if err != nil { // nobody continues the upload
			_ = s.Cancel(context.WithoutCancel(ctx), a, string(b.Path))
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := s.copyBytes(ctx, l, b.Path); err != nil {
		return nil, err
	}
	return s.Complete(ctx, a, CompleteRequest{Path: string(b.Path), Name: l.Name, Type: l.Type, Website: website})
}

// copyBytes copies the bytes of a link to an upload.
func (s *Uploads) copyBytes(ctx context.Context, l *vitrine.Link, to vitrine.UploadID) error {
	from, err := vitrine.OpenWhole(ctx, s.Blobs, l)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := s.Blobs.Import(ctx, to, l.Size, from); err != nil {
		return vitrine.Unavailable(err)
	}
	return nil
}
