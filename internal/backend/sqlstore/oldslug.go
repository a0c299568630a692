package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

func readOldSlug(s sqldb.Scanner) (*vitrine.OldSlug, error) {
	o := new(vitrine.OldSlug)
	return o, s.Scan(&o.Slug, &o.Link, sqldb.Instant{Time: &o.Until})
}

func (t Tx) PutOldSlug(o *vitrine.OldSlug) error {
	_, err := t.Exec(`INSERT INTO old_slugs (slug, link, until_time) VALUES ($1, $2, $3)
		ON CONFLICT (slug) DO UPDATE SET link = excluded.link, until_time = excluded.until_time`, string(o.Slug), int64(o.Link), sqldb.Ms(o.Until))
	return err
}

func (t Tx) OldSlug(s vitrine.Slug, now time.Time) (*vitrine.OldSlug, error) {
	return sqldb.One(t.Tx, readOldSlug, "SELECT slug, link, until_time FROM old_slugs WHERE slug = $1 AND until_time > $2", string(s), sqldb.Ms(now))
}

func (t Tx) OldSlugs(l vitrine.LinkID, now time.Time) ([]*vitrine.OldSlug, error) {
	w := sqldb.Selection{}
	w.Where("until_time > $%d", sqldb.Ms(now))
	if l != 0 {
		w.Where("link = $%d", int64(l))
	}
	return sqldb.List(t.Tx, readOldSlug, "SELECT slug, link, until_time FROM old_slugs"+
		w.End(" ORDER BY until_time DESC, slug", 0), w.Args...)
}

func (t Tx) DeleteOldSlug(s vitrine.Slug) error {
	return t.Put("DELETE FROM old_slugs WHERE slug = $1", string(s))
}

func (t Tx) ExpireOldSlugs(now time.Time) (int64, error) {
	return t.Exec("DELETE FROM old_slugs WHERE until_time <= $1", sqldb.Ms(now))
}
