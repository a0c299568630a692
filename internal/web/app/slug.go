package app

import (
	"errors"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// slugAnswer reports whether a slug is available. For a taken slug, the answer
// does not depend on who has it.
type slugAnswer struct {
	Free    bool         `json:"free"`
	Slug    string       `json:"slug,omitempty"` // as it would be written
	Code    vitrine.Code `json:"code,omitempty"`
	Message string       `json:"message"`
}

// writeSlugAnswer answers whether a slug is available, while someone types it.
func writeSlugAnswer(w http.ResponseWriter, slug string, err error) error {
	var e *vitrine.Error
	switch {
	case err == nil:
		return httpx.WriteJSON(w, slugAnswer{Free: true, Slug: strings.ToLower(slug), Message: "This address is free."})
	case errors.As(err, &e) && (e.Code == vitrine.CodeInvalidSlug || e.Code == vitrine.CodeSlugTaken):
		return httpx.WriteJSON(w, slugAnswer{Code: e.Code, Message: e.Message})
	}
	return err
}
