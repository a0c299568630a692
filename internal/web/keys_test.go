package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
)

// TestEndedKeys checks that the page of keys lists the newest 20 expired or
// revoked keys and counts the others.
func TestEndedKeys(t *testing.T) {
	d := newDesk(t)
	for i := range 25 {
		_, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: fmt.Sprint("old ", i), Scope: vitrine.ScopeFull})
		d.check(err)
		keys, err := d.server.Keys.List(t.Context(), d.member.Email)
		d.check(err)
		_, err = d.server.Keys.Revoke(t.Context(), d.member.Email, keys[len(keys)-1].ID)
		d.check(err)
	}
	page := d.status(d.get("/keys", d.signIn(d.member)), http.StatusOK).body
	if n := strings.Count(page, `>old `); n != 20 || !strings.Contains(page, "25 inactive keys") ||
		!strings.Contains(page, "The 20 newest are listed.") ||
		!strings.Contains(page, ">old 24<") || strings.Contains(page, ">old 4<") {
		t.Errorf("%d ended keys are listed, want 20:\n%s", n, page)
	}
}

// TestOwnerChangesTooOften checks that the page shows the rate limit for
// changes of a link's state.
func TestOwnerChangesTooOften(t *testing.T) {
	d := newDesk(t)
	l := d.publish("notes.txt", samples["notes.txt"])
	cookie := d.signIn(d.member)
	for i := range 30 {
		d.status(d.post("/links/"+string(l.Slug)+"/"+[]string{"disable", "undo"}[i%2], nil, cookie),
			http.StatusSeeOther)
	}
	r := d.status(d.post("/links/"+string(l.Slug)+"/disable", nil, cookie), http.StatusTooManyRequests)
	if !strings.Contains(r.body, "30 times within an hour") || r.Header.Get("Retry-After") == "" {
		t.Errorf("the page does not show the limit; Retry-After = %q", r.Header.Get("Retry-After"))
	}
	if now, err := d.server.Links.BySlug(t.Context(), string(l.Slug)); err != nil || now.State != vitrine.StateLive {
		t.Errorf("link = %v, %v", now, err)
	}
}

// TestKeysPageScopes creates a key with a scope, an expiry and a limit for its
// links. The page shows them, and links to what each key created.
func TestKeysPageScopes(t *testing.T) {
	d := newDesk(t)
	cookie := d.signIn(d.member)
	form := func(change url.Values) reply {
		f := url.Values{"name": {"agent"}, "scope": {"publish"}, "expires": {"30d"}, "linkLife": {"7d"}}
		for name, v := range change {
			f[name] = v
		}
		return d.post("/keys", f, cookie)
	}
	for field, v := range map[string]string{"scope": "admin", "expires": "31d", "linkLife": "5d"} {
		d.status(form(url.Values{field: {v}}), http.StatusBadRequest)
	}
	page := d.status(form(url.Values{"scope": {"read"}}), http.StatusBadRequest).body
	if !strings.Contains(page, "Only a key with the scope publish") || !strings.Contains(page, `value="read" checked`) {
		t.Errorf("a read key with a limit for links:\n%s", page)
	}
	d.status(form(nil), http.StatusOK)
	keys, err := d.server.Keys.List(t.Context(), d.member.Email)
	d.check(err)
	k := keys[len(keys)-1]
	page = d.status(d.get("/keys", cookie), http.StatusOK).body
	for _, text := range []string{"Publish", "expires <time", "its links expire after 7 days"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q of %+v:\n%s", text, k, page)
		}
	}
}

// TestLinksOfAKey checks that the page of keys shows the number of links that
// each key has created, and that the list can show only those.
func TestLinksOfAKey(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	agent := f.scoped(key, vitrine.ScopePublish)
	made, other := f.published(agent, noteFile, note), f.published(key, noteFile, note)
	c, err := f.server.Keys.Authenticate(t.Context(), agent)
	f.check(err)
	cookie := f.signIn(c.Account)
	address := fmt.Sprintf("/links?key=%d", c.Key.ID)
	if page := f.status(f.get("/keys", cookie), http.StatusOK).body; !strings.Contains(page,
		`<a href="`+address+`">1 link</a>`) {
		t.Errorf("the page does not link to the key's links:\n%s", page)
	}
	if page := f.status(f.get(address, cookie), http.StatusOK).body; !strings.Contains(page, "/p/"+made) ||
		strings.Contains(page, "/p/"+other) {
		t.Errorf("the list does not show exactly the key's links:\n%s", page)
	}
	l, err := f.server.Links.BySlug(t.Context(), made)
	f.check(err)
	if l.Key != c.Key.ID || l.Client != "Go-http-client/1.1" {
		t.Errorf("the link was created with key %d by %q", l.Key, l.Client)
	}
}
