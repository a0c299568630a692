package vitrine

import (
	"errors"
	"time"
)

// Site is a static website: a name, and the version that is shown under it.
// Each version is a Link of kind archive with Link.Site set: a sealed ZIP,
// inspected, scanned and moderated as any file is, and never unpacked.
type Site struct {
	ID      SiteID
	Account AccountID
	Slug    Slug // its host, or the part of its address; "" once a deleted website's slug was released
	Title   string
	// Current is the version that is shown, 0 before the first, unless Pending
	// is live.
	Current LinkID
	// Pending is the last deploy, when it could not be shown at once: held for
	// a person. It is shown as soon as it is live.
	Pending   LinkID
	CreatedAt time.Time
	DeletedAt time.Time // zero: not deleted
}

// Bounds of websites.
const (
	// MaxSites is how many websites an account may have, whatever its plan: a
	// list of them is read by a person.
	MaxSites = 200
	// KeptVersions are the newest versions of a website that stay. Older ones
	// are deleted by the deploy that exceeds them, never those that are current
	// or pending, nor the one that was shown before.
	KeptVersions = 20
)

var ErrNoSite = Errorf(CodeNotFound, "There is no website at this address.")

// Shown is the version that is shown for the website now, whatever its state:
// the pending one from when it is live; nil before the first.
func (s *Site) Shown(tx LinkTx) (*Link, error) {
	if s.Pending != 0 {
		l, err := tx.Link(s.Pending)
		if err == nil && l.Live() {
			return l, nil
		}
		if err = NotFoundIsNil(err); err != nil {
			return nil, err
		}
	}
	if s.Current == 0 {
		return nil, nil
	}
	return tx.Link(s.Current)
}

func OwnSite(tx SiteTx, a *Account, slug string) (*Site, error) {
	site, err := tx.SiteBySlug(Slug(slug))
	if errors.Is(err, ErrNotFound) || err == nil && (site.Account != a.ID || !site.DeletedAt.IsZero()) {
		return nil, ErrNoSite
	}
	return site, err
}

// PublicSite is Public within a transaction.
func PublicSite(tx Tx, slug Slug) (*Link, *Account, error) {
	site, err := tx.SiteBySlug(slug)
	if errors.Is(err, ErrNotFound) || err == nil && !site.DeletedAt.IsZero() {
		return nil, nil, ErrNoSite
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
	return version, a, version.SiteShownBy(a)
}

// Version finds a version of the website that is not deleted.
func (s *Site) Version(tx LinkTx, id LinkID) (*Link, error) {
	l, err := tx.Link(id)
	if errors.Is(err, ErrNotFound) || err == nil && (l.Site != s.ID || !l.DeletedAt.IsZero()) {
		return nil, Errorf(CodeNotFound, "There is no such version of this website.")
	}
	return l, err
}

// SitePage is a page of a website as the view log knows it. The log keeps
// websites apart from links: to it, a website is an account of its own, and
// each of its pages is a link of that account. So page loads of websites are
// in no report of links.
type SitePage struct {
	Site SiteID
	// Path is that of the file in the website. "" is the website as a whole,
	// OtherSitePages all pages beyond MaxSitePages.
	Path string
	// Number is the page's link in the view log, of the website as a whole its
	// account. It is random, from FirstSitePage on: no database that was
	// restored to an earlier moment gives the number of one page to another.
	Number int64
}

// SitePageTx reads and writes the pages of websites within a transaction.
type SitePageTx interface {
	// AddSitePage adds a page. It returns ErrExists if the website has the path
	// or another page the number.
	AddSitePage(p *SitePage) error
	SitePage(site SiteID, path string) (*SitePage, error)
	// SitePages lists the pages of a website (0: of all), ordered by website
	// and path.
	SitePages(site SiteID) ([]*SitePage, error)
	// CountSitePages counts the pages of a website.
	CountSitePages(site SiteID) (int64, error)
	// DeletedSitePages lists at most n pages of websites that are deleted, by
	// number from the one behind after on, without the websites as a whole,
	// whose numbers stay.
	DeletedSitePages(after int64, n int) ([]DeletedSitePage, error)
	DeleteSitePage(number int64) error
}

// DeletedSitePage is a page of a website that is deleted.
type DeletedSitePage struct {
	SitePage
	DeletedAt time.Time // of the website
}

// OpenSite finds the website of an upload, which must still be there.
func OpenSite(tx SiteTx, u *Upload) (*Site, error) {
	site, err := tx.Site(u.Site)
	if errors.Is(err, ErrNotFound) || err == nil && (site.Account != u.Account || !site.DeletedAt.IsZero()) {
		return nil, ErrNoSite
	}
	return site, err
}

// Deploy makes a link that was just added the version that is shown, or that
// will be, and deletes the versions that are too old. What was shown until now
// stays, however old, for anyone who has to go back to it.
func (s *Site) Deploy(tx Tx, l *Link, now time.Time) error {
	var before LinkID
	if shown, err := s.Shown(tx); err != nil {
		return err
	} else if shown != nil {
		before = shown.ID
	}
	if l.State == StateLive {
		s.Current, s.Pending = l.ID, 0
	} else {
		s.Current, s.Pending = before, l.ID // the deploy before this one may have become live meanwhile
	}
	if err := tx.PutSite(s); err != nil {
		return err
	}
	versions, err := tx.Links(LinkQuery{Site: s.ID})
	if err != nil {
		return err
	}
	for _, old := range versions[min(len(versions), KeptVersions):] {
		if old.ID == s.Current || old.ID == s.Pending || old.ID == before {
			continue
		}
		if err := old.DeleteVersion(tx, now, Owner(s.Account)); err != nil {
			return err
		}
	}
	return nil
}

const (
	// FirstSitePage is above all numbers of accounts and links.
	FirstSitePage = 1 << 61
	// MaxSitePages is how many pages of a website are counted apart.
	MaxSitePages = 20_000
	// OtherSitePages is no path of a file: those have no slash before them.
	OtherSitePages = "/other"
)

// SiteTx reads and writes websites within a transaction.
type SiteTx interface {
	// AddSite gives s.ID. Slugs are unique over all websites, deleted ones too
	// as long as their row keeps the slug.
	AddSite(s *Site) error
	Site(id SiteID) (*Site, error)
	// SiteBySlug finds a website, deleted or not.
	SiteBySlug(s Slug) (*Site, error)
	PutSite(s *Site) error
	// Sites lists an account's (0: all) websites that are not deleted, newest
	// first (by creation, then ID).
	Sites(a AccountID) ([]*Site, error)
}
