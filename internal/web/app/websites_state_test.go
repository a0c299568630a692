package app_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestWebsiteStates checks that a held version is shown once it is approved,
// that a refused one changes nothing, and that a disabled one is gone.
func TestWebsiteStates(t *testing.T) {
	h := webtest.NewHosting(t)
	site := h.NewWebsite("Garden")
	h.Shows(site, http.StatusNotFound, "not available yet")
	first := h.Deployed(site, "index.html=<h1>First</h1>")
	h.Shows(site, http.StatusOK, "First")

	_, err := h.Deploy(site, webtest.Packed(t, "about.html=x"))
	h.Refused(err, vitrine.CodeContentMismatch, filetype.ReasonNoIndex)
	h.Shows(site, http.StatusOK, "First")

	held := h.Deployed(site, webtest.Login)
	if held.State != vitrine.StateReview || held.Reason != filetype.HoldPasswordForm {
		t.Fatalf("a login page is %s (%s), want it in review", held.State, held.Reason)
	}
	h.Shows(site, http.StatusOK, "First")
	by := vitrine.Decision{By: vitrine.Moderator(h.Owner)}
	_, err = h.Server.Links.Clear(t.Context(), string(held.Slug), by)
	h.Check(err)
	h.Shows(site, http.StatusOK, "Second")
	_, err = h.Server.Links.Undo(t.Context(), string(held.Slug), by)
	h.Check(err)
	h.Shows(site, http.StatusOK, "First")
	_, err = h.Server.Links.Reject(t.Context(), string(held.Slug), by)
	h.Check(err)
	h.Shows(site, http.StatusOK, "First")

	// A deploy that is approved after a newer one leaves the newer one public.
	again := h.Deployed(site, webtest.Login, "a.txt=other bytes")
	_, err = h.Server.Links.Clear(t.Context(), string(again.Slug), by)
	h.Check(err)
	h.Deployed(site, webtest.Login, "a.txt=third")
	h.Shows(site, http.StatusOK, "Second")

	h.Check(h.Server.Sites.Rollback(t.Context(), h.Member, string(site.Slug), first.ID))
	h.Shows(site, http.StatusOK, "First")
	h.Refused(h.Server.Sites.Rollback(t.Context(), h.Member, string(site.Slug), held.ID), vitrine.CodeInvalidRequest,
		"")
	h.Refused(h.Server.Sites.Rollback(t.Context(), h.Owner, string(site.Slug), first.ID), vitrine.CodeNotFound, "")

	_, err = h.Server.Links.Disable(t.Context(), string(first.Slug), by)
	h.Check(err)
	r := h.Shows(site, http.StatusGone, "disabled")
	if r.Header.Get("Clear-Site-Data") != `"cache", "storage"` || strings.Contains(r.Text, "Garden") ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers of a disabled website = %v\n%s", r.Header, r.Text)
	}
	_, err = h.Server.Links.Undo(t.Context(), string(first.Slug), by)
	h.Check(err)
	h.Shows(site, http.StatusOK, "First")
	if r := h.Status(h.Visit(site, "/nowhere"), http.StatusNotFound); r.Header.Get("Clear-Site-Data") != "" {
		t.Error("a missing page clears the website's storage")
	}

	h.Suspend(h.Member, true)
	h.Shows(site, http.StatusGone, "disabled")
	h.Suspend(h.Member, false)
	h.Shows(site, http.StatusOK, "First")

	h.Check(h.Server.Sites.Delete(t.Context(), h.Member, string(site.Slug)))
	h.Shows(site, http.StatusNotFound, "no website")
	if n, bytes := h.Counted(); n != 0 || bytes != 0 {
		t.Errorf("a deleted website leaves %d links with %d bytes", n, bytes)
	}
	h.SetPlan(h.Member, vitrine.PlanPro)
	_, err = h.Server.Sites.Create(t.Context(), h.Member, "Garden", string(site.Slug))
	h.Refused(err, vitrine.CodeSlugTaken, "")
	h.Ahead.Add(int64(vitrine.SlugRest + 1))
	h.Check(h.Server.Links.Purge(t.Context()))
	_, err = h.Server.Sites.Create(t.Context(), h.Member, "Garden", string(site.Slug))
	h.Check(err)
}

// TestWebsiteLimits checks that the newest versions are kept, and the public
// one whatever its age, that a website is one link of the plan, and that its
// bytes count as storage.
func TestWebsiteLimits(t *testing.T) {
	h := webtest.NewHosting(t)
	h.SetPlan(h.Member, vitrine.PlanFree)
	plans := h.Server.Uploads.Plans
	plans[vitrine.PlanFree] = vitrine.Limits{Links: 2, FileBytes: 4000, StorageBytes: 5000, HourlyUploads: 100}
	site := h.NewWebsite("Garden")
	size := int64(len(webtest.Packed(t, "index.html=<h1>10</h1>")))
	var links []*vitrine.Link
	for i := range vitrine.KeptVersions + 2 {
		links = append(links, h.Deployed(site, fmt.Sprintf("index.html=<h1>%d</h1>", 10+i)))
		if i == 0 {
			continue
		}
		// The first version is restored each time, because a deploy must not
		// delete the version that is public.
		h.Check(h.Server.Sites.Rollback(t.Context(), h.Member, string(site.Slug), links[0].ID))
	}
	f, err := h.Server.Sites.BySlug(t.Context(), h.Member, string(site.Slug))
	h.Check(err)
	if n := len(f.Versions); n < vitrine.KeptVersions || n > vitrine.KeptVersions+1 {
		t.Errorf("%d versions are kept", n)
	}
	h.Shows(site, http.StatusOK, "<h1>10</h1>")
	if n, bytes := h.Counted(); n != 1 || bytes != size*int64(len(f.Versions)) {
		t.Errorf("%d links with %d bytes for %d versions", n, bytes, len(f.Versions))
	}
	// A second website is the second link, and a third of either kind is
	// refused.
	h.NewWebsite("Second")
	_, err = h.Server.Sites.Create(t.Context(), h.Member, "Third", "")
	h.Refused(err, vitrine.CodeLinkLimit, "")
	_, err = h.Server.Uploads.Create(t.Context(), h.Member,
		publish.UploadRequest{Name: "a.txt", Type: "text/plain", Size: 1})
	h.Refused(err, vitrine.CodeLinkLimit, "")
	h.Deployed(site, "index.html=<h1>more</h1>") // a deploy to an existing website
	_, err = h.Deploy(site, make([]byte, 4001))
	h.Refused(err, vitrine.CodeFileTooLarge, "")
	_, err = h.Deploy(site, make([]byte, 3900))
	h.Refused(err, vitrine.CodeStorageLimit, "")

	// The public version cannot be deleted, older ones can.
	h.Refused(h.Server.Sites.DeleteVersion(t.Context(), h.Member, string(site.Slug), h.Version(site).ID),
		vitrine.CodeInvalidRequest, "")
	old := f.Versions[3]
	h.Check(h.Server.Sites.DeleteVersion(t.Context(), h.Member, string(site.Slug), old.ID))
	h.Refused(h.Server.Sites.DeleteVersion(t.Context(), h.Member, string(site.Slug), old.ID), vitrine.CodeNotFound, "")

	// Custom slugs are for plans that have them, and each is given once.
	_, err = h.Server.Sites.Create(t.Context(), h.Member, "Own", "own-name")
	h.Refused(err, vitrine.CodeProRequired, "")
	if _, err := h.Server.Uploads.Create(t.Context(), h.Member,
		publish.UploadRequest{Name: "a.html", Type: "text/html", Size: 9,
			Website: string(site.Slug)}); vitrine.CodeOf(err) != vitrine.CodeUnsupportedType {
		t.Errorf("deploy of a page: %v, want unsupported_type", err)
	}
	if _, err := h.Server.Uploads.Create(t.Context(), h.Owner,
		publish.UploadRequest{Name: "a.zip", Type: "application/zip", Size: 9,
			Website: string(site.Slug)}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("deploy to another account's website: %v, want not_found", err)
	}
}

// TestWebsiteTransferEnds checks that a transfer of a version that is disabled
// ends at once, and that a newer version does not end one.
func TestWebsiteTransferEnds(t *testing.T) {
	h := webtest.NewHosting(t)
	h.Server.RecheckEvery = 10 * time.Millisecond
	ended := webtest.Endings(h, "/film.mp4")
	film := strings.Repeat("frames and frames\n", 4<<20) // more than the buffers of a connection hold
	first, second := h.NewWebsite("First"), h.NewWebsite("Second")
	doomed := h.Deployed(first, "index.html=x", "film.mp4="+film)
	h.Deployed(second, "index.html=x", "film.mp4="+film+"2")
	begin := func(site *vitrine.Site) (rest func() (int64, error)) {
		t.Helper()
		conn, err := net.Dial("tcp", h.Server.PublicURL.Host)
		h.Check(err)
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
	h.SetState(doomed, vitrine.StateDisabled)
	h.Deployed(second, "index.html=newer")
	ended() // only the server ends one of them, because the readers wait
	if n, err := cut(); n >= int64(len(film)) || !errors.Is(err, io.ErrUnexpectedEOF) &&
		!strings.Contains(webtest.ErrorText(err), "reset") {
		t.Errorf("%d of %d bytes of a disabled website: %v, want fewer", n, len(film), err)
	}
	if n, err := whole(); n != int64(len(film))+1 || err != nil {
		t.Errorf("%d of %d bytes of the other one: %v, want all", n, len(film)+1, err)
	}
	h.SetState(doomed, vitrine.StateLive)
}

// TestVersionsAreNoLinks checks that a version of a website never appears as a
// link.
func TestVersionsAreNoLinks(t *testing.T) {
	h := webtest.NewHosting(t)
	site := h.NewWebsite("Garden")
	version := h.Deployed(site, "index.html=<h1>Garden</h1>")
	plain := h.Publish("notes.txt", webtest.Samples["notes.txt"])
	slug := string(version.Slug)

	for _, path := range []string{"", "/picture", "/download", "/embed", "/qr.svg", "/report"} {
		known, unknown := h.Get("/p/"+slug+path), h.Get("/p/aaaaaaaaaa"+path)
		if known.StatusCode != http.StatusNotFound || strings.Contains(known.Text, "Garden") ||
			len(known.Text) != len(unknown.Text) {
			t.Errorf("/p/…%s: status %d, want the answer for an unknown link", path, known.StatusCode)
		}
	}
	h.Status(h.Get("/oembed?url="+url.QueryEscape(h.URL+"/p/"+slug)), http.StatusNotFound)
	h.Status(h.Post("/p/"+slug+"/report", url.Values{"reason": {"phishing"}}), http.StatusNotFound)
	if err := h.Server.Abuse.Report(t.Context(), version.ID, 1, vitrine.AbusePhishing,
		""); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("report about a version: %v, want not_found", err)
	}
	if _, err := h.Server.Links.PublicByID(t.Context(), version.ID,
		access.Asker{}); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("version by its ID: %v, want not_found", err)
	}

	h.NoPages(slug)
	service, _, err := h.Server.Links.List(t.Context(), h.Member.ID, links.LinkSearch{Limit: 100}, vitrine.LinkCursor{})
	h.Check(err)
	found, _, err := h.Server.Links.Search(t.Context(), h.Member, links.LinkSearch{Limit: 10})
	h.Check(err)
	named, _, err := h.Server.Links.Search(t.Context(), h.Member, links.LinkSearch{Text: "garden", Limit: 10})
	h.Check(err)
	viewed, _, err := h.Server.Links.Search(t.Context(), h.Member, links.LinkSearch{Sort: vitrine.SortViews, Limit: 10})
	h.Check(err)
	if len(service) != 1 || service[0].ID != plain.ID || len(found) != 1 || len(named) != 0 || len(viewed) != 1 {
		t.Errorf("%d listed, %d found, %d by name, %d by views, want 1, 1, 0, 1", len(service), len(found), len(named),
			len(viewed))
	}
	for _, err := range []error{
		failureOf(h.Server.Analytics.Link(t.Context(), h.Member, slug, analytics.In(report.Range30d))),
		failureOf(h.Server.Links.Own(t.Context(), h.Member, slug)),
		failureOf(h.Server.Links.Edit(t.Context(), h.Member, slug, links.Edit{Title: new("x")})),
		h.Server.Albums.Add(t.Context(), h.Member, string(h.Album("Album").Slug), []string{slug}),
	} {
		if vitrine.CodeOf(err) != vitrine.CodeNotFound {
			t.Errorf("version as a link: %v, want not_found", err)
		}
	}
	h.Check(h.Server.Albums.Describe(t.Context(), h.Member, string(h.Album("Exported", plain).Slug), "Exported",
		"Above "+string(plain.Slug)))
	h.Exported(map[string][2]string{ // the first text must be in the file, the second must not
		"links.csv": {string(plain.Slug), slug}, "websites.json": {`"files/` + slug + `/site.zip"`, "disabled"},
		"albums.json":                 {`"text":"Above ` + string(plain.Slug), slug},
		"files/" + slug + "/site.zip": {"<h1>Garden</h1>", "notes"},
	})
	h.Visit(site, "/")
	all, err := h.Server.Analytics.Account(t.Context(), h.Member, analytics.In(report.Range30d))
	h.Check(err)
	if all.AllTime.Links != 1 || all.Totals.Views != 0 {
		t.Errorf("report with %d links and %d views, want 1 and 0", all.AllTime.Links, all.Totals.Views)
	}
	h.CountViews(version, 0)
	if due := h.Due(); len(due) != 1 || due[0].ID != plain.ID {
		t.Errorf("%d links need a preview, want 1", len(due))
	}
	// An upload of a website cannot be completed as a link.
	content := webtest.Packed(t, "index.html=x")
	begun, err := h.Server.Uploads.Create(t.Context(), h.Member,
		publish.UploadRequest{Name: "site.zip", Type: "application/zip", Size: int64(len(content)),
			Website: string(site.Slug)})
	h.Check(err)
	_, err = h.Server.Uploads.Complete(t.Context(), h.Member,
		publish.CompleteRequest{Path: string(begun.Path), Name: "site.zip", Type: "application/zip"})
	h.Refused(err, vitrine.CodeIdempotencyMismatch, "")
}

func failureOf[T any](_ T, err error) error { return err }

// TestWebsitePages checks that the pages create a website, accept its files,
// report ignored files, and restore versions.
func TestWebsitePages(t *testing.T) {
	h := webtest.NewHosting(t)
	cookie := h.SignIn(h.Member)
	sent := []string{cookie, "Origin: " + h.URL, "Sec-Fetch-Site: same-origin", "Content-Type: application/json"}
	data := func(path, body string, status int) map[string]string {
		t.Helper()
		r := h.Status(h.Do(http.MethodPost, path, body, sent...), status)
		m := map[string]any{}
		h.Check(json.Unmarshal([]byte(r.Text), &m))
		out := map[string]string{}
		for k, v := range m {
			out[k] = fmt.Sprint(v)
		}
		return out
	}
	if r := h.Status(h.Get("/websites"), http.StatusSeeOther); !strings.HasPrefix(r.Header.Get("Location"),
		"/sign-in?next=%2Fwebsites") {
		t.Errorf("a visitor is redirected to %s", r.Header.Get("Location"))
	}
	if r := h.Status(h.Get("/websites", cookie), http.StatusOK); !strings.Contains(r.Text, "Drop a folder") {
		t.Errorf("no drop zone:\n%s", r.Text)
	}
	if r := h.Status(h.Post("/websites", url.Values{"title": {""}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.Text, `id="wrong-title"`) {
		t.Errorf("create without a title: %s", r.Text)
	}
	r := h.Follow(h.Post("/websites", url.Values{"title": {"My <garden>"}, "slug": {"my-garden"}}, cookie), cookie)
	if !strings.Contains(r.Text, "My &lt;garden&gt;") || !strings.Contains(r.Text, "http://my-garden.localhost:") {
		t.Errorf("page of the website:\n%s", r.Text)
	}
	if r := h.Status(h.Post("/websites", url.Values{"title": {"x"}, "slug": {"my-garden"}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.Text, `id="wrong-slug"`) {
		t.Errorf("create with a slug that is taken: %s", r.Text)
	}
	for slug, free := range map[string]string{"my-garden": "false", "another": "true", "-": "false", "www": "false"} {
		r := h.Status(h.Get("/websites/new/slug?slug="+slug, cookie), http.StatusOK)
		if !strings.Contains(r.Text, `"free":`+free) {
			t.Errorf("slug check of %s: %s", slug, r.Text)
		}
	}

	named := data("/websites/new", `{"title": "Garden Tools (2026)"}`, http.StatusOK)
	if named["manage"] != "/websites/garden-tools-2026" {
		t.Errorf("what is dropped gets the address %s", named["manage"])
	}
	again := data("/websites/new", `{"title": "Garden tools 2026"}`, http.StatusOK)
	if strings.Contains(again["manage"], "garden") {
		t.Errorf("an address that is taken is given again: %s", again["manage"])
	}
	made := data("/websites/new", `{"title": "Dropped"}`, http.StatusOK)
	if made["manage"]+"/uploads" != made["begin"] {
		t.Fatalf("answer to create = %v", made)
	}
	deploy := func(content []byte, status int) map[string]string {
		t.Helper()
		begun := data(made["begin"], fmt.Sprintf(`{"name": "website.zip", "type": "application/zip", "size": %d}`,
			len(content)), http.StatusOK)
		h.Status(h.Do(http.MethodPut, begun["signedUrl"], string(content), "Content-Type: application/zip"),
			http.StatusOK)
		return data(made["begin"]+"/complete", fmt.Sprintf(`{"path": %q, "name": "website.zip", "type": "application/zip"}`, begun["path"]), status)
	}
	if answer := deploy(webtest.Packed(t, "about.html=x"),
		http.StatusBadRequest); answer["code"] != "content_mismatch" ||
		!strings.Contains(answer["error"], "index.html") {
		t.Errorf("deploy without a first page = %v, want content_mismatch", answer)
	}
	came := deploy(webtest.Packed(t, "index.html=<h1>One</h1>", ".env=SECRET", "run.php=<?php"), http.StatusOK)
	page := h.Status(h.Get(came["next"], cookie), http.StatusOK).Text
	for _, want := range []string{"Visitors now see this version", ".env", "hidden file", "run.php",
		"program or server script", "1 file"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	h.Ahead.Add(2e9)
	deploy(webtest.Packed(t, "index.html=<h1>Two</h1>"), http.StatusOK)
	site := &vitrine.Site{Slug: vitrine.Slug(strings.TrimPrefix(made["manage"], "/websites/"))}
	h.Shows(site, http.StatusOK, "Two")
	page = h.Status(h.Get(made["manage"], cookie), http.StatusOK).Text
	older := regexp.MustCompile(`/restore"><input type="hidden" name="version" value="(\d+)"`).FindAllStringSubmatch(page, -1)
	if len(older) != 1 || strings.Contains(page, "Left out") {
		t.Fatalf("%d versions can be restored, want 1:\n%s", len(older), page)
	}
	h.Follow(h.Post(made["manage"]+"/restore", url.Values{"version": {older[0][1]}}, cookie), cookie)
	h.Shows(site, http.StatusOK, "One")
	if r := h.Status(h.Post(made["manage"]+"/remove", url.Values{"version": {older[0][1]}}, cookie),
		http.StatusBadRequest); !strings.Contains(r.Text, "This version is shown") {
		t.Errorf("the public version can be deleted: %s", r.Text)
	}
	h.Status(h.Post(made["manage"]+"/restore", url.Values{"version": {"nonsense"}}, cookie), http.StatusNotFound)
	if page := h.Follow(h.Post(made["manage"]+"/title", url.Values{"title": {"Renamed"}}, cookie),
		cookie); !strings.Contains(page.Text, "Renamed") {
		t.Error("the title did not change")
	}

	// Another account sees none of it.
	stranger := h.SignIn(h.Join("other@example.org", vitrine.RoleMember))
	h.Status(h.Get(made["manage"], stranger), http.StatusNotFound)
	for _, action := range []string{"title", "restore", "remove", "delete"} {
		h.Status(h.Post(made["manage"]+"/"+action, url.Values{"title": {"x"}}, stranger), http.StatusNotFound)
	}
	h.Status(h.Do(http.MethodPost, made["begin"], `{}`, append([]string{stranger}, sent[1:]...)...),
		http.StatusNotFound)
	h.Status(h.Do(http.MethodPost, made["begin"], `{}`, sent[1:]...), http.StatusUnauthorized)
	h.Status(h.Do(http.MethodPost, made["begin"], `{}`, cookie, "Origin: http://evil.example",
		"Sec-Fetch-Site: cross-site"), http.StatusForbidden)
	h.Status(h.Do(http.MethodPost, made["begin"], `{}`, cookie, "Origin: http://my-garden.localhost",
		"Sec-Fetch-Site: same-site"), http.StatusForbidden)

	h.Follow(h.Post(made["manage"]+"/delete", nil, cookie), cookie)
	h.Status(h.Get(made["manage"], cookie), http.StatusNotFound)
}
