package web_test

import (
	"fmt"

	"vitrine/internal/base/signer"
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
	asks["POST /albums/{slug}/readers/delete"] = func(c *costSite) ask {
		return ask{body: fmt.Sprint("reader=", c.ConfirmedAt(c.Album.Door(), email))}
	}
}

// The routes of mails.
func init() {
	end := func(c *costSite) string {
		return "/mail/" + c.Server.Signer.StopToken(signer.Stop{Account: c.Pro.ID, Mail: "alert"})
	}
	asks["PATCH /api/v1/notifications"] = func(*costSite) ask { return ask{body: `{"alert":false}`} }
	asks["GET /mail/{token}"] = func(c *costSite) ask { return ask{path: end(c)} }
	asks["POST /mail/{token}"] = func(c *costSite) ask {
		return ask{path: end(c), body: "List-Unsubscribe=One-Click"}
	}
}
