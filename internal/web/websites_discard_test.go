package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"vitrine"
)

// A website that was made for a first deploy which came to nothing is taken
// back: it holds no link of the plan and not even its name. One that has a
// version stays, and nobody takes another's back.
func TestWebsiteDiscarded(t *testing.T) {
	h := newHosting(t)
	h.account = h.join("maker@example.org", vitrine.RoleMember)
	me, stranger := h.signIn(h.account), h.signIn(h.owner)
	own := []string{"Content-Type: application/json", "Origin: " + h.url, "Sec-Fetch-Site: same-origin"}
	make := func() (manage string) {
		r := h.status(h.do(http.MethodPost, "/websites/new", `{"title":"Papers","slug":"papers"}`, append(own, me)...),
			http.StatusOK)
		var made struct{ Manage string }
		h.check(json.Unmarshal([]byte(r.body), &made))
		return made.Manage
	}
	used := func() int64 {
		u, err := h.server.Uploads.Usage(t.Context(), h.account)
		h.check(err)
		return u.Links
	}
	manage := make()
	h.status(h.do(http.MethodPost, manage+"/discard", "", append(own, stranger)...), http.StatusNotFound)
	h.status(h.do(http.MethodPost, manage+"/discard", "", me, "Origin: https://elsewhere.example",
		"Sec-Fetch-Site: cross-site"), http.StatusForbidden)
	if used() != 1 {
		t.Fatalf("%d links used by a website", used())
	}
	h.status(h.do(http.MethodPost, manage+"/discard", "", append(own, me)...), http.StatusOK)
	if used() != 0 || strings.Contains(h.get("/websites", me).body, "Papers") {
		t.Error("a discarded website is still there")
	}
	manage = make() // its name is free at once
	site, err := h.server.Sites.BySlug(t.Context(), h.account, "papers")
	h.check(err)
	h.deployed(site.Site, "index.html=<p>Papers</p>")
	h.status(h.do(http.MethodPost, manage+"/discard", "", append(own, me)...), http.StatusBadRequest)
	h.shows(site.Site, http.StatusOK, "Papers")
}
