package admin

import (
	"context"
	"fmt"

	"vitrine"
	"vitrine/internal/cli/instance"
)

// versionOf names the link or the website of which a link is a version. Both
// are empty for a link of its own. A version has no public page of its own.
type versionOf struct {
	Of      vitrine.Slug `json:"of,omitempty"`
	Website vitrine.Slug `json:"website,omitempty"`
}

func versionOfLink(ctx context.Context, in *instance.Instance, l *vitrine.Link) (of versionOf, err error) {
	if l.Standalone() {
		return of, nil
	}
	err = in.Store.Read(ctx, func(tx vitrine.Tx) error {
		if l.OfSite() {
			site, err := tx.Site(l.Site)
			if err == nil {
				of.Website = site.Slug
			}
			return err
		}
		whole, err := tx.Link(l.Of)
		if err == nil {
			of.Of = whole.Slug
		}
		return err
	})
	return of, err
}

// titled returns the title of a link and, of a version, what it belongs to.
func (v versionOf) titled(l *vitrine.Link) string {
	switch {
	case v.Of != "":
		return fmt.Sprintf("%s (version %d of %s)", l.Title, l.Version, v.Of)
	case v.Website != "":
		return fmt.Sprintf("%s (website %s)", l.Title, v.Website)
	}
	return l.Title
}
