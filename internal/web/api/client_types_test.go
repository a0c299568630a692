package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestClientTypes checks that the types of the Go client, which is a module of
// its own, have every member of the API's answers and no other. Those of
// reports and visits are compared in TestReportsByTheClient.
func TestClientTypes(t *testing.T) {
	o := webtest.NewReportSite(t)
	slug := string(o.Links[report.ContentMedia].Slug)
	c, err := client.New(o.URL, o.Key)
	o.Check(err)
	_, err = c.PutCaptions(t.Context(), slug, "de", []byte("WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\n"))
	o.Check(err)
	_, err = c.AddNote(t.Context(), slug, o.Server.Now().UTC().Format(time.DateOnly), "Sent to the board")
	o.Check(err)
	o.Confirmed(slug, "ann@example.com")
	hook := o.Hooked()
	_, err = c.DeleteLink(t.Context(), string(o.Links[report.ContentScroll].Slug), client.Deletion{})
	o.Check(err)
	for path, into := range map[string]any{
		"/links/" + slug + "/readers": &struct {
			Readers    []client.Reader
			NextCursor *string
		}{},
		"/status":                           new(client.Status),
		"/links?views=true&limit=3":         new(client.Page),
		"/links/" + slug:                    new(client.LinkDetail),
		"/links/" + slug + "/versions":      &struct{ Versions []client.Version }{},
		"/links/" + slug + "/notes":         &struct{ Notes []client.Note }{},
		"/links/" + slug + "/captions":      &struct{ Captions []client.Captions }{},
		"/keys":                             &struct{ Keys []client.ListedKey }{},
		"/key":                              new(client.Key),
		"/events":                           new(client.EventPage),
		"/webhooks":                         &struct{ Webhooks []client.Webhook }{},
		"/webhooks/" + hook:                 new(client.Webhook),
		"/webhooks/" + hook + "/deliveries": new(client.DeliveryPage),
		"/notifications":                    new(client.Notifications),
		"/trash": &struct {
			Links      []client.TrashedLink
			NextCursor *string
		}{},
		"/websites": &struct{ Websites []client.Website }{},
	} {
		body := o.Ask(path).Body
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again, err := json.Marshal(into)
		o.Check(err)
		var got, want any
		o.Check(json.Unmarshal(again, &got))
		o.Check(json.Unmarshal(body, &want))
		webtest.Same(t, path, fmt.Sprint(lean(got)), fmt.Sprint(lean(want)))
	}
}

// lean returns JSON without members that have no value, with names in lower
// case, and with times in one form.
func lean(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, value := range v {
			if value = lean(value); value != nil {
				m[string(bytes.ToLower([]byte(name)))] = value
			}
		}
		return m
	case []any:
		for i := range v {
			v[i] = lean(v[i])
		}
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return at.UnixMilli()
		}
		if v == "" {
			return nil
		}
	}
	return v
}
