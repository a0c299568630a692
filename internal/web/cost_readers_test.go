package web_test

import (
	"fmt"

	"vitrine/internal/test/webtest"
)

func init() {
	const email = "ann@example.com"
	asks["DELETE /api/v1/links/{slug}/readers/{id}"] = func(c *costSite) ask {
		l := c.note()
		return ask{path: fmt.Sprint("/api/v1", webtest.LinkPath(l), "/readers/", c.Confirmed(string(l.Slug), email))}
	}
	asks["POST /links/{slug}/readers/delete"] = func(c *costSite) ask {
		l := c.note()
		return onLink(l, "/readers/delete", fmt.Sprint("reader=", c.Confirmed(string(l.Slug), email)))
	}
}
