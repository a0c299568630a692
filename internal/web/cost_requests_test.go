package web_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/ui"
)

// refusals are the routes whose requests are always refused, with the reason.
var refusals = map[string]string{
	"/":        "it answers what is no address",
	"/api/v1/": "it answers what is no operation of the API",
}

// ask is a request that does what its route is for. Empty fields stand for what
// the pattern and the guard of the route say.
type ask struct {
	path, body string
	kind       string        // of the body
	as         string        // a cookie or a key, as "Name: value"
	on         *webtest.Site // which is asked
}

// asks prepare a request for each route that needs something to do it to. Each
// request has its own, if it can be done once.
var asks = map[string]func(c *costSite) ask{
	// The API
	"POST /api/v1/uploads/complete": func(c *costSite) ask {
		path, _ := c.begun("", true)
		return ask{body: `{"path":"` + path + `","name":"note.txt","type":"text/plain"}`}
	},
	"POST /api/v1/uploads/cancel": func(c *costSite) ask {
		path, _ := c.begun("", false)
		return ask{body: `{"path":"` + path + `"}`}
	},
	"PUT /storage/{key}": func(c *costSite) ask {
		_, to := c.begun("", false)
		return ask{path: strings.TrimPrefix(to, c.URL), body: costNote, kind: "text/plain"}
	},
	"HEAD /storage/{key}": func(c *costSite) ask { return ask{path: c.chunkAddress()} },
	"PATCH /storage/{key}": func(c *costSite) ask { // the first chunk
		return ask{path: c.chunkAddress(), body: costNote[:5], kind: "application/offset+octet-stream"}
	},
	"DELETE /storage/{key}": func(c *costSite) ask { return ask{path: c.chunkAddress()} },
	"POST /storage/{key}": func(c *costSite) ask { // the last one, from a client that cannot send PATCH
		return ask{path: c.chunkAddress(), body: costNote, kind: "application/offset+octet-stream"}
	},
	"PUT /api/v1/links/{slug}/captions/{language}": func(c *costSite) ask {
		return ask{path: "/api/v1" + webtest.LinkPath(c.Links["tour.webm"]) + "/captions/de", body: webtest.Morning,
			kind: "text/vtt"}
	},
	"GET /api/v1/links/{slug}/visits/{visit}": func(c *costSite) ask {
		return ask{path: "/api/v1" + webtest.LinkPath(c.report()) + "/visits/" + c.visitOf()}
	},
	"POST /api/v1/logins/take": func(c *costSite) ask {
		_, secret := c.login()
		return ask{body: `{"secret":"` + secret + `"}`}
	},
	"DELETE /api/v1/links/{slug}/captions/{language}": func(c *costSite) ask {
		c.Caption(c.Links["tour.webm"], "de", webtest.Morning)
		return ask{path: "/api/v1" + webtest.LinkPath(c.Links["tour.webm"]) + "/captions/de"}
	},
	"DELETE /api/v1/links/{slug}/versions/{version}": func(c *costSite) ask {
		return ask{path: "/api/v1" + webtest.LinkPath(c.replaced()) + "/versions/1"}
	},
	"DELETE /api/v1/links/{slug}": func(c *costSite) ask { return ask{path: "/api/v1" + webtest.LinkPath(c.note())} },
	"POST /api/v1/keys": func(c *costSite) ask {
		_, key := c.keyed()
		return ask{as: withKey(key), body: `{"name":"costs","scope":"read"}`}
	},
	"DELETE /api/v1/keys/{id}": func(c *costSite) ask {
		a, key := c.keyed()
		return ask{as: withKey(key), path: "/api/v1/keys/" + c.keyOf(a)}
	},
	"DELETE /api/v1/key": func(c *costSite) ask {
		_, key := c.keyed()
		return ask{as: withKey(key)}
	},

	// Pages for everybody
	"/":                     func(*costSite) ask { return ask{path: "/nowhere"} },
	"/api/v1/":              func(*costSite) ask { return ask{path: "/api/v1/nothing"} },
	"GET /assets/{path...}": func(*costSite) ask { return ask{path: ui.AssetPath("viewer/html/frame.js")} },
	"POST /p/{slug}": func(c *costSite) ask {
		return ask{path: "/p/" + string(c.gated().Slug),
			body: "password=a+cafe"}
	},
	"POST /a/{slug}": func(c *costSite) ask {
		slug := strings.TrimPrefix(c.newAlbum(), "/albums/")
		c.Check(c.Server.Albums.SetAccess(c.T.Context(), c.Pro, slug, &access.Change{Password: new("a cafe")}))
		return ask{path: "/a/" + slug, body: "password=a+cafe"}
	},
	"POST /p/{slug}/report": func(c *costSite) ask {
		return ask{path: "/p/" + c.slug() + "/report",
			body: costReport}
	},
	"GET /oembed":           func(c *costSite) ask { return ask{path: "/oembed?url=" + c.URL + "/p/" + string(c.json.Slug)} },
	"POST /p/{slug}/beacon": func(c *costSite) ask { return c.beacon() },
	"GET /sign-up/{token}":  func(c *costSite) ask { return ask{path: "/sign-up/" + c.invited()} },
	"GET /password/{token}": func(c *costSite) ask { return ask{path: "/password/" + c.reset()} },
	"GET /setup/{token}":    func(c *costSite) ask { return c.setup("") },
	"GET /sign-in/{token}":  func(c *costSite) ask { return ask{path: c.SignInLink(c.Pro)} },
	"GET /two-step": func(c *costSite) ask {
		cookie, _ := c.half()
		return ask{as: cookie}
	},
	"POST /two-step": func(c *costSite) ask {
		cookie, code := c.half()
		return ask{as: cookie, body: "code=" + code}
	},
	"GET /account/two-step":  func(c *costSite) ask { return c.asOther("/account/two-step", "") },
	"POST /account/two-step": func(c *costSite) ask { return c.factor() },
	"POST /sign-in/{token}":  func(c *costSite) ask { return ask{path: c.SignInLink(c.Pro)} },
	"POST /sign-in":          func(c *costSite) ask { return ask{body: "email=ada@example.org&password=" + costWords} },
	"POST /sign-up":          func(c *costSite) ask { return ask{body: "email=" + c.address() + "&password=" + costWords} },
	"POST /sign-up/{token}": func(c *costSite) ask {
		return ask{path: "/sign-up/" + c.invited(),
			body: "password=" + costWords}
	},
	"POST /password/{token}": func(c *costSite) ask {
		return ask{path: "/password/" + c.reset(),
			body: "password=" + costWords}
	},
	"POST /setup/{token}": func(c *costSite) ask { return c.setup("email=" + c.address() + "&password=" + costWords) },
	"POST /sign-out":      func(c *costSite) ask { return c.asOther("/sign-out", "") },
	"POST /report/website/{slug}": func(c *costSite) ask {
		return ask{path: "/report/website/" + string(c.newSite(2).Slug), body: costReport}
	},
	"POST /r/{token}": func(c *costSite) ask {
		return ask{path: c.Shared(nil, "some words of ada"), body: "password=" + costWords}
	},
	"GET /r/{token}/pages/{page}": func(c *costSite) ask { return ask{path: c.Shared(c.report(), "") + "/pages/1"} },

	// File bytes
	"GET /c/{token}/captions/{language}": func(c *costSite) ask {
		return c.bytesOf(c.Links["tour.webm"], "captions/en")
	},
	"GET /c/{token}/part/{part}": func(c *costSite) ask { return c.bytesOf(c.report(), "part/picture") },
	"GET /c/{token}/preview":     func(c *costSite) ask { return c.bytesOf(c.zip, "preview") },
	"GET /c/{token}/{frame}":     func(c *costSite) ask { return c.bytesOf(c.report(), "view") },
	"GET /c/{token}/frame": func(c *costSite) ask {
		return c.bytesOf(c.Links["invitation.html"],
			"frame")
	},
	"GET /c/{token}/file":                func(c *costSite) ask { return c.bytesOf(c.report(), "file") },
	"GET /c/{token}/rows/{table}":        func(c *costSite) ask { return c.bytesOf(c.Links["visitors.csv"], "rows/1") },
	"GET /c/{token}/entry/{entry}":       func(c *costSite) ask { return c.bytesOf(c.zip, "entry/0") },
	"GET /c/{token}/entry/{entry}/view":  func(c *costSite) ask { return c.bytesOf(c.zip, "entry/1/view") },
	"GET /c/{token}/entry/{entry}/bytes": func(c *costSite) ask { return c.bytesOf(c.zip, "entry/1/bytes") },
	"GET /c/{token}/entry/{entry}/download": func(c *costSite) ask {
		return c.bytesOf(c.zip, "entry/0/download")
	},
	"GET /c/{token}/examine":        func(c *costSite) ask { return c.examined(c.heldPage, "examine") },
	"GET /c/{token}/source":         func(c *costSite) ask { return c.examined(c.heldPage, "source") },
	"GET /c/{token}/copy":           func(c *costSite) ask { return c.examined(c.heldPage, "copy") },
	"GET /c/{token}/site/{path...}": func(c *costSite) ask { return c.examined(c.heldSite, "site/index.html") },
	"GET /c/{token}/original": func(c *costSite) ask {
		return ask{path: "/c/" + c.Server.Signer.OwnerToken(c.report().ID, c.keyID, c.Server.Now()) + "/original"}
	},

	// Webhooks
	"POST /api/v1/webhooks":       func(c *costSite) ask { c.unhook(); return ask{body: `{"url":"https://hook.example/a"}`} },
	"PATCH /api/v1/webhooks/{id}": func(*costSite) ask { return ask{body: `{"label":"a receiver"}`} },
	"POST /webhooks":              func(c *costSite) ask { c.unhook(); return ask{body: "url=https://hook.example/a"} },
	"DELETE /api/v1/webhooks/{id}": func(c *costSite) ask {
		id, _ := c.hook()
		return ask{path: "/api/v1/webhooks/" + id}
	},
	"POST /webhooks/{id}/delete": func(c *costSite) ask {
		id, _ := c.hook()
		return ask{path: "/webhooks/" + id + "/delete"}
	},
	"POST /webhooks/{id}/turn":   func(*costSite) ask { return ask{body: "on=1"} },
	"POST /webhooks/{id}/resend": func(c *costSite) ask { return ask{body: "message=" + c.values["/deliveries/"]} },

	// Uploads and links
	"POST /dashboard/uploads": func(*costSite) ask {
		return ask{body: fmt.Sprintf(`{"name":"note.txt","type":"text/plain","size":%d}`, len(costNote))}
	},
	"POST /dashboard/uploads/complete": func(c *costSite) ask {
		path, _ := c.begun("", true)
		return ask{body: `{"path":"` + path + `","name":"note.txt","type":"text/plain"}`}
	},
	"POST /dashboard/uploads/cancel": func(c *costSite) ask {
		path, _ := c.begun("", false)
		return ask{body: `{"path":"` + path + `"}`}
	},
	"POST /links": func(c *costSite) ask { return ask{body: "action=disable&link=" + c.slug()} },
	"POST /links/{slug}/versions/restore": func(c *costSite) ask {
		return onLink(c.replaced(), "/versions/restore",
			"version=1")
	},
	"POST /links/{slug}/versions/delete": func(c *costSite) ask {
		return onLink(c.replaced(), "/versions/delete",
			"version=1")
	},
	"POST /links/{slug}/access": func(c *costSite) ask {
		return onLink(c.note(), "/access",
			"password=a+cafe")
	},
	"POST /links/{slug}/disable": func(c *costSite) ask { return onLink(c.note(), "/disable", "") },
	"POST /links/{slug}/bell":    func(c *costSite) ask { return onLink(c.note(), "/bell", "notify=off") },
	"POST /links/{slug}/undo":    func(c *costSite) ask { return onLink(c.disabled(), "/undo", "") },
	"POST /links/{slug}/delete":  func(c *costSite) ask { return onLink(c.note(), "/delete", "") },
	"POST /links/{slug}/website": func(c *costSite) ask {
		a, cookie := c.other()
		before := c.Account
		defer func() { c.Account = before }()
		c.Account = a
		return ask{path: webtest.LinkPath(c.Publish("site.zip", webtest.Packed(c.T,
			"index.html=<h1>Garden</h1>"))) + "/website", as: cookie}
	},
	"POST /links/{slug}/captions":   func(c *costSite) ask { return c.captionsForm() },
	"POST /links/{slug}/recipients": func(*costSite) ask { return ask{body: "names=Anna’s+link"} },
	"POST /links/{slug}/recipient":  func(c *costSite) ask { return ask{body: "label=x&id=" + c.values["/recipients/"]} },
	"POST /links/{slug}/captions/delete": func(c *costSite) ask {
		c.Caption(c.Links["tour.webm"], "de", webtest.Morning)
		return onLink(c.Links["tour.webm"], "/captions/delete", "language=de")
	},

	// Reports
	"POST /analytics/own": func(*costSite) ask { return ask{body: "count=yes"} },
	"GET /links/{slug}/analytics/pages/{page}": func(c *costSite) ask {
		return onLink(c.report(), "/analytics/pages/1", "")
	},
	"GET /links/{slug}/analytics/visits/{visit}": func(c *costSite) ask {
		return onLink(c.report(),
			"/analytics/visits/"+c.visitOf(), "")
	},
	"POST /analytics/share/{id}/revoke":              func(c *costSite) ask { return ask{path: c.revoked(nil)} },
	"POST /links/{slug}/analytics/share/{id}/revoke": func(c *costSite) ask { return ask{path: c.revoked(c.report())} },
	"POST /albums":                  func(*costSite) ask { return ask{body: "title=For+a+friend"} },
	"POST /albums/{slug}/title":     func(*costSite) ask { return ask{body: "title=For+the+press"} },
	"POST /albums/{slug}/access":    func(c *costSite) ask { return ask{path: c.newAlbum() + "/access", body: "password=a+cafe"} },
	"POST /albums/{slug}/add":       func(c *costSite) ask { return ask{body: "link=" + c.slug()} },
	"POST /albums/{slug}/move":      func(c *costSite) ask { return ask{body: "to=0&link=" + string(c.report().Slug)} },
	"POST /albums/{slug}/order":     func(c *costSite) ask { return ask{body: `{"to":1,"link":"` + string(c.report().Slug) + `"}`} },
	"POST /albums/{slug}/remove":    func(c *costSite) ask { return ask{body: "link=" + c.inAlbum()} },
	"POST /albums/{slug}/delete":    func(c *costSite) ask { return ask{path: c.newAlbum() + "/delete"} },
	"POST /websites":                func(c *costSite) ask { return c.asOther("/websites", "title=Garden") },
	"POST /websites/new":            func(c *costSite) ask { return c.asOther("/websites/new", `{"title":"Garden"}`) },
	"POST /websites/{slug}/title":   func(*costSite) ask { return ask{body: "title=Spring"} },
	"POST /websites/{slug}/restore": func(c *costSite) ask { return c.onVersion("restore") },
	"POST /websites/{slug}/remove":  func(c *costSite) ask { return c.onVersion("remove") },
	"POST /websites/{slug}/delete":  func(c *costSite) ask { return ask{path: c.sitePath(1) + "/delete"} },
	"POST /websites/{slug}/discard": func(c *costSite) ask { return ask{path: c.sitePath(0) + "/discard"} },
	"POST /websites/{slug}/uploads": func(*costSite) ask { return ask{body: `{"name":"site.zip","type":"application/zip","size":100}`} },
	"POST /websites/{slug}/uploads/complete": func(c *costSite) ask {
		path, _ := c.begun(string(c.Website.Slug), true)
		return ask{body: `{"path":"` + path + `","name":"site.zip","type":"application/zip"}`}
	},

	// Accounts
	"POST /device": func(c *costSite) ask {
		code, _ := c.login()
		return c.asOther("/device", "answer=allow&scope=full&expires=90d&code="+code)
	},
	"GET /oauth/authorize":  func(c *costSite) ask { return ask{path: c.asksGrant()} },
	"POST /oauth/authorize": func(c *costSite) ask { return c.asOther(c.asksGrant(), "answer=allow&scope=read&expires=90d") },
	"POST /oauth/token":     (*costSite).exchange,
	"POST /oauth/register": func(c *costSite) ask {
		c.Server.Grants.Register = true
		return ask{body: webtest.Program, kind: "application/json"}
	},
	"POST /account/password": func(c *costSite) ask {
		return c.asOther("/account/password",
			"password="+costWords)
	},
	"POST /account/email":         func(c *costSite) ask { return c.asOther("/account/email", "email="+c.address()) },
	"POST /account/email/{token}": func(c *costSite) ask { return c.newAddress() },
	"POST /account/dismiss":       func(*costSite) ask { return ask{body: "notice=costs"} },
	"POST /account/timezone":      func(*costSite) ask { return ask{body: "timezone=Europe/London"} },
	"POST /account/sessions":      func(c *costSite) ask { return c.asOther("/account/sessions", "") },
	"POST /account/sessions/{id}": func(c *costSite) ask { return c.session() },
	"POST /account/close": func(c *costSite) ask {
		a, cookie := c.other()
		return ask{as: cookie, body: "email=" + a.Email}
	},
	"POST /keys": func(c *costSite) ask { return c.asOther("/keys", "name=costs&scope=read") },
	"POST /keys/{id}/roll": func(c *costSite) ask {
		a, cookie := c.other()
		return ask{as: cookie, path: "/keys/" + c.keyOf(a) + "/roll", body: "grace=hour"}
	},
	"POST /keys/{id}/revoke": func(c *costSite) ask {
		a, cookie := c.other()
		return ask{as: cookie, path: "/keys/" + c.keyOf(a) + "/revoke"}
	},
	"POST /people/change":       func(c *costSite) ask { return c.personChange() },
	"POST /people/two-step-off": func(c *costSite) ask { return c.twoStepOff() },
	"POST /people/invite":       func(c *costSite) ask { return ask{body: "plan=free&email=" + c.address()} },
	"POST /people/invitations/{id}/withdraw": func(c *costSite) ask {
		c.invited()
		list, err := c.Server.Accounts.Invitations(c.T.Context())
		c.Check(err)
		return ask{path: fmt.Sprintf("/people/invitations/%d/withdraw", list[0].ID)}
	},

	// Moderation
	"GET /moderation/find": func(c *costSite) ask { return ask{path: "/moderation/find?for=" + c.Pro.Email} },
	"POST /moderation/decide": func(c *costSite) ask {
		return ask{body: "do=clear&link=" + url.QueryEscape(c.waiting())}
	},
	"POST /moderation/undo": func(c *costSite) ask {
		r := c.Status(c.Post("/moderation/decide", url.Values{"do": {"clear"}, "link": {c.waiting()}},
			c.cookies["moderator"]), 303)
		to, err := r.Location()
		c.Check(err)
		return ask{body: "done=" + url.QueryEscape(to.Query().Get("done"))}
	},
	"POST /moderation/links/{slug}/{action}": func(c *costSite) ask {
		l := c.Hold(c.note(), vitrine.ReasonAbuse, "")
		return ask{path: webtest.CasePath(l) + "/clear", body: "seen=" + c.Seen(l)}
	},
	"POST /moderation/accounts/{id}/{action}": func(c *costSite) ask {
		a, _ := c.other()
		return ask{path: webtest.AccountPath(a) + "/suspend"}
	},
}

const (
	costNote   = "Some words of a note.\n"
	costWords  = "some+words+of+ada"
	costReport = "reason=phishing&note=Not+what+it+seems"
)

func withKey(key string) string { return "Authorization: Bearer " + key }

func onLink(l *vitrine.Link, at, body string) ask {
	return ask{path: webtest.LinkPath(l) + at, body: body}
}

func (c *costSite) report() *vitrine.Link { return c.Links["annual-report.pdf"] }

// note publishes a text of its own: what was held before would be held again.
func (c *costSite) note() *vitrine.Link { return c.Publish("note.txt", []byte(costNote+c.address())) }

func (c *costSite) slug() string { return string(c.note().Slug) }

func (c *costSite) address() string {
	c.made++
	return fmt.Sprintf("new%d@example.org", c.made)
}

// other returns another account with the plan Pro, and its cookie.
func (c *costSite) other() (*vitrine.Account, string) {
	a := c.Join(c.address(), vitrine.RoleMember)
	return a, c.SignIn(a)
}

func (c *costSite) asOther(path, body string) ask {
	_, cookie := c.other()
	return ask{path: path, body: body, as: cookie}
}

// keyed returns another account with a key.
func (c *costSite) keyed() (*vitrine.Account, string) {
	a, key, err := c.Server.Accounts.Create(c.T.Context(), c.address(), vitrine.PlanPro)
	c.Check(err)
	return a, string(key)
}

// keyOf creates a key and returns its number.
func (c *costSite) keyOf(a *vitrine.Account) string {
	key, err := c.Server.Keys.CreateFor(c.T.Context(), a.Email, auth.KeyRequest{Name: "costs", Scope: vitrine.ScopeFull})
	c.Check(err)
	return strconv.FormatInt(int64(key.ID), 10)
}

// gated returns a link with a password.
func (c *costSite) gated() *vitrine.Link {
	l := c.note()
	c.Protect(l, "a cafe")
	return l
}

func (c *costSite) disabled() *vitrine.Link {
	l, err := c.Server.Links.Disable(c.T.Context(), c.slug(), vitrine.Decision{By: vitrine.Owner(c.Pro.ID)})
	c.Check(err)
	return l
}

// waiting returns the row of a link that waits for a moderator.
func (c *costSite) waiting() string {
	l := c.Hold(c.note(), vitrine.ReasonAbuse, "")
	return string(l.Slug) + " " + l.Reason
}

func (c *costSite) captionsForm() ask {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	c.Check(w.WriteField("language", "de"))
	f, err := w.CreateFormFile("file", "de.vtt")
	c.Check(err)
	_, err = f.Write([]byte(webtest.Morning))
	c.Check(err)
	c.Check(w.Close())
	return ask{path: webtest.LinkPath(c.Links["tour.webm"]) + "/captions", body: b.String(),
		kind: w.FormDataContentType()}
}

func (c *costSite) visitOf() string {
	some, err := c.Server.Analytics.Visits(c.T.Context(), c.Pro, string(c.report().Slug), analytics.VisitQuery{N: 1})
	c.Check(err)
	return some.Rows[0].ID
}

// revoked returns the address that revokes a new address of a report.
func (c *costSite) revoked(l *vitrine.Link) string {
	c.Shared(l, "")
	list, err := (&analytics.Sharing{Store: c.Server.Links.Store, Signer: c.Server.Signer, Now: c.Server.Now}).
		List(c.T.Context(), c.Pro, l)
	c.Check(err)
	root := "/analytics"
	if l != nil {
		root = webtest.LinkPath(l) + root
	}
	return fmt.Sprintf("%s/share/%d/revoke", root, list[0].ID)
}

func (c *costSite) newAlbum() string {
	a, err := c.Server.Albums.Create(c.T.Context(), c.Pro, "For a friend", "")
	c.Check(err)
	return "/albums/" + string(a.Slug)
}

// inAlbum returns a link of the album.
func (c *costSite) inAlbum() string {
	slug := c.slug()
	c.Check(c.Server.Albums.Add(c.T.Context(), c.Pro, string(c.Album.Slug), []string{slug}))
	return slug
}

// webtest.NewSite returns a website with versions.
func (c *costSite) newSite(versions int) *vitrine.Site {
	s := c.NewWebsite("Garden")
	for i := range versions {
		c.Deployed(s, fmt.Sprintf("index.html=<h1>Garden %d</h1>", i))
	}
	return s
}

func (c *costSite) sitePath(versions int) string {
	return "/websites/" + string(c.newSite(versions).Slug)
}

// onVersion does something to a version that was replaced.
func (c *costSite) onVersion(action string) ask {
	s := c.NewWebsite("Garden")
	l := c.Deployed(s, "index.html=<h1>Garden</h1>")
	c.Deployed(s, "index.html=<h1>The garden</h1>")
	return ask{path: "/websites/" + string(s.Slug) + "/" + action, body: fmt.Sprintf("version=%d", l.ID)}
}

func (c *costSite) bytesOf(l *vitrine.Link, what string) ask {
	return ask{path: "/c/" + c.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1},
		c.Server.Now().Add(time.Hour)) + "/" + what}
}

func (c *costSite) examined(l *vitrine.Link, what string) ask {
	return ask{path: "/c/" + c.Server.Signer.ExamineToken(l.ID, c.Moderator.ID, c.Server.Now().Add(time.Minute)) +
		"/" + what}
}

func (c *costSite) beacon() ask {
	to := c.BeaconOf(c.Get("/p/" + string(c.report().Slug)).Text)
	return ask{path: to, body: `{"engagedMs":1000,"presentMs":1200}`, kind: "text/plain;charset=UTF-8"}
}

func (c *costSite) invited() string {
	text, err := c.Server.Accounts.Invite(c.T.Context(), c.address(), vitrine.PlanPro,
		vitrine.Decision{By: vitrine.Administrator})
	c.Check(err)
	return string(text)
}

func (c *costSite) reset() string {
	text, err := c.Server.Accounts.OfferReset(c.T.Context(), c.Join(c.address(), vitrine.RoleMember).Email)
	c.Check(err)
	return string(text)
}

// setup is a request of a site without accounts.
func (c *costSite) setup(body string) ask {
	s, token := unsetSite(c.Demo)
	return ask{on: s.Site, path: "/setup/" + token, body: body}
}
