package api

import (
	"net/http"
	"slices"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/web/httpx"
)

// TrashedLink is a deleted link that can be restored.
type TrashedLink struct {
	LinkItem         // with the status that it has again when it is restored
	DeletedAt string `json:"deleted_at"`
	PurgeAt   string `json:"purge_at"` // at the latest
}

// TrashList is a page of the trash, the last deleted first.
type TrashList struct {
	Links      []TrashedLink `json:"links"`
	NextCursor *string       `json:"nextCursor"`
}

func (s *Handler) trashed(l *vitrine.Link) TrashedLink {
	return TrashedLink{s.item(l), l.DeletedAt.UTC().Format(httpx.TimeFormat),
		l.TrashUntil.UTC().Format(httpx.TimeFormat)}
}

// DeleteLink moves a link to the trash and answers with it there. It answers
// without a body if the link is deleted for good: on request, or because its
// file is withheld.
func (s *Handler) DeleteLink(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	q, err := httpx.Query(r)
	if err != nil {
		return err
	}
	if p := q["permanent"]; len(p) > 1 || !slices.Contains([]string{"", "true", "false"}, q.Get("permanent")) {
		return invalid("permanent", "permanent is true or false.")
	}
	slug, how := r.PathValue("slug"), links.Deletion{Match: match(r), Permanent: q.Get("permanent") == "true"}
	l, err := s.Links.DeleteOwn(r.Context(), c.Account, slug, how)
	switch {
	case how.Permanent && vitrine.CodeOf(err) == vitrine.CodeNotFound && how.Match == nil:
		if s.Links.DeleteTrashed(r.Context(), c.Account, slug) != nil {
			return err
		}
	case err != nil:
		return s.outdated(w, l, err)
	case l.InTrash():
		return httpx.WriteJSON(w, s.trashed(l))
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Handler) ListTrash(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	q, err := httpx.Query(r)
	if err != nil {
		return err
	}
	for _, name := range []string{"limit", "cursor"} {
		if len(q[name]) > 1 {
			return invalid(name, "Send only one "+name+".")
		}
	}
	cursor, err := httpx.ParseTrashCursor(q.Get("cursor"))
	if err != nil {
		return err
	}
	found, next, err := s.Links.Trash(r.Context(), c.Account, cursor, listLimit(q.Get("limit")))
	if err != nil {
		return err
	}
	list := &TrashList{Links: make([]TrashedLink, len(found))}
	for i, l := range found {
		list.Links[i] = s.trashed(l)
	}
	if next != nil {
		cursor := httpx.FormatTrashCursor(*next)
		list.NextCursor = &cursor
	}
	return httpx.WriteJSON(w, list)
}

func (s *Handler) RestoreLink(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, err := s.Links.Revive(r.Context(), c.Account, r.PathValue("slug"), c.MayChange)
	if err != nil {
		return err
	}
	return s.writeLink(w, r, l)
}
