package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestPublicAlbum checks that the public page shows what the public may see
// now, in its order, and counts no views (promise 5).
func TestPublicAlbum(t *testing.T) {
	h := webtest.NewHosting(t)
	a, b, c := h.Publish("notes.txt", webtest.Samples["notes.txt"], webtest.Titled("First <b>")),
		h.Publish("report.pdf", webtest.Samples["report.pdf"]), h.Publish("picture.png", webtest.Png)
	album := h.Album("Spring & summer", a, b, c)
	path := "/a/" + string(album.Slug)
	public := func(want ...*vitrine.Link) webtest.Reply {
		t.Helper()
		r := h.Status(h.Get(path), http.StatusOK)
		h.In(r.Text, want...)
		return r
	}
	r := public(a, b, c)
	for _, want := range []string{"<title>Spring &amp; summer</title>", "First &lt;b&gt;", `content="noindex"`,
		"PDF document", "12 pages"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q:\n%s", want, r.Text)
		}
	}
	if policy := r.Header.Get("Content-Security-Policy"); r.Header.Get("X-Robots-Tag") != "noindex" ||
		len(r.Cookies()) > 0 || !strings.Contains(policy, "script-src 'nonce-") ||
		!strings.Contains(policy, "frame-ancestors 'none'") || r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("headers = %v", r.Header)
	}
	for _, state := range []vitrine.LinkState{vitrine.StateReview, vitrine.StateProcessing, vitrine.StateDisabled} {
		h.SetState(b, state)
		if r := public(a, c); strings.Contains(r.Text, "report.pdf") {
			t.Errorf("the page has the title of a link that is %s", state)
		}
	}
	h.SetState(b, vitrine.StateLive)
	public(a, b, c)
	h.Check(h.Server.Albums.Move(t.Context(), h.Member, string(album.Slug), string(c.Slug), 0))
	public(c, a, b)
	h.Check(h.Server.Albums.Move(t.Context(), h.Member, string(album.Slug), string(c.Slug), 99))
	public(a, b, c)
	h.Check(h.Server.Links.Delete(t.Context(), string(a.Slug), vitrine.Decision{By: vitrine.Administrator}))
	public(b, c)
	h.Check(h.Server.Albums.Remove(t.Context(), h.Member, string(album.Slug), string(c.Slug)))
	public(b)
	h.CountViews(b, 0)
	h.Status(h.Get("/p/"+string(b.Slug)), http.StatusOK)
	h.CountViews(b, 1)

	if r := h.Status(h.Get("/a/"+strings.ToUpper(string(album.Slug))),
		http.StatusPermanentRedirect); r.Header.Get("Location") != path {
		t.Errorf("another spelling redirects to %s", r.Header.Get("Location"))
	}
	h.Status(h.Get("/a/unknown-album"), http.StatusNotFound)
	h.Suspend(h.Member, true)
	if r := h.Status(h.Get(path), http.StatusGone); strings.Contains(r.Text, "Spring") ||
		strings.Contains(r.Text, "/p/") {
		t.Errorf("the album of a suspended account: %s", r.Text)
	}
	h.Suspend(h.Member, false)
	public(b)
	h.Check(h.Server.Albums.Delete(t.Context(), h.Member, string(album.Slug)))
	h.Status(h.Get(path), http.StatusNotFound)
	h.Status(h.Get("/p/"+string(b.Slug)), http.StatusOK)
}

func TestAlbumLimits(t *testing.T) {
	h := webtest.NewHosting(t)
	ctx, l := t.Context(), h.Publish("notes.txt", webtest.Samples["notes.txt"])
	var slugs []string
	h.Check(h.Server.Links.Store.Update(ctx, func(tx vitrine.Tx) error {
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
	album := h.Album("Full")
	h.Check(h.Server.Albums.Add(ctx, h.Member, string(album.Slug), slugs))
	h.Check(h.Server.Albums.Add(ctx, h.Member, string(album.Slug), slugs[:3])) // already in the album
	h.Refused(h.Server.Albums.Add(ctx, h.Member, string(album.Slug), []string{string(l.Slug)}),
		vitrine.CodeInvalidRequest, "")
	for range vitrine.MaxAlbums - 1 {
		h.Album("One more")
	}
	_, err := h.Server.Albums.Create(ctx, h.Member, "Too many", "")
	h.Refused(err, vitrine.CodeInvalidRequest, "")
	h.SetPlan(h.Member, vitrine.PlanFree)
	_, err = h.Server.Albums.Create(ctx, h.Member, "Own", "own-name")
	h.Refused(err, vitrine.CodeProRequired, "")
	// Neither another account's links can be added, nor its album be changed.
	h.Refused(h.Server.Albums.Add(ctx, h.Owner, string(album.Slug), nil), vitrine.CodeNotFound, "")
	others, err := h.Server.Albums.Create(ctx, h.Owner, "Owner’s", "")
	h.Check(err)
	h.Refused(h.Server.Albums.Add(ctx, h.Owner, string(others.Slug), []string{string(l.Slug)}), vitrine.CodeNotFound,
		"")
}

// TestAlbumPages checks that all actions work with forms.
func TestAlbumPages(t *testing.T) {
	h := webtest.NewHosting(t)
	cookie := h.SignIn(h.Member)
	a, b := h.Publish("notes.txt", webtest.Samples["notes.txt"]), h.Publish("report.pdf", webtest.Samples["report.pdf"])
	h.Status(h.Get("/albums", cookie), http.StatusOK)
	if r := h.Status(h.Post("/albums", url.Values{"title": {" "}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.Text, `id="wrong-title"`) {
		t.Errorf("create without a title: %s", r.Text)
	}
	r := h.Follow(h.Post("/albums", url.Values{"title": {"Spring"}, "slug": {"spring-time"}}, cookie), cookie)
	if !strings.Contains(r.Text, "/a/spring-time") || !strings.Contains(r.Text, ">notes</span>") {
		t.Errorf("page of the new album:\n%s", r.Text)
	}
	if r := h.Status(h.Post("/albums", url.Values{"title": {"x"}, "slug": {"spring-time"}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.Text, "This address is taken") {
		t.Errorf("create with a slug that is taken: %s", r.Text)
	}
	if r := h.Get("/albums/spring-time?q=report", cookie); strings.Contains(r.Text, ">notes</span>") ||
		!strings.Contains(r.Text, ">report</span>") {
		t.Errorf("search results:\n%s", r.Text)
	}
	here := "/albums/spring-time"
	h.Gatekeeper()
	for _, wrong := range []struct{ field, text string }{{"password", ""}, {"password", strings.Repeat("x", 1025)},
		{"password", "a\x00b"}, {"readers", "-1"}, {"readers", "1.5"}, {"readers", "1000000000000"}, {"allow", "@"},
		{"allow", "аpple.com"}} {
		if r := h.Status(h.Post(here+"/access", url.Values{wrong.field: {wrong.text}}, cookie),
			http.StatusBadRequest); !strings.Contains(r.Text, `id="wrong-`+wrong.field+`"`) {
			t.Errorf("%s %.9q: %s", wrong.field, wrong.text, r.Text)
		}
	}
	for field, text := range map[string]string{"readers": "5", "allow": "example.com"} {
		if r := h.Follow(h.Post(here+"/access", url.Values{field: {text}}, cookie), cookie); !strings.Contains(r.Text, text) {
			t.Errorf("the page with %s %s:\n%s", field, text, r.Text)
		}
		h.Status(h.Get("/a/spring-time/download"), http.StatusForbidden)
	}
	h.Follow(h.Post(here+"/access", url.Values{"remove": {"all"}}, cookie), cookie)
	if r := h.Follow(h.Post(here+"/access", url.Values{"password": {"sesame"}}, cookie),
		cookie); !strings.Contains(r.Text, "New password") || strings.Contains(r.Text, "sesame") {
		t.Errorf("the page of a protected album:\n%s", r.Text)
	}
	h.Status(h.Get("/a/spring-time"), http.StatusForbidden)
	h.Follow(h.Post(here+"/access", url.Values{"remove": {"password"}}, cookie), cookie)
	h.Status(h.Get("/a/spring-time"), http.StatusOK)
	h.Follow(h.Post(here+"/add", url.Values{"link": {string(a.Slug), string(b.Slug)}}, cookie), cookie)
	public := func(want ...*vitrine.Link) {
		t.Helper()
		h.In(h.Get("/a/spring-time").Text, want...)
	}
	public(a, b)
	if r := h.Get(here, cookie); !strings.Contains(r.Text, "All your links are in the album") ||
		strings.Contains(r.Text, "Add to album") {
		t.Errorf("the page offers links to add, want none left:\n%s", r.Text)
	}
	h.Follow(h.Post(here+"/move", url.Values{"link": {string(b.Slug)}, "to": {"0"}}, cookie), cookie)
	public(b, a)
	sent := []string{cookie, "Origin: " + h.URL, "Sec-Fetch-Site: same-origin", "Content-Type: application/json"}
	h.Status(h.Do(http.MethodPost, here+"/order", fmt.Sprintf(`{"link": %q, "to": 1}`, b.Slug), sent...), http.StatusOK)
	public(a, b)
	h.Status(h.Do(http.MethodPost, here+"/order", fmt.Sprintf(`{"link": %q, "to": 1}`, b.Slug), sent[1:]...),
		http.StatusUnauthorized)
	h.SetState(b, vitrine.StateReview)
	if r := h.Get(here, cookie); !strings.Contains(r.Text, "1 visible to visitors") {
		t.Errorf("the page does not say what visitors see:\n%s", r.Text)
	}
	h.SetState(b, vitrine.StateLive)
	h.Follow(h.Post(here+"/remove", url.Values{"link": {string(a.Slug)}}, cookie), cookie)
	public(b)
	for _, wrong := range []string{strings.Repeat("x", 2001), "a\x00b", "a\u202eb", "\xff"} {
		if r := h.Status(h.Post(here+"/title", url.Values{"title": {"Summer"}, "text": {wrong}}, cookie),
			http.StatusBadRequest); !strings.Contains(r.Text, `id="wrong-text"`) || !strings.Contains(r.Text, ">"+wrong[:1]) {
			t.Errorf("the text %.9q: %s", wrong, r.Text)
		}
	}
	h.Follow(h.Post(here+"/title", url.Values{"title": {"Summer"}, "text": {" Two\r\n<lines> "}}, cookie), cookie)
	if r := h.Get("/a/spring-time"); !strings.Contains(r.Text, "Summer") ||
		!strings.Contains(r.Text, ">Two\n&lt;lines&gt;</p>") {
		t.Errorf("the title and text did not change:\n%s", r.Text)
	}
	stranger := h.SignIn(h.Join("other@example.org", vitrine.RoleMember))
	h.Status(h.Get(here, stranger), http.StatusNotFound)
	for action := range map[string]bool{"access": true, "add": true, "remove": true, "move": true, "title": true, "delete": true} {
		h.Status(h.Post(here+"/"+action, url.Values{"title": {"x"}, "link": {string(b.Slug)}}, stranger),
			http.StatusNotFound)
	}
	if r := h.Follow(h.Post(here+"/delete", nil, cookie), cookie); !strings.Contains(r.Text, "Album deleted.") ||
		!strings.Contains(r.Text, "No albums yet") {
		t.Errorf("after the deletion: %s", r.Text)
	}
	h.Status(h.Get("/a/spring-time"), http.StatusNotFound)
}
