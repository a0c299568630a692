package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/api"
	"vitrine/report"
)

// keyedRoutes returns the routes of the API that accept a key, with the scope
// that each needs, as routes.go registers them.
func keyedRoutes(t *testing.T) map[string]vitrine.KeyScope {
	t.Helper()
	b, err := os.ReadFile("../routes.go")
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]vitrine.KeyScope{"Read": vitrine.ScopeRead, "Publish": vitrine.ScopePublish,
		"Full": vitrine.ScopeFull}
	all := map[string]vitrine.KeyScope{}
	for _, m := range regexp.MustCompile(`r\.(?:key|pro)\(vitrine\.Scope(\w+), "([^"]+)"`).FindAllStringSubmatch(string(b), -1) {
		all[m[2]] = scopes[m[1]]
	}
	delete(all, "POST /mcp") // it calls other routes; see TestToolsByScope
	keyless := map[string]bool{"GET /api/v1/status": true, "GET /api/v1/openapi.json": true,
		"POST /api/v1/logins": true, "POST /api/v1/logins/take": true, "/api/v1/": true}
	for _, m := range regexp.MustCompile(`"((?:[A-Z]+ )?/api/v1/[^"]*)"`).FindAllStringSubmatch(string(b), -1) {
		if all[m[1]] == "" && !keyless[m[1]] {
			t.Errorf("%s accepts a key but names no scope", m[1])
		}
	}
	return all
}

// TestOpenAPIHasEveryRoute checks that the OpenAPI document describes the
// routes of the API and of uploads, and nothing else.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	b, err := os.ReadFile("../routes.go")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(api.OpenAPI, &doc); err != nil {
		t.Fatal(err)
	}
	// Itself, and a POST instead of a method that a proxy refuses.
	described := map[string]bool{"GET /openapi.json": true, "POST /storage/{key}": true}
	for path, operations := range doc.Paths {
		for method := range operations {
			described[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, m := range regexp.MustCompile(`"([A-Z]+) (?:/api/v1(/[^"]*)|(/storage/\{key\}))"`).
		FindAllStringSubmatch(string(b), -1) {
		m[2] += m[3]
		if route := m[1] + " " + m[2]; !described[route] {
			t.Errorf("%s is not in openapi.json", route)
		} else {
			delete(described, route)
		}
	}
	for route := range described {
		t.Errorf("%s is in openapi.json, but is no route", route)
	}
}

var mailOff = webtest.Fields{"alert": false}

// requests has a request for each route that accepts a key, about an audio file
// with English captions that has replaced a text. Each request does what the
// route is for.
var requests = map[string]func(c caller, slug string) webtest.Answer{
	"POST /api/v1/uploads": func(c caller, _ string) webtest.Answer { return c.create(nil) },
	"POST /api/v1/uploads/complete": func(c caller, _ string) webtest.Answer {
		path, url := c.Begun(c.owner(), webtest.NoteFile)
		c.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
		return c.complete(path, webtest.NoteFile)
	},
	"POST /api/v1/uploads/cancel": func(c caller, _ string) webtest.Answer {
		path, _ := c.Begun(c.owner(), webtest.NoteFile)
		return c.Call(c.key, "POST", "/uploads/cancel", webtest.Fields{"path": path})
	},
	"GET /api/v1/links": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "GET", "/links?views=true",
			nil)
	},
	"GET /api/v1/events": func(c caller, _ string) webtest.Answer { return c.Call(c.key, "GET", "/events", nil) },
	"GET /api/v1/notifications": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "GET", "/notifications", nil)
	},
	"PATCH /api/v1/notifications": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "PATCH", "/notifications", mailOff)
	},
	"GET /api/v1/websites": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "GET", "/websites",
			nil)
	},
	"GET /api/v1/links/{slug}": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug,
			nil)
	},
	"PATCH /api/v1/links/{slug}": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"title": "Changed"})
	},
	"DELETE /api/v1/links/{slug}": func(c caller,
		slug string) webtest.Answer {
		return c.Call(c.key, "DELETE", "/links/"+slug, nil)
	},
	"GET /api/v1/trash": func(c caller, _ string) webtest.Answer { return c.Call(c.key, "GET", "/trash", nil) },
	"POST /api/v1/trash/{slug}/restore": func(c caller, slug string) webtest.Answer {
		c.Call(c.owner(), "DELETE", "/links/"+slug, nil)
		return c.Call(c.key, "POST", "/trash/"+slug+"/restore", nil)
	},
	"GET /api/v1/links/{slug}/file": func(c caller,
		slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/file", nil)
	},
	"GET /api/v1/links/{slug}/captions": func(c caller,
		slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/captions", nil)
	},
	"PUT /api/v1/links/{slug}/captions/{language}": func(c caller, slug string) webtest.Answer {
		return c.Send(c.key, "PUT", "/links/"+slug+"/captions/de", "text/vtt", webtest.Morning)
	},
	"DELETE /api/v1/links/{slug}/captions/{language}": func(c caller,
		slug string) webtest.Answer {
		return c.Call(c.key, "DELETE", "/links/"+slug+"/captions/en", nil)
	},
	"GET /api/v1/links/{slug}/readers": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/readers", nil)
	},
	"DELETE /api/v1/links/{slug}/readers/{id}": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "DELETE", fmt.Sprint("/links/", slug, "/readers/", c.reader(slug)), nil)
	},
	"GET /api/v1/links/{slug}/versions": func(c caller,
		slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/versions", nil)
	},
	"POST /api/v1/links/{slug}/versions/{version}/restore": func(c caller, slug string) webtest.Answer {
		c.Call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		return c.Call(c.key, "POST", "/links/"+slug+"/versions/2/restore", nil) // which has the captions
	},
	"DELETE /api/v1/links/{slug}/versions/{version}": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "DELETE", "/links/"+slug+"/versions/1", nil)
	},
	"GET /api/v1/links/{slug}/recipients": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/recipients", nil)
	},
	"POST /api/v1/links/{slug}/recipients": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "POST", "/links/"+slug+"/recipients", anna)
	},
	"PATCH /api/v1/links/{slug}/recipients/{recipient}": func(c caller, slug string) webtest.Answer {
		return c.editRecipient(slug, webtest.Fields{"label": "Bob's link"})
	},
	"DELETE /api/v1/links/{slug}/recipients/{recipient}": func(c caller, slug string) webtest.Answer {
		return c.toRecipient("DELETE", slug, nil)
	},
	"GET /api/v1/links/{slug}/notes": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/notes", nil)
	},
	"POST /api/v1/links/{slug}/notes": func(c caller, slug string) webtest.Answer {
		return c.addNote(c.key, slug)
	},
	"DELETE /api/v1/links/{slug}/notes/{note}": func(c caller, slug string) webtest.Answer {
		return c.Call(c.key, "DELETE", "/links/"+slug+"/notes/1", nil)
	},
	"GET /api/v1/links/{slug}/visits": func(c caller,
		slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/visits", nil)
	},
	"GET /api/v1/links/{slug}/visits/{visit}": func(c caller, slug string) webtest.Answer {
		c.Get("/p/" + slug)
		id := "1"
		if visits, _ := c.Call(c.key, "GET", "/links/"+slug+"/visits", nil).JSON()["visits"].([]any); len(visits) > 0 {
			id = visits[0].(map[string]any)["id"].(string)
		}
		return c.Call(c.key, "GET", "/links/"+slug+"/visits/"+id, nil)
	},
	"GET /api/v1/links/{slug}/analytics": func(c caller,
		slug string) webtest.Answer {
		return c.Call(c.key, "GET", "/links/"+slug+"/analytics", nil)
	},
	"GET /api/v1/analytics": func(c caller,
		_ string) webtest.Answer {
		return c.Call(c.key, "GET", "/analytics", nil)
	},
	"GET /api/v1/key": func(c caller,
		_ string) webtest.Answer {
		return c.Call(c.key, "GET", "/key", nil)
	},
	"DELETE /api/v1/key": func(c caller,
		_ string) webtest.Answer {
		return c.Call(c.key, "DELETE", "/key", nil)
	},
	"GET /api/v1/webhooks":  func(c caller, _ string) webtest.Answer { return c.Call(c.key, "GET", "/webhooks", nil) },
	"POST /api/v1/webhooks": func(c caller, _ string) webtest.Answer { return c.Call(c.key, "POST", "/webhooks", hook) },
	"GET /api/v1/webhooks/{id}": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "GET", c.hooked(nil), nil)
	},
	"PATCH /api/v1/webhooks/{id}": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "PATCH", c.hooked(nil), webtest.Fields{"label": "x"})
	},
	"DELETE /api/v1/webhooks/{id}": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "DELETE", c.hooked(nil), nil)
	},
	"POST /api/v1/webhooks/{id}/test": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "POST", c.hooked(nil)+"/test", nil)
	},
	"POST /api/v1/webhooks/{id}/rotate": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "POST", c.hooked(nil)+"/rotate", nil)
	},
	"GET /api/v1/webhooks/{id}/deliveries": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "GET", c.hooked(nil)+"/deliveries", nil)
	},
	"POST /api/v1/webhooks/{id}/deliveries/{delivery}/resend": func(c caller, _ string) webtest.Answer {
		path, d := c.hooked(nil), "1"
		if a := c.Call(c.owner(), "POST", path+"/test", nil); a.Status == 200 {
			d = a.Text("id")
		}
		return c.Call(c.key, "POST", path+"/deliveries/"+d+"/resend", nil)
	},
	"GET /api/v1/keys": func(c caller, _ string) webtest.Answer { return c.Call(c.key, "GET", "/keys", nil) },
	"POST /api/v1/keys": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "POST", "/keys", webtest.Fields{"name": "deploy", "scope": "publish"})
	},
	"DELETE /api/v1/keys/{id}": func(c caller, _ string) webtest.Answer {
		return c.Call(c.key, "DELETE", fmt.Sprint("/keys/", c.keyID()), nil)
	},
}

// ofNoUpload has the requests about an upload or the trash, about one that does
// not exist: the others begin one or delete a link first.
var ofNoUpload = map[string]func(c caller) webtest.Answer{
	"POST /api/v1/uploads/complete": func(c caller) webtest.Answer { return c.complete("nope", webtest.NoteFile) },
	"POST /api/v1/uploads/cancel": func(c caller) webtest.Answer {
		return c.Call(c.key, "POST", "/uploads/cancel", webtest.Fields{"path": "nope"})
	},
	"POST /api/v1/trash/{slug}/restore": func(c caller) webtest.Answer {
		return c.Call(c.key, "POST", "/trash/nope/restore", nil)
	},
}

// keyID returns the ID of the caller's key.
func (c caller) keyID() vitrine.KeyID {
	c.T.Helper()
	keys, err := c.Server.Keys.List(c.T.Context(), c.Emails[c.key])
	c.Check(err)
	for _, k := range keys {
		if strings.HasSuffix(c.key, k.Last4) {
			return k.ID
		}
	}
	c.T.Fatal("the account has no such key")
	return 0
}

// owner returns a key of the caller's account with full scope.
func (c caller) owner() string {
	c.T.Helper()
	for key, email := range c.Emails {
		if email == c.Emails[c.key] && key != c.key {
			return key
		}
	}
	return c.key
}

// TestScopes checks each route with each scope: a read key changes nothing, a
// publish key deletes nothing, and a refused request changes nothing.
func TestScopes(t *testing.T) {
	routes := keyedRoutes(t)
	for route, need := range routes {
		request := requests[route]
		if request == nil {
			t.Errorf("no request for %s", route)
			continue
		}
		if method, _, _ := strings.Cut(route, " "); method != "GET" && need == vitrine.ScopeRead ||
			method == "DELETE" && need != vitrine.ScopeFull {
			t.Errorf("%s needs the scope %s, which is too low", route, need)
		}
		for _, has := range vitrine.Scopes {
			t.Run(fmt.Sprint(route, " ", has), func(t *testing.T) {
				f := webtest.NewFixture(t)
				owner := f.Account(vitrine.PlanPro)
				c := caller{f, f.Scoped(owner, has)}
				slug := spoken(f, owner)
				state := func() (int64, string) {
					version, err := f.Server.Keys.Store.Version(t.Context())
					f.Check(err)
					return version, string(f.Call(owner, "GET", "/links", nil).Body) +
						string(f.Call(owner, "GET", "/links/"+slug+"/captions", nil).Body)
				}
				before, listed := state()
				if of := ofNoUpload[route]; of != nil && !has.Allows(need) {
					of(c).Want(403, string(vitrine.CodeForbidden))
				} else if a := request(c, slug); !has.Allows(need) {
					a.Want(403, string(vitrine.CodeForbidden))
				} else if a.Status >= 400 {
					t.Errorf("refused: status %d: %s", a.Status, a.Body)
				}
				after, now := state()
				if (!has.Allows(need) || has == vitrine.ScopeRead) && after != before {
					t.Error("the request has changed something")
				}
				if has == vitrine.ScopePublish && (strings.Count(now, `"slug"`) < strings.Count(listed, `"slug"`) ||
					strings.Count(now, `"language"`) < strings.Count(listed, `"language"`)) {
					t.Errorf("the request has deleted something: before %s, after %s", listed, now)
				}
			})
		}
	}
	for route := range requests {
		if routes[route] == "" {
			t.Errorf("%s is not a route that accepts a key", route)
		}
	}
}

// spoken publishes a link with captions and a note, at which a reader confirmed
// an address.
func spoken(f *webtest.Fixture, key string) (slug string) {
	slug = f.Spoken(key)
	f.Confirmed(slug, "ann@example.com")
	a, err := f.Server.Accounts.ByEmail(f.T.Context(), f.Emails[key])
	f.Check(err)
	_, err = f.Server.Links.AddNote(f.T.Context(), a, slug,
		links.Note{Day: report.DayOf(f.Server.Now().UnixMilli()), Text: "Sent"}, nil)
	f.Check(err)
	return slug
}

// reader returns the ID of the reader of such a link, or 1 for another slug.
func (c caller) reader(slug string) int64 {
	c.T.Helper()
	id := int64(1)
	c.Check(c.Server.Gates.Store.Read(c.T.Context(), func(tx vitrine.Tx) error {
		l, err := tx.LinkBySlug(vitrine.Slug(slug))
		if err != nil {
			return vitrine.NotFoundIsNil(err)
		}
		list, err := tx.KnownReaders(l.ID, 0, 1)
		if err == nil && len(list) > 0 {
			id = list[0].ID
		}
		return err
	}))
	return id
}

// TestIsolation checks that another account's link gets the same answer as an
// unknown one from each route, byte for byte, that a suspended account is
// refused everywhere, and that the plan Free is refused only reports.
func TestIsolation(t *testing.T) {
	for route := range keyedRoutes(t) {
		request := requests[route]
		if request == nil {
			continue // TestScopes reports it
		}
		t.Run(route, func(t *testing.T) {
			f := webtest.NewFixture(t)
			owner, other, banned, free := f.Account(vitrine.PlanPro), f.Account(vitrine.PlanPro),
				f.Account(vitrine.PlanPro), f.Account(vitrine.PlanFree)
			slug, own, ofFree := spoken(f, owner), spoken(f, banned), spoken(f, free)
			if strings.Contains(route, "{slug}") {
				before := string(f.Call(owner, "GET", "/links", nil).Body) +
					string(f.Call(owner, "GET", "/links/"+slug+"/captions", nil).Body)
				foreign, unknown := request(caller{f, other}, slug), request(caller{f, other}, "nothing-here")
				foreign.Want(404, string(vitrine.CodeNotFound))
				if !bytes.Equal(foreign.Body, unknown.Body) || foreign.Header.Get("ETag") != "" {
					t.Errorf("another account's link: %s, an unknown one: %s, want the same", foreign.Body,
						unknown.Body)
				}
				if now := string(f.Call(owner, "GET", "/links", nil).Body) +
					string(f.Call(owner, "GET", "/links/"+slug+"/captions", nil).Body); now != before {
					t.Errorf("another account has changed %s to %s", before, now)
				}
			}
			if a := request(caller{f, free}, ofFree); strings.HasSuffix(route, "/analytics") ||
				strings.Contains(route, "/visits") || strings.Contains(route, "/notes") {
				a.Want(403, string(vitrine.CodeProRequired))
			} else if a.Status >= 400 {
				t.Errorf("refused on Free: status %d: %s", a.Status, a.Body)
			}
			f.Ban(banned)
			if of := ofNoUpload[route]; of != nil {
				of(caller{f, banned}).Want(403, string(vitrine.CodeBanned))
			} else {
				request(caller{f, banned}, own).Want(403, string(vitrine.CodeBanned))
			}
		})
	}
}
