package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestLinkGarbage checks invalid slugs and invalid If-Match values: a tag that
// is not the link's changes nothing, and an unknown slug is not found.
func TestLinkGarbage(t *testing.T) { onEachStore(t, testLinkGarbage) }

func testLinkGarbage(t *testing.T, store string) {
	f := webtest.NewFixtureAt(t, store)
	c := caller{f, f.Account(vitrine.PlanPro)}
	slug := f.Published(c.key, webtest.NoteFile, webtest.Note)
	get := func() webtest.Answer { return f.Call(c.key, "GET", "/links/"+slug, nil).Want(200, "") }
	tag := get().Header.Get("ETag")
	file := webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": 8, "replace": slug}
	bare := strings.Trim(tag, `"`)
	for _, wrong := range []string{"", " ", ",", `""`, `"`, `"*"`, "W/" + tag, "w/" + tag, bare, "'" + bare + "'",
		strings.ToUpper(tag), tag + "x", `"` + tag + `"`, `"0", "1"`, "W/*", "**",
		`"` + strings.Repeat("a", 4000) + `"`,
		"\xff\xfe", `"\"`, "null"} {
		for _, what := range []func() webtest.Answer{
			func() webtest.Answer { return c.edit("PATCH", slug, webtest.Fields{"title": "lost"}, wrong) },
			func() webtest.Answer { return c.edit("DELETE", slug, nil, wrong) },
			func() webtest.Answer { return c.conditional("POST", "/uploads", file, wrong) },
			func() webtest.Answer { return c.conditional("POST", "/links/"+slug+"/versions/1/restore", nil, wrong) },
			func() webtest.Answer { return c.conditional("DELETE", "/links/"+slug+"/versions/1", nil, wrong) },
		} {
			a := what().Want(412, "precondition_failed")
			if a.Header.Get("ETag") != tag || a.JSON()["current"].(map[string]any)["title"] != "minutes.txt" {
				t.Errorf("If-Match %q: %v %s", wrong, a.Header, a.Body)
			}
		}
	}
	for i, right := range []string{"*", " * ", tag, `"0",` + tag, tag + ` , "0"`, `W/"0",` + tag, `"0", *`} {
		a := c.edit("PATCH", slug, webtest.Fields{"title": fmt.Sprint("title ", i)}, right).Want(200, "")
		c.edit("PATCH", slug, webtest.Fields{"title": "minutes.txt"}, a.Header.Get("ETag")).Want(200, "")
	}
	for _, none := range []string{"%00", "a%00b", "%ff%fe", "%2e%2e", "..%2f" + slug, strings.Repeat("a", 5000), "-",
		"%20" + slug,
		slug + "%20", "*", "%25", "%F0%9F%92%A9"} {
		for _, ask := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"GET", "/file"},
			{"GET", "/versions"},
			{"POST", "/versions/1/restore"}, {"DELETE", "/versions/1"}, {"GET", "/analytics"}, {"GET", "/visits"},
			{"GET", "/captions"}, {"GET", "/readers"}, {"DELETE", "/readers/1"}} {
			var body any
			if ask[0] == "PATCH" {
				body = webtest.Fields{"title": "x"}
			}
			f.Call(c.key, ask[0], "/links/"+none+ask[1], body).Want(404, "not_found")
		}
	}
	for _, none := range []string{"\x00", "a\x00b", "\uFFFF", "..", strings.Repeat("a", 5000)} {
		f.Call(c.key, "POST", "/uploads", file.With(webtest.Fields{"replace": none})).Want(404, "not_found")
		f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"slug": none}).Want(400, "invalid_slug")
	}
	for _, none := range []string{"%00", "a%00", "%ff", "%25%5f", "'"} {
		f.Call(c.key, "GET", "/links?q="+none, nil).Want(200, "")
	}
	if a := get(); a.Header.Get("ETag") != tag {
		t.Errorf("the link was changed: %s", a.Body)
	}
}

// TestGetLinkUnchangedByLists checks If-None-Match with a list, a weak tag and
// *.
func TestGetLinkUnchangedByLists(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	tag := f.Call(key, "GET", "/links/"+slug, nil).Header.Get("ETag")
	for sent, want := range map[string]int{tag: 304, "W/" + tag: 304, `"0", ` + tag: 304, "*": 304, `"0"`: 200, "": 200,
		strings.Trim(tag, `"`): 200, `"*"`: 200} {
		req, err := http.NewRequest("GET", f.URL+"/api/v1/links/"+slug, nil)
		f.Check(err)
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("If-None-Match", sent)
		if a := f.Do(req); a.Status != want || a.Header.Get("ETag") != tag {
			t.Errorf("If-None-Match %s: status %d, headers %v", sent, a.Status, a.Header)
		}
	}
}

// TestExpiryEdges checks that an expiry must be a valid time in the future, and
// that null counts as missing (contract, Request fields).
func TestExpiryEdges(t *testing.T) { onEachStore(t, testExpiryEdges) }

func testExpiryEdges(t *testing.T, store string) {
	f := webtest.NewFixtureAt(t, store)
	c := caller{f, f.Account(vitrine.PlanPro)}
	slug := f.Published(c.key, webtest.NoteFile, webtest.Note)
	at := func() any { return f.Call(c.key, "GET", "/links/"+slug, nil).Want(200, "").JSON()["expiresAt"] }
	path := f.Stored(c.key, webtest.NoteFile, webtest.Note)
	for _, wrong := range []any{"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
		"2026-05-04T12:00:00Z", "2026-05-04T12:00:00.0009Z", "2026-05-04T14:00:00+02:00", "9999-12-31T23:59:59-23:59",
		"10000-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "2027-02-29T00:00:00Z", "2027-01-31", "2027-01-31 09:00:00Z",
		"", "Never", " never", 1800000000, true, []any{}, webtest.Fields{}} {
		if a := f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"title": "lost", "expiresAt": wrong}).Want(400,
			"invalid_request"); a.Text("field") != "expiresAt" {
			t.Errorf("expiresAt %v: %s", wrong, a.Body)
		}
		if a := c.complete(path, webtest.NoteFile.With(webtest.Fields{"expiresAt": wrong})); wrong != "never" {
			if a.Want(400, "invalid_request"); a.Text("field") != "expiresAt" {
				t.Errorf("expiresAt %v: %s", wrong, a.Body)
			}
		}
	}
	for _, c2 := range []struct{ sent, want any }{
		{"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"}, {nil, "9999-12-31T23:59:59.999Z"},
		{"2026-05-04T12:00:00.001Z", "2026-05-04T12:00:00.001Z"},
		{"2026-05-04T14:30:00.5+02:00", "2026-05-04T12:30:00.500Z"},
		{"never", nil}, {nil, nil}} {
		f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"expiresAt": c2.sent}).Want(200, "")
		if got := at(); got != c2.want {
			t.Errorf("after %v expiresAt = %v, want %v", c2.sent, got, c2.want)
		}
	}
	// The latest possible time does not stop background tasks.
	f.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"expiresAt": "9999-12-31T23:59:59.999Z"}).Want(200, "")
	f.Clock.Advance(50 * 365 * 24 * time.Hour)
	f.Check(f.Server.Links.Expire(t.Context()))
	if l := f.Call(c.key, "GET", "/links/"+slug, nil).JSON(); l["status"] != "live" {
		t.Errorf("link = %v, want live", l)
	}
}

// TestRenamesAtOnce renames links concurrently: each slug leads to one link,
// each link has one slug, and a refused request changes nothing.
func TestRenamesAtOnce(t *testing.T) { onEachStore(t, testRenamesAtOnce) }

func testRenamesAtOnce(t *testing.T, store string) {
	f := webtest.NewFixtureAt(t, store)
	key := f.Account(vitrine.PlanPro)
	first := f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "first-one"}), webtest.Note)
	second := f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "second-one", "name": "other.txt"}),
		webtest.Note)
	// Two links request one slug.
	status := map[int]int{}
	for i, a := range webtest.Parallel(2, func(i int) webtest.Answer {
		return f.Call(key, "PATCH", "/links/"+[]string{first, second}[i], webtest.Fields{"slug": "wanted",
			"title": "renamed"})
	}) {
		if status[a.Status]++; a.Status != 200 {
			a.Want(400, "slug_taken")
			if l := f.Call(key, "GET", "/links/"+[]string{first, second}[i], nil).JSON(); l["title"] == "renamed" {
				t.Errorf("a refused rename has changed %v", l)
			}
		}
	}
	if status[200] != 1 || status[400] != 1 {
		t.Fatalf("status of two renames to one slug = %v, want one 200", status)
	}
	// One link gets eight slugs at once, and all of them lead to it.
	slugs := webtest.Parallel(8, func(i int) string {
		to := fmt.Sprint("new-", i)
		f.Call(key, "PATCH", "/links/wanted", webtest.Fields{"slug": to}).Want(200, "")
		return to
	})
	now := f.Call(key, "GET", "/links/wanted", nil).Want(200, "").Text("slug")
	for _, s := range slugs {
		if got := f.Call(key, "GET", "/links/"+s, nil).Want(200, "").Text("slug"); got != now {
			t.Errorf("%s leads to %s, want %s", s, got, now)
		}
		if r, err := webtest.NoRedirects.Get(f.URL + "/p/" + s); err != nil || (s == now) != (r.StatusCode == 200) ||
			r.StatusCode >= 400 {
			t.Errorf("GET /p/%s: %v, %v", s, r, err)
		}
	}
	// With one ETag, one of eight renames succeeds.
	tag := f.Call(key, "GET", "/links/"+now, nil).Header.Get("ETag")
	status = map[int]int{}
	for _, a := range webtest.Parallel(8, func(i int) webtest.Answer {
		return caller{f, key}.edit("PATCH", now, webtest.Fields{"slug": fmt.Sprint("last-", i)}, tag)
	}) {
		status[a.Status]++
	}
	if status[200] != 1 || status[412] != 7 {
		t.Errorf("status of eight renames with one ETag = %v, want one 200", status)
	}
}

// TestChangesDuringReplacement deletes, renames, disables and restores a link
// while its file is being replaced. Acknowledged changes persist, and refused
// ones leave nothing behind.
func TestChangesDuringReplacement(t *testing.T) { onEachStore(t, testChangesDuringReplacement) }

func testChangesDuringReplacement(t *testing.T, store string) {
	f := webtest.NewFixtureAt(t, store)
	key := f.Account(vitrine.PlanPro)
	of := &fixtureOf{f, key}
	during := map[string]func(slug string) webtest.Answer{
		"delete": func(slug string) webtest.Answer { return f.Call(key, "DELETE", "/links/"+slug, nil) },
		"rename": func(slug string) webtest.Answer {
			return f.Call(key, "PATCH", "/links/"+slug,
				webtest.Fields{"slug": slug + "-new"})
		},
		"disable": func(slug string) webtest.Answer {
			return f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": true})
		},
		"expire": func(slug string) webtest.Answer {
			return f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"expiresAt": "2026-05-04T12:00:00.001Z"})
		},
		"restore": func(slug string) webtest.Answer {
			return f.Call(key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		},
		"delete version": func(slug string) webtest.Answer {
			return f.Call(key, "DELETE", "/links/"+slug+"/versions/1", nil)
		},
		"replace": func(slug string) webtest.Answer { return of.replaced(slug, "text four") },
	}
	for name, do := range during {
		for round := range 4 {
			slug := fmt.Sprintf("link-%s-%d", strings.ReplaceAll(name, " ", "-"), round)
			f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": slug, "size": 8}), "text one")
			of.replaced(slug, "text two").Want(200, "")
			file := webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": 10, "replace": slug}
			path := f.Stored(key, file, "text three")
			complete := func() webtest.Answer {
				return f.Call(key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": path, "size": nil}))
			}
			var made, done webtest.Answer
			webtest.Parallel(2, func(i int) bool {
				if i == 0 {
					made = complete()
				} else {
					done = do(slug)
				}
				return true
			})
			if done.Status >= 300 {
				t.Errorf("%s: status %d: %s", name, done.Status, done.Body)
			}
			if name == "delete" {
				if made.Status != 200 {
					made.Want(404, "not_found")
				}
				f.Call(key, "GET", "/links/"+slug, nil).Want(404, "not_found")
				complete().Want(404, "not_found")
				continue
			}
			made.Want(200, "")
			again := complete().Want(200, "") // a retry gets the same answer
			if fmt.Sprint(again.JSON()["replacement"]) != fmt.Sprint(made.JSON()["replacement"]) {
				t.Errorf("%s: %s, and again %s", name, made.Body, again.Body)
			}
			list := f.Call(key, "GET", "/links/"+slug+"/versions", nil).Want(200, "").JSON()["versions"].([]any)
			current := 0
			for _, v := range list {
				if v.(map[string]any)["current"] == true {
					current++
				}
			}
			if wanted := map[string]int{"delete version": 2, "replace": 4}[name]; current != 1 ||
				len(list) != max(wanted, 3) && wanted != 2 || wanted == 2 && len(list) != 2 {
				t.Errorf("%s: versions = %v", name, list)
			}
		}
	}
	a := &audit.Checker{Store: f.Server.Links.Store, Blobs: f.Server.Blobs, Log: f.Log, Now: f.Server.Now, Deep: true}
	f.Check(a.Run(t.Context(), func(fault string) { t.Errorf("audit: %s", fault) }))
}

// TestKeyExpiresDuringUpload checks that a key which expires during an upload
// cannot complete it, that another key of the account can, and that the bytes
// are kept.
func TestKeyExpiresDuringUpload(t *testing.T) {
	f := webtest.NewFixture(t)
	owner := f.Account(vitrine.PlanPro)
	made, err := f.Server.Keys.CreateFor(t.Context(), f.Emails[owner], auth.KeyRequest{Name: "short",
		Scope: vitrine.ScopePublish, ExpiresAt: f.Clock.Now().Add(time.Minute)})
	f.Check(err)
	short := string(made.Text)
	slug := f.Published(owner, webtest.NoteFile, webtest.Note)
	path, address := f.Begun(short, webtest.NoteFile)
	replacing := webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": 8, "replace": slug}
	second := f.Stored(short, replacing, "text two")
	f.Clock.Advance(time.Minute)
	f.Put(address, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	(caller{f, short}).complete(path, webtest.NoteFile).Want(401, "unauthorized")
	f.Call(short, "POST", "/uploads/complete", replacing.With(webtest.Fields{"path": second, "size": nil})).Want(401,
		"unauthorized")
	f.Call(short, "PATCH", "/links/"+slug, webtest.Fields{"title": "lost"}).Want(401, "unauthorized")
	(caller{f, owner}).complete(path, webtest.NoteFile).Want(200, "")
	f.Call(owner, "POST", "/uploads/complete", replacing.With(webtest.Fields{"path": second, "size": nil})).Want(200,
		"")
}

// TestReplaceWithLinkLife checks that the replacement of a link that a key with
// a limit may change keeps its expiry, and that the request must not have one.
func TestReplaceWithLinkLife(t *testing.T) {
	f := webtest.NewFixture(t)
	owner := f.Account(vitrine.PlanPro)
	agent := f.Limited(owner)
	slug := f.Published(owner, webtest.NoteFile.With(webtest.Fields{"expiresAt": "2026-05-04T12:45:00Z"}), webtest.Note)
	file := webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": 8, "replace": slug}
	path := f.Stored(agent, file, "text two")
	complete := file.With(webtest.Fields{"path": path, "size": nil})
	for _, at := range []any{"2026-05-04T12:30:00Z", "never"} {
		if a := f.Call(agent, "POST", "/uploads/complete", complete.With(webtest.Fields{"expiresAt": at})).Want(400,
			"invalid_request"); a.Text("field") != "expiresAt" {
			t.Errorf("replacement with expiresAt: %s, want an error of the field", a.Body)
		}
	}
	f.Call(agent, "POST", "/uploads/complete", complete).Want(200, "")
	if got := f.Call(agent, "GET", "/links/"+slug, nil).JSON()["expiresAt"]; got != "2026-05-04T12:45:00.000Z" {
		t.Errorf("expiresAt = %v", got)
	}
}
