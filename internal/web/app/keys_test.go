package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestEndedKeys checks that the page of keys lists the newest 20 expired or
// revoked keys and counts the others.
func TestEndedKeys(t *testing.T) {
	d := webtest.NewDesk(t)
	for i := range 25 {
		_, err := d.Server.Keys.CreateFor(t.Context(), d.Member.Email, auth.KeyRequest{Name: fmt.Sprint("old ", i),
			Scope: vitrine.ScopeFull})
		d.Check(err)
		keys, err := d.Server.Keys.List(t.Context(), d.Member.Email)
		d.Check(err)
		_, err = d.Server.Keys.Revoke(t.Context(), d.Member.Email, keys[len(keys)-1].ID)
		d.Check(err)
	}
	page := d.Status(d.Get("/keys", d.SignIn(d.Member)), http.StatusOK).Text
	if n := strings.Count(page, `>old `); n != 20 || !strings.Contains(page, "25 inactive keys") ||
		!strings.Contains(page, "The 20 newest are listed.") ||
		!strings.Contains(page, ">old 24<") || strings.Contains(page, ">old 4<") {
		t.Errorf("%d ended keys are listed, want 20:\n%s", n, page)
	}
}

// TestOwnerChangesTooOften checks that the page shows the rate limit for
// changes of a link's state.
func TestOwnerChangesTooOften(t *testing.T) {
	d := webtest.NewDesk(t)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	cookie := d.SignIn(d.Member)
	for i := range 30 {
		d.Status(d.Post("/links/"+string(l.Slug)+"/"+[]string{"disable", "undo"}[i%2], nil, cookie),
			http.StatusSeeOther)
	}
	r := d.Status(d.Post("/links/"+string(l.Slug)+"/disable", nil, cookie), http.StatusTooManyRequests)
	if !strings.Contains(r.Text, "30 times within an hour") || r.Header.Get("Retry-After") == "" {
		t.Errorf("the page does not show the limit; Retry-After = %q", r.Header.Get("Retry-After"))
	}
	if now, err := d.Server.Links.BySlug(t.Context(), string(l.Slug)); err != nil || now.State != vitrine.StateLive {
		t.Errorf("link = %v, %v", now, err)
	}
}

// TestKeysPageScopes creates a key with a scope, an expiry and a limit for its
// links. The page shows them, and links to what each key created.
func TestKeysPageScopes(t *testing.T) {
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	form := func(change url.Values) webtest.Reply {
		f := url.Values{"name": {"agent"}, "scope": {"publish"}, "expires": {"30d"}, "linkLife": {"7d"}}
		for name, v := range change {
			f[name] = v
		}
		return d.Post("/keys", f, cookie)
	}
	for field, v := range map[string]string{"scope": "admin", "expires": "31d", "linkLife": "5d"} {
		d.Status(form(url.Values{field: {v}}), http.StatusBadRequest)
	}
	page := d.Status(form(url.Values{"scope": {"read"}}), http.StatusBadRequest).Text
	if !strings.Contains(page, "Only a key with the scope publish") || !strings.Contains(page, `value="read" checked`) {
		t.Errorf("a read key with a limit for links:\n%s", page)
	}
	d.Status(form(nil), http.StatusOK)
	keys, err := d.Server.Keys.List(t.Context(), d.Member.Email)
	d.Check(err)
	k := keys[len(keys)-1]
	page = d.Status(d.Get("/keys", cookie), http.StatusOK).Text
	for _, text := range []string{"Publish", "expires <time", "its links expire after 7 days"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q of %+v:\n%s", text, k, page)
		}
	}
}

// TestLinksOfAKey checks that the page of keys shows the number of links that
// each key has created, and that the list can show only those.
func TestLinksOfAKey(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	agent := f.Scoped(key, vitrine.ScopePublish)
	made, other := f.Published(agent, webtest.NoteFile, webtest.Note), f.Published(key, webtest.NoteFile, webtest.Note)
	c, err := f.Server.Keys.Authenticate(t.Context(), agent)
	f.Check(err)
	cookie := f.SignIn(c.Account)
	address := fmt.Sprintf("/links?key=%d", c.Key.ID)
	if page := f.Status(f.Get("/keys", cookie), http.StatusOK).Text; !strings.Contains(page,
		`<a href="`+address+`">1 link</a>`) {
		t.Errorf("the page does not link to the key's links:\n%s", page)
	}
	if page := f.Status(f.Get(address, cookie), http.StatusOK).Text; !strings.Contains(page, "/p/"+made) ||
		strings.Contains(page, "/p/"+other) {
		t.Errorf("the list does not show exactly the key's links:\n%s", page)
	}
	l, err := f.Server.Links.BySlug(t.Context(), made)
	f.Check(err)
	if l.Key != c.Key.ID || l.Client != "Go-http-client/1.1" {
		t.Errorf("the link was created with key %d by %q", l.Key, l.Client)
	}
}
