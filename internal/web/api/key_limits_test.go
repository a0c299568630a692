package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// attempts has, for each route that accepts a publish key and changes
// something, all ways to put something on a link that lives on or to lengthen
// it. Each answers how the route refused a key that limits its links.
var attempts = map[string]map[string]func(c caller, slug string) webtest.Answer{
	"POST /api/v1/uploads": {
		"replace": func(c caller, slug string) webtest.Answer {
			return c.create(webtest.NoteFile.With(webtest.Fields{"replace": slug}))
		},
		"website": func(c caller, slug string) webtest.Answer {
			return c.create(webtest.Fields{"name": "a.zip", "type": "application/zip", "size": 9, "website": slug})
		},
	},
	"POST /api/v1/uploads/complete": {
		"replace, begun by another key": func(c caller, slug string) webtest.Answer {
			file := webtest.Fields{"name": "two.txt", "type": "text/plain", "size": 8, "replace": slug}
			return c.complete(c.Stored(c.owner(), file, "text two"), file)
		},
		"website": func(c caller, slug string) webtest.Answer {
			return c.complete("00000000-0000-0000-0000-000000000000",
				webtest.NoteFile.With(webtest.Fields{"website": slug}))
		},
		"never": func(c caller, _ string) webtest.Answer {
			path := c.Stored(c.key, webtest.NoteFile, webtest.Note)
			return c.complete(path, webtest.NoteFile.With(webtest.Fields{"expiresAt": "never"}))
		},
		"later": func(c caller, _ string) webtest.Answer {
			path := c.Stored(c.key, webtest.NoteFile, webtest.Note)
			return c.complete(path, webtest.NoteFile.With(webtest.Fields{"expiresAt": "2027-01-01T00:00:00Z"}))
		},
	},
	"POST /api/v1/uploads/cancel": {}, // publishes nothing
	"PATCH /api/v1/links/{slug}": {
		"title":          edits(webtest.Fields{"title": "Mine now"}),
		"slug":           edits(webtest.Fields{"slug": "mine-now"}),
		"allowDownload":  edits(webtest.Fields{"allowDownload": true}),
		"enable":         edits(webtest.Fields{"disabled": false}),
		"never":          edits(webtest.Fields{"expiresAt": "never"}),
		"later":          edits(webtest.Fields{"expiresAt": "2027-01-01T00:00:00Z"}),
		"all that opens": edits(webtest.Fields{"title": "Mine now", "disabled": false, "allowDownload": true}),
	},
	"PUT /api/v1/links/{slug}/captions/{language}": {
		"new language": func(c caller, slug string) webtest.Answer {
			return c.Send(c.key, "PUT", "/links/"+slug+"/captions/de", "text/vtt", webtest.Morning)
		},
		"same language": func(c caller, slug string) webtest.Answer {
			return c.Send(c.key, "PUT", "/links/"+slug+"/captions/en", "text/vtt", strings.ToUpper(webtest.Morning))
		},
	},
	"POST /api/v1/links/{slug}/notes": {
		"add": func(c caller, slug string) webtest.Answer { return c.addNote(c.key, slug) },
	},
	"POST /api/v1/links/{slug}/recipients": {
		"add": func(c caller, slug string) webtest.Answer {
			return c.Call(c.key, "POST", "/links/"+slug+"/recipients", anna)
		},
	},
	"PATCH /api/v1/links/{slug}/recipients/{recipient}": {
		"later": func(c caller, slug string) webtest.Answer {
			return c.editRecipient(slug, webtest.Fields{"expiresAt": "never"})
		},
		"download": func(c caller, slug string) webtest.Answer {
			return c.editRecipient(slug, webtest.Fields{"allowDownload": true})
		},
	},
	"POST /api/v1/links/{slug}/versions/{version}/restore": {
		"restore": func(c caller, slug string) webtest.Answer {
			return c.Call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		},
		"restore the current one": func(c caller, slug string) webtest.Answer {
			return c.Call(c.key, "POST", "/links/"+slug+"/versions/2/restore", nil)
		},
	},
}

func edits(change webtest.Fields) func(c caller, slug string) webtest.Answer {
	return func(c caller, slug string) webtest.Answer { return c.Call(c.key, "PATCH", "/links/"+slug, change) }
}

// toolAttempts are the same ways by the tools for agents.
var toolAttempts = map[string]webtest.Fields{
	"add_recipients":  {"slug": "SLUG", "labels": []string{"Anna's link"}},
	"begin_upload":    {"name": "a.txt", "size": 5, "replace": "SLUG"},
	"complete_upload": {"path": "PATH", "name": "two.txt", "replace": "SLUG"},
	"publish_text":    {"name": "a.txt", "content": "x", "expires": "60d"},
	"replace_file":    {"slug": "SLUG", "content": "# Mine now\n"},
	"update_link":     {"slug": "SLUG", "disabled": false, "title": "Mine now"},
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
						f := webtest.NewFixture(t)
						owner := f.Account(vitrine.PlanPro)
						slug := f.Spoken(owner)
						f.Call(owner, "PATCH", "/links/"+slug, webtest.Fields{"expiresAt": expires,
							"disabled": disabled}).Want(200, "")
						agent := f.Limited(owner)
						f.RefusesLimited(owner, slug, func() {
							a := attempt(caller{f, agent}, slug)
							if code := a.Text("code"); (a.Status != 403 || code != "forbidden") &&
								(a.Status != 400 || a.Text("field") != "expiresAt") {
								t.Errorf("status %d: %s, want 403 forbidden", a.Status, a.Body)
							}
						})
					})
				}
			}
		}
	}
}

// TestLimitedKeyByTools checks the same for each tool that changes something.
func TestLimitedKeyByTools(t *testing.T) {
	f := webtest.NewFixture(t)
	owner := f.Account(vitrine.PlanPro)
	agent := f.Limited(owner)
	a := f.Tools(agent)
	list, err := a.S.ListTools(t.Context(), nil)
	f.Check(err)
	slug := f.Published(owner, webtest.Fields{"name": "a.md", "type": "text/markdown", "size": len(webtest.Note)},
		webtest.Note)
	f.Call(owner, "PATCH", "/links/"+slug, webtest.Fields{"disabled": true}).Want(200, "")
	file := webtest.Fields{"name": "two.txt", "type": "text/plain", "size": 8, "replace": slug}
	path := f.Stored(owner, file, "text two")
	for _, tool := range list.Tools {
		if tool.Annotations.ReadOnlyHint {
			continue
		}
		if toolAttempts[tool.Name] == nil {
			t.Errorf("no attempt for the tool %s", tool.Name)
			continue
		}
		args := webtest.Fields{}
		for name, v := range toolAttempts[tool.Name] {
			switch v {
			case "SLUG":
				v = slug
			case "PATH":
				v = path
			}
			args[name] = v
		}
		f.RefusesLimited(owner, slug, func() {
			if _, failure := a.Use(tool.Name, args); !slices.ContainsFunc([]string{"forbidden: ",
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
	f := webtest.NewFixture(t)
	owner := f.Account(vitrine.PlanPro)
	agent := f.Limited(owner)
	own, other := f.Published(agent, webtest.NoteFile, webtest.Note), f.Published(owner, webtest.NoteFile, webtest.Note)
	file := webtest.Fields{"name": "two.txt", "type": "text/plain", "size": 8, "replace": own}
	f.Published(agent, file, "text two")
	f.Call(agent, "POST", "/links/"+own+"/versions/1/restore", nil).Want(200, "")
	for _, change := range []webtest.Fields{{"title": "Mine"}, {"slug": "mine"}, {"disabled": true},
		{"disabled": false}, {"allowDownload": true}, {"expiresAt": "2026-05-04T12:30:00Z"}} {
		f.Call(agent, "PATCH", "/links/"+own, change).Want(200, "")
	}
	for _, change := range []webtest.Fields{{"allowDownload": false}, {"disabled": true},
		{"expiresAt": "2026-05-04T12:30:00Z", "title": "Shortened", "disabled": false}} {
		f.Call(agent, "PATCH", "/links/"+other, change).Want(200, "")
	}
}
