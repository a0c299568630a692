package sqldb

import (
	"time"

	"vitrine"
)

func readOldSlug(s scanner) (*vitrine.OldSlug, error) {
	o := new(vitrine.OldSlug)
	return o, s.Scan(&o.Slug, &o.Link, instant{Time: &o.Until})
}

func (t storeTx) PutOldSlug(o *vitrine.OldSlug) error {
	_, err := t.exec(`INSERT INTO old_slugs (slug, link, until_time) VALUES ($1, $2, $3)
		ON CONFLICT (slug) DO UPDATE SET link = excluded.link, until_time = excluded.until_time`, string(o.Slug), int64(o.Link), ms(o.Until))
	return err
}

func (t storeTx) OldSlug(s vitrine.Slug, now time.Time) (*vitrine.OldSlug, error) {
	return one(t.tx, readOldSlug, "SELECT slug, link, until_time FROM old_slugs WHERE slug = $1 AND until_time > $2", string(s), ms(now))
}

func (t storeTx) OldSlugs(l vitrine.LinkID, now time.Time) ([]*vitrine.OldSlug, error) {
	w := selection{}
	w.where("until_time > $%d", ms(now))
	if l != 0 {
		w.where("link = $%d", int64(l))
	}
	return list(t.tx, readOldSlug, "SELECT slug, link, until_time FROM old_slugs"+w.end(" ORDER BY until_time DESC, slug", 0), w.args...)
}

func (t storeTx) DeleteOldSlug(s vitrine.Slug) error {
	return t.put("DELETE FROM old_slugs WHERE slug = $1", string(s))
}

func (t storeTx) ExpireOldSlugs(now time.Time) (int64, error) {
	return t.exec("DELETE FROM old_slugs WHERE until_time <= $1", ms(now))
}
