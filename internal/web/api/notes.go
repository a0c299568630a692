package api

import (
	"net/http"
	"strconv"

	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/web/httpx"
)

// ListNotes lists the notes of a link by day.
func (s *Handler) ListNotes(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	notes, err := s.Links.Notes(r.Context(), c.Account, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, map[string][]links.Note{"notes": append([]links.Note{}, notes...)})
}

// AddNote adds a note to a link.
func (s *Handler) AddNote(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	n := links.Note{Text: f.Text("text")}
	day := f.Text("day")
	if f.Err == nil && n.Day.UnmarshalText([]byte(day)) != nil {
		f.Wrong("day", "day must be a date such as 2026-11-03.")
	}
	if f.Err != nil {
		return f.Err
	}
	if n, err = s.Links.AddNote(r.Context(), c.Account, r.PathValue("slug"), n, c.MayChange); err != nil {
		return err
	}
	return httpx.WriteJSON(w, n)
}

// DeleteNote deletes a note of a link.
func (s *Handler) DeleteNote(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if err := s.Links.DeleteNote(r.Context(), c.Account, r.PathValue("slug"), NoteOf(r)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// NoteOf returns the number of the note in the path, or 0, which no note has.
func NoteOf(r *http.Request) int {
	n, err := strconv.Atoi(r.PathValue("note"))
	if err != nil || strconv.Itoa(n) != r.PathValue("note") {
		return 0
	}
	return n
}
