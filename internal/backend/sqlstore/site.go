package sqlstore

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const siteColumns = "account, slug, title, current, pending, created_at, deleted_at"

func siteValues(s *vitrine.Site) []any {
	return []any{int64(s.Account), string(s.Slug), s.Title, int64(s.Current), int64(s.Pending), sqldb.Ms(s.CreatedAt),
		sqldb.MsOrNull(s.DeletedAt)}
}

func readSite(row sqldb.Scanner) (*vitrine.Site, error) {
	s := new(vitrine.Site)
	return s, row.Scan(&s.ID, &s.Account, &s.Slug, &s.Title, &s.Current, &s.Pending, sqldb.Instant{Time: &s.CreatedAt},
		sqldb.Instant{Time: &s.DeletedAt})
}

const selectSites = "SELECT id, " + siteColumns + " FROM sites"

func (t Tx) AddSite(s *vitrine.Site) error {
	return t.add(&s.ID, "INSERT INTO sites ("+siteColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7)", siteValues(s)...)
}

func (t Tx) Site(id vitrine.SiteID) (*vitrine.Site, error) {
	return sqldb.One(t.Tx, readSite, selectSites+" WHERE id = $1", int64(id))
}

func (t Tx) SiteBySlug(s vitrine.Slug) (*vitrine.Site, error) {
	return sqldb.One(t.Tx, readSite, selectSites+" WHERE slug = $1 AND slug <> ''", string(s))
}

func (t Tx) PutSite(s *vitrine.Site) error {
	return t.Put(`UPDATE sites SET account = $1, slug = $2, title = $3, current = $4, pending = $5, created_at = $6, deleted_at = $7
		WHERE id = $8`, append(siteValues(s), int64(s.ID))...)
}

func (t Tx) Sites(a vitrine.AccountID) ([]*vitrine.Site, error) {
	return sqldb.List(t.Tx, readSite, selectSites+ofAccount(a).End(" ORDER BY created_at DESC, id DESC", 0),
		ofAccount(a).Args...)
}

// ofAccount selects rows of an account (0: any) that are not deleted.
func ofAccount(a vitrine.AccountID) *sqldb.Selection {
	w := &sqldb.Selection{}
	w.Where("deleted_at IS NULL")
	if a != 0 {
		w.Where("account = $%d", int64(a))
	}
	return w
}
