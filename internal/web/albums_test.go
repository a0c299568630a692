package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
)

// album creates an album of the member.
func (s *site) album(title string, links ...*vitrine.Link) *vitrine.Album {
	s.t.Helper()
	album, err := s.server.Albums.Create(s.t.Context(), s.member, title, "")
	s.check(err)
	s.add(album, links...)
	return album
}

func (s *site) add(album *vitrine.Album, links ...*vitrine.Link) {
	s.t.Helper()
	var slugs []string
	for _, l := range links {
		slugs = append(slugs, string(l.Slug))
	}
	s.check(s.server.Albums.Add(s.t.Context(), s.member, string(album.Slug), slugs))
}

// in checks which links are on a page, and in which order.
func (s *site) in(page string, want ...*vitrine.Link) {
	s.t.Helper()
	at := 0
	for _, l := range want {
		i := strings.Index(page[at:], "/p/"+string(l.Slug))
		if i < 0 {
			s.t.Errorf("%s is not on the page, or not after the link before it:\n%s", l.Title, page)
			return
		}
		at += i
	}
	if n := strings.Count(page, `class="cover"`); n != len(want) {
		s.t.Errorf("%d links on the page, want %d", n, len(want))
	}
}

// TestPublicAlbum checks that the public page shows what the public may see
// now, in its order, and counts no views (promise 5).
func TestPublicAlbum(t *testing.T) {
	h := newHosting(t)
	a, b, c := h.publish("notes.txt", samples["notes.txt"], titled("First <b>")),
		h.publish("report.pdf", samples["report.pdf"]), h.publish("picture.png", png)
	album := h.album("Spring & summer", a, b, c)
	path := "/a/" + string(album.Slug)
	public := func(want ...*vitrine.Link) reply {
		t.Helper()
		r := h.status(h.get(path), http.StatusOK)
		h.in(r.body, want...)
		return r
	}
	r := public(a, b, c)
	for _, want := range []string{"<title>Spring &amp; summer</title>", "First &lt;b&gt;", `content="noindex"`,
		"PDF document", "12 pages"} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %q:\n%s", want, r.body)
		}
	}
	if policy := r.Header.Get("Content-Security-Policy"); r.Header.Get("X-Robots-Tag") != "noindex" ||
		len(r.Cookies()) > 0 || !strings.Contains(policy, "script-src 'nonce-") ||
		!strings.Contains(policy, "frame-ancestors 'none'") || r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("headers = %v", r.Header)
	}
	for _, state := range []vitrine.LinkState{vitrine.StateReview, vitrine.StateProcessing, vitrine.StateDisabled} {
		h.setState(b, state)
		if r := public(a, c); strings.Contains(r.body, "report.pdf") {
			t.Errorf("the page has the title of a link that is %s", state)
		}
	}
	h.setState(b, vitrine.StateLive)
	public(a, b, c)
	h.check(h.server.Albums.Move(t.Context(), h.member, string(album.Slug), string(c.Slug), 0))
	public(c, a, b)
	h.check(h.server.Albums.Move(t.Context(), h.member, string(album.Slug), string(c.Slug), 99))
	public(a, b, c)
	h.check(h.server.Links.Delete(t.Context(), string(a.Slug), vitrine.Decision{By: vitrine.Operator}))
	public(b, c)
	h.check(h.server.Albums.Remove(t.Context(), h.member, string(album.Slug), string(c.Slug)))
	public(b)
	h.countOpens(b, 0)
	h.status(h.get("/p/"+string(b.Slug)), http.StatusOK)
	h.countOpens(b, 1)

	if r := h.status(h.get("/a/"+strings.ToUpper(string(album.Slug))),
		http.StatusPermanentRedirect); r.Header.Get("Location") != path {
		t.Errorf("another spelling redirects to %s", r.Header.Get("Location"))
	}
	h.status(h.get("/a/unknown-album"), http.StatusNotFound)
	h.suspend(h.member, true)
	if r := h.status(h.get(path), http.StatusGone); strings.Contains(r.body, "Spring") ||
		strings.Contains(r.body, "/p/") {
		t.Errorf("the album of a suspended account: %s", r.body)
	}
	h.suspend(h.member, false)
	public(b)
	h.check(h.server.Albums.Delete(t.Context(), h.member, string(album.Slug)))
	h.status(h.get(path), http.StatusNotFound)
	h.status(h.get("/p/"+string(b.Slug)), http.StatusOK)
}

func TestAlbumLimits(t *testing.T) {
	h := newHosting(t)
	ctx, l := t.Context(), h.publish("notes.txt", samples["notes.txt"])
	var slugs []string
	h.check(h.server.Links.Store.Update(ctx, func(tx vitrine.Tx) error {
		slugs = nil
		for i := range vitrine.MaxAlbumLinks {
			c := *l
			c.Upload, c.HasBytes, c.Slug = "", false, vitrine.Slug(fmt.Sprintf("link-%d", i))
			if err := tx.AddLink(&c); err != nil {
				return err
			}
			if err := tx.AddChange(&vitrine.Change{At: c.StateAt, By: vitrine.Owner(c.Account),
				Action: vitrine.ActionCreate, Account: c.Account, Link: c.ID, To: c.State}); err != nil {
				return err
			}
			slugs = append(slugs, string(c.Slug))
		}
		return nil
	}))
	album := h.album("Full")
	h.check(h.server.Albums.Add(ctx, h.member, string(album.Slug), slugs))
	h.check(h.server.Albums.Add(ctx, h.member, string(album.Slug), slugs[:3])) // already in the album
	h.refused(h.server.Albums.Add(ctx, h.member, string(album.Slug), []string{string(l.Slug)}),
		vitrine.CodeInvalidRequest, "")
	for range vitrine.MaxAlbums - 1 {
		h.album("One more")
	}
	_, err := h.server.Albums.Create(ctx, h.member, "Too many", "")
	h.refused(err, vitrine.CodeInvalidRequest, "")
	h.setPlan(h.member, vitrine.PlanFree)
	_, err = h.server.Albums.Create(ctx, h.member, "Own", "own-name")
	h.refused(err, vitrine.CodeProRequired, "")
	// Neither another account's links can be added, nor its album be changed.
	h.refused(h.server.Albums.Add(ctx, h.owner, string(album.Slug), nil), vitrine.CodeNotFound, "")
	others, err := h.server.Albums.Create(ctx, h.owner, "Owner’s", "")
	h.check(err)
	h.refused(h.server.Albums.Add(ctx, h.owner, string(others.Slug), []string{string(l.Slug)}), vitrine.CodeNotFound,
		"")
}

// TestAlbumPages checks that all actions work with forms.
func TestAlbumPages(t *testing.T) {
	h := newHosting(t)
	cookie := h.signIn(h.member)
	a, b := h.publish("notes.txt", samples["notes.txt"]), h.publish("report.pdf", samples["report.pdf"])
	h.status(h.get("/albums", cookie), http.StatusOK)
	if r := h.status(h.post("/albums", url.Values{"title": {" "}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.body, `id="wrong-title"`) {
		t.Errorf("create without a title: %s", r.body)
	}
	r := h.follow(h.post("/albums", url.Values{"title": {"Spring"}, "slug": {"spring-time"}}, cookie), cookie)
	if !strings.Contains(r.body, "/a/spring-time") || !strings.Contains(r.body, ">notes</span>") {
		t.Errorf("page of the new album:\n%s", r.body)
	}
	if r := h.status(h.post("/albums", url.Values{"title": {"x"}, "slug": {"spring-time"}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.body, "This address is taken") {
		t.Errorf("create with a slug that is taken: %s", r.body)
	}
	if r := h.get("/albums/spring-time?q=report", cookie); strings.Contains(r.body, ">notes</span>") ||
		!strings.Contains(r.body, ">report</span>") {
		t.Errorf("search results:\n%s", r.body)
	}
	here := "/albums/spring-time"
	h.follow(h.post(here+"/add", url.Values{"link": {string(a.Slug), string(b.Slug)}}, cookie), cookie)
	public := func(want ...*vitrine.Link) {
		t.Helper()
		h.in(h.get("/a/spring-time").body, want...)
	}
	public(a, b)
	if r := h.get(here, cookie); !strings.Contains(r.body, "All your links are in the album") ||
		strings.Contains(r.body, "Add to album") {
		t.Errorf("the page offers links to add, want none left:\n%s", r.body)
	}
	h.follow(h.post(here+"/move", url.Values{"link": {string(b.Slug)}, "to": {"0"}}, cookie), cookie)
	public(b, a)
	sent := []string{cookie, "Origin: " + h.url, "Sec-Fetch-Site: same-origin", "Content-Type: application/json"}
	h.status(h.do(http.MethodPost, here+"/order", fmt.Sprintf(`{"link": %q, "to": 1}`, b.Slug), sent...), http.StatusOK)
	public(a, b)
	h.status(h.do(http.MethodPost, here+"/order", fmt.Sprintf(`{"link": %q, "to": 1}`, b.Slug), sent[1:]...),
		http.StatusUnauthorized)
	h.setState(b, vitrine.StateReview)
	if r := h.get(here, cookie); !strings.Contains(r.body, "1 visible to visitors") {
		t.Errorf("the page does not say what visitors see:\n%s", r.body)
	}
	h.setState(b, vitrine.StateLive)
	h.follow(h.post(here+"/remove", url.Values{"link": {string(a.Slug)}}, cookie), cookie)
	public(b)
	h.follow(h.post(here+"/title", url.Values{"title": {"Summer"}}, cookie), cookie)
	if r := h.get("/a/spring-time"); !strings.Contains(r.body, "Summer") {
		t.Error("the title did not change")
	}
	stranger := h.signIn(h.join("other@example.org", vitrine.RoleMember))
	h.status(h.get(here, stranger), http.StatusNotFound)
	for action := range map[string]bool{"add": true, "remove": true, "move": true, "title": true, "delete": true} {
		h.status(h.post(here+"/"+action, url.Values{"title": {"x"}, "link": {string(b.Slug)}}, stranger),
			http.StatusNotFound)
	}
	if r := h.follow(h.post(here+"/delete", nil, cookie), cookie); !strings.Contains(r.body, "Album deleted.") ||
		!strings.Contains(r.body, "No albums yet") {
		t.Errorf("after the deletion: %s", r.body)
	}
	h.status(h.get("/a/spring-time"), http.StatusNotFound)
}
