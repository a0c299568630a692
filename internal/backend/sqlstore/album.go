package sqlstore

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var albums = newTable("albums", func(a *vitrine.Album) []field {
	return []field{{"id", &a.ID}, {"account", &a.Account}, {"slug", &a.Slug}, {"title", &a.Title}, {"text", &a.Text},
		{"access", accessText{&a.Access}},
		{"created_at", at(&a.CreatedAt)}, {"deleted_at", orNone(&a.DeletedAt)}}
})

func (t Tx) AddAlbum(a *vitrine.Album) error { return albums.add(t, a) }
func (t Tx) PutAlbum(a *vitrine.Album) error { return albums.put(t, a) }

func (t Tx) AlbumBySlug(s vitrine.Slug) (*vitrine.Album, error) {
	return albums.one(t, "slug = $1 AND slug <> ''", string(s))
}

func (t Tx) Albums(a vitrine.AccountID) ([]*vitrine.Album, error) {
	return albums.list(t, ofAccount(a).End(" ORDER BY created_at DESC, id DESC", 0), ofAccount(a).Args...)
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
	return sqldb.List(t.Tx, links.read, "SELECT "+links.columns+
		" FROM album_links JOIN links ON links.id = album_links.link"+
		w.End(" ORDER BY album_links.place", n), w.Args...)
}

func (t Tx) AlbumsWith(l vitrine.LinkID) ([]*vitrine.Album, error) {
	return albums.list(t, ` WHERE deleted_at IS NULL AND id IN
		(SELECT album FROM album_links WHERE link = $1) ORDER BY id`, int64(l))
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
