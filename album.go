package vitrine

import "time"

// Album is an ordered list of links of one account under one public address. It has no state of its own: what the public sees of it is what
// the public may see of its members, asked each time.
type Album struct {
	ID        AlbumID
	Account   AccountID
	Slug      Slug // "" once a deleted album's slug was released
	Title     string
	CreatedAt time.Time
	DeletedAt time.Time // zero: not deleted
}

// Bounds of albums: a page of them is read by a person, and made for each visitor anew.
const (
	MaxAlbums     = 100
	MaxAlbumLinks = 500
)
