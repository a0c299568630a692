package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
)

// attempts has, for each route that accepts a publish key and changes
// something, all ways to put something on a link that lives on or to lengthen
// it. Each answers how the route refused a key that limits its links.
var attempts = map[string]map[string]func(c caller, slug string) answer{
	"POST /api/v1/uploads": {
		"replace": func(c caller, slug string) answer { return c.create(noteFile.with(fields{"replace": slug})) },
		"website": func(c caller, slug string) answer {
			return c.create(fields{"name": "a.zip", "type": "application/zip", "size": 9, "website": slug})
		},
	},
	"POST /api/v1/uploads/complete": {
		"replace, begun by another key": func(c caller, slug string) answer {
			file := fields{"name": "two.txt", "type": "text/plain", "size": 8, "replace": slug}
			return c.complete(c.stored(c.owner(), file, "text two"), file)
		},
		"website": func(c caller, slug string) answer {
			return c.complete("00000000-0000-0000-0000-000000000000", noteFile.with(fields{"website": slug}))
		},
		"never": func(c caller, _ string) answer {
			path := c.stored(c.key, noteFile, note)
			return c.complete(path, noteFile.with(fields{"expiresAt": "never"}))
		},
		"later": func(c caller, _ string) answer {
			path := c.stored(c.key, noteFile, note)
			return c.complete(path, noteFile.with(fields{"expiresAt": "2027-01-01T00:00:00Z"}))
		},
	},
	"POST /api/v1/uploads/cancel": {}, // publishes nothing
	"PATCH /api/v1/links/{slug}": {
		"title":          edits(fields{"title": "Mine now"}),
		"slug":           edits(fields{"slug": "mine-now"}),
		"allowDownload":  edits(fields{"allowDownload": true}),
		"enable":         edits(fields{"disabled": false}),
		"never":          edits(fields{"expiresAt": "never"}),
		"later":          edits(fields{"expiresAt": "2027-01-01T00:00:00Z"}),
		"all that opens": edits(fields{"title": "Mine now", "disabled": false, "allowDownload": true}),
	},
	"PUT /api/v1/links/{slug}/captions/{language}": {
		"new language": func(c caller, slug string) answer {
			return c.send(c.key, "PUT", "/links/"+slug+"/captions/de", "text/vtt", morning)
		},
		"same language": func(c caller, slug string) answer {
			return c.send(c.key, "PUT", "/links/"+slug+"/captions/en", "text/vtt", strings.ToUpper(morning))
		},
	},
	"POST /api/v1/links/{slug}/versions/{version}/restore": {
		"restore": func(c caller, slug string) answer {
			return c.call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		},
		"restore the current one": func(c caller, slug string) answer {
			return c.call(c.key, "POST", "/links/"+slug+"/versions/2/restore", nil)
		},
	},
}

func edits(change fields) func(c caller, slug string) answer {
	return func(c caller, slug string) answer { return c.call(c.key, "PATCH", "/links/"+slug, change) }
}

// toolAttempts are the same ways by the tools for agents.
var toolAttempts = map[string]fields{
	"begin_upload":    {"name": "a.txt", "size": 5, "replace": "SLUG"},
	"complete_upload": {"path": "PATH", "name": "two.txt", "replace": "SLUG"},
	"publish_text":    {"name": "a.txt", "content": "x", "expires": "60d"},
	"replace_file":    {"slug": "SLUG", "content": "# Mine now\n"},
	"update_link":     {"slug": "SLUG", "disabled": false, "title": "Mine now"},
}

// limited returns a publish key of an account whose links live for an hour.
func (f *fixture) limited(owner string) string {
	f.t.Helper()
	k, err := f.server.Keys.Create(f.t.Context(), f.emails[owner], auth.KeyRequest{Name: "agent",
		Scope: vitrine.ScopePublish, LinkLife: time.Hour})
	f.check(err)
	f.emails[string(k.Text)] = f.emails[owner]
	return string(k.Text)
}

// TestLimitedKey checks that a key whose links live for an hour puts nothing on
// a link that lives longer, nor lengthens one, on any route that it may use.
func TestLimitedKey(t *testing.T) {
	routes := keyedRoutes(t)
	for route, need := range routes {
		if strings.HasPrefix(route, "GET ") || need == vitrine.ScopeFull {
			continue // changes nothing, or needs more than a key with a limit has
		}
		if attempts[route] == nil {
			t.Errorf("no attempts for %s", route)
		}
		for what, attempt := range attempts[route] {
			for _, expires := range []any{nil, "2026-06-01T00:00:00Z"} {
				for _, disabled := range []bool{false, true} {
					t.Run(fmt.Sprint(route, " ", what, " ", expires, " ", disabled), func(t *testing.T) {
						f := newFixture(t)
						owner := f.account(vitrine.PlanPro)
						slug := f.spoken(owner)
						f.call(owner, "PATCH", "/links/"+slug, fields{"expiresAt": expires, "disabled": disabled}).want(200, "")
						agent := f.limited(owner)
						f.refusesLimited(owner, slug, func() {
							a := attempt(caller{f, agent}, slug)
							if code := a.text("code"); (a.Status != 403 || code != "forbidden") &&
								(a.Status != 400 || a.text("field") != "expiresAt") {
								t.Errorf("status %d: %s, want 403 forbidden", a.Status, a.Body)
							}
						})
					})
				}
			}
		}
	}
}

// refusesLimited checks that an attempt changes nothing of a link and leaves no
// link that lives longer than an hour.
func (f *fixture) refusesLimited(owner, slug string, attempt func()) {
	f.t.Helper()
	state := func() string {
		return string(f.call(owner, "GET", "/links/"+slug, nil).Body) +
			string(f.call(owner, "GET", "/links/"+slug+"/captions", nil).Body) +
			string(f.call(owner, "GET", "/links/"+slug+"/versions", nil).Body)
	}
	before := state()
	attempt()
	if now := state(); now != before {
		f.t.Errorf("the link has changed from %s to %s", before, now)
	}
	var list struct {
		Links []struct{ Slug, ExpiresAt string }
	}
	f.check(json.Unmarshal(f.call(owner, "GET", "/links", nil).Body, &list))
	for _, l := range list.Links {
		if l.Slug != slug && (l.ExpiresAt == "" || l.ExpiresAt > "2026-05-04T13:00:00.000Z") {
			f.t.Errorf("the link %s expires at %q", l.Slug, l.ExpiresAt)
		}
	}
}

// TestLimitedKeyByTools checks the same for each tool that changes something.
func TestLimitedKeyByTools(t *testing.T) {
	f := newFixture(t)
	owner := f.account(vitrine.PlanPro)
	agent := f.limited(owner)
	a := f.tools(agent)
	list, err := a.s.ListTools(t.Context(), nil)
	f.check(err)
	slug := f.published(owner, fields{"name": "a.md", "type": "text/markdown", "size": len(note)}, note)
	f.call(owner, "PATCH", "/links/"+slug, fields{"disabled": true}).want(200, "")
	file := fields{"name": "two.txt", "type": "text/plain", "size": 8, "replace": slug}
	path := f.stored(owner, file, "text two")
	for _, tool := range list.Tools {
		if tool.Annotations.ReadOnlyHint {
			continue
		}
		if toolAttempts[tool.Name] == nil {
			t.Errorf("no attempt for the tool %s", tool.Name)
			continue
		}
		args := fields{}
		for name, v := range toolAttempts[tool.Name] {
			switch v {
			case "SLUG":
				v = slug
			case "PATH":
				v = path
			}
			args[name] = v
		}
		f.refusesLimited(owner, slug, func() {
			if _, failure := a.use(tool.Name, args); !slices.ContainsFunc([]string{"forbidden: ",
				"invalid_request: This API key limits"}, func(s string) bool { return strings.HasPrefix(failure, s) }) {
				t.Errorf("%s = %q, want forbidden", tool.Name, failure)
			}
		})
	}
}

// TestLimitedKeyOnOwnLinks checks what a key with a limit may do: everything
// with links that end in time, and close, shorten or forbid downloads of any
// other.
func TestLimitedKeyOnOwnLinks(t *testing.T) {
	f := newFixture(t)
	owner := f.account(vitrine.PlanPro)
	agent := f.limited(owner)
	own, other := f.published(agent, noteFile, note), f.published(owner, noteFile, note)
	file := fields{"name": "two.txt", "type": "text/plain", "size": 8, "replace": own}
	f.published(agent, file, "text two")
	f.call(agent, "POST", "/links/"+own+"/versions/1/restore", nil).want(200, "")
	for _, change := range []fields{{"title": "Mine"}, {"slug": "mine"}, {"disabled": true}, {"disabled": false},
		{"allowDownload": true}, {"expiresAt": "2026-05-04T12:30:00Z"}} {
		f.call(agent, "PATCH", "/links/"+own, change).want(200, "")
	}
	for _, change := range []fields{{"allowDownload": false}, {"disabled": true},
		{"expiresAt": "2026-05-04T12:30:00Z", "title": "Shortened", "disabled": false}} {
		f.call(agent, "PATCH", "/links/"+other, change).want(200, "")
	}
}
