package app

import (
	"errors"
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// maxCaptionForm bounds a form with captions, in bytes: the text and the rest
// of the form.
const maxCaptionForm = vitrine.MaxCaptions + 16<<10

// AddCaptions adds captions in a language from the form of a link's page.
func (s *LinkPages) AddCaptions(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxCaptionForm)
	wrong := r.ParseMultipartForm(maxCaptionForm) // in memory, all of it
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	if wrong != nil {
		return s.wrongLinkForm(w, r, me, o, LinkSettings,
			&vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "captions",
				Message: "The file could not be read: it is incomplete, or larger than 1 MB."})
	}
	file, _, err := r.FormFile("file")
	if err != nil {
		return s.wrongLinkForm(w, r, me, o, LinkSettings,
			&vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "captions",
				Message: "Choose a file with captions, .vtt or .srt."})
	}
	defer file.Close()
	l, err := s.Captions.Put(r.Context(), me, string(o.Slug), r.PostFormValue("language"), file, nil)
	var e *vitrine.Error
	if errors.As(err, &e) && e.Field == "" && e.Code == vitrine.CodeInvalidRequest {
		err = &vitrine.Error{Code: e.Code, Field: "captions", Message: e.Message}
	}
	if err != nil {
		return s.wrongLinkForm(w, r, me, o, LinkSettings, err)
	}
	return httpx.Redirect(w, r, Said(LinkAddress(l)+string(LinkSettings), "captioned"))
}

func (s *LinkPages) RemoveCaptions(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxLinkForm); err != nil {
		return err
	}
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	if err := s.Captions.Delete(r.Context(), me, string(o.Slug), r.PostForm.Get("language")); err != nil {
		return s.wrongLinkForm(w, r, me, o, LinkSettings, err)
	}
	return httpx.Redirect(w, r, Said(LinkAddress(o.Link)+string(LinkSettings), "captions-gone"))
}
