package api

import (
	"net/http"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/web/httpx"
)

// readAccess reads the field access of a link, or nil if it is missing.
func readAccess(f *httpx.Fields) *access.Change {
	within := f.Within("access")
	if within == nil {
		return nil
	}
	c := &access.Change{Password: within.TextOrFalse("access.password"),
		Readers: within.CountOrFalse("access.readers", access.MaxReaders)}
	if err := within.Only("access.password", "access.readers"); err != nil && f.Err == nil {
		f.Err = err
	}
	return c
}

// Access is what readers of a link need, without its secrets.
type Access struct {
	Password    bool   `json:"password,omitempty"`
	Readers     int    `json:"readers,omitempty"`
	ReadersLeft *int64 `json:"readersLeft,omitempty"`
}

// accessOf returns the access of a link for its owner; nil if readers need
// nothing.
func accessOf(l *vitrine.Link) *Access {
	if l.Access == (vitrine.Access{}) {
		return nil
	}
	return &Access{Password: l.Access.Password != "", Readers: l.Access.Readers}
}

// detail returns a link with all that its owner sees.
func (s *Handler) detail(r *http.Request, l *vitrine.Link) (LinkDetail, error) {
	d := s.Detail(l)
	if l.Access.Readers == 0 {
		return d, nil
	}
	left, err := s.Viewers.Gates.Left(r.Context(), l)
	d.Access.ReadersLeft = &left
	return d, err
}
