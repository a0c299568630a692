package reportpage

import (
	"slices"

	"vitrine"
	"vitrine/internal/geo"
)

// cityFile is what a page says of where cities come from.
type cityFile struct {
	Loaded bool // there is a file
	Owner  bool // of the instance, who can add one
	By     geo.Source
}

// cityFile is that of the instance, for who sees a page; nil: a reader.
func (s *Handler) cityFile(me *vitrine.Account) cityFile {
	by, loaded := s.Cities.Loaded()
	return cityFile{Loaded: loaded, Owner: me != nil && me.Role == vitrine.RoleOwner, By: by}
}

// cities takes the card of cities off a page that would have nothing to say on
// it: of made-up numbers, and of a website without a city file.
func (p *reportPage) cities(sample bool) {
	p.Bars = slices.DeleteFunc(p.Bars, func(b statsBars) bool {
		return b.ID == "cities" && len(b.Rows) == 0 && (sample || p.Website != nil && !p.CityFile.Loaded)
	})
}
