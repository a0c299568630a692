package sqlstore

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

func readSitePage(row sqldb.Scanner) (*vitrine.SitePage, error) {
	p := new(vitrine.SitePage)
	return p, row.Scan(&p.Site, &p.Path, &p.Number)
}

const selectSitePages = "SELECT site, path, number FROM site_pages"

func (t Tx) AddSitePage(p *vitrine.SitePage) error {
	n, err := t.Exec("INSERT INTO site_pages (site, path, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
		int64(p.Site), p.Path, p.Number)
	if err == nil && n == 0 {
		err = vitrine.ErrExists
	}
	return err
}

func (t Tx) SitePage(site vitrine.SiteID, path string) (*vitrine.SitePage, error) {
	return sqldb.One(t.Tx, readSitePage, selectSitePages+" WHERE site = $1 AND path = $2", int64(site), path)
}

func (t Tx) SitePages(site vitrine.SiteID) ([]*vitrine.SitePage, error) {
	if site == 0 {
		return sqldb.List(t.Tx, readSitePage, selectSitePages+" ORDER BY site, path")
	}
	return sqldb.List(t.Tx, readSitePage, selectSitePages+" WHERE site = $1 ORDER BY path", int64(site))
}

func (t Tx) CountSitePages(site vitrine.SiteID) (n int64, err error) {
	err = t.Get([]any{&n}, "SELECT count(*) FROM site_pages WHERE site = $1", int64(site))
	return n, err
}

func (t Tx) DeletedSitePages(after int64, n int) (pages []vitrine.DeletedSitePage, err error) {
	err = t.Each(func(row sqldb.Scanner) error {
		var p vitrine.DeletedSitePage
		err := row.Scan(&p.Site, &p.Path, &p.Number, sqldb.Instant{Time: &p.DeletedAt})
		pages = append(pages, p)
		return err
	}, `SELECT p.site, p.path, p.number, s.deleted_at FROM site_pages p JOIN sites s ON s.id = p.site WHERE s.deleted_at IS NOT NULL AND p.path <> ''
		AND p.number > $1 ORDER BY p.number LIMIT $2`, after, n)
	return pages, err
}

func (t Tx) DeleteSitePage(number int64) error {
	return t.Put("DELETE FROM site_pages WHERE number = $1", number)
}
