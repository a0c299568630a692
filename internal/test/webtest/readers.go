package webtest

import (
	"fmt"
	"net/http"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
)

// Limit sets how many people may read a link; 0 removes the limit.
func (s *Site) Limit(l *vitrine.Link, readers int) {
	s.T.Helper()
	changed, err := s.Server.Links.Edit(s.T.Context(), s.Account, string(l.Slug),
		links.Edit{Access: &access.Change{Readers: &readers}})
	s.Check(err)
	*l = *changed
}

// Left returns how many more people may read a link.
func (s *Site) Left(l *vitrine.Link) int64 {
	s.T.Helper()
	left, err := s.Server.Gates.Left(s.T.Context(), l)
	s.Check(err)
	return left
}

// ReadFor sends the beacon of a page that was read for a time.
func (s *Site) ReadFor(page Reply, ms int, cookie string) {
	s.T.Helper()
	s.Status(s.Do(http.MethodPost, s.BeaconOf(page.Text), fmt.Sprintf(`{"engaged":%d,"present":%[1]d}`, ms),
		"Content-Type: text/plain", cookie), 204)
}
