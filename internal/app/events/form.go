package events

import (
	"encoding/json"

	"vitrine"
	"vitrine/report"
)

// Form is an event as the API lists it and a webhook sends it.
type Form struct {
	ID   string            `json:"id"`
	Type vitrine.EventKind `json:"type"`
	At   string            `json:"at"`
	Link *FormLink         `json:"link"`
	// Recipient is through whose address the visit came; nil of the plain
	// address, and if it is gone.
	Recipient *FormRecipient  `json:"recipient,omitempty"`
	Data      json.RawMessage `json:"data"`
}

// FormRecipient is a recipient as the account knows it.
type FormRecipient struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// FormLink is the link or website of an event.
type FormLink struct {
	Slug  vitrine.Slug `json:"slug"`
	Title string       `json:"title"`
	URL   string       `json:"url"`
}

// Addresses returns the public addresses of links and websites.
type Addresses struct {
	Link, Site func(vitrine.Slug) string
}

// timeFormat is RFC 3339 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Form returns the event in its public form.
func (i Item) Form(at Addresses) Form {
	f := Form{ID: i.Name(), Type: i.Kind, At: i.At.UTC().Format(timeFormat), Data: i.Data}
	switch {
	case i.Site != nil:
		f.Link = &FormLink{i.Site.Slug, i.Site.Title, at.Site(i.Site.Slug)}
	case i.Of != nil:
		f.Link = &FormLink{i.Of.Slug, i.Of.Title, at.Link(i.Of.Slug)}
	}
	if to := i.Recipient; to != nil {
		f.Recipient = &FormRecipient{report.IDText(int64(to.ID)), to.Label}
	}
	return f
}
