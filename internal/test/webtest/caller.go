package webtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/links"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/web/api"
	"vitrine/report"
)

const Morning = "WEBVTT\n\n00:00.000 --> 00:04.000\nGood morning.\n"

// Send sends a body of a type to the API.
func (f *Fixture) Send(key, method, path, contentType, body string) Answer {
	f.T.Helper()
	req, err := http.NewRequest(method, f.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		f.T.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Header.Set("Content-Type", contentType)
	return f.Do(req)
}

// Sound publishes an audio file and returns the path of its captions.
func (f *Fixture) Sound(key string) (path string) {
	f.T.Helper()
	song := string(MustRead("testdata/song.mp3"))
	return "/links/" + f.Published(key, Fields{"name": "song.mp3", "type": "audio/mpeg", "size": len(song)}, song) +
		"/captions"
}

// Caption adds captions to a link.
func (s *Site) Caption(l *vitrine.Link, language, text string) {
	s.T.Helper()
	_, err := s.Server.Captions.Put(s.T.Context(), s.Account, string(l.Slug), language, strings.NewReader(text), nil)
	s.Check(err)
}

// Limited gives a site limits of views that a test can reach.
func (s *Site) Limited(views, labels uint16) {
	s.TrustProxy()
	l := ingest.NewLimits(s.Server.Links.Store)
	l.LinkViews, l.Labels = views, labels
	s.Server.Views.Limits = l
}

// ReportOf returns the report of a link or, without one, of its account, after
// excess views are counted.
func (s *Site) ReportOf(l *vitrine.Link) (r *report.Summary) {
	s.T.Helper()
	s.Check(s.Server.Views.Limits.Write(s.T.Context()))
	q := analytics.Query{Rows: 1000, UTM: true, Excluded: true}
	if l == nil {
		a, err := s.Server.Analytics.Account(s.T.Context(), s.Account, q)
		s.Check(err)
		return &a.Summary
	}
	a, err := s.Server.Analytics.Link(s.T.Context(), s.Account, string(l.Slug), q)
	s.Check(err)
	return &a.Summary
}

// History returns lines of views of a link, one on each of some days, with the
// same members.
func (s *Site) History(slug string, first, n int, members string) string {
	var b strings.Builder
	for i := range n {
		at := s.Server.Now().Add(-time.Duration(first+i) * 24 * time.Hour).UTC().Format(time.RFC3339)
		fmt.Fprintf(&b, `{"slug":%q,"at":%q,"viewer":"v%d",%s}`+"\n", slug, at, first+i, members)
	}
	return b.String()
}

// Limited returns a publish key of an account whose links live for an hour.
func (f *Fixture) Limited(owner string) string {
	f.T.Helper()
	k, err := f.Server.Keys.CreateFor(f.T.Context(), f.Emails[owner], auth.KeyRequest{Name: "agent",
		Scope: vitrine.ScopePublish, LinkLife: time.Hour})
	f.Check(err)
	f.Emails[string(k.Text)] = f.Emails[owner]
	return string(k.Text)
}

// RefusesLimited checks that an attempt changes nothing of a link and leaves no
// link that lives longer than an hour.
func (f *Fixture) RefusesLimited(owner, slug string, attempt func()) {
	f.T.Helper()
	state := func() string {
		return string(f.Call(owner, "GET", "/links/"+slug, nil).Body) +
			string(f.Call(owner, "GET", "/links/"+slug+"/captions", nil).Body) +
			string(f.Call(owner, "GET", "/links/"+slug+"/versions", nil).Body)
	}
	before := state()
	attempt()
	if now := state(); now != before {
		f.T.Errorf("the link has changed from %s to %s", before, now)
	}
	var list struct {
		Links []struct{ Slug, ExpiresAt string }
	}
	f.Check(json.Unmarshal(f.Call(owner, "GET", "/links", nil).Body, &list))
	for _, l := range list.Links {
		if l.Slug != slug && (l.ExpiresAt == "" || l.ExpiresAt > "2026-05-04T13:00:00.000Z") {
			f.T.Errorf("the link %s expires at %q", l.Slug, l.ExpiresAt)
		}
	}
}

// Described adds to a link what not every link has: a page count.
func (f *Fixture) Described(path string) {
	f.T.Helper()
	f.Check(f.Server.Links.Store.Update(f.T.Context(), func(tx vitrine.Tx) error {
		l, err := links.LinkBySlug(tx, strings.TrimPrefix(path, "/links/"))
		if err == nil {
			l.Pages = 12
			err = tx.PutLink(l)
		}
		return err
	}))
}

const JSONBody = "Content-Type: application/json"

// Ask sends JSON like the site's own scripts.
func (s *Site) Ask(path, body string, headers ...string) Reply {
	s.T.Helper()
	return s.Do(http.MethodPost, path, body, append([]string{JSONBody, "Origin: " + s.URL,
		"Sec-Fetch-Site: same-origin"}, headers...)...)
}

// operation is a GET operation of the API, as its document describes it.
type operation struct {
	Path       string // of a link that exists
	Parameters []string
}

// Operations lists the GET operations of the OpenAPI document with a key.
func (o *ReportSite) Operations() (all map[string]operation) {
	o.T.Helper()
	type parameter struct {
		Ref      string `json:"$ref"`
		Name, In string
	}
	var d struct {
		Paths map[string]map[string]struct {
			Parameters []parameter
			Security   []any
		}
		Components struct{ Parameters map[string]parameter }
	}
	o.Check(json.Unmarshal(api.OpenAPI, &d))
	slug := string(o.Links[report.ContentPages].Slug)
	visit := o.Ask("/links/" + slug + "/visits?limit=1").JSON()["visits"].([]any)[0].(map[string]any)["id"].(string)
	hook := o.Hooked()
	all = map[string]operation{}
	for path, methods := range d.Paths {
		get, ok := methods["get"]
		if !ok {
			continue
		}
		op := operation{Path: strings.NewReplacer("{slug}", slug, "{visit}", visit, "{id}", hook).Replace(path)}
		for _, p := range get.Parameters {
			if p.Ref != "" {
				p = d.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
			}
			if p.In == "query" {
				op.Parameters = append(op.Parameters, p.Name)
			}
		}
		all[path] = op
	}
	if len(all) < 12 {
		o.T.Fatalf("operations = %v", all)
	}
	return all
}

// Hooked returns the ID of a webhook with three deliveries.
func (o *ReportSite) Hooked() string {
	o.T.Helper()
	ctx, hooks := o.T.Context(), o.Server.Webhooks
	w, err := hooks.Create(ctx, o.Account, webhooks.Request{URL: new("https://hook.example/a")})
	o.Check(err)
	o.Check(hooks.Store.Update(ctx, func(tx vitrine.Tx) error {
		for range 3 {
			if err := tx.AddDelivery(&vitrine.Delivery{Webhook: w.ID, Account: w.Account, Kind: webhooks.Test,
				CreatedAt: o.Server.Now(), NextAt: o.Server.Now(), State: vitrine.DeliveryDelivered}); err != nil {
				return err
			}
		}
		return nil
	}))
	return strconv.FormatInt(int64(w.ID), 10)
}

// Asked sends a request to the API without redirects.
func (o *ReportSite) Asked(path string) (status int, code, field, message string) {
	o.T.Helper()
	r := o.Get("/api/v1"+path, "Authorization: Bearer "+o.Key)
	var refused struct{ Error, Code, Field string }
	if r.StatusCode >= 400 {
		o.Check(json.Unmarshal([]byte(r.Text), &refused))
	}
	return r.StatusCode, refused.Code, refused.Field, refused.Error
}

func (o *ReportSite) Refuses(path, code, field, word string) {
	o.T.Helper()
	status, gotCode, gotField, message := o.Asked(path)
	if status != http.StatusBadRequest || gotCode != code || gotField != field || !strings.Contains(message, word) {
		o.T.Errorf("GET %s: %d %s, field %q, %q; want 400 %s, field %q, %q", path, status, gotCode, gotField, message,
			code, field, word)
	}
}

// Ask sends a request to the API and validates its answer against the OpenAPI
// document.
func (o *ReportSite) Ask(path string) Answer {
	o.T.Helper()
	req, err := http.NewRequest("GET", o.URL+"/api/v1"+path, nil)
	o.Check(err)
	req.Header.Set("Authorization", "Bearer "+o.Key)
	return (&Fixture{Site: o.Site}).Do(req).Want(http.StatusOK, "")
}

// Scoped returns another key of an account, with a scope.
func (f *Fixture) Scoped(key string, scope vitrine.KeyScope) string {
	f.T.Helper()
	k, err := f.Server.Keys.CreateFor(f.T.Context(), f.Emails[key], auth.KeyRequest{Name: string(scope), Scope: scope})
	f.Check(err)
	f.Emails[string(k.Text)] = f.Emails[key]
	f.Call(string(k.Text), "GET", "/links", nil).Want(200,
		"") // sets the last use, which is not updated again within a minute
	return string(k.Text)
}

// Spoken publishes an audio file with English captions as the replacement of a
// text.
func (f *Fixture) Spoken(key string) (slug string) {
	f.T.Helper()
	song := string(MustRead("testdata/song.mp3"))
	slug = f.Published(key, NoteFile, Note)
	f.Published(key, Fields{"name": "song.mp3", "type": "audio/mpeg", "size": len(song), "replace": slug}, song)
	f.Send(key, "PUT", "/links/"+slug+"/captions/en", "text/vtt", Morning).Want(200, "")
	return slug
}
