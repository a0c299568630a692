package api

import (
	"encoding/json"
	"net/http"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/events"
	"vitrine/internal/web/httpx"
)

// eventItem is an event in the list, a webhook and an export.
type eventItem struct {
	ID   string            `json:"id"`
	Type vitrine.EventKind `json:"type"`
	At   string            `json:"at"`
	Link *eventLink        `json:"link"`
	Data json.RawMessage   `json:"data"`
}

// eventLink is the link or website of an event.
type eventLink struct {
	Slug  vitrine.Slug `json:"slug"`
	Title string       `json:"title"`
	URL   string       `json:"url"`
}

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
	list := make([]eventItem, len(p.Events))
	for i := range p.Events {
		list[i] = s.event(&p.Events[i])
	}
	return httpx.WriteJSON(w, map[string]any{"events": list, "more": p.More,
		"nextCursor": httpx.FormatEventCursor(c.Account.ID, p.Next)})
}

func (s *Handler) event(e *events.Item) eventItem {
	item := eventItem{ID: e.Name(), Type: e.Kind, At: stamp(e.At), Data: e.Data}
	switch {
	case e.Site != nil:
		item.Link = &eventLink{e.Site.Slug, e.Site.Title, s.Server.SiteURL(e.Site.Slug)}
	case e.Of != nil:
		item.Link = &eventLink{e.Of.Slug, e.Of.Title, s.Server.LinkURL(e.Of.Slug)}
	}
	return item
}
