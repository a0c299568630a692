package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
)

// TestWebsiteOffDisplayAfterClearance checks that disabling an approved version
// disables the website: no older version is shown instead.
func TestWebsiteOffDisplayAfterClearance(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	by := vitrine.Decision{By: vitrine.Moderator(h.owner)}
	cleared := func(site *vitrine.Site, text string) *vitrine.Link {
		t.Helper()
		held := h.deployed(site, login, "a.txt="+text)
		_, err := h.server.Links.Clear(t.Context(), string(held.Slug), by)
		h.check(err)
		h.shows(site, http.StatusOK, "Second")
		return held
	}
	site := h.newWebsite("Garden")
	first := h.deployed(site, "index.html=<h1>First</h1>")

	down := cleared(site, "1")
	_, err := h.server.Links.Disable(t.Context(), string(down.Slug), by)
	h.check(err)
	if r := h.shows(site, http.StatusGone, "disabled"); r.Header.Get("Clear-Site-Data") != `"cache", "storage"` {
		t.Errorf("headers = %v, want the website's storage to be cleared", r.Header)
	}
	_, err = h.server.Links.Undo(t.Context(), string(down.Slug), by)
	h.check(err)
	h.shows(site, http.StatusOK, "Second")
	h.check(h.server.Sites.Rollback(t.Context(), h.member, string(site.Slug), first.ID))

	same := cleared(site, "2")
	_, err = h.server.Links.RejectSame(t.Context(), string(same.Slug), by)
	h.check(err)
	h.shows(site, http.StatusGone, "disabled")
	h.check(h.server.Sites.Rollback(t.Context(), h.member, string(site.Slug), first.ID))

	gone := cleared(site, "3")
	h.check(h.server.Links.Delete(t.Context(), string(gone.Slug), by))
	h.shows(site, http.StatusNotFound, "not available")
}

// TestClosedAccountShowsNothing checks that albums and websites of a closed
// account are gone at once, like its links.
func TestClosedAccountShowsNothing(t *testing.T) {
	h := newHosting(t)
	d := &accountSite{site: h, sentMail: new(sentMail)}
	site := h.newWebsite("Garden")
	version := h.deployed(site, "index.html=<p>Garden")
	album, link := h.album("Paintings"), h.publish("notes.txt", samples["notes.txt"])
	d.withPassword(h.member)
	cookie := cookies(d.enter(h.member.Email, words))
	paths := []string{"/p/" + string(link.Slug), "/a/" + string(album.Slug)}
	for _, path := range paths {
		h.status(h.get(path), http.StatusOK)
	}
	h.status(h.post("/account/close", url.Values{"current": {words}, "email": {h.member.Email}}, cookie), http.StatusOK)
	for _, path := range paths {
		h.status(h.get(path), http.StatusNotFound)
	}
	h.shows(site, http.StatusNotFound, "no website")
	if err := h.server.Sites.StillPublic(t.Context(), version.ID); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("a transfer in progress: %v, want not_found", err)
	}
}

// TestWebsiteRangesOfPacked checks that only one range of a compressed file is
// sent at a time, and none of a large one, because each is decompressed from
// the beginning.
func TestWebsiteRangesOfPacked(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	site := h.newWebsite("Garden")
	digits := strings.Repeat("0123456789", 1000)
	h.deployed(site, "index.html=x", "stored.json="+digits, "packed.json*="+digits,
		"large.json*="+strings.Repeat(digits, 3400))
	for _, c := range []struct {
		path, ranges string
		status       int
	}{
		{"/stored.json", "9-9,0-0", http.StatusPartialContent}, {"/packed.json", "9-9", http.StatusPartialContent},
		{"/packed.json", "9-9,0-0", http.StatusOK},
		{"/packed.json", "9-9" + strings.Repeat(",0-0,9999-9999", 2000), http.StatusOK},
		{"/large.json", "9-9", http.StatusOK},
	} {
		h.status(h.visit(site, c.path, "Range: bytes="+c.ranges), c.status)
	}
}

// TestWebsiteTags checks that a file's ETag is that of its version, whatever
// the ZIP says about the file.
func TestWebsiteTags(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	site := h.newWebsite("Garden")
	h.deployed(site, "index.html=<p>One", "a.txt*=same", "b.txt*=same")
	tags := map[string]bool{}
	for range 2 {
		for _, path := range []string{"/", "/a.txt", "/b.txt"} {
			for _, encoding := range []string{"identity", "gzip"} {
				tag := h.visit(site, path, "Accept-Encoding: "+encoding).Header.Get("ETag")
				if path == "/" && encoding == "gzip" {
					continue // stored without compression: the same bytes
				}
				if tag == "" || tags[tag] {
					t.Errorf("%s (%s): ETag %s is missing or used twice", path, encoding, tag)
				}
				tags[tag] = true
			}
		}
		h.deployed(site, "index.html=<p>Two", "a.txt*=same", "b.txt*=same")
	}
}

// TestWebsiteContradicting checks that a ZIP whose entries contradict their
// headers is refused.
func TestWebsiteContradicting(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	site := h.newWebsite("Garden")
	content := packed(t, "index.html=<p>Garden")
	at := strings.Index(string(content), "<p>Garden")
	content[at+3] = 'W'
	_, err := h.deploy(site, content)
	h.refused(err, vitrine.CodeUnsafeFile, filetype.ReasonContradiction)
	h.shows(site, http.StatusNotFound, "not available yet")
}

// TestWebsiteExaminedLeadsNowhere checks that no link of a version in review
// leads out of it, in whatever form browsers accept.
func TestWebsiteExaminedLeadsNowhere(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	page := `index.html=<input type=password><a href="b/?q">In</a>`
	out := []string{`\\evil.example/x`, `\/evil.example`, `/\evil.example`, `//evil.example`, "/\t/evil.example",
		`\` + "\n" + `\evil.example`, " \\\\evil.example"}
	for _, href := range out {
		page += `<a href="` + href + `">Out</a>`
	}
	held := h.deployed(h.newWebsite("Garden"), page)
	shown := h.status(h.get(h.attr(h.get(casePath(held), h.signIn(h.owner)).body,
		`src="([^"]+/c/[^"]+/site/)\?found"`)), http.StatusOK)
	if strings.Count(shown.body, "href=") != 1 || !strings.Contains(shown.body, `href="b/?q"`) ||
		strings.Count(shown.body, "Leads to") != len(out) {
		t.Errorf("a link leads out of the page:\n%s", shown.body)
	}
}

// TestWebsiteReported checks that reports concern the public version of a
// website, and that enough of them send it to review.
func TestWebsiteReported(t *testing.T) {
	t.Parallel()
	h := newHosting(t)
	h.trustProxy()
	site := h.newWebsite("Secret title")
	path := "/report/website/" + string(site.Slug)
	h.status(h.get(path), http.StatusNotFound) // nothing is public yet
	first := h.deployed(site, "index.html=<h1>First</h1>")
	second := h.deployed(site, "index.html=<h1>Second</h1>")
	h.status(h.get("/report/website/unknown"), http.StatusNotFound)
	h.status(h.get("/report/website/-"), http.StatusNotFound)
	page := h.status(h.get(path), http.StatusOK)
	for _, want := range []string{"Report a website", "http://" + string(site.Slug) + ".localhost",
		`method="post" action="` + path + `"`, "Once several people have reported a website"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q:\n%s", want, page.body)
		}
	}
	if strings.Contains(page.body, site.Title) || len(page.Cookies()) > 0 ||
		!strings.Contains(page.Header.Get("Content-Security-Policy"), "form-action 'self'") {
		t.Errorf("headers of the form = %v\n%s", page.Header, page.body)
	}
	if lost := h.status(h.visit(site, "/nowhere"), http.StatusNotFound); !strings.Contains(lost.body,
		`href="`+h.url+path+`"`) {
		t.Errorf("the page has no link to the form:\n%s", lost.body)
	}
	report := func(from, reason, origin string, status int) {
		t.Helper()
		h.status(h.do(http.MethodPost, path, url.Values{"reason": {reason}}.Encode(), form, "X-Forwarded-For: "+from,
			"Origin: "+origin), status)
	}
	report("192.0.2.1", "nonsense", h.url, http.StatusBadRequest)
	report("192.0.2.1", "phishing", "http://"+string(site.Slug)+".localhost:"+h.server.PublicURL.Port(),
		http.StatusForbidden)
	for _, from := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.2"} {
		report(from, "phishing", h.url, http.StatusOK)
	}
	h.shows(site, http.StatusOK, "Second")
	report("192.0.2.3", "phishing", h.url, http.StatusOK)
	h.shows(site, http.StatusNotFound, "not available")
	h.status(h.get(path), http.StatusNotFound)
	if n, m := len(h.reports(first)), len(h.reports(second)); n != 0 || m != 3 {
		t.Errorf("%d reports about the older version, %d about the public one, want 0 and 3", n, m)
	}
	if body := h.status(h.get(casePath(second), h.signIn(h.owner)), http.StatusOK).body; strings.Count(body,
		"Phishing") < 3 {
		t.Errorf("the case does not show the reports:\n%s", body)
	}
	by := vitrine.Decision{By: vitrine.Moderator(h.owner)}
	_, err := h.server.Links.Clear(t.Context(), string(second.Slug), by)
	h.check(err)
	h.shows(site, http.StatusOK, "Second")
	_, err = h.server.Links.Disable(t.Context(), string(second.Slug), by)
	h.check(err)
	h.status(h.get(path), http.StatusGone)

	// The reports about a version are deleted with it.
	h.check(h.server.Sites.Delete(t.Context(), h.member, string(site.Slug)))
	h.check(h.server.Links.Store.Read(t.Context(), func(tx vitrine.Tx) error {
		left, err := tx.AbuseReports(second.ID, time.Time{})
		if len(left) > 0 {
			t.Errorf("%d reports about a deleted website, want 0", len(left))
		}
		return err
	}))
}

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
