package viewer

import (
	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/ui"
)

// Cover shows a link in an album.
type Cover struct {
	Title   string
	Address string // of its page
	Badge   string
	Look    string // of the sheet with the badge
	Facts   []string
	Locked  bool   // the reader needs a pass, so nothing else of the file is shown
	Picture string // address; "" when nothing was made of the file that could be seen, or the public may not see it
}

// Cover returns what the public may see of a link; a link that is not live has
// no picture.
func (s *Viewers) Cover(l *vitrine.Link) Cover {
	t, _ := filetype.ByExt(l.Name)
	c := Cover{Title: ui.Title(l), Address: s.Server.LinkURL(l.Slug), Badge: ui.Badge(l), Look: ui.Look(l),
		Facts: ui.Facts(l, t)}
	if l.Live() && l.Parts.Has(vitrine.PartPicture) {
		c.Picture = s.Picture(l).Address
	}
	return c
}
