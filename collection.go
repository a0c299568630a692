package vitrine

import (
	"errors"
	"time"
)

// Album is an ordered list of links of one account under one public address. It
// has no state: each request shows the links that are public at that time.
type Album struct {
	ID        AlbumID
	Account   AccountID
	Slug      Slug // "" once a deleted album's slug was released
	Title     string
	Text      string // shown above its links; may have several lines
	Access    Access // what readers need
	CreatedAt time.Time
	DeletedAt time.Time // zero if not deleted
}

// Albums is a list of albums.
type Albums []*Album

// Door returns what readers pass to see a protected album, in the form in which
// a link has it. Its ID is negative, so that it is no link's.
func (a *Album) Door() *Link {
	return &Link{ID: LinkID(-a.ID), Account: a.Account, Slug: a.Slug, Access: a.Access}
}

// The limits of albums. People read an album as one page, which is built for
// each visitor.
const (
	MaxAlbums     = 100
	MaxAlbumLinks = 500
)

// AlbumTx reads and writes albums within a transaction.
type AlbumTx interface {
	// AddAlbum sets a.ID. Slugs are unique over all albums whose row has one,
	// including deleted albums.
	AddAlbum(a *Album) error
	// AlbumBySlug finds an album, including deleted ones.
	AlbumBySlug(s Slug) (*Album, error)
	PutAlbum(a *Album) error
	// Albums lists the albums of an account (0: all) that are not deleted,
	// newest first (by creation, then ID).
	Albums(a AccountID) ([]*Album, error)
	// PutAlbumLinks replaces the links of an album by the given ones, in this
	// order, without duplicates. The album and the links must exist.
	PutAlbumLinks(a AlbumID, links []LinkID) error
	// AlbumLinks lists the links of an album that are not deleted, in order, at
	// most n (0: all).
	AlbumLinks(a AlbumID, n int) ([]*Link, error)
	// AlbumsWith lists the albums with a link that are not deleted, the oldest
	// first.
	AlbumsWith(l LinkID) ([]*Album, error)
	// AlbumSizes returns, for each album of an account with such links, the
	// number of links that are not deleted.
	AlbumSizes(a AccountID) (map[AlbumID]int64, error)
}

// Site is a static website: a name and the version shown under it. Each version
// is a Link of kind archive with Link.Site set. It is a sealed ZIP, inspected,
// scanned and moderated like any file, and never unpacked.
type Site struct {
	ID      SiteID
	Account AccountID
	Slug    Slug // its host, or the part of its address; "" once a deleted website's slug was released
	Title   string
	// Current is the version that is shown unless Pending is live; 0 before the
	// first one.
	Current LinkID
	// Pending is the last deploy if it was held for a person. It is shown as
	// soon as it is live.
	Pending   LinkID
	CreatedAt time.Time
	DeletedAt time.Time // zero if not deleted
}

// The limits of websites.
const (
	// MaxSites is the most websites of an account, regardless of its plan. They
	// are shown as one list.
	MaxSites = 200
	// KeptVersions is how many of a website's newest versions remain. A deploy
	// deletes older ones, except the current, the pending and the previously
	// shown one.
	KeptVersions = 20
)

// ErrNoSite is the error for a website that does not exist for who asks.
var ErrNoSite = Errorf(CodeNotFound, "There is no website at this address.")

// Shown returns the version that the website shows now, in any state, or nil
// before the first: the pending one if it is live, otherwise the current one.
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

// OwnSite finds a website of an account that is not deleted, or returns
// ErrNoSite: another account's website does not exist for it.
func OwnSite(tx SiteTx, a *Account, slug string) (*Site, error) {
	site, err := tx.SiteBySlug(Slug(slug))
	if errors.Is(err, ErrNotFound) || err == nil && (site.Account != a.ID || !site.DeletedAt.IsZero()) {
		return nil, ErrNoSite
	}
	return site, err
}

// Version finds a version of the website that is not deleted.
func (s *Site) Version(tx LinkTx, id LinkID) (*Link, error) {
	l, err := tx.Link(id)
	if errors.Is(err, ErrNotFound) || err == nil && (l.Site != s.ID || !l.DeletedAt.IsZero()) {
		return nil, Errorf(CodeNotFound, "There is no such version of this website.")
	}
	return l, err
}

// SitePage is a page of a website in the view log. To the log, a website is an
// account of its own and each page is a link of that account. So reports of
// links never include page loads of websites.
type SitePage struct {
	Site SiteID
	// Path is the path of the file in the website. "" is the website as a
	// whole, OtherSitePages all pages beyond MaxSitePages.
	Path string
	// Number is the page's link in the view log; for the website as a whole,
	// its account. It is random, from FirstSitePage on, so that a database
	// restored to an earlier moment does not give the number of one page to
	// another.
	Number int64
}

// SitePageTx reads and writes the pages of websites within a transaction.
type SitePageTx interface {
	// AddSitePage adds a page. It returns ErrExists if the website has the path
	// already or another page has the number.
	AddSitePage(p *SitePage) error
	SitePage(site SiteID, path string) (*SitePage, error)
	// SitePages lists the pages of a website (0: of all), ordered by website
	// and path.
	SitePages(site SiteID) ([]*SitePage, error)
	// CountSitePages counts the pages of a website.
	CountSitePages(site SiteID) (int64, error)
	// DeletedSitePages lists at most n pages of deleted websites with numbers
	// above after, ordered by number. It leaves out the websites as a whole,
	// whose numbers remain.
	DeletedSitePages(after int64, n int) ([]DeletedSitePage, error)
	DeleteSitePage(number int64) error
}

// DeletedSitePage is a page of a deleted website.
type DeletedSitePage struct {
	SitePage
	DeletedAt time.Time // of the website
}

// Deploy makes a new link the version that is shown, or pending, and deletes
// the oldest versions beyond KeptVersions. The previously shown version is
// always kept, so that the owner can return to it.
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
		s.Current, s.Pending = before, l.ID // the previous deploy may have become live
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
	// FirstSitePage is above all IDs of accounts and links.
	FirstSitePage = 1 << 61
	// MaxSitePages is how many pages of a website are counted separately.
	MaxSitePages = 20_000
	// OtherSitePages is never the path of a file: those do not begin with a
	// slash.
	OtherSitePages = "/other"
)

// SiteTx reads and writes websites within a transaction.
type SiteTx interface {
	// AddSite sets s.ID. Slugs are unique over all websites whose row has one,
	// including deleted websites.
	AddSite(s *Site) error
	Site(id SiteID) (*Site, error)
	// SiteBySlug finds a website, including deleted ones.
	SiteBySlug(s Slug) (*Site, error)
	PutSite(s *Site) error
	// Sites lists the websites of an account (0: all) that are not deleted,
	// newest first (by creation, then ID).
	Sites(a AccountID) ([]*Site, error)
}
