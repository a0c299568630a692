package web_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/export"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/report"
)

const login = `index.html=<h1>Second</h1><form><input type="password"></form>`

// TestWebsiteStates checks that a held version is shown once it is approved,
// that a refused one changes nothing, and that a disabled one is gone.
func TestWebsiteStates(t *testing.T) {
	h := newHosting(t)
	site := h.newWebsite("Garden")
	h.shows(site, http.StatusNotFound, "not available yet")
	first := h.deployed(site, "index.html=<h1>First</h1>")
	h.shows(site, http.StatusOK, "First")

	_, err := h.deploy(site, packed(t, "about.html=x"))
	h.refused(err, vitrine.CodeContentMismatch, filetype.ReasonNoIndex)
	h.shows(site, http.StatusOK, "First")

	held := h.deployed(site, login)
	if held.State != vitrine.StateReview || held.Reason != filetype.HoldPasswordForm {
		t.Fatalf("a login page is %s (%s), want it in review", held.State, held.Reason)
	}
	h.shows(site, http.StatusOK, "First")
	by := vitrine.Decision{By: vitrine.Moderator(h.owner)}
	_, err = h.server.Links.Clear(t.Context(), string(held.Slug), by)
	h.check(err)
	h.shows(site, http.StatusOK, "Second")
	_, err = h.server.Links.Undo(t.Context(), string(held.Slug), by)
	h.check(err)
	h.shows(site, http.StatusOK, "First")
	_, err = h.server.Links.Reject(t.Context(), string(held.Slug), by)
	h.check(err)
	h.shows(site, http.StatusOK, "First")

	// A deploy that is approved after a newer one leaves the newer one public.
	again := h.deployed(site, login, "a.txt=other bytes")
	_, err = h.server.Links.Clear(t.Context(), string(again.Slug), by)
	h.check(err)
	h.deployed(site, login, "a.txt=third")
	h.shows(site, http.StatusOK, "Second")

	h.check(h.server.Sites.Rollback(t.Context(), h.member, string(site.Slug), first.ID))
	h.shows(site, http.StatusOK, "First")
	h.refused(h.server.Sites.Rollback(t.Context(), h.member, string(site.Slug), held.ID), vitrine.CodeInvalidRequest,
		"")
	h.refused(h.server.Sites.Rollback(t.Context(), h.owner, string(site.Slug), first.ID), vitrine.CodeNotFound, "")

	_, err = h.server.Links.Disable(t.Context(), string(first.Slug), by)
	h.check(err)
	r := h.shows(site, http.StatusGone, "disabled")
	if r.Header.Get("Clear-Site-Data") != `"cache", "storage"` || strings.Contains(r.body, "Garden") ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers of a disabled website = %v\n%s", r.Header, r.body)
	}
	_, err = h.server.Links.Undo(t.Context(), string(first.Slug), by)
	h.check(err)
	h.shows(site, http.StatusOK, "First")
	if r := h.status(h.visit(site, "/nowhere"), http.StatusNotFound); r.Header.Get("Clear-Site-Data") != "" {
		t.Error("a missing page clears the website's storage")
	}

	h.suspend(h.member, true)
	h.shows(site, http.StatusGone, "disabled")
	h.suspend(h.member, false)
	h.shows(site, http.StatusOK, "First")

	h.check(h.server.Sites.Delete(t.Context(), h.member, string(site.Slug)))
	h.shows(site, http.StatusNotFound, "no website")
	if n, bytes := h.counted(); n != 0 || bytes != 0 {
		t.Errorf("a deleted website leaves %d links with %d bytes", n, bytes)
	}
	h.setPlan(h.member, vitrine.PlanPro)
	_, err = h.server.Sites.Create(t.Context(), h.member, "Garden", string(site.Slug))
	h.refused(err, vitrine.CodeSlugTaken, "")
	h.ahead.Add(int64(vitrine.SlugRest + 1))
	h.check(h.server.Links.Purge(t.Context()))
	_, err = h.server.Sites.Create(t.Context(), h.member, "Garden", string(site.Slug))
	h.check(err)
}

// suspend suspends an account, or lifts the suspension.
func (s *site) suspend(a *vitrine.Account, banned bool) {
	s.t.Helper()
	_, err := s.server.Accounts.SetBanned(s.t.Context(), a.Email, banned, vitrine.Decision{By: vitrine.Operator})
	s.check(err)
}

func (s *site) setPlan(a *vitrine.Account, p vitrine.Plan) {
	s.t.Helper()
	now, err := s.server.Accounts.SetPlan(s.t.Context(), a.Email, p, nil, vitrine.Decision{By: vitrine.Operator})
	s.check(err)
	*a = *now
}

// counted returns the member's usage as the plan counts it.
func (s *site) counted() (n, bytes int64) {
	s.t.Helper()
	s.check(s.server.Links.Store.Read(s.t.Context(), func(tx vitrine.Tx) (err error) {
		n, bytes, err = tx.CountLinks(s.member.ID)
		return err
	}))
	return n, bytes
}

// TestWebsiteLimits checks that the newest versions are kept, and the public
// one whatever its age, that a website is one link of the plan, and that its
// bytes count as storage.
func TestWebsiteLimits(t *testing.T) {
	h := newHosting(t)
	h.setPlan(h.member, vitrine.PlanFree)
	plans := h.server.Uploads.Plans
	plans[vitrine.PlanFree] = vitrine.Limits{Links: 2, FileBytes: 4000, StorageBytes: 5000, HourlyUploads: 100}
	site := h.newWebsite("Garden")
	size := int64(len(packed(t, "index.html=<h1>10</h1>")))
	var links []*vitrine.Link
	for i := range vitrine.KeptVersions + 2 {
		links = append(links, h.deployed(site, fmt.Sprintf("index.html=<h1>%d</h1>", 10+i)))
		if i == 0 {
			continue
		}
		// The first version is restored each time, because a deploy must not
		// delete the version that is public.
		h.check(h.server.Sites.Rollback(t.Context(), h.member, string(site.Slug), links[0].ID))
	}
	f, err := h.server.Sites.BySlug(t.Context(), h.member, string(site.Slug))
	h.check(err)
	if n := len(f.Versions); n < vitrine.KeptVersions || n > vitrine.KeptVersions+1 {
		t.Errorf("%d versions are kept", n)
	}
	h.shows(site, http.StatusOK, "<h1>10</h1>")
	if n, bytes := h.counted(); n != 1 || bytes != size*int64(len(f.Versions)) {
		t.Errorf("%d links with %d bytes for %d versions", n, bytes, len(f.Versions))
	}
	// A second website is the second link, and a third of either kind is
	// refused.
	h.newWebsite("Second")
	_, err = h.server.Sites.Create(t.Context(), h.member, "Third", "")
	h.refused(err, vitrine.CodeLinkLimit, "")
	_, err = h.server.Uploads.Create(t.Context(), h.member,
		publish.UploadRequest{Name: "a.txt", Type: "text/plain", Size: 1})
	h.refused(err, vitrine.CodeLinkLimit, "")
	h.deployed(site, "index.html=<h1>more</h1>") // a deploy to an existing website
	_, err = h.deploy(site, make([]byte, 4001))
	h.refused(err, vitrine.CodeFileTooLarge, "")
	_, err = h.deploy(site, make([]byte, 3900))
	h.refused(err, vitrine.CodeStorageLimit, "")

	// The public version cannot be deleted, older ones can.
	h.refused(h.server.Sites.DeleteVersion(t.Context(), h.member, string(site.Slug), h.version(site).ID),
		vitrine.CodeInvalidRequest, "")
	old := f.Versions[3]
	h.check(h.server.Sites.DeleteVersion(t.Context(), h.member, string(site.Slug), old.ID))
	h.refused(h.server.Sites.DeleteVersion(t.Context(), h.member, string(site.Slug), old.ID), vitrine.CodeNotFound, "")

	// Custom slugs are for plans that have them, and each is given once.
	_, err = h.server.Sites.Create(t.Context(), h.member, "Own", "own-name")
	h.refused(err, vitrine.CodeProRequired, "")
	if _, err := h.server.Uploads.Create(t.Context(), h.member,
		publish.UploadRequest{Name: "a.html", Type: "text/html", Size: 9,
			Website: string(site.Slug)}); vitrine.CodeOf(err) != vitrine.CodeUnsupportedType {
		t.Errorf("deploy of a page: %v, want unsupported_type", err)
	}
	if _, err := h.server.Uploads.Create(t.Context(), h.owner,
		publish.UploadRequest{Name: "a.zip", Type: "application/zip", Size: 9,
			Website: string(site.Slug)}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("deploy to another account's website: %v, want not_found", err)
	}
}

// TestWebsiteTransferEnds checks that a transfer of a version that is disabled
// ends at once, and that a newer version does not end one.
func TestWebsiteTransferEnds(t *testing.T) {
	h := newHosting(t)
	h.server.RecheckEvery = 10 * time.Millisecond
	ended := endings(h, "/film.mp4")
	film := strings.Repeat("frames and frames\n", 4<<20) // more than the buffers of a connection hold
	first, second := h.newWebsite("First"), h.newWebsite("Second")
	doomed := h.deployed(first, "index.html=x", "film.mp4="+film)
	h.deployed(second, "index.html=x", "film.mp4="+film+"2")
	begin := func(site *vitrine.Site) (rest func() (int64, error)) {
		t.Helper()
		conn, err := net.Dial("tcp", h.server.PublicURL.Host)
		h.check(err)
		t.Cleanup(func() { conn.Close() })
		_, _ = io.WriteString(conn, "GET /film.mp4 HTTP/1.1\r\nHost: "+string(site.Slug)+".localhost\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%v, %v, want 200", res, err)
		}
		return func() (int64, error) {
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			return io.Copy(io.Discard, res.Body)
		}
	}
	cut, whole := begin(first), begin(second)
	h.setState(doomed, vitrine.StateDisabled)
	h.deployed(second, "index.html=newer")
	ended() // only the server ends one of them, because the readers wait
	if n, err := cut(); n >= int64(len(film)) || !errors.Is(err, io.ErrUnexpectedEOF) &&
		!strings.Contains(errorText(err), "reset") {
		t.Errorf("%d of %d bytes of a disabled website: %v, want fewer", n, len(film), err)
	}
	if n, err := whole(); n != int64(len(film))+1 || err != nil {
		t.Errorf("%d of %d bytes of the other one: %v, want all", n, len(film)+1, err)
	}
	h.setState(doomed, vitrine.StateLive)
}

// TestVersionsAreNoLinks checks that a version of a website never appears as a
// link.
func TestVersionsAreNoLinks(t *testing.T) {
	h := newHosting(t)
	site := h.newWebsite("Garden")
	version := h.deployed(site, "index.html=<h1>Garden</h1>")
	plain := h.publish("notes.txt", samples["notes.txt"])
	slug := string(version.Slug)

	for _, path := range []string{"", "/picture", "/download", "/embed", "/qr.svg", "/report"} {
		known, unknown := h.get("/p/"+slug+path), h.get("/p/aaaaaaaaaa"+path)
		if known.StatusCode != http.StatusNotFound || strings.Contains(known.body, "Garden") ||
			len(known.body) != len(unknown.body) {
			t.Errorf("/p/…%s: status %d, want the answer for an unknown link", path, known.StatusCode)
		}
	}
	h.status(h.get("/oembed?url="+url.QueryEscape(h.url+"/p/"+slug)), http.StatusNotFound)
	h.status(h.post("/p/"+slug+"/report", url.Values{"reason": {"phishing"}}), http.StatusNotFound)
	if err := h.server.Abuse.Report(t.Context(), version.ID, 1, vitrine.AbusePhishing,
		""); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("report about a version: %v, want not_found", err)
	}
	if _, err := h.server.Links.PublicByID(t.Context(), version.ID, access.Asker{}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("version by its ID: %v, want not_found", err)
	}

	h.noPages(slug)
	service, _, err := h.server.Links.List(t.Context(), h.member.ID, links.LinkSearch{Limit: 100}, vitrine.LinkCursor{})
	h.check(err)
	found, _, err := h.server.Links.Search(t.Context(), h.member, links.LinkSearch{Limit: 10})
	h.check(err)
	named, _, err := h.server.Links.Search(t.Context(), h.member, links.LinkSearch{Text: "garden", Limit: 10})
	h.check(err)
	viewed, _, err := h.server.Links.Search(t.Context(), h.member, links.LinkSearch{Sort: vitrine.SortViews, Limit: 10})
	h.check(err)
	if len(service) != 1 || service[0].ID != plain.ID || len(found) != 1 || len(named) != 0 || len(viewed) != 1 {
		t.Errorf("%d listed, %d found, %d by name, %d by views, want 1, 1, 0, 1", len(service), len(found), len(named),
			len(viewed))
	}
	for _, err := range []error{
		failureOf(h.server.Analytics.Link(t.Context(), h.member, slug, analytics.In(report.Range30d))),
		failureOf(h.server.Links.Own(t.Context(), h.member, slug)),
		failureOf(h.server.Links.Edit(t.Context(), h.member, slug, links.Edit{Title: new("x")})),
		h.server.Albums.Add(t.Context(), h.member, string(h.album("Album").Slug), []string{slug}),
	} {
		if vitrine.CodeOf(err) != vitrine.CodeNotFound {
			t.Errorf("version as a link: %v, want not_found", err)
		}
	}
	h.check(h.server.Albums.Add(t.Context(), h.member, string(h.album("Exported").Slug), []string{string(plain.Slug)}))
	h.exported(map[string][2]string{ // the first text must be in the file, the second must not
		"links.csv": {string(plain.Slug), slug}, "websites.json": {`"files/` + slug + `/site.zip"`, "disabled"},
		"albums.json":                 {string(plain.Slug), slug},
		"files/" + slug + "/site.zip": {"<h1>Garden</h1>", "notes"},
	})
	h.visit(site, "/")
	all, err := h.server.Analytics.Account(t.Context(), h.member, analytics.In(report.Range30d))
	h.check(err)
	if all.AllTime.Links != 1 || all.Totals.Views != 0 {
		t.Errorf("report with %d links and %d views, want 1 and 0", all.AllTime.Links, all.Totals.Views)
	}
	h.countOpens(version, 0)
	if due := h.due(); len(due) != 1 || due[0].ID != plain.ID {
		t.Errorf("%d links need a preview, want 1", len(due))
	}
	// An upload of a website cannot be completed as a link.
	content := packed(t, "index.html=x")
	begun, err := h.server.Uploads.Create(t.Context(), h.member,
		publish.UploadRequest{Name: "site.zip", Type: "application/zip", Size: int64(len(content)), Website: string(site.Slug)})
	h.check(err)
	_, err = h.server.Uploads.Complete(t.Context(), h.member,
		publish.CompleteRequest{Path: string(begun.Path), Name: "site.zip", Type: "application/zip"})
	h.refused(err, vitrine.CodeIdempotencyMismatch, "")
}

// noPages checks that a slug has none of a link's pages and forms, whatever the
// plan.
func (s *site) noPages(slug string) {
	s.t.Helper()
	cookie := s.signIn(s.member)
	for _, plan := range []vitrine.Plan{vitrine.PlanFree, vitrine.PlanPro} {
		s.setPlan(s.member, plan)
		for _, path := range []string{"", "/state", "/analytics", "/analytics/now",
			"/analytics?format=csv&card=series"} {
			s.status(s.get("/links/"+slug+path, cookie), http.StatusNotFound)
		}
		for _, path := range []string{"title", "slug", "download", "disable", "undo", "delete", "captions",
			"captions/delete"} {
			s.status(s.post("/links/"+slug+"/"+path, url.Values{"title": {"x"}, "slug": {"elsewhere"}}, cookie),
				http.StatusNotFound)
		}
		s.status(s.ask("/links/"+slug+"/edit", `{"title":"x"}`, cookie), http.StatusNotFound)
	}
	s.status(s.get("/links/"+slug+"/analytics/pulse", cookie), http.StatusNotFound)
}

// exported checks files in the member's export.
func (s *site) exported(want map[string][2]string) {
	s.t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	export := export.Exporter{Store: s.server.Links.Store, Blobs: s.server.Blobs, Analytics: s.server.Analytics,
		Now: s.server.Now,
		URL: func(slug vitrine.Slug) string { return httpx.LinkURL(s.server.PublicURL, slug) }}
	s.check(export.Write(s.t.Context(), s.member, z))
	s.check(z.Close())
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	s.check(err)
	for name, texts := range want {
		content, err := fs.ReadFile(archive, name)
		s.check(err)
		if !strings.Contains(string(content), texts[0]) || strings.Contains(string(content), texts[1]) {
			s.t.Errorf("%s lacks %q, or contains %q:\n%.500s", name, texts[0], texts[1], content)
		}
	}
	for _, f := range archive.File {
		if strings.HasPrefix(f.Name, "analytics/"+string(s.version(s.siteOf(s.firstSite())).Slug)) {
			s.t.Errorf("the archive contains %s", f.Name)
		}
	}
}

// firstSite returns the slug of the member's newest website.
func (s *site) firstSite() vitrine.Slug {
	s.t.Helper()
	list, err := s.server.Sites.List(s.t.Context(), s.member)
	s.check(err)
	return list[0].Slug
}

func failureOf[T any](_ T, err error) error { return err }

func (s *site) due() (due []*vitrine.Link) {
	s.t.Helper()
	s.check(s.server.Links.Store.Read(s.t.Context(), func(tx vitrine.Tx) (err error) {
		due, err = tx.Links(vitrine.LinkQuery{PreviewDue: true})
		return err
	}))
	return due
}

// TestWebsitePages checks that the pages create a website, accept its files,
// report ignored files, and restore versions.
func TestWebsitePages(t *testing.T) {
	h := newHosting(t)
	cookie := h.signIn(h.member)
	sent := []string{cookie, "Origin: " + h.url, "Sec-Fetch-Site: same-origin", "Content-Type: application/json"}
	data := func(path, body string, status int) map[string]string {
		t.Helper()
		r := h.status(h.do(http.MethodPost, path, body, sent...), status)
		m := map[string]any{}
		h.check(json.Unmarshal([]byte(r.body), &m))
		out := map[string]string{}
		for k, v := range m {
			out[k] = fmt.Sprint(v)
		}
		return out
	}
	if r := h.status(h.get("/websites"), http.StatusSeeOther); !strings.HasPrefix(r.Header.Get("Location"),
		"/sign-in?next=%2Fwebsites") {
		t.Errorf("a visitor is redirected to %s", r.Header.Get("Location"))
	}
	if r := h.status(h.get("/websites", cookie), http.StatusOK); !strings.Contains(r.body, "Drop a folder") {
		t.Errorf("no drop zone:\n%s", r.body)
	}
	if r := h.status(h.post("/websites", url.Values{"title": {""}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.body, `id="wrong-title"`) {
		t.Errorf("create without a title: %s", r.body)
	}
	r := h.follow(h.post("/websites", url.Values{"title": {"My <garden>"}, "slug": {"my-garden"}}, cookie), cookie)
	if !strings.Contains(r.body, "My &lt;garden&gt;") || !strings.Contains(r.body, "http://my-garden.localhost:") {
		t.Errorf("page of the website:\n%s", r.body)
	}
	if r := h.status(h.post("/websites", url.Values{"title": {"x"}, "slug": {"my-garden"}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.body, `id="wrong-slug"`) {
		t.Errorf("create with a slug that is taken: %s", r.body)
	}
	for slug, free := range map[string]string{"my-garden": "false", "another": "true", "-": "false", "www": "false"} {
		r := h.status(h.get("/websites/new/slug?slug="+slug, cookie), http.StatusOK)
		if !strings.Contains(r.body, `"free":`+free) {
			t.Errorf("slug check of %s: %s", slug, r.body)
		}
	}

	made := data("/websites/new", `{"title": "Dropped"}`, http.StatusOK)
	if made["manage"]+"/uploads" != made["begin"] {
		t.Fatalf("answer to create = %v", made)
	}
	deploy := func(content []byte, status int) map[string]string {
		t.Helper()
		begun := data(made["begin"], fmt.Sprintf(`{"name": "website.zip", "type": "application/zip", "size": %d}`,
			len(content)), http.StatusOK)
		h.status(h.do(http.MethodPut, begun["signedUrl"], string(content), "Content-Type: application/zip"),
			http.StatusOK)
		return data(made["begin"]+"/complete", fmt.Sprintf(`{"path": %q, "name": "website.zip", "type": "application/zip"}`, begun["path"]), status)
	}
	if answer := deploy(packed(t, "about.html=x"), http.StatusBadRequest); answer["code"] != "content_mismatch" ||
		!strings.Contains(answer["error"], "index.html") {
		t.Errorf("deploy without a first page = %v, want content_mismatch", answer)
	}
	came := deploy(packed(t, "index.html=<h1>One</h1>", ".env=SECRET", "run.php=<?php"), http.StatusOK)
	page := h.status(h.get(came["next"], cookie), http.StatusOK).body
	for _, want := range []string{"Visitors now see this version", ".env", "hidden file", "run.php",
		"program or server script", "1 file"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	h.ahead.Add(2e9)
	deploy(packed(t, "index.html=<h1>Two</h1>"), http.StatusOK)
	site := &vitrine.Site{Slug: vitrine.Slug(strings.TrimPrefix(made["manage"], "/websites/"))}
	h.shows(site, http.StatusOK, "Two")
	page = h.status(h.get(made["manage"], cookie), http.StatusOK).body
	older := regexp.MustCompile(`/restore"><input type="hidden" name="version" value="(\d+)"`).FindAllStringSubmatch(page, -1)
	if len(older) != 1 || strings.Contains(page, "Left out") {
		t.Fatalf("%d versions can be restored, want 1:\n%s", len(older), page)
	}
	h.follow(h.post(made["manage"]+"/restore", url.Values{"version": {older[0][1]}}, cookie), cookie)
	h.shows(site, http.StatusOK, "One")
	if r := h.status(h.post(made["manage"]+"/remove", url.Values{"version": {older[0][1]}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.body, "This version is shown") {
		t.Errorf("the public version can be deleted: %s", r.body)
	}
	h.status(h.post(made["manage"]+"/restore", url.Values{"version": {"nonsense"}}, cookie), http.StatusNotFound)
	if page := h.follow(h.post(made["manage"]+"/title", url.Values{"title": {"Renamed"}}, cookie),
		cookie); !strings.Contains(page.body, "Renamed") {
		t.Error("the title did not change")
	}

	// Another account sees none of it.
	stranger := h.signIn(h.join("other@example.org", vitrine.RoleMember))
	h.status(h.get(made["manage"], stranger), http.StatusNotFound)
	for _, action := range []string{"title", "restore", "remove", "delete"} {
		h.status(h.post(made["manage"]+"/"+action, url.Values{"title": {"x"}}, stranger), http.StatusNotFound)
	}
	h.status(h.do(http.MethodPost, made["begin"], `{}`, append([]string{stranger}, sent[1:]...)...),
		http.StatusNotFound)
	h.status(h.do(http.MethodPost, made["begin"], `{}`, sent[1:]...), http.StatusUnauthorized)
	h.status(h.do(http.MethodPost, made["begin"], `{}`, cookie, "Origin: http://evil.example",
		"Sec-Fetch-Site: cross-site"), http.StatusForbidden)
	h.status(h.do(http.MethodPost, made["begin"], `{}`, cookie, "Origin: http://my-garden.localhost",
		"Sec-Fetch-Site: same-site"), http.StatusForbidden)

	h.follow(h.post(made["manage"]+"/delete", nil, cookie), cookie)
	h.status(h.get(made["manage"], cookie), http.StatusNotFound)
}
