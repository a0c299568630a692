package web

import (
	"errors"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/links"
)

// Where files of the website are sent.
const (
	dashboardRoot = "/dashboard"
	uploadsRoot   = dashboardRoot + "/uploads"
)

// memberLink is a link as the site's scripts know it: as the API's, with what
// its owner reads and where it leads.
type memberLink struct {
	link
	State         vitrine.LinkState `json:"state"`
	Status        string            `json:"status"`            // the state in words
	Why           string            `json:"why,omitempty"`     // why it is held, in words
	Meaning       string            `json:"meaning,omitempty"` // and in a sentence
	AllowDownload bool              `json:"allowDownload"`
	Manage        string            `json:"manage"`    // address of its page on the site
	Analytics     string            `json:"analytics"` // address
}

func (s *uploadH) memberLink(l *vitrine.Link) memberLink {
	m := memberLink{link: s.API.link(l), State: l.State, Status: stateName(l.State), AllowDownload: l.AllowDownload, Manage: linkAddress(l),
		Analytics: linkAddress(l) + "/analytics"}
	if l.Reason != "" {
		m.Why, m.Meaning = reasonName(l.Reason), vitrine.OwnerMeaning(l.Reason)
	}
	return m
}

func (s *uploadH) beginFromPage(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	b, err := s.API.beginUpload(w, r, me)
	if err != nil {
		return err
	}
	if b.Existing != nil {
		return writeJSON(w, map[string]memberLink{"existing": s.memberLink(b.Existing)})
	}
	return writeBegun(w, b)
}

func (s *uploadH) completeFromPage(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, err := s.API.endUpload(w, r, me)
	if err != nil {
		return err
	}
	return writeJSON(w, s.memberLink(l))
}

// linkState is asked for as long as a link is being scanned.
func (s *uploadH) linkState(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return writeJSON(w, s.memberLink(o.Link))
}

// slugAnswer reports whether a slug can be had. About one that is taken it says
// the same anyone who has it.
type slugAnswer struct {
	Free    bool         `json:"free"`
	Slug    string       `json:"slug,omitempty"` // as it would be written
	Code    vitrine.Code `json:"code,omitempty"`
	Message string       `json:"message"`
}

// checkSlug answers while someone types.
func (s *uploadH) checkSlug(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	q := r.URL.Query()
	slug := q.Get("slug")
	err := s.Links.SlugFree(r.Context(), me, q.Get("for"), slug)
	var e *vitrine.Error
	switch {
	case err == nil:
		slug = strings.ToLower(slug)
		return writeJSON(w, slugAnswer{Free: true, Slug: slug, Message: "This address is free."})
	case errors.As(err, &e) && (e.Code == vitrine.CodeInvalidSlug || e.Code == vitrine.CodeSlugTaken):
		return writeJSON(w, slugAnswer{Code: e.Code, Message: inSiteWords(e.Message)})
	}
	return err
}

// editLink changes what was sent of a link, all of it or nothing, and leaves
// the rest.
func (s *uploadH) editLink(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := readObject(w, r)
	if err != nil {
		return err
	}
	f := fields{object: o}
	title, slug, download := f.optionalText("title"), f.optionalText("slug"), f.optionalBool("allowDownload")
	if f.err != nil {
		return f.err
	}
	ctx := r.Context()
	own, err := s.Links.Own(ctx, me, r.PathValue("slug")) // by a slug that it had before, too
	if err != nil {
		return err
	}
	l, err := s.Links.Edit(ctx, me, string(own.Slug), links.Edit{Title: title, Slug: slug, Download: download})
	if err != nil {
		return err
	}
	return writeJSON(w, s.memberLink(l))
}
