package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// accessChange reads the form of what readers need. Errors: CodeInvalidRequest
// for an empty password.
func accessChange(f url.Values) (*access.Change, error) {
	c := &access.Change{}
	switch {
	case f.Get("remove") == "all":
		c.Open = true
	case f.Get("remove") == "password":
		c.Password = new(string)
	case f.Has("password"):
		if c.Password = new(f.Get("password")); *c.Password == "" {
			return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "access.password",
				Message: "Type a password."}
		}
	case f.Get("remove") == "email":
		c.Email = &access.Email{Off: true}
	case f.Has("allow"):
		c.Email = &access.Email{Allow: entries(f.Get("allow")), Deny: entries(f.Get("deny")), Consent: f.Get("consent")}
	}
	if f.Has("readers") {
		n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(f.Get("readers")), "0"))
		if err != nil {
			n = -1 // which is refused
		}
		c.Readers = &n
	}
	return c, nil
}

// maxAccessForm bounds the form of what readers need: lists of 32 KiB, whose
// line ends a form encodes in six bytes.
const maxAccessForm = 128 << 10

// entries returns the entries of a list as people write them.
func entries(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
}

// accessForm is what the form of an email gate shows.
type accessForm struct {
	Asks    bool // readers confirm an address
	MayAsk  bool // the instance sends mail
	Allow   string
	Deny    string
	Consent string
}

// protection has the forms of what readers of a link, of one address, or of an
// album need.
type protection struct {
	Action    string // address
	Known     string // address of the list of confirmed addresses
	Recipient string // ID; "" for the link itself
	ID        string // before the IDs of fields
	Own       bool   // the address has an access of its own
	Has       vitrine.Access
	Gate      accessForm
	Readers   string              // limit of readers as in the form; "" for none
	Used      string              // how many of them there were
	Counts    *vitrine.GateCounts // of the gate; nil if it asks for nothing
	Wrong     httpx.FieldErrors
}

// Needs returns what readers need, in words; "" for nothing.
func (p *protection) Needs() string {
	var all []string
	if p.Has.Password != "" {
		all = append(all, "a password")
	}
	if p.Has.Email.On {
		all = append(all, "a code from their e-mail")
	}
	if p.Has.Readers > 0 {
		all = append(all, "to be among the first readers")
	}
	return strings.Join(all, " and ")
}

// protection returns the forms for a link as readers have it.
func (s *LinkPages) protection(ctx context.Context, l *vitrine.Link) (*protection, error) {
	return protectionOf(ctx, s.Viewers.Gates, l, LinkAddress(l))
}

// protectionOf returns the forms for a link, or the door of an album, whose
// page is here.
func protectionOf(ctx context.Context, gates *access.Gates, l *vitrine.Link, here string) (*protection, error) {
	p := &protection{Action: here + "/access", Known: here + "/readers", ID: "access", Own: l.Through.Own,
		Has:  l.Access,
		Gate: accessFormOf(gates, l)}
	if l.Through.Recipient != 0 {
		p.Recipient, p.ID = report.IDText(int64(l.Through.Recipient)), "recipient"
		if !p.Own { // the forms begin with nothing
			p.Has, p.Gate = vitrine.Access{}, accessForm{MayAsk: p.Gate.MayAsk}
		}
	}
	if p.Recipient == "" && p.Has.Asks() {
		n, err := gates.Counts(ctx, l.ID)
		if err != nil {
			return nil, err
		}
		p.Counts = &n
	}
	if n := p.Has.Readers; n > 0 {
		left, err := gates.Left(ctx, l)
		if err != nil {
			return nil, err
		}
		p.Used, p.Readers = fmt.Sprintf("%d of %d have opened it.", int64(n)-left, n), strconv.Itoa(n)
	}
	return p, nil
}

// typed puts what was typed into a form that failed, and what is wrong.
func (p *protection) typed(f url.Values, wrong httpx.FieldErrors) {
	if wrong == nil || f.Get("recipient") != p.Recipient {
		return
	}
	p.Wrong = wrong
	for name, field := range map[string]*string{"readers": &p.Readers, "allow": &p.Gate.Allow, "deny": &p.Gate.Deny,
		"consent": &p.Gate.Consent} {
		if f.Has(name) {
			*field = f.Get(name)
		}
	}
}

func accessFormOf(gates *access.Gates, l *vitrine.Link) accessForm {
	e := l.Access.Email
	return accessForm{e.On, gates.SendsMail(), e.Allow, e.Deny, e.Consent}
}

// readersPage lists who confirmed an address at the email gate of a link or
// album.
type readersPage struct {
	Page
	Head    *LinkHead // nil for an album
	Here    string    // address of what has the gate
	Access  string    // address of the forms of the gate
	Album   string    // title; "" for a link
	Readers []*vitrine.KnownReader
	Older   string // address of more; "" for none
}

// fill reads the readers that a request asks for.
func (p *readersPage) fill(r *http.Request, gates *access.Gates, l *vitrine.Link) error {
	before, err := httpx.ParseReaderCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return httpx.ErrPage("cursor")
	}
	if p.Readers, err = gates.Readers(r.Context(), l, before, readersOnPage+1); err != nil {
		return err
	}
	if len(p.Readers) > readersOnPage {
		p.Readers = p.Readers[:readersOnPage]
		p.Older = p.Here + "/readers?cursor=" + httpx.FormatReaderCursor(p.Readers[readersOnPage-1].ID)
	}
	return nil
}

// readersOnPage is how many readers a page lists.
const readersOnPage = 100

// ShowReaders serves the list of who confirmed an address.
func (s *LinkPages) ShowReaders(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, err := s.Links.Of(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	p := &readersPage{Page: s.Shell.NewAppPage(r, me, ui.Title(l), "links"), Head: s.Shell.LinkHead(me, l, LinkShare)}
	p.Here, p.Access = p.Head.Here, p.Head.Here+"/share#access"
	if err := p.fill(r, s.Viewers.Gates, l); err != nil {
		return err
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "readers.html", p.Nonce, p)
}

// DeleteReader takes the form that deletes one of them.
func (s *LinkPages) DeleteReader(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxLinkForm); err != nil {
		return err
	}
	l, err := s.Links.Of(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return deleteReader(w, r, s.Viewers.Gates, l, LinkAddress(l))
}

// deleteReader deletes the reader of a form, and leads back to the list.
func deleteReader(w http.ResponseWriter, r *http.Request, gates *access.Gates, l *vitrine.Link, here string) error {
	id, _ := strconv.ParseInt(r.PostForm.Get("reader"), 10, 64)
	if err := gates.DeleteReader(r.Context(), l, id); err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(here+"/readers", "reader-gone"))
}
