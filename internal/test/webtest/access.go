package webtest

import (
	"net/url"
	"regexp"
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

// AskEmail makes readers of a link confirm an address.
func (s *Site) AskEmail(l *vitrine.Link, e access.Email) {
	s.T.Helper()
	changed, err := s.Server.Links.Edit(s.T.Context(), s.Account, string(l.Slug),
		links.Edit{Access: &access.Change{Email: &e}})
	s.Check(err)
	*l = *changed
}

// Confirmed records that an address was confirmed at a link, and returns the ID
// of the reader.
func (s *Site) Confirmed(slug, email string) (id int64) {
	s.T.Helper()
	l, err := s.Server.Links.BySlug(s.T.Context(), slug)
	s.Check(err)
	return s.ConfirmedAt(l, email)
}

// ConfirmedAt is Confirmed for a link, or the door of an album.
func (s *Site) ConfirmedAt(l *vitrine.Link, email string) (id int64) {
	s.T.Helper()
	s.Check(s.Server.Gates.Store.Update(s.T.Context(), func(tx vitrine.Tx) error {
		err := tx.AddKnownReader(&vitrine.KnownReader{Link: l.ID, Round: "A", Email: email, Consent: "I agree.",
			At: s.Server.Now()})
		if err != nil {
			return err
		}
		list, err := tx.KnownReaders(l.ID, 0, 1)
		if err == nil {
			id = list[0].ID
		}
		return err
	}))
	return id
}

var askedField = regexp.MustCompile(`name="asked" value="([^"]+)"`)

// AskedIn returns what the gate on a page sends with a code; "" if it does not
// ask for one.
func AskedIn(page Reply) string {
	if m := askedField.FindStringSubmatch(page.Text); m != nil {
		return m[1]
	}
	return ""
}

// AskCode sends an address to the gate of a link, and returns what its page
// sends with the code.
func (s *Site) AskCode(l *vitrine.Link, email, from string) string {
	s.T.Helper()
	page := s.Status(s.Post("/p/"+string(l.Slug), url.Values{"email": {email}, "agree": {"yes"}},
		"X-Forwarded-For: "+from), 403)
	asked := AskedIn(page)
	if asked == "" {
		s.T.Fatalf("the gate asks for no code\n%s", page.Text)
	}
	return asked
}

// SendCode sends a code to the gate of a link.
func (s *Site) SendCode(l *vitrine.Link, asked, code, from string) Reply {
	s.T.Helper()
	return s.Post("/p/"+string(l.Slug), url.Values{"asked": {asked}, "code": {code}}, "X-Forwarded-For: "+from)
}
