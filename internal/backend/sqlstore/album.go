package sqlstore

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const albumColumns = "account, slug, title, created_at, deleted_at"

func albumValues(a *vitrine.Album) []any {
	return []any{int64(a.Account), string(a.Slug), a.Title, sqldb.Ms(a.CreatedAt), sqldb.MsOrNull(a.DeletedAt)}
}

func readAlbum(row sqldb.Scanner) (*vitrine.Album, error) {
	a := new(vitrine.Album)
	return a, row.Scan(&a.ID, &a.Account, &a.Slug, &a.Title, sqldb.Instant{Time: &a.CreatedAt},
		sqldb.Instant{Time: &a.DeletedAt})
}

const selectAlbums = "SELECT id, " + albumColumns + " FROM albums"

func (t Tx) AddAlbum(a *vitrine.Album) error {
	return t.add(&a.ID, "INSERT INTO albums ("+albumColumns+") VALUES ($1, $2, $3, $4, $5)", albumValues(a)...)
}

func (t Tx) AlbumBySlug(s vitrine.Slug) (*vitrine.Album, error) {
	return sqldb.One(t.Tx, readAlbum, selectAlbums+" WHERE slug = $1 AND slug <> ''", string(s))
}

func (t Tx) PutAlbum(a *vitrine.Album) error {
	return t.Put("UPDATE albums SET account = $1, slug = $2, title = $3, created_at = $4, deleted_at = $5 WHERE id = $6",
		append(albumValues(a), int64(a.ID))...)
}

func (t Tx) Albums(a vitrine.AccountID) ([]*vitrine.Album, error) {
	return sqldb.List(t.Tx, readAlbum, selectAlbums+ofAccount(a).End(" ORDER BY created_at DESC, id DESC", 0),
		ofAccount(a).Args...)
}

func (t Tx) PutAlbumLinks(a vitrine.AlbumID, links []vitrine.LinkID) error {
	if _, err := t.Exec("DELETE FROM album_links WHERE album = $1", int64(a)); err != nil {
		return err
	}
	for place, l := range links {
		n, err := t.Exec("INSERT INTO album_links (album, place, link) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
			int64(a), place, int64(l))
		if err == nil && n == 0 {
			err = vitrine.ErrExists
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t Tx) AlbumLinks(a vitrine.AlbumID, n int) ([]*vitrine.Link, error) {
	w := sqldb.Selection{}
	w.Where("album_links.album = $%d", int64(a))
	w.Where("links.deleted_at IS NULL")
	return sqldb.List(t.Tx, readLink, "SELECT links.id, "+linkColumns+
		" FROM album_links JOIN links ON links.id = album_links.link"+
		w.End(" ORDER BY album_links.place", n), w.Args...)
}

func (t Tx) AlbumSizes(a vitrine.AccountID) (map[vitrine.AlbumID]int64, error) {
	sizes := map[vitrine.AlbumID]int64{}
	return sizes, t.Each(func(row sqldb.Scanner) error {
		var id vitrine.AlbumID
		var n int64
		if err := row.Scan(&id, &n); err != nil {
			return t.Failed(err)
		}
		if n > 0 {
			sizes[id] = n
		}
		return nil
	}, `SELECT id, (SELECT count(*) FROM album_links JOIN links ON links.id = album_links.link
		WHERE album_links.album = albums.id AND links.deleted_at IS NULL) FROM albums WHERE account = $1 AND deleted_at IS NULL`, int64(a))
}
