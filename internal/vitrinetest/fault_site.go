package vitrinetest

import "vitrine"

func (t *faultyTx) AddSite(s *vitrine.Site) error {
	return t.do(func() error { return t.Tx.AddSite(s) })
}

func (t *faultyTx) Site(id vitrine.SiteID) (*vitrine.Site, error) {
	return value(t.do, func() (*vitrine.Site, error) { return t.Tx.Site(id) })
}

func (t *faultyTx) SiteBySlug(s vitrine.Slug) (*vitrine.Site, error) {
	return value(t.do, func() (*vitrine.Site, error) { return t.Tx.SiteBySlug(s) })
}

func (t *faultyTx) PutSite(s *vitrine.Site) error {
	return t.do(func() error { return t.Tx.PutSite(s) })
}

func (t *faultyTx) Sites(a vitrine.AccountID) ([]*vitrine.Site, error) {
	return value(t.do, func() ([]*vitrine.Site, error) { return t.Tx.Sites(a) })
}

func (t *faultyTx) AddSitePage(p *vitrine.SitePage) error {
	return t.do(func() error { return t.Tx.AddSitePage(p) })
}

func (t *faultyTx) SitePage(site vitrine.SiteID, path string) (*vitrine.SitePage, error) {
	return value(t.do, func() (*vitrine.SitePage, error) { return t.Tx.SitePage(site, path) })
}

func (t *faultyTx) SitePages(site vitrine.SiteID) ([]*vitrine.SitePage, error) {
	return value(t.do, func() ([]*vitrine.SitePage, error) { return t.Tx.SitePages(site) })
}

func (t *faultyTx) CountSitePages(site vitrine.SiteID) (int64, error) {
	return value(t.do, func() (int64, error) { return t.Tx.CountSitePages(site) })
}

func (t *faultyTx) DeletedSitePages(after int64, n int) ([]vitrine.DeletedSitePage, error) {
	return value(t.do, func() ([]vitrine.DeletedSitePage, error) { return t.Tx.DeletedSitePages(after, n) })
}

func (t *faultyTx) DeleteSitePage(number int64) error {
	return t.do(func() error { return t.Tx.DeleteSitePage(number) })
}

func (t *faultyTx) AddAlbum(a *vitrine.Album) error {
	return t.do(func() error { return t.Tx.AddAlbum(a) })
}

func (t *faultyTx) AlbumBySlug(s vitrine.Slug) (*vitrine.Album, error) {
	return value(t.do, func() (*vitrine.Album, error) { return t.Tx.AlbumBySlug(s) })
}

func (t *faultyTx) PutAlbum(a *vitrine.Album) error {
	return t.do(func() error { return t.Tx.PutAlbum(a) })
}

func (t *faultyTx) Albums(a vitrine.AccountID) ([]*vitrine.Album, error) {
	return value(t.do, func() ([]*vitrine.Album, error) { return t.Tx.Albums(a) })
}

func (t *faultyTx) PutAlbumLinks(a vitrine.AlbumID, links []vitrine.LinkID) error {
	return t.do(func() error { return t.Tx.PutAlbumLinks(a, links) })
}

func (t *faultyTx) AlbumLinks(a vitrine.AlbumID, n int) ([]*vitrine.Link, error) {
	return value(t.do, func() ([]*vitrine.Link, error) { return t.Tx.AlbumLinks(a, n) })
}

func (t *faultyTx) AlbumSizes(a vitrine.AccountID) (map[vitrine.AlbumID]int64, error) {
	return value(t.do, func() (map[vitrine.AlbumID]int64, error) { return t.Tx.AlbumSizes(a) })
}
