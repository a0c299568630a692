package api

import (
	"net/http"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/events"
	"vitrine/internal/web/httpx"
)

// Events lists events of the account, oldest first.
func (s *Handler) Events(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	values, err := httpx.Query(r)
	if err != nil {
		return err
	}
	for _, name := range []string{"cursor", "link", "limit"} {
		if len(values[name]) > 1 {
			return invalid(name, "Send only one "+name+".")
		}
	}
	q := events.Query{Link: values.Get("link"), Limit: listLimit(values.Get("limit"))}
	for _, kind := range values["type"] {
		q.Kinds = append(q.Kinds, vitrine.EventKind(kind))
	}
	if text := values.Get("cursor"); text != "" {
		var is bool
		if q.After, is = httpx.ParseEventCursor(text, c.Account.ID); !is {
			return events.ErrCursor
		}
	}
	p, err := s.EventLog.List(r.Context(), c.Account, q)
	if err != nil {
		return err
	}
	list, at := make([]events.Form, len(p.Events)), events.Addresses{Link: s.Server.LinkURL, Site: s.Server.SiteURL}
	for i := range p.Events {
		list[i] = p.Events[i].Form(at)
	}
	return httpx.WriteJSON(w, map[string]any{"events": list, "more": p.More,
		"nextCursor": httpx.FormatEventCursor(c.Account.ID, p.Next)})
}
