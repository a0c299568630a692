package vitrine

import "time"

// Album is an ordered list of links of one account under one public address. It
// has no state: each request shows the links that are public at that time.
type Album struct {
	ID        AlbumID
	Account   AccountID
	Slug      Slug // "" once a deleted album's slug was released
	Title     string
	CreatedAt time.Time
	DeletedAt time.Time // zero if not deleted
}

// The limits of albums. People read an album as one page, which is built for
// each visitor.
const (
	MaxAlbums     = 100
	MaxAlbumLinks = 500
)

// AlbumTx reads and writes albums within a transaction.
type AlbumTx interface {
	// AddAlbum sets a.ID. Slugs are unique over all albums whose row has one,
	// including deleted albums.
	AddAlbum(a *Album) error
	// AlbumBySlug finds an album, including deleted ones.
	AlbumBySlug(s Slug) (*Album, error)
	PutAlbum(a *Album) error
	// Albums lists the albums of an account (0: all) that are not deleted,
	// newest first (by creation, then ID).
	Albums(a AccountID) ([]*Album, error)
	// PutAlbumLinks replaces the links of an album by the given ones, in this
	// order, without duplicates. The album and the links must exist.
	PutAlbumLinks(a AlbumID, links []LinkID) error
	// AlbumLinks lists the links of an album that are not deleted, in order, at
	// most n (0: all).
	AlbumLinks(a AlbumID, n int) ([]*Link, error)
	// AlbumSizes returns, for each album of an account with such links, the
	// number of links that are not deleted.
	AlbumSizes(a AccountID) (map[AlbumID]int64, error)
}
