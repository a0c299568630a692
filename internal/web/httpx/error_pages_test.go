package httpx_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/app"
)

// TestErrorPagesThroughTheSite checks that every error page says what happened
// and what to do, has the request's ID, and links to the user's own pages if
// signed in, otherwise to the home page, except where readers come from others.
func TestErrorPagesThroughTheSite(t *testing.T) {
	broken := &webtest.BrokenLog{}
	d := webtest.NewDeskWith(t,
		webtest.SiteOptions{ViewLog: func(l vitrine.ViewLog) vitrine.ViewLog { broken.ViewLog = l; return broken }})
	live, review, off := d.Publish("notes.txt", webtest.Samples["notes.txt"]), d.Publish("data.json",
		webtest.Samples["data.json"]), d.Publish("picture.png", webtest.Samples["picture.png"])
	d.SetState(review, vitrine.StateReview)
	d.SetState(off, vitrine.StateDisabled)
	d.Server.Notices = func(context.Context) []app.Notice { panic("a fault of a test") }
	broken.Down = true
	member, owner := d.SignIn(d.Member), d.SignIn(d.Owner)
	const start, dashboard, queue = "Go to the start page", "Go to the dashboard", "Go to the queue"
	page := func(l *vitrine.Link) string { return "/p/" + string(l.Slug) }
	for _, c := range []struct {
		name, path, cookie string
		status             int
		message, way       string
	}{
		{"no page", "/nowhere", "", 404, "Page not found", start},
		{"no page, signed in", "/nowhere", member, 404, "Page not found", dashboard},
		{"with a cookie of nobody", "/nowhere", "Cookie: vitrine=rubbish", 404, "Check the address for mistakes",
			start},
		{"not yet", page(review), member, 404, "Not available yet", "See why"},
		{"not yet, for a stranger", page(review), "", 404, "Not available yet", ""},
		{"no longer", page(off), "", 410, "No longer available", ""},
		{"no link", "/p/nowhere", "", 404, "Page not found", ""},
		{"no album", "/a/nowhere", "", 404, "Page not found", ""},
		{"no link, signed in", "/p/nowhere", member, 404, "Page not found", dashboard},
		{"not now", page(live), member, 503, "Temporarily unavailable", dashboard},
		{"nothing to decide", "/moderation/links/unknown-link", owner, 404, "Not found", queue},
		{"a fault", "/moderation", owner, 500, "Something went wrong", dashboard},
	} {
		if c.name == "nothing to decide" {
			d.Server.Notices = nil
		} else if c.name == "a fault" {
			d.Server.Notices = func(context.Context) []app.Notice { panic("a fault of a test") }
		}
		headers := []string{"Accept: text/html,*/*"}
		if c.cookie != "" {
			headers = append(headers, c.cookie)
		}
		r := d.Status(d.Get(c.path, headers...), c.status)
		for _, want := range []string{c.message, c.way, "Request ID " + r.Header.Get("X-Request-Id"), "noindex"} {
			if !strings.Contains(r.Text, want) {
				t.Errorf("%s: the page lacks %q:\n%s", c.name, want, r.Text)
			}
		}
		if leads := strings.Contains(r.Text, start) || strings.Contains(r.Text, dashboard); leads && c.way == "" {
			t.Errorf("%s: a reader is led to pages for members:\n%s", c.name, r.Text)
		}
		if strings.Contains(r.Text, "a fault of a test") || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v\n%s", c.name, r.Header, r.Text)
		}
		if again := strings.Contains(r.Text, "Try again</a>"); again != (c.status >= 500 ||
			strings.HasPrefix(c.name, "not yet")) {
			t.Errorf("%s: offers to try again: %t", c.name, again)
		}
	}
	foreign := d.Status(d.Do(http.MethodPost, "/sign-out", "", webtest.Form, "Origin: https://elsewhere.example",
		"Sec-Fetch-Site: cross-site", member), 403)
	if !strings.Contains(foreign.Text, "This is not allowed") || !strings.Contains(foreign.Text, dashboard) {
		t.Errorf("page of a refused request: %s", foreign.Text)
	}
	if r := d.Get(page(off)+"/embed", member); strings.Contains(r.Text, start) || strings.Contains(r.Text, dashboard) ||
		r.Header.Get("Cross-Origin-Resource-Policy") != "" {
		t.Errorf("error page of an embed: %s", r.Text)
	}
}

// damagedStore is a store that fails with an unknown error.
type damagedStore struct{ vitrine.Store }

func (damagedStore) Read(context.Context, func(vitrine.Tx) error) error   { return webtest.ErrDamaged }
func (damagedStore) Update(context.Context, func(vitrine.Tx) error) error { return webtest.ErrDamaged }

// TestUnknownErrorIsInternal checks that an unknown error is an internal one:
// status 500, logged at error level, and without Retry-After.
func TestUnknownErrorIsInternal(t *testing.T) {
	f := webtest.NewFixture(t)
	var log bytes.Buffer
	f.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	damaged := damagedStore{f.Server.Keys.Store}
	f.Server.Uploads.Store, f.Server.Analytics.Store, f.Server.Links.Store = damaged, damaged, damaged
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/uploads", webtest.NoteFile},
		{"GET", "/links", nil},
		{"GET", "/links/" + slug + "/analytics", nil},
		{"GET", "/analytics", nil},
	} {
		log.Reset()
		res := f.Call(key, c.method, c.path, c.body)
		res.Want(500, "internal")
		if text := log.String(); !strings.Contains(text, "level=ERROR") ||
			!strings.Contains(text, "the record is damaged") {
			t.Errorf("%s %s: log = %q", c.method, c.path, text)
		}
	}
}
