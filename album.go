package vitrine

import "time"

// Album is an ordered list of links of one account under one public address. It
// has no state of its own: what the public sees of it is what the public may
// see of its members, asked each time.
type Album struct {
	ID        AlbumID
	Account   AccountID
	Slug      Slug // "" once a deleted album's slug was released
	Title     string
	CreatedAt time.Time
	DeletedAt time.Time // zero: not deleted
}

// Bounds of albums: a page of them is read by a person, and made for each
// visitor anew.
const (
	MaxAlbums     = 100
	MaxAlbumLinks = 500
)

// AlbumTx reads and writes albums within a transaction.
type AlbumTx interface {
	// AddAlbum gives a.ID. Slugs are unique over all albums, deleted ones too
	// as long as their row keeps the slug.
	AddAlbum(a *Album) error
	// AlbumBySlug finds an album, deleted or not.
	AlbumBySlug(s Slug) (*Album, error)
	PutAlbum(a *Album) error
	// Albums lists an account's (0: all) albums that are not deleted, newest
	// first (by creation, then ID).
	Albums(a AccountID) ([]*Album, error)
	// PutAlbumLinks makes links, each named once, all that is in an album, in
	// this order. The album and the links must exist.
	PutAlbumLinks(a AlbumID, links []LinkID) error
	// AlbumLinks lists the links in an album that are not deleted, in their
	// order, at most n (0: all).
	AlbumLinks(a AlbumID, n int) ([]*Link, error)
	// AlbumSizes counts the links that are not deleted in each of an account's
	// albums that has any.
	AlbumSizes(a AccountID) (map[AlbumID]int64, error)
}
