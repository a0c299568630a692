package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
)

// readAccess reads the field access of a link, or nil if it is missing.
func readAccess(f *httpx.Fields) *access.Change {
	within := f.Within("access")
	if within == nil {
		return nil
	}
	c := &access.Change{Password: within.TextOrFalse("access.password"),
		Readers: within.CountOrFalse("access.readers", access.MaxReaders), Email: readEmail(within)}
	if err := within.Only("access.password", "access.email", "access.readers"); err != nil && f.Err == nil {
		f.Err = err
	}
	return c
}

// ownAccess reads the field access of a recipient, which may be false, or nil
// if it is missing.
func ownAccess(f *httpx.Fields) *access.Change {
	if v := f.Object["access"]; v.Kind() == 'f' {
		return &access.Change{Open: true}
	}
	return readAccess(f)
}

// readEmail reads the field access.email, or nil if it is missing.
func readEmail(f *httpx.Fields) *access.Email {
	const name = "access.email"
	switch v := f.Object[name]; {
	case v == nil:
		return nil
	case v.Kind() == 'f':
		return &access.Email{Off: true}
	case v.Kind() != '{':
		f.Wrong(name, "The field \""+name+"\" must be an object, which may be empty, or false, which removes it.")
		return nil
	}
	within := f.Within(name)
	if within == nil {
		return nil
	}
	e := &access.Email{Allow: within.Texts(name + ".allow"), Deny: within.Texts(name + ".deny")}
	if text := within.OptionalText(name + ".consent"); text != nil {
		e.Consent = *text
	}
	if err := within.Only(name+".allow", name+".deny", name+".consent"); err != nil && f.Err == nil {
		f.Err = err
	}
	return e
}

// Access is what readers of a link need, without its secrets.
type Access struct {
	Password    bool   `json:"password,omitempty"`
	Email       *Email `json:"email,omitempty"`
	Readers     int    `json:"readers,omitempty"`
	ReadersLeft *int64 `json:"readersLeft,omitempty"`
	Gate        *gate  `json:"gate,omitempty"` // of the link, for all of its addresses
}

// gate is how often the gate of a link was shown, and passed.
type gate struct {
	Shown  int64 `json:"shown"`
	Passed int64 `json:"passed"`
}

// Email is whom the email gate of a link admits.
type Email struct {
	Allow   []string `json:"allow"`
	Deny    []string `json:"deny"`
	Consent string   `json:"consent,omitempty"`
}

// accessOf returns the access of a link for its owner; nil if readers need
// nothing.
func accessOf(l *vitrine.Link) *Access {
	if l.Access == (vitrine.Access{}) {
		return nil
	}
	a := &Access{Password: l.Access.Password != "", Readers: l.Access.Readers}
	if e := l.Access.Email; e.On {
		a.Email = &Email{Allow: strings.Fields(e.Allow), Deny: strings.Fields(e.Deny), Consent: e.Consent}
	}
	return a
}

// detail returns a link with all that its owner sees.
func (s *Handler) detail(r *http.Request, l *vitrine.Link) (LinkDetail, error) {
	d := s.Detail(l)
	if l.Access.Asks() {
		n, err := s.Viewers.Gates.Counts(r.Context(), l.ID)
		if err != nil {
			return d, err
		}
		d.Access.Gate = &gate{n.Shown, n.Passed}
	}
	return d, s.addLeft(r.Context(), l, d.Access)
}

// addLeft adds to the access of a link that limits its readers how many more
// may open it.
func (s *Handler) addLeft(ctx context.Context, l *vitrine.Link, a *Access) error {
	if l.Access.Readers == 0 {
		return nil
	}
	left, err := s.Viewers.Gates.Left(ctx, l)
	a.ReadersLeft = &left
	return err
}

// knownReader is who confirmed an address at the email gate of a link.
type knownReader struct {
	ID      int64  `json:"id"`
	Email   string `json:"email"`
	At      string `json:"at"`
	Consent string `json:"consent,omitempty"`
}

// ListReaders lists who confirmed an address at the email gate of a link.
func (s *Handler) ListReaders(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	values, err := pageQuery(r)
	if err != nil {
		return err
	}
	before, err := httpx.ParseReaderCursor(values.Get("cursor"))
	if err != nil {
		return err
	}
	l, err := s.Links.Of(r.Context(), c.Account, r.PathValue("slug"))
	if err != nil {
		return err
	}
	n := listLimit(values.Get("limit"))
	list, err := s.Viewers.Gates.Readers(r.Context(), l, before, n+1)
	if err != nil {
		return err
	}
	body := struct {
		Readers    []knownReader `json:"readers"`
		NextCursor *string       `json:"nextCursor"`
	}{Readers: []knownReader{}}
	for i, k := range list {
		if i == n {
			body.NextCursor = new(httpx.FormatReaderCursor(list[n-1].ID))
			break
		}
		body.Readers = append(body.Readers, knownReader{k.ID, k.Email, k.At.UTC().Format(httpx.TimeFormat), k.Consent})
	}
	return httpx.WriteJSON(w, body)
}

// DeleteReader deletes one of them.
func (s *Handler) DeleteReader(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, err := s.Links.Of(r.Context(), c.Account, r.PathValue("slug"))
	if err != nil {
		return err
	}
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64) // no reader has the ID 0
	if err := s.Viewers.Gates.DeleteReader(r.Context(), l, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
