package content_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/test/webtest"
)

// TestWebsiteOffDisplayAfterClearance checks that disabling an approved version
// disables the website: no older version is shown instead.
func TestWebsiteOffDisplayAfterClearance(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	by := vitrine.Decision{By: vitrine.Moderator(h.Owner)}
	cleared := func(site *vitrine.Site, text string) *vitrine.Link {
		t.Helper()
		held := h.Deployed(site, webtest.Login, "a.txt="+text)
		_, err := h.Server.Links.Clear(t.Context(), string(held.Slug), by)
		h.Check(err)
		h.Shows(site, http.StatusOK, "Second")
		return held
	}
	site := h.NewWebsite("Garden")
	first := h.Deployed(site, "index.html=<h1>First</h1>")

	down := cleared(site, "1")
	_, err := h.Server.Links.Disable(t.Context(), string(down.Slug), by)
	h.Check(err)
	if r := h.Shows(site, http.StatusGone, "disabled"); r.Header.Get("Clear-Site-Data") != `"cache", "storage"` {
		t.Errorf("headers = %v, want the website's storage to be cleared", r.Header)
	}
	_, err = h.Server.Links.Undo(t.Context(), string(down.Slug), by)
	h.Check(err)
	h.Shows(site, http.StatusOK, "Second")
	h.Check(h.Server.Sites.Rollback(t.Context(), h.Member, string(site.Slug), first.ID))

	same := cleared(site, "2")
	_, err = h.Server.Links.RejectSame(t.Context(), string(same.Slug), by)
	h.Check(err)
	h.Shows(site, http.StatusGone, "disabled")
	h.Check(h.Server.Sites.Rollback(t.Context(), h.Member, string(site.Slug), first.ID))

	gone := cleared(site, "3")
	h.Check(h.Server.Links.Delete(t.Context(), string(gone.Slug), by))
	h.Shows(site, http.StatusNotFound, "not available")
}

// TestClosedAccountShowsNothing checks that albums and websites of a closed
// account are gone at once, like its links.
func TestClosedAccountShowsNothing(t *testing.T) {
	h := webtest.NewHosting(t)
	d := &webtest.AccountSite{Site: h, SentMail: new(webtest.SentMail)}
	site := h.NewWebsite("Garden")
	version := h.Deployed(site, "index.html=<p>Garden")
	album, link := h.Album("Paintings"), h.Publish("notes.txt", webtest.Samples["notes.txt"])
	d.WithPassword(h.Member)
	cookie := webtest.Cookies(d.Enter(h.Member.Email, webtest.Words))
	paths := []string{"/p/" + string(link.Slug), "/a/" + string(album.Slug)}
	for _, path := range paths {
		h.Status(h.Get(path), http.StatusOK)
	}
	h.Status(h.Post("/account/close", url.Values{"current": {webtest.Words}, "email": {h.Member.Email}}, cookie),
		http.StatusOK)
	for _, path := range paths {
		h.Status(h.Get(path), http.StatusNotFound)
	}
	h.Shows(site, http.StatusNotFound, "no website")
	if err := h.Server.Sites.StillPublic(t.Context(), version.ID); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("a transfer in progress: %v, want not_found", err)
	}
}

// TestWebsiteRangesOfPacked checks that only one range of a compressed file is
// sent at a time, and none of a large one, because each is decompressed from
// the beginning.
func TestWebsiteRangesOfPacked(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	site := h.NewWebsite("Garden")
	digits := strings.Repeat("0123456789", 1000)
	h.Deployed(site, "index.html=x", "stored.json="+digits, "packed.json*="+digits,
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
		h.Status(h.Visit(site, c.path, "Range: bytes="+c.ranges), c.status)
	}
}

// TestWebsiteTags checks that a file's ETag is that of its version, whatever
// the ZIP says about the file.
func TestWebsiteTags(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	site := h.NewWebsite("Garden")
	h.Deployed(site, "index.html=<p>One", "a.txt*=same", "b.txt*=same")
	tags := map[string]bool{}
	for range 2 {
		for _, path := range []string{"/", "/a.txt", "/b.txt"} {
			for _, encoding := range []string{"identity", "gzip"} {
				tag := h.Visit(site, path, "Accept-Encoding: "+encoding).Header.Get("ETag")
				if path == "/" && encoding == "gzip" {
					continue // stored without compression: the same bytes
				}
				if tag == "" || tags[tag] {
					t.Errorf("%s (%s): ETag %s is missing or used twice", path, encoding, tag)
				}
				tags[tag] = true
			}
		}
		h.Deployed(site, "index.html=<p>Two", "a.txt*=same", "b.txt*=same")
	}
}

// TestWebsiteContradicting checks that a ZIP whose entries contradict their
// headers is refused.
func TestWebsiteContradicting(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	site := h.NewWebsite("Garden")
	content := webtest.Packed(t, "index.html=<p>Garden")
	at := strings.Index(string(content), "<p>Garden")
	content[at+3] = 'W'
	_, err := h.Deploy(site, content)
	h.Refused(err, vitrine.CodeUnsafeFile, filetype.ReasonContradiction)
	h.Shows(site, http.StatusNotFound, "not available yet")
}

// TestWebsiteExaminedLeadsNowhere checks that no link of a version in review
// leads out of it, in whatever form browsers accept.
func TestWebsiteExaminedLeadsNowhere(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	page := `index.html=<input type=password><a href="b/?q">In</a>`
	out := []string{`\\evil.example/x`, `\/evil.example`, `/\evil.example`, `//evil.example`, "/\t/evil.example",
		`\` + "\n" + `\evil.example`, " \\\\evil.example"}
	for _, href := range out {
		page += `<a href="` + href + `">Out</a>`
	}
	held := h.Deployed(h.NewWebsite("Garden"), page)
	shown := h.Status(h.Get(h.Attr(h.Get(webtest.CasePath(held), h.SignIn(h.Owner)).Text,
		`src="([^"]+/c/[^"]+/site/)\?found"`)), http.StatusOK)
	if strings.Count(shown.Text, "href=") != 1 || !strings.Contains(shown.Text, `href="b/?q"`) ||
		strings.Count(shown.Text, "Leads to") != len(out) {
		t.Errorf("a link leads out of the page:\n%s", shown.Text)
	}
}

// TestWebsiteReported checks that reports concern the public version of a
// website, and that enough of them send it to review.
func TestWebsiteReported(t *testing.T) {
	t.Parallel()
	h := webtest.NewHosting(t)
	h.TrustProxy()
	site := h.NewWebsite("Secret title")
	path := "/report/website/" + string(site.Slug)
	h.Status(h.Get(path), http.StatusNotFound) // nothing is public yet
	first := h.Deployed(site, "index.html=<h1>First</h1>")
	second := h.Deployed(site, "index.html=<h1>Second</h1>")
	h.Status(h.Get("/report/website/unknown"), http.StatusNotFound)
	h.Status(h.Get("/report/website/-"), http.StatusNotFound)
	page := h.Status(h.Get(path), http.StatusOK)
	for _, want := range []string{"Report a website", "http://" + string(site.Slug) + ".localhost",
		`method="post" action="` + path + `"`, "Once several people have reported a website"} {
		if !strings.Contains(page.Text, want) {
			t.Errorf("the page lacks %q:\n%s", want, page.Text)
		}
	}
	if strings.Contains(page.Text, site.Title) || len(page.Cookies()) > 0 ||
		!strings.Contains(page.Header.Get("Content-Security-Policy"), "form-action 'self'") {
		t.Errorf("headers of the form = %v\n%s", page.Header, page.Text)
	}
	if lost := h.Status(h.Visit(site, "/nowhere"), http.StatusNotFound); !strings.Contains(lost.Text,
		`href="`+h.URL+path+`"`) {
		t.Errorf("the page has no link to the form:\n%s", lost.Text)
	}
	report := func(from, reason, origin string, status int) {
		t.Helper()
		h.Status(h.Do(http.MethodPost, path, url.Values{"reason": {reason}}.Encode(), webtest.Form,
			"X-Forwarded-For: "+from, "Origin: "+origin), status)
	}
	report("192.0.2.1", "nonsense", h.URL, http.StatusBadRequest)
	report("192.0.2.1", "phishing", "http://"+string(site.Slug)+".localhost:"+h.Server.PublicURL.Port(),
		http.StatusForbidden)
	for _, from := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.2"} {
		report(from, "phishing", h.URL, http.StatusOK)
	}
	h.Shows(site, http.StatusOK, "Second")
	report("192.0.2.3", "phishing", h.URL, http.StatusOK)
	h.Shows(site, http.StatusNotFound, "not available")
	h.Status(h.Get(path), http.StatusNotFound)
	if n, m := len(h.Reports(first)), len(h.Reports(second)); n != 0 || m != 3 {
		t.Errorf("%d reports about the older version, %d about the public one, want 0 and 3", n, m)
	}
	if body := h.Status(h.Get(webtest.CasePath(second), h.SignIn(h.Owner)), http.StatusOK).Text; strings.Count(body,
		"Phishing") < 3 {
		t.Errorf("the case does not show the reports:\n%s", body)
	}
	by := vitrine.Decision{By: vitrine.Moderator(h.Owner)}
	_, err := h.Server.Links.Clear(t.Context(), string(second.Slug), by)
	h.Check(err)
	h.Shows(site, http.StatusOK, "Second")
	_, err = h.Server.Links.Disable(t.Context(), string(second.Slug), by)
	h.Check(err)
	h.Status(h.Get(path), http.StatusGone)

	// The reports about a version are deleted with it.
	h.Check(h.Server.Sites.Delete(t.Context(), h.Member, string(site.Slug)))
	h.Check(h.Server.Links.Store.Read(t.Context(), func(tx vitrine.Tx) error {
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
	h := webtest.NewHosting(t)
	h.Account = h.Join("maker@example.org", vitrine.RoleMember)
	me, stranger := h.SignIn(h.Account), h.SignIn(h.Owner)
	own := []string{"Content-Type: application/json", "Origin: " + h.URL, "Sec-Fetch-Site: same-origin"}
	make := func() (manage string) {
		r := h.Status(h.Do(http.MethodPost, "/websites/new", `{"title":"Papers","slug":"papers"}`, append(own, me)...),
			http.StatusOK)
		var made struct{ Manage string }
		h.Check(json.Unmarshal([]byte(r.Text), &made))
		return made.Manage
	}
	used := func() int64 {
		u, err := h.Server.Uploads.Usage(t.Context(), h.Account)
		h.Check(err)
		return u.Links
	}
	manage := make()
	h.Status(h.Do(http.MethodPost, manage+"/discard", "", append(own, stranger)...), http.StatusNotFound)
	h.Status(h.Do(http.MethodPost, manage+"/discard", "", me, "Origin: https://elsewhere.example",
		"Sec-Fetch-Site: cross-site"), http.StatusForbidden)
	if used() != 1 {
		t.Fatalf("a website uses %d links, want 1", used())
	}
	h.Status(h.Do(http.MethodPost, manage+"/discard", "", append(own, me)...), http.StatusOK)
	if used() != 0 || strings.Contains(h.Get("/websites", me).Text, "Papers") {
		t.Error("a discarded website still exists")
	}
	manage = make() // its slug is free at once
	site, err := h.Server.Sites.BySlug(t.Context(), h.Account, "papers")
	h.Check(err)
	h.Deployed(site.Site, "index.html=<p>Papers</p>")
	h.Status(h.Do(http.MethodPost, manage+"/discard", "", append(own, me)...), http.StatusBadRequest)
	h.Shows(site.Site, http.StatusOK, "Papers")
}
