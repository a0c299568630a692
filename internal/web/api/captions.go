package api

import (
	"mime"
	"net/http"
	"slices"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
)

// captionList is the body of an answer about a link's captions.
type captionList struct {
	Captions []captionItem `json:"captions"`
}

type captionItem struct {
	Language string `json:"language"`
	Label    string `json:"label"`
	URL      string `json:"url,omitempty"`
}

// captionList returns the captions of a link in the order of its page, with
// addresses if the link is public.
func (s *Handler) captionList(l *vitrine.Link) captionList {
	list := captionList{Captions: []captionItem{}}
	for _, t := range s.Viewers.Tracks(l) {
		item := captionItem{Language: t.Language, Label: t.Label}
		if l.Live() {
			item.URL = t.Address
		}
		list.Captions = append(list.Captions, item)
	}
	return list
}

func (s *Handler) ListCaptions(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, err := s.Captions.Link(r.Context(), c.Account, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, s.captionList(l))
}

// captionTypes are the Content-Types for captions. The text itself shows its
// format.
var captionTypes = []string{"text/vtt", "application/x-subrip"}

func (s *Handler) PutCaptions(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || !slices.Contains(captionTypes, t) {
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Send captions as text/vtt (WebVTT) or application/x-subrip (.srt).")
	}
	l, err := s.Captions.Put(r.Context(), c.Account, r.PathValue("slug"), r.PathValue("language"),
		httpx.WithoutBodyDeadline(r), c.MayChange)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, s.captionList(l))
}

func (s *Handler) DeleteCaptions(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if err := s.Captions.Delete(r.Context(), c.Account, r.PathValue("slug"), r.PathValue("language")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
