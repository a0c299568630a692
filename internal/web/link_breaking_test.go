package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/auth"
)

// TestLinkGarbage checks invalid slugs and invalid If-Match values: a tag that
// is not the link's changes nothing, and an unknown slug is not found.
func TestLinkGarbage(t *testing.T) { onEachStore(t, testLinkGarbage) }

func testLinkGarbage(t *testing.T, store string) {
	f := newFixtureAt(t, store)
	c := caller{f, f.account(vitrine.PlanPro)}
	slug := f.published(c.key, noteFile, note)
	get := func() answer { return f.call(c.key, "GET", "/links/"+slug, nil).want(200, "") }
	tag := get().Header.Get("ETag")
	file := fields{"name": "minutes.txt", "type": "text/plain", "size": 8, "replace": slug}
	bare := strings.Trim(tag, `"`)
	for _, wrong := range []string{"", " ", ",", `""`, `"`, `"*"`, "W/" + tag, "w/" + tag, bare, "'" + bare + "'",
		strings.ToUpper(tag), tag + "x", `"` + tag + `"`, `"0", "1"`, "W/*", "**",
		`"` + strings.Repeat("a", 4000) + `"`,
		"\xff\xfe", `"\"`, "null"} {
		for _, what := range []func() answer{
			func() answer { return c.edit("PATCH", slug, fields{"title": "lost"}, wrong) },
			func() answer { return c.edit("DELETE", slug, nil, wrong) },
			func() answer { return c.conditional("POST", "/uploads", file, wrong) },
			func() answer { return c.conditional("POST", "/links/"+slug+"/versions/1/restore", nil, wrong) },
			func() answer { return c.conditional("DELETE", "/links/"+slug+"/versions/1", nil, wrong) },
		} {
			a := what().want(412, "precondition_failed")
			if a.Header.Get("ETag") != tag || a.json()["current"].(map[string]any)["title"] != "minutes.txt" {
				t.Errorf("If-Match %q: %v %s", wrong, a.Header, a.Body)
			}
		}
	}
	for i, right := range []string{"*", " * ", tag, `"0",` + tag, tag + ` , "0"`, `W/"0",` + tag, `"0", *`} {
		a := c.edit("PATCH", slug, fields{"title": fmt.Sprint("title ", i)}, right).want(200, "")
		c.edit("PATCH", slug, fields{"title": "minutes.txt"}, a.Header.Get("ETag")).want(200, "")
	}
	for _, none := range []string{"%00", "a%00b", "%ff%fe", "%2e%2e", "..%2f" + slug, strings.Repeat("a", 5000), "-",
		"%20" + slug,
		slug + "%20", "*", "%25", "%F0%9F%92%A9"} {
		for _, ask := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"GET", "/file"},
			{"GET", "/versions"},
			{"POST", "/versions/1/restore"}, {"DELETE", "/versions/1"}, {"GET", "/analytics"}, {"GET", "/visits"},
			{"GET", "/captions"}} {
			var body any
			if ask[0] == "PATCH" {
				body = fields{"title": "x"}
			}
			f.call(c.key, ask[0], "/links/"+none+ask[1], body).want(404, "not_found")
		}
	}
	for _, none := range []string{"\x00", "a\x00b", "\uFFFF", "..", strings.Repeat("a", 5000)} {
		f.call(c.key, "POST", "/uploads", file.with(fields{"replace": none})).want(404, "not_found")
		f.call(c.key, "PATCH", "/links/"+slug, fields{"slug": none}).want(400, "invalid_slug")
	}
	for _, none := range []string{"%00", "a%00", "%ff", "%25%5f", "'"} {
		f.call(c.key, "GET", "/links?q="+none, nil).want(200, "")
	}
	if a := get(); a.Header.Get("ETag") != tag {
		t.Errorf("the link was changed: %s", a.Body)
	}
}

// TestGetLinkUnchangedByLists checks If-None-Match with a list, a weak tag and
// *.
func TestGetLinkUnchangedByLists(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanFree)
	slug := f.published(key, noteFile, note)
	tag := f.call(key, "GET", "/links/"+slug, nil).Header.Get("ETag")
	for sent, want := range map[string]int{tag: 304, "W/" + tag: 304, `"0", ` + tag: 304, "*": 304, `"0"`: 200, "": 200,
		strings.Trim(tag, `"`): 200, `"*"`: 200} {
		req, err := http.NewRequest("GET", f.url+"/api/v1/links/"+slug, nil)
		f.check(err)
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("If-None-Match", sent)
		if a := f.do(req); a.Status != want || a.Header.Get("ETag") != tag {
			t.Errorf("If-None-Match %s: status %d, headers %v", sent, a.Status, a.Header)
		}
	}
}

// TestExpiryEdges checks that an expiry must be a valid time in the future, and
// that null counts as missing (contract, Request fields).
func TestExpiryEdges(t *testing.T) { onEachStore(t, testExpiryEdges) }

func testExpiryEdges(t *testing.T, store string) {
	f := newFixtureAt(t, store)
	c := caller{f, f.account(vitrine.PlanPro)}
	slug := f.published(c.key, noteFile, note)
	at := func() any { return f.call(c.key, "GET", "/links/"+slug, nil).want(200, "").json()["expiresAt"] }
	path := f.stored(c.key, noteFile, note)
	for _, wrong := range []any{"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
		"2026-05-04T12:00:00Z", "2026-05-04T12:00:00.0009Z", "2026-05-04T14:00:00+02:00", "9999-12-31T23:59:59-23:59",
		"10000-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "2027-02-29T00:00:00Z", "2027-01-31", "2027-01-31 09:00:00Z",
		"", "Never", " never", 1800000000, true, []any{}, fields{}} {
		if a := f.call(c.key, "PATCH", "/links/"+slug, fields{"title": "lost", "expiresAt": wrong}).want(400,
			"invalid_request"); a.text("field") != "expiresAt" {
			t.Errorf("expiresAt %v: %s", wrong, a.Body)
		}
		if a := c.complete(path, noteFile.with(fields{"expiresAt": wrong})); wrong != "never" {
			if a.want(400, "invalid_request"); a.text("field") != "expiresAt" {
				t.Errorf("expiresAt %v: %s", wrong, a.Body)
			}
		}
	}
	for _, c2 := range []struct{ sent, want any }{
		{"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"}, {nil, "9999-12-31T23:59:59.999Z"},
		{"2026-05-04T12:00:00.001Z", "2026-05-04T12:00:00.001Z"},
		{"2026-05-04T14:30:00.5+02:00", "2026-05-04T12:30:00.500Z"},
		{"never", nil}, {nil, nil}} {
		f.call(c.key, "PATCH", "/links/"+slug, fields{"expiresAt": c2.sent}).want(200, "")
		if got := at(); got != c2.want {
			t.Errorf("after %v expiresAt = %v, want %v", c2.sent, got, c2.want)
		}
	}
	// The latest possible time does not stop background tasks.
	f.call(c.key, "PATCH", "/links/"+slug, fields{"expiresAt": "9999-12-31T23:59:59.999Z"}).want(200, "")
	f.clock.Advance(50 * 365 * 24 * time.Hour)
	f.check(f.server.Links.Expire(t.Context()))
	if l := f.call(c.key, "GET", "/links/"+slug, nil).json(); l["status"] != "live" {
		t.Errorf("link = %v, want live", l)
	}
}

// TestRenamesAtOnce renames links concurrently: each slug leads to one link,
// each link has one slug, and a refused request changes nothing.
func TestRenamesAtOnce(t *testing.T) { onEachStore(t, testRenamesAtOnce) }

func testRenamesAtOnce(t *testing.T, store string) {
	f := newFixtureAt(t, store)
	key := f.account(vitrine.PlanPro)
	first := f.published(key, noteFile.with(fields{"slug": "first-one"}), note)
	second := f.published(key, noteFile.with(fields{"slug": "second-one", "name": "other.txt"}), note)
	// Two links request one slug.
	status := map[int]int{}
	for i, a := range parallel(2, func(i int) answer {
		return f.call(key, "PATCH", "/links/"+[]string{first, second}[i], fields{"slug": "wanted", "title": "renamed"})
	}) {
		if status[a.Status]++; a.Status != 200 {
			a.want(400, "slug_taken")
			if l := f.call(key, "GET", "/links/"+[]string{first, second}[i], nil).json(); l["title"] == "renamed" {
				t.Errorf("a refused rename has changed %v", l)
			}
		}
	}
	if status[200] != 1 || status[400] != 1 {
		t.Fatalf("status of two renames to one slug = %v, want one 200", status)
	}
	// One link gets eight slugs at once, and all of them lead to it.
	slugs := parallel(8, func(i int) string {
		to := fmt.Sprint("new-", i)
		f.call(key, "PATCH", "/links/wanted", fields{"slug": to}).want(200, "")
		return to
	})
	now := f.call(key, "GET", "/links/wanted", nil).want(200, "").text("slug")
	for _, s := range slugs {
		if got := f.call(key, "GET", "/links/"+s, nil).want(200, "").text("slug"); got != now {
			t.Errorf("%s leads to %s, want %s", s, got, now)
		}
		if r, err := noRedirects.Get(f.url + "/p/" + s); err != nil || (s == now) != (r.StatusCode == 200) ||
			r.StatusCode >= 400 {
			t.Errorf("GET /p/%s: %v, %v", s, r, err)
		}
	}
	// With one ETag, one of eight renames succeeds.
	tag := f.call(key, "GET", "/links/"+now, nil).Header.Get("ETag")
	status = map[int]int{}
	for _, a := range parallel(8, func(i int) answer {
		return caller{f, key}.edit("PATCH", now, fields{"slug": fmt.Sprint("last-", i)}, tag)
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
	f := newFixtureAt(t, store)
	key := f.account(vitrine.PlanPro)
	of := &fixtureOf{f, key}
	during := map[string]func(slug string) answer{
		"delete": func(slug string) answer { return f.call(key, "DELETE", "/links/"+slug, nil) },
		"rename": func(slug string) answer {
			return f.call(key, "PATCH", "/links/"+slug,
				fields{"slug": slug + "-new"})
		},
		"disable": func(slug string) answer { return f.call(key, "PATCH", "/links/"+slug, fields{"disabled": true}) },
		"expire": func(slug string) answer {
			return f.call(key, "PATCH", "/links/"+slug, fields{"expiresAt": "2026-05-04T12:00:00.001Z"})
		},
		"restore": func(slug string) answer { return f.call(key, "POST", "/links/"+slug+"/versions/1/restore", nil) },
		"delete version": func(slug string) answer {
			return f.call(key, "DELETE", "/links/"+slug+"/versions/1", nil)
		},
		"replace": func(slug string) answer { return of.replaced(slug, "text four") },
	}
	for name, do := range during {
		for round := range 4 {
			slug := fmt.Sprintf("link-%s-%d", strings.ReplaceAll(name, " ", "-"), round)
			f.published(key, noteFile.with(fields{"slug": slug, "size": 8}), "text one")
			of.replaced(slug, "text two").want(200, "")
			file := fields{"name": "minutes.txt", "type": "text/plain", "size": 10, "replace": slug}
			path := f.stored(key, file, "text three")
			complete := func() answer {
				return f.call(key, "POST", "/uploads/complete", file.with(fields{"path": path, "size": nil}))
			}
			var made, done answer
			parallel(2, func(i int) bool {
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
					made.want(404, "not_found")
				}
				f.call(key, "GET", "/links/"+slug, nil).want(404, "not_found")
				complete().want(404, "not_found")
				continue
			}
			made.want(200, "")
			again := complete().want(200, "") // a retry gets the same answer
			if fmt.Sprint(again.json()["replacement"]) != fmt.Sprint(made.json()["replacement"]) {
				t.Errorf("%s: %s, and again %s", name, made.Body, again.Body)
			}
			list := f.call(key, "GET", "/links/"+slug+"/versions", nil).want(200, "").json()["versions"].([]any)
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
	a := &audit.Checker{Store: f.server.Links.Store, Blobs: f.server.Blobs, Log: f.log, Now: f.server.Now, Deep: true}
	f.check(a.Run(t.Context(), func(fault string) { t.Errorf("audit: %s", fault) }))
}

// TestKeyExpiresDuringUpload checks that a key which expires during an upload
// cannot complete it, that another key of the account can, and that the bytes
// are kept.
func TestKeyExpiresDuringUpload(t *testing.T) {
	f := newFixture(t)
	owner := f.account(vitrine.PlanPro)
	made, err := f.server.Keys.Create(t.Context(), f.emails[owner], auth.KeyRequest{Name: "short",
		Scope: vitrine.ScopePublish, ExpiresAt: f.clock.Now().Add(time.Minute)})
	f.check(err)
	short := string(made.Text)
	slug := f.published(owner, noteFile, note)
	path, address := f.begun(short, noteFile)
	replacing := fields{"name": "minutes.txt", "type": "text/plain", "size": 8, "replace": slug}
	second := f.stored(short, replacing, "text two")
	f.clock.Advance(time.Minute)
	f.put(address, "text/plain", strings.NewReader(note)).want(200, "")
	(caller{f, short}).complete(path, noteFile).want(401, "unauthorized")
	f.call(short, "POST", "/uploads/complete", replacing.with(fields{"path": second, "size": nil})).want(401,
		"unauthorized")
	f.call(short, "PATCH", "/links/"+slug, fields{"title": "lost"}).want(401, "unauthorized")
	(caller{f, owner}).complete(path, noteFile).want(200, "")
	f.call(owner, "POST", "/uploads/complete", replacing.with(fields{"path": second, "size": nil})).want(200, "")
}

// TestReplaceWithLinkLife checks that the replacement of a link that a key with
// a limit may change keeps its expiry, and that the request must not have one.
func TestReplaceWithLinkLife(t *testing.T) {
	f := newFixture(t)
	owner := f.account(vitrine.PlanPro)
	agent := f.limited(owner)
	slug := f.published(owner, noteFile.with(fields{"expiresAt": "2026-05-04T12:45:00Z"}), note)
	file := fields{"name": "minutes.txt", "type": "text/plain", "size": 8, "replace": slug}
	path := f.stored(agent, file, "text two")
	complete := file.with(fields{"path": path, "size": nil})
	for _, at := range []any{"2026-05-04T12:30:00Z", "never"} {
		if a := f.call(agent, "POST", "/uploads/complete", complete.with(fields{"expiresAt": at})).want(400,
			"invalid_request"); a.text("field") != "expiresAt" {
			t.Errorf("replacement with expiresAt: %s, want an error of the field", a.Body)
		}
	}
	f.call(agent, "POST", "/uploads/complete", complete).want(200, "")
	if got := f.call(agent, "GET", "/links/"+slug, nil).json()["expiresAt"]; got != "2026-05-04T12:45:00.000Z" {
		t.Errorf("expiresAt = %v", got)
	}
}
