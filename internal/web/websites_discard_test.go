package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"vitrine"
)

// TestWebsiteDiscarded checks that a website whose first deploy failed can be
// discarded, and then uses neither a link of the plan nor its slug. A website
// with a version stays, and nobody can discard another account's.
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
		t.Fatalf("a website uses %d links, want 1", used())
	}
	h.status(h.do(http.MethodPost, manage+"/discard", "", append(own, me)...), http.StatusOK)
	if used() != 0 || strings.Contains(h.get("/websites", me).body, "Papers") {
		t.Error("a discarded website still exists")
	}
	manage = make() // its slug is free at once
	site, err := h.server.Sites.BySlug(t.Context(), h.account, "papers")
	h.check(err)
	h.deployed(site.Site, "index.html=<p>Papers</p>")
	h.status(h.do(http.MethodPost, manage+"/discard", "", append(own, me)...), http.StatusBadRequest)
	h.shows(site.Site, http.StatusOK, "Papers")
}
