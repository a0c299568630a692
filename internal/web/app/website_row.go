package app

import (
	"strings"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/web/ui"
)

// websitesRoot is the path of an account's websites.
const websitesRoot = "/websites"

func WebsiteAddress(slug vitrine.Slug) string { return websitesRoot + "/" + string(slug) }

// WebsiteRow is a website in the list.
type WebsiteRow struct {
	*collections.SiteFacts
	URL, Address, Manage string
	State, Status        string // of a chip: its class, and in words
}

// Last returns the newest version, or nil if none.
func (r WebsiteRow) Last() *vitrine.Link {
	if len(r.Versions) == 0 {
		return nil
	}
	return r.Versions[0]
}

// websiteState returns the state of a website: the class of a chip, and in
// words.
func websiteState(f *collections.SiteFacts) (class, words string) {
	switch {
	case f.Live() && f.Waiting != nil:
		return "live", "Live, new version waiting"
	case f.Live():
		return "live", "Live"
	case f.Shown != nil:
		return string(f.Shown.State), ui.StateName(f.Shown.State)
	case f.Waiting != nil:
		return string(f.Waiting.State), ui.StateName(f.Waiting.State)
	}
	return "empty", "Nothing deployed yet"
}

func (s *Shell) WebsiteRow(f *collections.SiteFacts) WebsiteRow {
	r := WebsiteRow{SiteFacts: f, URL: s.Server.SiteURL(f.Slug), Manage: WebsiteAddress(f.Slug)}
	_, r.Address, _ = strings.Cut(strings.TrimSuffix(r.URL, "/"), "://")
	r.State, r.Status = websiteState(f)
	return r
}

// siteAffixes returns the parts of a website's address before and after the
// slug.
func (s *Shell) siteAffixes() (prefix, suffix string) {
	_, address, _ := strings.Cut(s.Server.SiteURL("*"), "://")
	prefix, suffix, _ = strings.Cut(strings.TrimSuffix(address, "/"), "*")
	return prefix, suffix
}

// websiteOffer is the form that publishes the ZIP of a link as a website
// (website_offer.html).
type websiteOffer struct {
	Chosen         bool   // the plan has custom addresses
	Prefix, Suffix string // the parts of an address before and after the slug
	Slug           string // suggested, or as it was typed
	Wrong          string // what is wrong with it; ""
}

// websiteOffer returns the form for an account, with a slug.
func (s *Shell) websiteOffer(me *vitrine.Account, slug string) *websiteOffer {
	o := &websiteOffer{Chosen: me.Plan.Pro(), Slug: slug}
	o.Prefix, o.Suffix = s.siteAffixes()
	return o
}
