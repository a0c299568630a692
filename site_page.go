package vitrine

import "time"

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

const (
	// FirstSitePage is above all numbers of accounts and links.
	FirstSitePage = 1 << 61
	// MaxSitePages is how many pages of a website are counted apart.
	MaxSitePages = 20_000
	// OtherSitePages is no path of a file: those have no slash before them.
	OtherSitePages = "/other"
)

// SitePageTx reads and writes the pages of websites within a transaction.
type SitePageTx interface {
	// AddSitePage adds a page. It returns ErrExists if the website has the path
	// or another page the number.
	AddSitePage(p *SitePage) error
	SitePage(site SiteID, path string) (*SitePage, error)
	// SitePages lists the pages of a website (0: of all), ordered by website and
	// path.
	SitePages(site SiteID) ([]*SitePage, error)
	// CountSitePages counts the pages of a website.
	CountSitePages(site SiteID) (int64, error)
	// DeletedSitePages lists at most n pages of websites that are deleted, by
	// number from the one behind after on, without the websites as a whole, whose
	// numbers stay.
	DeletedSitePages(after int64, n int) ([]DeletedSitePage, error)
	DeleteSitePage(number int64) error
}

// DeletedSitePage is a page of a website that is deleted.
type DeletedSitePage struct {
	SitePage
	DeletedAt time.Time // of the website
}
