package publish

import (
	"errors"

	"vitrine"
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
