package sqldb

import "vitrine"

const albumColumns = "account, slug, title, created_at, deleted_at"

func albumValues(a *vitrine.Album) []any {
	return []any{int64(a.Account), string(a.Slug), a.Title, ms(a.CreatedAt), msOrNull(a.DeletedAt)}
}

func readAlbum(row scanner) (*vitrine.Album, error) {
	a := new(vitrine.Album)
	return a, row.Scan(&a.ID, &a.Account, &a.Slug, &a.Title, instant{Time: &a.CreatedAt}, instant{Time: &a.DeletedAt})
}

const selectAlbums = "SELECT id, " + albumColumns + " FROM albums"

func (t storeTx) AddAlbum(a *vitrine.Album) error {
	return t.add(&a.ID, "INSERT INTO albums ("+albumColumns+") VALUES ($1, $2, $3, $4, $5)", albumValues(a)...)
}

func (t storeTx) AlbumBySlug(s vitrine.Slug) (*vitrine.Album, error) {
	return one(t.tx, readAlbum, selectAlbums+" WHERE slug = $1 AND slug <> ''", string(s))
}

func (t storeTx) PutAlbum(a *vitrine.Album) error {
	return t.put("UPDATE albums SET account = $1, slug = $2, title = $3, created_at = $4, deleted_at = $5 WHERE id = $6",
		append(albumValues(a), int64(a.ID))...)
}

func (t storeTx) Albums(a vitrine.AccountID) ([]*vitrine.Album, error) {
	return list(t.tx, readAlbum, selectAlbums+ofAccount(a).end(" ORDER BY created_at DESC, id DESC", 0), ofAccount(a).args...)
}

func (t storeTx) PutAlbumLinks(a vitrine.AlbumID, links []vitrine.LinkID) error {
	if _, err := t.exec("DELETE FROM album_links WHERE album = $1", int64(a)); err != nil {
		return err
	}
	for place, l := range links {
		n, err := t.exec("INSERT INTO album_links (album, place, link) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", int64(a), place, int64(l))
		if err == nil && n == 0 {
			err = vitrine.ErrExists
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t storeTx) AlbumLinks(a vitrine.AlbumID, n int) ([]*vitrine.Link, error) {
	w := selection{}
	w.where("album_links.album = $%d", int64(a))
	w.where("links.deleted_at IS NULL")
	return list(t.tx, readLink, "SELECT links.id, "+linkColumns+" FROM album_links JOIN links ON links.id = album_links.link"+
		w.end(" ORDER BY album_links.place", n), w.args...)
}

func (t storeTx) AlbumSizes(a vitrine.AccountID) (map[vitrine.AlbumID]int64, error) {
	sizes := map[vitrine.AlbumID]int64{}
	return sizes, t.each(func(row scanner) error {
		var id vitrine.AlbumID
		var n int64
		if err := row.Scan(&id, &n); err != nil {
			return t.fail(err)
		}
		if n > 0 {
			sizes[id] = n
		}
		return nil
	}, `SELECT id, (SELECT count(*) FROM album_links JOIN links ON links.id = album_links.link
		WHERE album_links.album = albums.id AND links.deleted_at IS NULL) FROM albums WHERE account = $1 AND deleted_at IS NULL`, int64(a))
}
