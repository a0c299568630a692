package web_test

import (
	"strings"

	"vitrine"
)

func init() {
	for _, at := range []string{"/api/v1/trash/{slug}/restore", "/trash/{slug}/restore", "/trash/{slug}/delete"} {
		asks["POST "+at] = func(c *costSite) ask {
			l := c.note()
			c.Check(c.Server.Links.Delete(c.T.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(l.Account)}))
			return ask{path: strings.Replace(at, "{slug}", string(l.Slug), 1)}
		}
	}
}
