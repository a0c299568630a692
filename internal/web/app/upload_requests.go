package app

import (
	"errors"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/web/api"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// memberLink is a link for the app's scripts: the API's link, with texts for
// its owner and addresses.
type memberLink struct {
	api.Link
	State         vitrine.LinkState `json:"state"`
	Status        string            `json:"status"`            // the state in words
	Why           string            `json:"why,omitempty"`     // why it is held, in words
	Meaning       string            `json:"meaning,omitempty"` // and in a sentence
	AllowDownload bool              `json:"allowDownload"`
	Badge         string            `json:"badge"`
	Look          string            `json:"look"`
	Small         string            `json:"small,omitempty"` // address of a small picture
	Drawing       bool              `json:"drawing"`         // it may still get one
	Website       bool              `json:"website"`         // its file can become a website
	WebsiteSlug   string            `json:"websiteSlug"`     // a free one for that; ""
	Manage        string            `json:"manage"`          // address of its page on the site
	Analytics     string            `json:"analytics"`       // address
}

func (s *UploadPages) memberLink(r *http.Request, me *vitrine.Account, l *vitrine.Link) memberLink {
	m := memberLink{Link: s.API.Link(l), State: l.State, Status: ui.StateName(l.State), AllowDownload: l.AllowDownload,
		Badge: ui.Badge(l), Look: ui.Look(l), Small: s.Shell.small(l),
		Manage:    LinkAddress(l),
		Analytics: LinkAddress(l) + "/analytics"}
	m.Drawing = m.Small == "" && s.Viewers.Awaits(l, vitrine.PartThumbs, vitrine.PartPicture)
	if m.Website = s.Uploads.IsWebsite(r.Context(), l); m.Website {
		m.WebsiteSlug = s.Sites.Suggest(r.Context(), me, ui.Title(l))
	}
	if l.Reason != "" {
		m.Why, m.Meaning = ui.ReasonName(l.Reason), access.OwnerMeaning(l.Reason)
	}
	return m
}

func (s *UploadPages) Begin(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	b, err := s.API.BeginUpload(w, r, &auth.Caller{Account: me})
	if err != nil {
		return err
	}
	if b.Existing == nil {
		return s.API.WriteBegun(w, b)
	}
	m := s.memberLink(r, me, b.Existing)
	if m.Link, err = s.API.Made(w, r, b.Existing, b.Path); err != nil {
		return err
	}
	return httpx.WriteJSON(w, map[string]memberLink{"existing": m})
}

func (s *UploadPages) Complete(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	l, replaced, err := s.API.EndUpload(w, r, &auth.Caller{Account: me})
	if err != nil {
		return err
	}
	m := s.memberLink(r, me, l)
	if m.Link, err = s.API.Made(w, r, l, replaced); err != nil {
		return err
	}
	return httpx.WriteJSON(w, m)
}

// Cancel ends an upload that a page gives up.
func (s *UploadPages) Cancel(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.API.GiveUpUpload(w, r, me)
}

// State returns the state of a link. Pages poll it while a link is scanned.
func (s *UploadPages) State(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, s.memberLink(r, me, o.Link))
}

// CheckSlug answers whether a slug is available, while someone types it.
func (s *UploadPages) CheckSlug(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	q := r.URL.Query()
	slug := q.Get("slug")
	err := s.Links.SlugFree(r.Context(), me, q.Get("for"), slug)
	var e *vitrine.Error
	switch {
	case err == nil:
		slug = strings.ToLower(slug)
		return httpx.WriteJSON(w, slugAnswer{Free: true, Slug: slug, Message: "This address is free."})
	case errors.As(err, &e) && (e.Code == vitrine.CodeInvalidSlug || e.Code == vitrine.CodeSlugTaken):
		return httpx.WriteJSON(w, slugAnswer{Code: e.Code, Message: e.Message})
	}
	return err
}

// Edit changes the fields of a link that were sent, completely or not at all.
func (s *UploadPages) Edit(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	title, slug, download := f.OptionalText("title"), f.OptionalText("slug"), f.OptionalBool("allowDownload")
	if f.Err != nil {
		return f.Err
	}
	ctx := r.Context()
	own, err := s.Links.Own(ctx, me, r.PathValue("slug")) // by any of its slugs
	if err != nil {
		return err
	}
	l, err := s.Links.Edit(ctx, me, string(own.Slug), links.Edit{Title: title, Slug: slug, Download: download})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, s.memberLink(r, me, l))
}
