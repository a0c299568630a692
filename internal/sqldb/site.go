package sqldb

import "vitrine"

const siteColumns = "account, slug, title, current, pending, created_at, deleted_at"

func siteValues(s *vitrine.Site) []any {
	return []any{int64(s.Account), string(s.Slug), s.Title, int64(s.Current), int64(s.Pending), ms(s.CreatedAt), msOrNull(s.DeletedAt)}
}

func readSite(row scanner) (*vitrine.Site, error) {
	s := new(vitrine.Site)
	return s, row.Scan(&s.ID, &s.Account, &s.Slug, &s.Title, &s.Current, &s.Pending, instant{Time: &s.CreatedAt}, instant{Time: &s.DeletedAt})
}

const selectSites = "SELECT id, " + siteColumns + " FROM sites"

func (t storeTx) AddSite(s *vitrine.Site) error {
	return t.add(&s.ID, "INSERT INTO sites ("+siteColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7)", siteValues(s)...)
}

func (t storeTx) Site(id vitrine.SiteID) (*vitrine.Site, error) {
	return one(t.tx, readSite, selectSites+" WHERE id = $1", int64(id))
}

func (t storeTx) SiteBySlug(s vitrine.Slug) (*vitrine.Site, error) {
	return one(t.tx, readSite, selectSites+" WHERE slug = $1 AND slug <> ''", string(s))
}

func (t storeTx) PutSite(s *vitrine.Site) error {
	return t.put(`UPDATE sites SET account = $1, slug = $2, title = $3, current = $4, pending = $5, created_at = $6, deleted_at = $7
		WHERE id = $8`, append(siteValues(s), int64(s.ID))...)
}

func (t storeTx) Sites(a vitrine.AccountID) ([]*vitrine.Site, error) {
	return list(t.tx, readSite, selectSites+ofAccount(a).end(" ORDER BY created_at DESC, id DESC", 0), ofAccount(a).args...)
}

// ofAccount selects what is an account's (0: anybody's) and not deleted.
func ofAccount(a vitrine.AccountID) *selection {
	w := &selection{}
	w.where("deleted_at IS NULL")
	if a != 0 {
		w.where("account = $%d", int64(a))
	}
	return w
}
