package audit

import (
	"errors"
	"strconv"
	"time"

	"vitrine"
)

// auditAlbums checks that each album has only links of its own account, no more
// than allowed, and no website versions.
func auditAlbums(tx vitrine.AlbumTx, fault func(string)) error {
	albums, err := tx.Albums(0)
	if err != nil {
		return err
	}
	for _, album := range albums {
		links, err := tx.AlbumLinks(album.ID, 0)
		if err != nil {
			return err
		}
		if len(links) > vitrine.MaxAlbumLinks {
			fault("album " + string(album.Slug) + ": it has " + strconv.Itoa(len(links)) + " links")
		}
		for _, l := range links {
			if l.Account != album.Account || !l.Standalone() {
				fault("album " + string(album.Slug) + ": link " + string(l.Slug) + " does not belong in it")
			}
		}
	}
	return nil
}

// auditOldSlugs checks that each old slug leads to an existing link and is not
// the current slug of another one.
func auditOldSlugs(tx vitrine.Tx, now time.Time, fault func(string)) error {
	old, err := tx.OldSlugs(0, now)
	if err != nil {
		return err
	}
	for _, o := range old {
		if _, err := tx.Link(o.Link); errors.Is(err, vitrine.ErrNotFound) {
			fault("the old slug " + string(o.Slug) + " leads to a link that does not exist")
		} else if err != nil {
			return err
		}
		if l, err := tx.LinkBySlug(o.Slug); err == nil {
			fault("the old slug " + string(o.Slug) + " is the slug of link " + strconv.FormatInt(int64(l.ID), 10) +
				", too")
		} else if !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		if o.Until.After(now.Add(vitrine.SlugRest + time.Hour)) {
			fault("the old slug " + string(o.Slug) + " is blocked for longer than it should be")
		}
	}
	return nil
}
