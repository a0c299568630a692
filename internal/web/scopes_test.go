package web_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
)

// keyedRoutes returns the routes of the API that accept a key, with the scope
// that each needs, as routes.go registers them.
func keyedRoutes(t *testing.T) map[string]vitrine.KeyScope {
	t.Helper()
	b, err := os.ReadFile("routes.go")
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

// requests has a request for each route that accepts a key, about an audio file
// with English captions that has replaced a text. Each request does what the
// route is for.
var requests = map[string]func(c caller, slug string) answer{
	"POST /api/v1/uploads": func(c caller, _ string) answer { return c.create(nil) },
	"POST /api/v1/uploads/complete": func(c caller, _ string) answer {
		path, url := c.begun(c.owner(), noteFile)
		c.put(url, "text/plain", strings.NewReader(note)).want(200, "")
		return c.complete(path, noteFile)
	},
	"POST /api/v1/uploads/cancel": func(c caller, _ string) answer {
		path, _ := c.begun(c.owner(), noteFile)
		return c.call(c.key, "POST", "/uploads/cancel", fields{"path": path})
	},
	"GET /api/v1/links": func(c caller, _ string) answer {
		return c.call(c.key, "GET", "/links?views=true",
			nil)
	},
	"GET /api/v1/websites":     func(c caller, _ string) answer { return c.call(c.key, "GET", "/websites", nil) },
	"GET /api/v1/links/{slug}": func(c caller, slug string) answer { return c.call(c.key, "GET", "/links/"+slug, nil) },
	"PATCH /api/v1/links/{slug}": func(c caller, slug string) answer {
		return c.call(c.key, "PATCH", "/links/"+slug, fields{"title": "Changed"})
	},
	"DELETE /api/v1/links/{slug}": func(c caller,
		slug string) answer {
		return c.call(c.key, "DELETE", "/links/"+slug, nil)
	},
	"GET /api/v1/links/{slug}/file": func(c caller,
		slug string) answer {
		return c.call(c.key, "GET", "/links/"+slug+"/file", nil)
	},
	"GET /api/v1/links/{slug}/captions": func(c caller,
		slug string) answer {
		return c.call(c.key, "GET", "/links/"+slug+"/captions", nil)
	},
	"PUT /api/v1/links/{slug}/captions/{language}": func(c caller, slug string) answer {
		return c.send(c.key, "PUT", "/links/"+slug+"/captions/de", "text/vtt", morning)
	},
	"DELETE /api/v1/links/{slug}/captions/{language}": func(c caller,
		slug string) answer {
		return c.call(c.key, "DELETE", "/links/"+slug+"/captions/en", nil)
	},
	"GET /api/v1/links/{slug}/versions": func(c caller,
		slug string) answer {
		return c.call(c.key, "GET", "/links/"+slug+"/versions", nil)
	},
	"POST /api/v1/links/{slug}/versions/{version}/restore": func(c caller, slug string) answer {
		c.call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		return c.call(c.key, "POST", "/links/"+slug+"/versions/2/restore", nil) // which has the captions
	},
	"DELETE /api/v1/links/{slug}/versions/{version}": func(c caller, slug string) answer {
		return c.call(c.key, "DELETE", "/links/"+slug+"/versions/1", nil)
	},
	"GET /api/v1/links/{slug}/visits": func(c caller,
		slug string) answer {
		return c.call(c.key, "GET", "/links/"+slug+"/visits", nil)
	},
	"GET /api/v1/links/{slug}/visits/{visit}": func(c caller, slug string) answer {
		c.get("/p/" + slug)
		id := "1"
		if visits, _ := c.call(c.key, "GET", "/links/"+slug+"/visits", nil).json()["visits"].([]any); len(visits) > 0 {
			id = visits[0].(map[string]any)["id"].(string)
		}
		return c.call(c.key, "GET", "/links/"+slug+"/visits/"+id, nil)
	},
	"GET /api/v1/links/{slug}/analytics": func(c caller,
		slug string) answer {
		return c.call(c.key, "GET", "/links/"+slug+"/analytics", nil)
	},
	"GET /api/v1/analytics": func(c caller,
		_ string) answer {
		return c.call(c.key, "GET", "/analytics", nil)
	},
	"GET /api/v1/key": func(c caller,
		_ string) answer {
		return c.call(c.key, "GET", "/key", nil)
	},
	"DELETE /api/v1/key": func(c caller,
		_ string) answer {
		return c.call(c.key, "DELETE", "/key", nil)
	},
	"GET /api/v1/keys": func(c caller, _ string) answer { return c.call(c.key, "GET", "/keys", nil) },
	"POST /api/v1/keys": func(c caller, _ string) answer {
		return c.call(c.key, "POST", "/keys", fields{"name": "deploy", "scope": "publish"})
	},
	"DELETE /api/v1/keys/{id}": func(c caller, _ string) answer {
		return c.call(c.key, "DELETE", fmt.Sprint("/keys/", c.keyID()), nil)
	},
}

// ofNoUpload has the requests about an upload, about one that does not exist:
// the others begin one first.
var ofNoUpload = map[string]func(c caller) answer{
	"POST /api/v1/uploads/complete": func(c caller) answer { return c.complete("nope", noteFile) },
	"POST /api/v1/uploads/cancel": func(c caller) answer {
		return c.call(c.key, "POST", "/uploads/cancel", fields{"path": "nope"})
	},
}

// keyID returns the ID of the caller's key.
func (c caller) keyID() vitrine.KeyID {
	c.t.Helper()
	keys, err := c.server.Keys.List(c.t.Context(), c.emails[c.key])
	c.check(err)
	for _, k := range keys {
		if strings.HasSuffix(c.key, k.Last4) {
			return k.ID
		}
	}
	c.t.Fatal("the account has no such key")
	return 0
}

// owner returns a key of the caller's account with full scope.
func (c caller) owner() string {
	c.t.Helper()
	for key, email := range c.emails {
		if email == c.emails[c.key] && key != c.key {
			return key
		}
	}
	return c.key
}

// scoped returns another key of an account, with a scope.
func (f *fixture) scoped(key string, scope vitrine.KeyScope) string {
	f.t.Helper()
	k, err := f.server.Keys.Create(f.t.Context(), f.emails[key], auth.KeyRequest{Name: string(scope), Scope: scope})
	f.check(err)
	f.emails[string(k.Text)] = f.emails[key]
	f.call(string(k.Text), "GET", "/links", nil).want(200,
		"") // sets the last use, which is not updated again within a minute
	return string(k.Text)
}

// spoken publishes an audio file with English captions as the replacement of a
// text.
func (f *fixture) spoken(key string) (slug string) {
	f.t.Helper()
	song := string(mustRead("testdata/song.mp3"))
	slug = f.published(key, noteFile, note)
	f.published(key, fields{"name": "song.mp3", "type": "audio/mpeg", "size": len(song), "replace": slug}, song)
	f.send(key, "PUT", "/links/"+slug+"/captions/en", "text/vtt", morning).want(200, "")
	return slug
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
				f := newFixture(t)
				owner := f.account(vitrine.PlanPro)
				c := caller{f, f.scoped(owner, has)}
				slug := f.spoken(owner)
				state := func() (int64, string) {
					version, err := f.server.Keys.Store.Version(t.Context())
					f.check(err)
					return version, string(f.call(owner, "GET", "/links", nil).Body) +
						string(f.call(owner, "GET", "/links/"+slug+"/captions", nil).Body)
				}
				before, listed := state()
				if of := ofNoUpload[route]; of != nil && !has.Allows(need) {
					of(c).want(403, string(vitrine.CodeForbidden))
				} else if a := request(c, slug); !has.Allows(need) {
					a.want(403, string(vitrine.CodeForbidden))
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
			f := newFixture(t)
			owner, other, banned, free := f.account(vitrine.PlanPro), f.account(vitrine.PlanPro),
				f.account(vitrine.PlanPro), f.account(vitrine.PlanFree)
			slug, own, ofFree := f.spoken(owner), f.spoken(banned), f.spoken(free)
			if strings.Contains(route, "{slug}") {
				before := string(f.call(owner, "GET", "/links", nil).Body) +
					string(f.call(owner, "GET", "/links/"+slug+"/captions", nil).Body)
				foreign, unknown := request(caller{f, other}, slug), request(caller{f, other}, "nothing-here")
				foreign.want(404, string(vitrine.CodeNotFound))
				if !bytes.Equal(foreign.Body, unknown.Body) || foreign.Header.Get("ETag") != "" {
					t.Errorf("another account's link: %s, an unknown one: %s, want the same", foreign.Body,
						unknown.Body)
				}
				if now := string(f.call(owner, "GET", "/links", nil).Body) +
					string(f.call(owner, "GET", "/links/"+slug+"/captions", nil).Body); now != before {
					t.Errorf("another account has changed %s to %s", before, now)
				}
			}
			if a := request(caller{f, free}, ofFree); strings.HasSuffix(route, "/analytics") ||
				strings.Contains(route, "/visits") {
				a.want(403, string(vitrine.CodeProRequired))
			} else if a.Status >= 400 {
				t.Errorf("refused on Free: status %d: %s", a.Status, a.Body)
			}
			f.ban(banned)
			if of := ofNoUpload[route]; of != nil {
				of(caller{f, banned}).want(403, string(vitrine.CodeBanned))
			} else {
				request(caller{f, banned}, own).want(403, string(vitrine.CodeBanned))
			}
		})
	}
}
