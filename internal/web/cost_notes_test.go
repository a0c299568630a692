package web_test

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"vitrine/internal/app/links"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

func init() {
	maps.Copy(asks, map[string]func(c *costSite) ask{
		"POST /api/v1/links/{slug}/notes": func(c *costSite) ask {
			return ask{path: "/api/v1" + webtest.LinkPath(c.report()) + "/notes",
				body: `{"day":"` + c.day() + `","text":"Sent"}`}
		},
		"DELETE /api/v1/links/{slug}/notes/{note}": func(c *costSite) ask {
			return ask{path: "/api/v1" + c.notePath()}
		},
		"GET /r/{token}/map": func(c *costSite) ask {
			return ask{path: c.Shared(c.report(), "") + "/map"}
		},
		"POST /links/{slug}/analytics/notes": func(c *costSite) ask {
			return onLink(c.report(), "/analytics/notes", "text=Sent&day="+c.day())
		},
		"POST /links/{slug}/analytics/notes/{note}": func(c *costSite) ask {
			return ask{path: c.noteForm(), body: "text=Sent&day=" + c.day()}
		},
		"POST /links/{slug}/analytics/notes/{note}/delete": func(c *costSite) ask {
			return ask{path: c.noteForm() + "/delete"}
		},
	})
}

func (c *costSite) day() string { return c.Server.Now().UTC().Format(time.DateOnly) }

// notePath returns the path of a new note, and noteForm that of its form.
func (c *costSite) notePath() string {
	n, err := c.Server.Links.AddNote(c.T.Context(), c.Pro, string(c.report().Slug),
		links.Note{Day: report.DayOf(c.Server.Now().UnixMilli()), Text: "Sent"}, nil)
	c.Check(err)
	return fmt.Sprint(webtest.LinkPath(c.report()), "/notes/", n.ID)
}

func (c *costSite) noteForm() string {
	return strings.Replace(c.notePath(), "/notes/", "/analytics/notes/", 1)
}
