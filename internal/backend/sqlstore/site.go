package sqlstore

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var sites = newTable("sites", func(s *vitrine.Site) []field {
	return []field{{"id", &s.ID}, {"account", &s.Account}, {"slug", &s.Slug}, {"title", &s.Title},
		{"current", &s.Current}, {"pending", &s.Pending}, {"created_at", at(&s.CreatedAt)},
		{"deleted_at", orNone(&s.DeletedAt)}}
})

func (t Tx) AddSite(s *vitrine.Site) error { return sites.add(t, s) }
func (t Tx) PutSite(s *vitrine.Site) error { return sites.put(t, s) }

func (t Tx) Site(id vitrine.SiteID) (*vitrine.Site, error) { return sites.one(t, "id = $1", int64(id)) }

func (t Tx) SiteBySlug(s vitrine.Slug) (*vitrine.Site, error) {
	return sites.one(t, "slug = $1 AND slug <> ''", string(s))
}

func (t Tx) Sites(a vitrine.AccountID) ([]*vitrine.Site, error) {
	return sites.list(t, ofAccount(a).End(" ORDER BY created_at DESC, id DESC", 0), ofAccount(a).Args...)
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
