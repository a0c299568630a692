package web_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/export"
	"vitrine/internal/app/publish"
	instance "vitrine/internal/test/fixture"
)

// TestVersionsPage restores and deletes the versions of a link without a
// script, and checks the errors.
func TestVersionsPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie, stranger := d.signIn(d.member), d.signIn(d.owner)
	l := d.publish("report.pdf", samples["report.pdf"])
	at := linkPath(l) + "/versions"
	page := d.status(d.get(at, cookie), http.StatusOK)
	if !strings.Contains(page.body, "Version 1") || strings.Contains(page.body, "/versions/restore") ||
		!strings.Contains(page.body, `id="replace"`) {
		t.Error("page of a file that was never replaced: unexpected content")
	}
	begin := d.status(d.ask("/dashboard/uploads", `{"name":"other.txt","type":"text/plain","size":5,"replace":"`+
		string(l.Slug)+`"}`, cookie), http.StatusOK)
	var begun map[string]string
	d.check(json.Unmarshal([]byte(begin.body), &begun))
	d.status(d.do(http.MethodPut, begun["signedUrl"], "other", "Content-Type: text/plain"), http.StatusOK)
	path := begun["path"]
	made := d.status(d.ask("/dashboard/uploads/complete",
		`{"path":"`+path+`","name":"other.txt","type":"text/plain","replace":"`+string(l.Slug)+`"}`, cookie),
		http.StatusOK)
	if !strings.Contains(made.body, `"replacement":{"version":2,"status":"live"}`) ||
		!strings.Contains(made.body, `"manage":"`+linkPath(l)+`"`) {
		t.Error(made.body)
	}
	page = d.follow(d.post(at+"/restore", url.Values{"version": {"1"}}, cookie), cookie)
	if !strings.Contains(page.body, "Version restored. Readers now see it.") ||
		!strings.Contains(page.body, "Restore<span class=\"heard\"> version 2") {
		t.Error("the page does not say that version 1 was restored")
	}
	for version, want := range map[string]int{"1": http.StatusBadRequest, "3": http.StatusNotFound,
		"x": http.StatusNotFound, "": http.StatusNotFound} {
		d.status(d.post(at+"/delete", url.Values{"version": {version}}, cookie), want)
	}
	d.status(d.post(at+"/delete", url.Values{"version": {"2"}}, stranger), http.StatusNotFound)
	d.status(d.get(at, stranger), http.StatusNotFound)
	page = d.follow(d.post(at+"/delete", url.Values{"version": {"2"}}, cookie), cookie)
	if strings.Contains(page.body, "Version 2") {
		t.Error("a deleted version is listed")
	}
	if history := d.status(d.get(linkPath(l), cookie), http.StatusOK).body; !strings.Contains(history,
		"File replaced") || !strings.Contains(history, "Version restored") || !strings.Contains(history, "version 2") {
		t.Error("the history lacks the versions")
	}
}

// TestCaseOfVersion checks that the case of a held version shows its link and
// says that approval publishes it, and that the link's case leads to its other
// versions.
func TestCaseOfVersion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	owner := d.signIn(d.owner)
	l := d.publish("notes.txt", samples["notes.txt"])
	d.server.Uploads.Scanner = &instance.Scanner{Known: "1", Verdict: instance.Suspicious}
	u, text := d.server.Uploads, "held"
	b, err := u.Create(t.Context(), d.account, publish.UploadRequest{Name: "notes.txt", Type: "text/plain",
		Size: int64(len(text)), Replaces: string(l.Slug)})
	d.check(err)
	d.status(d.do(http.MethodPut, b.SignedURL, text, "Content-Type: text/plain"), http.StatusOK)
	_, err = u.Complete(t.Context(), d.account, publish.CompleteRequest{Path: string(b.Path), Name: "notes.txt",
		Type: "text/plain", Replaces: string(l.Slug)})
	d.check(err)
	queue, _, err := d.server.Moderation.Queue(t.Context(), "", vitrine.ReviewCursor{}, 1)
	d.check(err)
	held := queue[0].Link
	page := d.status(d.get(casePath(held), owner), http.StatusOK)
	for _, want := range []string{"Version 2 of <a href=\"" + casePath(l) + "\"",
		"readers see it in place of version 1", string(d.server.PublicURL.String() + "/p/" + string(l.Slug))} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the case of a held version lacks %q", want)
		}
	}
	if r := d.status(d.get(casePath(l), owner), http.StatusOK); !strings.Contains(r.body,
		`<a href="`+casePath(held)+`">Version 2</a>`) {
		t.Error("the case of the link does not lead to its version")
	}
	d.status(d.post(casePath(held)+"/clear", url.Values{"seen": {d.seen(held)}}, owner), http.StatusSeeOther)
	page = d.status(d.get(casePath(held), owner), http.StatusOK)
	if !strings.Contains(page.body, "which readers see now") ||
		!strings.Contains(page.body, "This is the current version") {
		t.Error("the case of an approved version does not say that readers see it")
	}
	d.status(d.post(casePath(held)+"/undo", url.Values{"seen": {d.seen(held)}}, owner), http.StatusSeeOther)
	if r := d.status(d.get("/p/"+string(l.Slug)), http.StatusOK); strings.Contains(r.body, ">held") {
		t.Error("a version whose approval was undone is shown")
	}
}

// TestExportHasVersions checks that the export of an account contains earlier
// versions, and that closing the account deletes them.
func TestExportHasVersions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l := d.sendVersion("", 1)
	d.sendVersion(string(l.Slug), 2)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	e := &export.Exporter{Store: d.server.Links.Store, Blobs: d.server.Blobs, Analytics: d.server.Analytics,
		Now: d.server.Now,
		URL: func(vitrine.Slug) string { return "" }}
	d.check(e.Write(t.Context(), d.account, z))
	d.check(z.Close())
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	d.check(err)
	texts := map[string]string{}
	for _, f := range r.File {
		c, err := f.Open()
		d.check(err)
		text, err := io.ReadAll(c)
		d.check(err)
		texts[f.Name] = string(text)
	}
	current, earlier := "files/"+string(l.Slug)+"/edition2y.html", "files/"+string(l.Slug)+"/versions/1/edition1y.txt"
	if !strings.HasPrefix(texts[current], "edition2y ") || !strings.HasPrefix(texts[earlier], "edition1y ") ||
		texts["missing.txt"] != "" ||
		!strings.Contains(texts["versions.json"], earlier) || strings.Count(texts["links.csv"], "\n") != 2 {
		t.Errorf("files in the archive = %v; %s; %s", slices.Sorted(maps.Keys(texts)), texts["versions.json"],
			texts["links.csv"])
	}
	contents := collections.Contents{Store: d.server.Links.Store, Links: d.server.Links, Now: d.server.Now}
	d.check(contents.DeleteAll(t.Context(), d.account))
	n := 0
	d.check(d.server.Blobs.Each(t.Context(), func(vitrine.UploadID, vitrine.BlobInfo) error { n++; return nil }))
	if n != 0 {
		t.Errorf("%d files of a closed account are left, want 0", n)
	}
}

// TestBrowserVersions replaces the file of a link on its page and restores the
// old version.
func TestBrowserVersions(t *testing.T) {
	d := newDesk(t)
	tb := d.visitorOf(d.member)
	l := d.publish("notes.txt", []byte("the first text"))
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		d.check(os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	choose := func(path string) { tb.run(chromedp.SetUploadFiles("#file", []string{path}, chromedp.ByQuery)) }
	tb.run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(d.url+linkPath(l)+"/versions"))
	tb.accessible("versions of a file that was never replaced")
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.until(`document.querySelector("#differs").innerText.includes("Current file: Text. New file: Web page (page.html).")`)
	tb.accessible("the question before a file of another kind")
	tb.run(chromedp.Click(`#differs [popovertarget]`, chromedp.ByQuery))
	tb.until(`!document.querySelector("#differs").matches(":popover-open") && document.querySelectorAll(".file-versions li").length === 1`)
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.until(`document.querySelector("#differs").matches(":popover-open")`)
	tb.run(chromedp.Click("#anyway", chromedp.ByQuery))
	tb.arrives(`document.querySelector(".banner")?.innerText.includes("Readers now see the new file")`)
	tb.until(`document.querySelector("h1").innerText === "notes"`)
	tb.until(`[...document.querySelectorAll(".file-versions li b")].map((b) => b.innerText).join() === "Version 2,Version 1"`)
	tb.accessible("versions of a file")
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.until(`document.querySelector("#stage").innerText === "Nothing changed" && document.querySelector("#why").innerText.includes("already")`)
	choose(file("wrong.pdf", "no PDF at all"))
	tb.until(`document.querySelector("#differs").matches(":popover-open")`)
	tb.run(chromedp.Click("#anyway", chromedp.ByQuery))
	tb.until(`document.querySelector("#stage").innerText === "Not replaced" && document.querySelector("#why").innerText.length > 20 && !document.querySelector("#again").hidden`)
	tb.accessible("a file that was not replaced")
	tb.run(chromedp.Click(`form[action$="/versions/restore"] button`, chromedp.ByQuery))
	tb.arrives(`document.querySelector(".banner")?.innerText.includes("Version restored")`)
	tb.until(`document.querySelector(".file-versions li[aria-current]").innerText.includes("Version 1")`)
	tb.run(chromedp.Navigate(d.url + "/p/" + string(l.Slug)))
	tb.until(`document.body.innerText.includes("the first text")`)
}
