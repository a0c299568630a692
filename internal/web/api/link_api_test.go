package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
)

// TestLinkOverTheAPI reads, changes and deletes a link. Each change changes its
// ETag, and a request with an old ETag changes nothing.
func TestLinkOverTheAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account(vitrine.PlanPro)}
	slug := f.Published(c.key, webtest.NoteFile, webtest.Note)
	get := func() webtest.Answer { return f.Call(c.key, "GET", "/links/"+slug, nil).Want(200, "") }
	first := get()
	if l := first.JSON(); l["status"] != "live" || l["name"] != "minutes.txt" || l["allowDownload"] != true ||
		l["disabled"] != false || l["publishedBy"] != "Go-http-client/1.1" || l["expiresAt"] != nil {
		t.Errorf("link = %s", first.Body)
	}
	tag := first.Header.Get("ETag")
	if again := get().Header.Get("ETag"); tag == "" || again != tag {
		t.Errorf("ETags = %q and %q, want the same", tag, again)
	}
	seen := map[string]bool{tag: true}
	for _, change := range []webtest.Fields{{"title": "Minutes"}, {"allowDownload": false}, {"disabled": true},
		{"disabled": false}, {"expiresAt": "2026-06-01T00:00:00.1234Z"}, {"slug": "the-minutes"}} {
		before := get().Header.Get("ETag")
		c.edit("PATCH", slug, webtest.Fields{"title": "lost"}, `"0", W/`+before).Want(412, "precondition_failed")
		a := c.edit("PATCH", slug, change, `"0", `+before).Want(200, "")
		now := a.Header.Get("ETag")
		if change["disabled"] == false {
			delete(seen, now) // the link is as it was before
		}
		if seen[now] || now != get().Header.Get("ETag") {
			t.Errorf("ETag after %v = %s, want a new one", change, now)
		}
		seen[now] = true
		for name, value := range change {
			if got := a.JSON()[name]; name != "expiresAt" && got != value {
				t.Errorf("%s = %v, want %v", name, got, value)
			}
		}
	}
	l := get().JSON() // by its old slug
	if l["slug"] != "the-minutes" || l["title"] != "Minutes" || l["expiresAt"] != "2026-06-01T00:00:00.123Z" {
		t.Errorf("link = %v", l)
	}
	if a := c.edit("PATCH", slug, webtest.Fields{"title": "lost"}, tag).Want(412,
		"precondition_failed"); a.JSON()["current"].(map[string]any)["title"] != "Minutes" ||
		a.Header.Get("ETag") != get().Header.Get("ETag") {
		t.Errorf("link in the answer = %s, want the current one", a.Body)
	}
	f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{}).Want(200, "")
	f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"title": nil, "slug": "", "views": nil}).Want(200, "")
	for field, value := range map[string]any{"title": "", "slug": "-", "allowDownload": "no", "disabled": 1,
		"expiresAt": "tomorrow", "views": 5, "Title": "x", "status": "live"} {
		if a := f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"title": "lost",
			field: value}); a.Status != 400 ||
			a.Text("field") != field || get().Text("title") != "Minutes" {
			t.Errorf("%s = %v: status %d: %s", field, value, a.Status, a.Body)
		}
	}
	f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"expiresAt": "2026-05-04T12:00:00Z"}).Want(400,
		"invalid_request")
	c.edit("DELETE", slug, nil, tag).Want(412, "precondition_failed")
	c.edit("DELETE", slug, nil, get().Header.Get("ETag")).Want(200, "")
	for _, s := range []string{slug, "the-minutes"} {
		f.Call(c.key, "GET", "/links/"+s, nil).Want(404, "not_found")
		f.Call(c.key, "DELETE", "/links/"+s, nil).Want(404, "not_found")
	}
}

// TestOneOfTwoEdits checks that of several concurrent edits with the same ETag
// exactly one succeeds.
func TestOneOfTwoEdits(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account(vitrine.PlanPro)}
	slug := f.Published(c.key, webtest.NoteFile, webtest.Note)
	for range 20 {
		tag := f.Call(c.key, "GET", "/links/"+slug, nil).Header.Get("ETag")
		status := map[int]int{}
		for _, a := range webtest.Parallel(4, func(i int) webtest.Answer {
			return c.edit("PATCH", slug,
				webtest.Fields{"title": fmt.Sprint(tag, i)}, tag)
		}) {
			status[a.Status]++
		}
		if status[200] != 1 || status[412] != 3 {
			t.Fatalf("status of four edits with one ETag = %v, want one 200", status)
		}
	}
}

func TestGetLinkUnchanged(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	ask := func(tag string) webtest.Answer {
		req, err := http.NewRequest("GET", f.URL+"/api/v1/links/"+slug, nil)
		f.Check(err)
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("If-None-Match", tag)
		return f.Do(req)
	}
	a := ask(`"0"`).Want(200, "")
	if b := ask(a.Header.Get("ETag")); b.Status != 304 || len(b.Body) != 0 {
		t.Errorf("GET with the current ETag: status %d: %s, want 304", b.Status, b.Body)
	}
}

// TestFileOverTheAPI checks that the owner gets the bytes of a live link at a
// URL that is valid for some minutes and for nothing else. TestDoors has the
// other states.
func TestFileOverTheAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	fetch := func(address string) (int, string) {
		t.Helper()
		res, err := http.Get(address)
		f.Check(err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		f.Check(err)
		return res.StatusCode, string(b)
	}
	location := func() string {
		t.Helper()
		req, err := http.NewRequest("GET", f.URL+"/api/v1/links/"+slug+"/file", nil)
		f.Check(err)
		req.Header.Set("Authorization", "Bearer "+key)
		return f.Do(req).Want(302, "").Header.Get("Location")
	}
	f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"allowDownload": false}).Want(200, "")
	address := location()
	if status, body := fetch(address); status != 200 || body != webtest.Note {
		t.Errorf("status %d, body %q", status, body)
	}
	for _, other := range []string{"/examine", "/file", "/copy", "/source"} {
		if status, body := fetch(strings.TrimSuffix(address, "/original") + other); status < 400 {
			t.Errorf("%s with the same token: status %d: %s, want an error", other, status, body)
		}
	}
	f.Clock.Advance(11 * time.Minute)
	if status, _ := fetch(address); status != 403 {
		t.Errorf("an expired URL: status %d, want 403", status)
	}
	address = location()
	f.Call(key, "DELETE", "/links/"+slug, nil).Want(200, "")
	if status, _ := fetch(address); status != 404 {
		t.Errorf("URL of a deleted link: status %d, want 404", status)
	}
}

// TestListLinksSearch searches the list by words, kind and status. Invalid
// parameters are errors.
func TestListLinksSearch(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "one"}), webtest.Note)
	f.Clock.Advance(time.Second)
	f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "two", "name": "plan_b.md", "type": "text/markdown"}),
		webtest.Note)
	f.Clock.Advance(time.Second)
	f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "three", "name": "page.html", "type": "text/html"}),
		webtest.Note)
	f.Call(key, "PATCH", "/links/two", webtest.Fields{"disabled": true}).Want(200, "")
	f.Call(key, "PATCH", "/links/one", webtest.Fields{"expiresAt": "2026-05-04T13:00:00Z"}).Want(200, "")
	listed := func(query string) (slugs string) {
		t.Helper()
		for _, l := range f.Call(key, "GET", "/links?"+query, nil).Want(200, "").JSON()["links"].([]any) {
			slugs += l.(map[string]any)["slug"].(string) + " "
		}
		return strings.TrimSpace(slugs)
	}
	for query, want := range map[string]string{"": "three two one", "q=MINUTES": "one", "q=n_b+two": "two", "q=%25": "",
		"kind=html": "three", "kind=text": "two one", "status=live": "three one",
		"status=disabled": "two", "status=review": "", "q=t&kind=text&status=live": "one",
		"q=&kind=&status=": "three two one"} {
		if got := listed(query); got != want {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	f.Clock.Advance(time.Hour) // one link has expired, and no background task has run since
	for query, want := range map[string]string{"status=live": "three", "status=disabled": "two one"} {
		if got := listed(query); got != want {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	for field, query := range map[string]string{"kind": "kind=pptx", "status": "status=gone",
		"views": "views=perhaps"} {
		if a := f.Call(key, "GET", "/links?"+query, nil).Want(400, "invalid_request"); a.Text("field") != field {
			t.Errorf("%s: %s, want an error of the field", query, a.Body)
		}
	}
	page := f.Call(key, "GET", "/links?limit=1&q=n", nil).JSON()
	if next := listed("limit=1&q=n&cursor=" + page["nextCursor"].(string)); next == "" {
		t.Error("the search has no second page")
	}
}

// TestExpiry checks that no way to the bytes of a link works from its expiry
// on, even before a background task runs, and that its owner can make it public
// again.
func TestExpiry(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	l, err := f.Server.Links.BySlug(t.Context(), slug)
	f.Check(err)
	public := func(live bool) {
		t.Helper()
		token := f.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: l.Version},
			f.Clock.Now().Add(time.Hour))
		page, content := "/p/"+slug, "/c/"+token
		for _, way := range []string{page, page + "/embed", page + "/download", page + "/picture", page + "/qr.svg",
			page + "/qr.png", page + "/report", "/oembed?url=" + f.Server.PublicURL.String() + page,
			content + "/file", content + "/frame", content + "/view", content + "/preview", content + "/part/picture",
			content + "/captions/en"} {
			res, err := http.Get(f.URL + way)
			f.Check(err)
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			gone := res.StatusCode == 410 || strings.HasPrefix(way, "/oembed") && res.StatusCode == 404
			if gone == live || !live && strings.Contains(string(b), "minutes.txt") {
				t.Errorf("%s: status %d", way, res.StatusCode)
			}
		}
	}
	state := func(status, reason string) {
		t.Helper()
		a := f.Call(key, "GET", "/links/"+slug, nil).Want(200, "")
		if got, _ := a.JSON()["reason"].(string); a.Text("status") != status || got != reason {
			t.Errorf("link = %s", a.Body)
		}
	}
	set := func(to any) webtest.Answer {
		return f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"expiresAt": to})
	}
	hour := func(n int) string { return f.Clock.Now().Add(time.Duration(n) * time.Hour).Format(time.RFC3339) }
	set(hour(1)).Want(200, "")
	public(true)
	f.Clock.Advance(time.Hour)
	public(false)
	state("disabled", "expired")
	set(hour(1)).Want(200, "") // no background task has run yet
	public(true)
	f.Clock.Advance(time.Hour)
	f.Check(f.Server.Links.Expire(t.Context()))
	public(false)
	state("disabled", "expired")
	f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": false}).Want(200,
		"") // the owner has not disabled it
	state("disabled", "expired")
	set("never").Want(200, "")
	public(true)
	state("live", "")
	// A link that its owner disabled stays disabled, whatever its expiry.
	set(hour(1)).Want(200, "")
	f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": true}).Want(200, "")
	f.Clock.Advance(time.Hour)
	f.Check(f.Server.Links.Expire(t.Context()))
	state("disabled", "owner")
	f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": false}).Want(200, "")
	state("disabled", "expired")
	set(hour(1)).Want(200, "")
	state("live", "")
	// A later expiry does not undo a moderator's decision.
	f.Clock.Advance(time.Hour)
	f.Check(f.Server.Links.Expire(t.Context()))
	_, err = f.Server.Links.Disable(context.Background(), slug, vitrine.Decision{By: vitrine.Administrator})
	f.Check(err)
	set("never").Want(200, "")
	state("disabled", "moderator")
	public(false)
}

// TestLinkLife checks that a key may limit how long its links are public, at
// creation and later.
func TestLinkLife(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	k, err := f.Server.Keys.CreateFor(t.Context(), f.Emails[key],
		auth.KeyRequest{Name: "agent", Scope: vitrine.ScopePublish, LinkLife: 24 * time.Hour})
	f.Check(err)
	agent := string(k.Text)
	c := caller{f, agent}
	slug := f.Published(agent, webtest.NoteFile, webtest.Note)
	if at := f.Call(agent, "GET", "/links/"+slug, nil).Text("expiresAt"); at != "2026-05-05T12:00:00.000Z" {
		t.Errorf("expiresAt = %q, want \"2026-05-05T12:00:00.000Z\"", at)
	}
	path := f.Stored(agent, webtest.NoteFile, webtest.Note)
	for _, wrong := range []any{"2026-05-05T12:00:01Z", "never", "2026-05-04T12:00:00Z", "soon", 5} {
		if a := c.complete(path, webtest.NoteFile.With(webtest.Fields{"expiresAt": wrong})).Want(400,
			"invalid_request"); a.Text("field") != "expiresAt" {
			t.Errorf("expiresAt %v: %s", wrong, a.Body)
		}
	}
	other := c.complete(path, webtest.NoteFile.With(webtest.Fields{"expiresAt": "2026-05-04T13:00:00Z"})).Want(200,
		"").Text("slug")
	if at := f.Call(agent, "GET", "/links/"+other, nil).Text("expiresAt"); at != "2026-05-04T13:00:00.000Z" {
		t.Errorf("expiresAt = %q, want \"2026-05-04T13:00:00.000Z\"", at)
	}
	f.Clock.Advance(12 * time.Hour)
	for to, status := range map[string]int{"never": 400, "2026-05-05T12:00:01Z": 400, "2026-05-05T12:00:00Z": 200} {
		if a := f.Call(agent, "PATCH", "/links/"+other, webtest.Fields{"expiresAt": to}); a.Status != status {
			t.Errorf("expiresAt %s: status %d: %s", to, a.Status, a.Body)
		}
	}
	f.Call(key, "PATCH", "/links/"+other, webtest.Fields{"expiresAt": "never"}).Want(200, "")
}
