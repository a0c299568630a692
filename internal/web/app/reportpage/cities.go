package reportpage

import (
	"slices"

	"vitrine"
	"vitrine/internal/visitor/geo"
)

// cityFile describes the source of cities on a page.
type cityFile struct {
	Loaded bool // there is a file
	Owner  bool // of the instance, who can add one
	By     geo.Source
}

// cityFile returns the source of cities if the reader is signed in; a nil
// account is a reader of a shared report.
func (s *Handler) cityFile(me *vitrine.Account) cityFile {
	by, loaded := s.Server.Cities.Loaded()
	return cityFile{Loaded: loaded, Owner: me != nil && me.Role == vitrine.RoleOwner, By: by}
}

// cities removes the card of cities if it would be empty: in a sample, and for
// a website without a city file.
func (p *reportPage) cities(sample bool) {
	p.Bars = slices.DeleteFunc(p.Bars, func(b statsBars) bool {
		return b.ID == "cities" && len(b.Rows) == 0 && (sample || p.Website != nil && !p.CityFile.Loaded)
	})
}
