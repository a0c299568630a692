package audit

import (
	"fmt"
	"slices"
	"strconv"

	"vitrine"
)

// auditSites checks that each website shows one of its own versions, and that
// each version belongs to a website.
func auditSites(tx vitrine.SiteTx, versions []*vitrine.Link, fault func(string)) error {
	sites, err := tx.Sites(0)
	if err != nil {
		return err
	}
	of := map[vitrine.SiteID]*vitrine.Site{}
	for _, site := range sites {
		of[site.ID] = site
	}
	own := map[vitrine.SiteID][]vitrine.LinkID{}
	for _, l := range versions {
		site := of[l.Site]
		switch {
		case !l.OfSite():
		case site == nil:
			fault("link " + string(l.Slug) + ": it is a version of website " + strconv.FormatInt(int64(l.Site), 10) +
				", which does not exist")
		case site.Account != l.Account:
			fault("link " + string(l.Slug) + ": it is a version of another account's website")
		default:
			own[l.Site] = append(own[l.Site], l.ID)
		}
	}
	for _, site := range sites {
		for _, id := range []vitrine.LinkID{site.Current, site.Pending} {
			if id != 0 && !slices.Contains(own[site.ID], id) {
				fault("website " + string(site.Slug) + ": it shows link " + strconv.FormatInt(int64(id), 10) +
					", which is not a version of it")
			}
		}
		if n := len(own[site.ID]); n > vitrine.KeptVersions+2 {
			fault("website " + string(site.Slug) + ": it keeps " + strconv.Itoa(n) + " versions")
		}
	}
	return nil
}

// auditSitePages checks that the store knows each website and page in the view
// log. Rows of deleted websites stay until their views are deleted.
func auditSitePages(tx vitrine.SitePageTx, known []vitrine.Scope, fault func(string)) error {
	pages, err := tx.SitePages(0)
	if err != nil {
		return err
	}
	byNumber, whole := map[int64]*vitrine.SitePage{}, map[vitrine.SiteID]int64{}
	for _, p := range pages {
		byNumber[p.Number] = p
		if p.Path == "" {
			whole[p.Site] = p.Number
		}
	}
	for _, s := range known {
		if byNumber[int64(s.Account)] == nil {
			fault(fmt.Sprintf("view log, website %d: the website is not in the database", s.Account))
			continue
		}
		p := byNumber[int64(s.Link)]
		switch {
		case s.Link == 0:
		case p == nil:
			fault(fmt.Sprintf("view log, page %d of website %d: the page is not in the database", s.Link, s.Account))
		case whole[p.Site] != int64(s.Account):
			fault(fmt.Sprintf("view log, page %d (%s): its views belong to website %d, but the page to website %d",
				s.Link, p.Path, s.Account, whole[p.Site]))
		}
	}
	return nil
}
