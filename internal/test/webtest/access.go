package webtest

import (
	"net/url"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/app/recipients"
)

// Protect sets the password of a link; "" removes it.
func (s *Site) Protect(l *vitrine.Link, password string) {
	s.T.Helper()
	changed, err := s.Server.Links.Edit(s.T.Context(), s.Account, string(l.Slug),
		links.Edit{Access: &access.Change{Password: &password}})
	s.Check(err)
	*l = *changed
}

// Enter sends a password to the gate of a link, from an address.
func (s *Site) Enter(l *vitrine.Link, password, from string, headers ...string) Reply {
	s.T.Helper()
	return s.Post("/p/"+string(l.Slug), url.Values{"password": {password}}, append(headers,
		"X-Forwarded-For: "+from)...)
}

// Recipients adds recipients with labels to a link.
func (s *Site) Recipients(l *vitrine.Link, labels ...string) []*vitrine.Recipient {
	s.T.Helper()
	var add recipients.Addition
	for _, label := range labels {
		add.Recipients = append(add.Recipients, recipients.Request{Label: label})
	}
	_, list, err := s.Server.Recipients.Add(s.T.Context(), &vitrine.Account{ID: l.Account}, string(l.Slug), add)
	s.Check(err)
	return list
}

// PassOf returns the header with the cookies that an answer sets.
func PassOf(r Reply) string {
	var all []string
	for _, c := range r.Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return "Cookie: " + strings.Join(all, "; ")
}
