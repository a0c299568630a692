package web_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
)

// protectedRoots begin the addresses by which readers come to a link. Each
// route below them is part of TestProtectedLinksAreAlike.
var protectedRoots = []string{"/p/", "/c/", "/a/", "/r/", "/oembed"}

// alikeOtherwise are routes that are not compared, with the reason.
var alikeOtherwise = map[string]string{
	"GET /r/{token}":         "a shared report shows title and numbers",
	"GET /r/{token}/{$}":     "it leads to the report",
	"POST /r/{token}":        "it leads to the report",
	"GET /r/{token}/embed":   "a shared report shows title and numbers",
	"GET /r/{token}/explain": "a shared report shows title and numbers",
	"GET /r/{token}/map":     "a shared report shows title and numbers, and the map nothing more to who may not open the file",
	"POST /p/{slug}/report":  "it files a report, and its form is compared",
}

// hidden is a link that can be protected, with what leads to it.
type hidden struct {
	*vitrine.Link
	recipient     *vitrine.Recipient
	before, first string // tokens of content addresses: from before there was a password, and of the first one
	album, report string
}

// hide publishes a file, and protects it.
func hide(s *webtest.Site, name, title string, content []byte) *hidden {
	h := unhidden(s, name, title, content)
	s.Protect(h.Link, "first")
	h.first = h.token(s)
	s.Protect(h.Link, "second")
	return h
}

// unhidden publishes a file.
func unhidden(s *webtest.Site, name, title string, content []byte) *hidden {
	s.T.Helper()
	h := &hidden{Link: s.Publish(name, content, webtest.Titled(title))}
	h.recipient = s.Recipients(h.Link, title)[0]
	s.Part(h.Link, vitrine.PartPicture, content)
	s.Part(h.Link, vitrine.PartThumbs, webtest.Packed(s.T, "1.jpg="+title))
	h.album = string(s.Album("An album", h.Link).Slug)
	secret, err := s.Server.Shared.Create(s.T.Context(), s.Account, h.Link, analytics.SharedOptions{Label: "all"})
	s.Check(err)
	h.report = secret
	h.before = h.token(s)
	return h
}

// token returns that of a content address.
func (h *hidden) token(s *webtest.Site) string {
	_, rest, _ := strings.Cut(s.ContentAddress(h.Link, ""), "/c/")
	return strings.TrimSuffix(rest, "/")
}

// readerRoutes returns the routes by which readers come to a link.
func readerRoutes(t *testing.T) (all []route) {
	for _, r := range routeTable(t) {
		if alikeOtherwise[r.String()] == "" &&
			slices.ContainsFunc(protectedRoots, func(root string) bool { return strings.HasPrefix(r.path, root) }) {
			all = append(all, r)
		}
	}
	return all
}

// asked returns the answer at the address of a route for a hidden link. A form
// is sent from an address of its own each time, because wrong passwords are
// limited by network.
func (h *hidden) asked(s *webtest.Site, r route, token, header string) string {
	method, body, from := cmp.Or(r.method, http.MethodGet), "", "192.0.2.1"
	headers := []string{header, "Accept-Encoding: identity"} // compressed, nonces vary in length
	if method == http.MethodPost {
		posts++
		from = fmt.Sprintf("85.%d.%d.1", 214+posts/256, posts%256)
		body, headers = "password=wrong", append(headers, webtest.Form, "Origin: "+s.URL)
	}
	return h.anonymous(s.Do(method, h.address(s, r.path, token), body, append(headers, "X-Forwarded-For: "+from)...), token)
}

var posts int

// address returns the path of a route for a hidden link; token is of a content
// address.
func (h *hidden) address(s *webtest.Site, path, token string) string {
	switch {
	case strings.HasPrefix(path, "/a/"):
		path = strings.Replace(path, "{slug}", h.album, 1)
	case strings.HasPrefix(path, "/r/"):
		path = strings.Replace(path, "{token}", h.report, 1)
	case path == "/oembed":
		path += "?url=" + url.QueryEscape(s.URL+"/p/"+string(h.Slug))
	}
	return strings.NewReplacer("{slug}", string(h.Slug), "{recipient}", string(h.recipient.Token), "{token}", token,
		"{part}", "picture", "{entry}", "0", "{frame}", "view", "{language}", "en", "{page}", "1", "{path...}", "x",
		"{$}", "").Replace(path)
}

var changing = regexp.MustCompile(`nonce[-="a-zA-Z0-9_/+]+|Request ID [0-9a-f]+|[A-Za-z0-9_-]{20,}`)

// anonymous returns an answer without what differs between any two answers, and
// without the addresses of the link itself and the token.
func (h *hidden) anonymous(r webtest.Reply, token string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		long := name == "Content-Length" && strings.Contains(r.Text, token) // tokens are not equally long
		if name != "Date" && name != "X-Request-Id" && !long {
			all = append(all, name+": "+strings.Join(r.Header[name], ", "))
		}
	}
	text := fmt.Sprintf("%d\n%s\n%s", r.StatusCode, strings.Join(all, "\n"), r.Text)
	text = strings.NewReplacer(string(h.Slug), "SLUG", string(h.recipient.Token), "RECIPIENT", h.album, "ALBUM",
		h.report, "REPORT", token, "TOKEN").Replace(text)
	return changing.ReplaceAllString(text, "…")
}

// TestProtectedLinksAreAlike checks, at each address below which a link is
// reached, by the table of routes, that what a reader without a valid pass gets
// does not depend on the file: two links with other files, titles, sizes and
// kinds answer the same, to the byte, also when the file of one is gone, so
// that no answer can have taken the time to open it.
func TestProtectedLinksAreAlike(t *testing.T) {
	s := webtest.NewSite(t)
	s.Member = s.Account
	s.TrustProxy()
	one := hide(s, "Confidential.pdf", "Confidential", webtest.Samples["report.pdf"])
	two := hide(s, "b.txt", "b", []byte("x"))
	s.Check(s.Server.Uploads.Blobs.Delete(t.Context(), two.Upload))
	third := s.Publish("third.txt", []byte("third"))
	s.Protect(third, "third")
	foreign := webtest.PassOf(s.Status(s.Enter(third, "third", "192.0.2.77"), 303))
	value := foreign[strings.LastIndexByte(foreign, '=')+1:]
	callers := map[string]func(h *hidden) string{
		"nobody":                 func(*hidden) string { return "X-Nothing: 1" },
		"a preview":              func(*hidden) string { return "User-Agent: Slackbot-LinkExpanding 1.0" },
		"a pass of another link": func(*hidden) string { return foreign },
		"another link's pass under the name of this one's": func(h *hidden) string {
			name := "vitrine-pass-" + strings.TrimPrefix(s.Server.Signer.LinkID(h.ID), "lnk_")
			return "Cookie: " + name + "=" + value
		},
		"nonsense": func(h *hidden) string {
			return "Cookie: vitrine-pass-" + strings.TrimPrefix(s.Server.Signer.LinkID(h.ID), "lnk_") + "=1.2.3"
		},
	}
	routes := readerRoutes(t)
	for _, r := range routes {
		for who, caller := range callers {
			for age, tokens := range [][2]string{{one.before, two.before}, {one.first, two.first}} {
				a, b := one.asked(s, r, tokens[0], caller(one)), two.asked(s, r, tokens[1], caller(two))
				if a != b {
					t.Errorf("%s tells %s the links apart (token %d):\n%s\n\n%s", r, who, age, a, b)
				}
				for _, leak := range []string{"onfidential", "b.txt", "ETag", "report.pdf"} {
					if strings.Contains(a, leak) {
						t.Errorf("%s tells %s %q:\n%s", r, who, leak, a)
					}
				}
			}
		}
	}
	if len(routes) < 35 {
		t.Errorf("only %d routes lead to links", len(routes))
	}
}

// TestProtectedLinksInEachState checks that a link which is not live answers at
// each address as one that was never protected: its gate is not shown, and a
// pass, also one from before the password changed, opens nothing.
func TestProtectedLinksInEachState(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Account = d.Member
	d.TrustProxy()
	disabled := func(by vitrine.Actor, reason string) func(*vitrine.Link) {
		return func(l *vitrine.Link) {
			d.Move(l, vitrine.Change{By: by, Action: vitrine.ActionDisable, To: vitrine.StateDisabled, Reason: reason})
		}
	}
	for _, c := range []struct {
		state  string
		change func(*vitrine.Link)
	}{
		{"held", func(l *vitrine.Link) { d.Hold(l, vitrine.ReasonAbuse, "") }},
		{"processing", func(l *vitrine.Link) { d.SetState(l, vitrine.StateProcessing) }},
		{"disabled by its owner", disabled(vitrine.Owner(d.Member.ID), vitrine.ReasonOwner)},
		{"disabled by a moderator", disabled(vitrine.Administrator, vitrine.ReasonModerator)},
		{"expired", disabled(vitrine.Actor{Kind: vitrine.ActorExpiry}, vitrine.ReasonExpired)},
		{"deleted", func(l *vitrine.Link) {
			d.Check(d.Server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator}))
		}},
		{"account suspended", func(*vitrine.Link) { d.Suspend(d.Member, true) }},
	} {
		open := unhidden(d, "notes.txt", "Open", []byte("the text, "+c.state))
		locked := unhidden(d, "notes.txt", "Open", []byte("the text, "+c.state))
		d.Protect(locked.Link, "first")
		old := webtest.PassOf(d.Status(d.Enter(locked.Link, "first", "192.0.2.9"), 303))
		d.Protect(locked.Link, "second")
		now := webtest.PassOf(d.Status(d.Enter(locked.Link, "second", "192.0.2.9"), 303))
		locked.first = locked.token(d)
		c.change(open.Link)
		c.change(locked.Link)
		for _, r := range readerRoutes(t) {
			for who, header := range map[string]string{"nobody": "X-Nothing: 1", "an earlier pass": old, "a pass": now} {
				want := open.asked(d, r, open.before, header)
				for _, token := range []string{locked.before, locked.first} {
					if got := locked.asked(d, r, token, header); got != want {
						t.Errorf("%s, %s: %s gets\n%s\n\nand at a link that was never protected\n%s", c.state, r, who, got, want)
					}
				}
			}
		}
	}
}
