package app_test

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

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/export"
	"vitrine/internal/app/publish"
	instance "vitrine/internal/test/fixture"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestVersionsPage restores and deletes the versions of a link without a
// script, and checks the errors.
func TestVersionsPage(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie, stranger := d.SignIn(d.Member), d.SignIn(d.Owner)
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"])
	at := webtest.LinkPath(l) + "/versions"
	page := d.Status(d.Get(at, cookie), http.StatusOK)
	if !strings.Contains(page.Text, "Version 1") || strings.Contains(page.Text, "/versions/restore") ||
		!strings.Contains(page.Text, `id="replace"`) {
		t.Error("page of a file that was never replaced: unexpected content")
	}
	begin := d.Status(d.Ask("/dashboard/uploads", `{"name":"other.txt","type":"text/plain","size":5,"replace":"`+
		string(l.Slug)+`"}`, cookie), http.StatusOK)
	var begun map[string]string
	d.Check(json.Unmarshal([]byte(begin.Text), &begun))
	d.Status(d.Do(http.MethodPut, begun["signedUrl"], "other", "Content-Type: text/plain"), http.StatusOK)
	path := begun["path"]
	made := d.Status(d.Ask("/dashboard/uploads/complete",
		`{"path":"`+path+`","name":"other.txt","type":"text/plain","replace":"`+string(l.Slug)+`"}`, cookie),
		http.StatusOK)
	if !strings.Contains(made.Text, `"replacement":{"version":2,"status":"live"}`) ||
		!strings.Contains(made.Text, `"manage":"`+webtest.LinkPath(l)+`"`) {
		t.Error(made.Text)
	}
	page = d.Follow(d.Post(at+"/restore", url.Values{"version": {"1"}}, cookie), cookie)
	if !strings.Contains(page.Text, "Version restored. Readers now see it.") ||
		!strings.Contains(page.Text, "Restore<span class=\"heard\"> version 2") {
		t.Error("the page does not say that version 1 was restored")
	}
	for version, want := range map[string]int{"1": http.StatusBadRequest, "3": http.StatusNotFound,
		"x": http.StatusNotFound, "": http.StatusNotFound} {
		d.Status(d.Post(at+"/delete", url.Values{"version": {version}}, cookie), want)
	}
	d.Status(d.Post(at+"/delete", url.Values{"version": {"2"}}, stranger), http.StatusNotFound)
	d.Status(d.Get(at, stranger), http.StatusNotFound)
	page = d.Follow(d.Post(at+"/delete", url.Values{"version": {"2"}}, cookie), cookie)
	if strings.Contains(page.Text, "Version 2") {
		t.Error("a deleted version is listed")
	}
	if history := d.Status(d.Get(webtest.LinkPath(l), cookie), http.StatusOK).Text; !strings.Contains(history,
		"File replaced") || !strings.Contains(history, "Version restored") || !strings.Contains(history, "version 2") {
		t.Error("the history lacks the versions")
	}
}

// TestCaseOfVersion checks that the case of a held version shows its link and
// says that approval publishes it, and that the link's case leads to its other
// versions.
func TestCaseOfVersion(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	owner := d.SignIn(d.Owner)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	d.Server.Uploads.Scanner = &instance.Scanner{Known: "1", Verdict: instance.Suspicious}
	u, text := d.Server.Uploads, "held"
	b, err := u.Create(t.Context(), d.Account, publish.UploadRequest{Name: "notes.txt", Type: "text/plain",
		Size: int64(len(text)), Replaces: string(l.Slug)})
	d.Check(err)
	d.Status(d.Do(http.MethodPut, b.SignedURL, text, "Content-Type: text/plain"), http.StatusOK)
	_, err = u.Complete(t.Context(), d.Account, publish.CompleteRequest{Path: string(b.Path), Name: "notes.txt",
		Type: "text/plain", Replaces: string(l.Slug)})
	d.Check(err)
	queue, _, err := d.Server.Moderation.Queue(t.Context(), "", vitrine.ReviewCursor{}, 1)
	d.Check(err)
	held := queue[0].Link
	page := d.Status(d.Get(webtest.CasePath(held), owner), http.StatusOK)
	for _, want := range []string{"Version 2 of <a href=\"" + webtest.CasePath(l) + "\"",
		"readers see it in place of version 1", string(d.Server.PublicURL.String() + "/p/" + string(l.Slug))} {
		if !strings.Contains(page.Text, want) {
			t.Errorf("the case of a held version lacks %q", want)
		}
	}
	if r := d.Status(d.Get(webtest.CasePath(l), owner), http.StatusOK); !strings.Contains(r.Text,
		`<a href="`+webtest.CasePath(held)+`">Version 2</a>`) {
		t.Error("the case of the link does not lead to its version")
	}
	d.Status(d.Post(webtest.CasePath(held)+"/clear", url.Values{"seen": {d.Seen(held)}}, owner), http.StatusSeeOther)
	page = d.Status(d.Get(webtest.CasePath(held), owner), http.StatusOK)
	if !strings.Contains(page.Text, "which readers see now") ||
		!strings.Contains(page.Text, "This is the current version") {
		t.Error("the case of an approved version does not say that readers see it")
	}
	d.Status(d.Post(webtest.CasePath(held)+"/undo", url.Values{"seen": {d.Seen(held)}}, owner), http.StatusSeeOther)
	if r := d.Status(d.Get("/p/"+string(l.Slug)), http.StatusOK); strings.Contains(r.Text, ">held") {
		t.Error("a version whose approval was undone is shown")
	}
}

// TestExportHasVersions checks that the export of an account contains earlier
// versions, and that closing the account deletes them.
func TestExportHasVersions(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	l := d.SendVersion("", 1)
	d.SendVersion(string(l.Slug), 2)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	e := &export.Exporter{Store: d.Server.Links.Store, Blobs: d.Server.Blobs, Analytics: d.Server.Analytics,
		Events: d.Server.Events, Now: d.Server.Now,
		URL: func(vitrine.Slug) string { return "" }}
	d.Check(e.Write(t.Context(), d.Account, z))
	d.Check(z.Close())
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	d.Check(err)
	texts := map[string]string{}
	for _, f := range r.File {
		c, err := f.Open()
		d.Check(err)
		text, err := io.ReadAll(c)
		d.Check(err)
		texts[f.Name] = string(text)
	}
	current, earlier := "files/"+string(l.Slug)+"/edition2y.html", "files/"+string(l.Slug)+"/versions/1/edition1y.txt"
	if !strings.HasPrefix(texts[current], "edition2y ") || !strings.HasPrefix(texts[earlier], "edition1y ") ||
		texts["missing.txt"] != "" ||
		!strings.Contains(texts["versions.json"], earlier) || strings.Count(texts["links.csv"], "\n") != 2 {
		t.Errorf("files in the archive = %v; %s; %s", slices.Sorted(maps.Keys(texts)), texts["versions.json"],
			texts["links.csv"])
	}
	contents := collections.Contents{Store: d.Server.Links.Store, Links: d.Server.Links, Now: d.Server.Now}
	d.Check(contents.DeleteAll(t.Context(), d.Account))
	n := 0
	d.Check(d.Server.Blobs.Each(t.Context(), func(vitrine.UploadID, vitrine.BlobInfo) error { n++; return nil }))
	if n != 0 {
		t.Errorf("%d files of a closed account are left, want 0", n)
	}
}

// TestBrowserVersions replaces the file of a link on its page and restores the
// old version.
func TestBrowserVersions(t *testing.T) {
	d := webtest.NewDesk(t)
	tb := d.VisitorOf(d.Member)
	l := d.Publish("notes.txt", []byte("the first text"))
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		d.Check(os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	choose := func(path string) { tb.Run(chromedp.SetUploadFiles("#file", []string{path}, chromedp.ByQuery)) }
	tb.Run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(d.URL+webtest.LinkPath(l)+"/versions"))
	tb.Accessible("versions of a file that was never replaced")
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.Until(`document.querySelector("#differs").innerText.includes("Current file: Text. New file: Web page (page.html).")`)
	tb.Accessible("the question before a file of another kind")
	tb.Run(chromedp.Click(`#differs [popovertarget]`, chromedp.ByQuery))
	tb.Until(`!document.querySelector("#differs").matches(":popover-open") && document.querySelectorAll(".file-versions li").length === 1`)
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.Until(`document.querySelector("#differs").matches(":popover-open")`)
	tb.Run(chromedp.Click("#anyway", chromedp.ByQuery))
	tb.Arrives(`document.querySelector(".banner")?.innerText.includes("Readers now see the new file")`)
	tb.Until(`document.querySelector("h1").innerText === "notes"`)
	tb.Until(`[...document.querySelectorAll(".file-versions li b")].map((b) => b.innerText).join() === "Version 2,Version 1"`)
	tb.Accessible("versions of a file")
	choose(file("page.html", "<h1>the second text</h1>"))
	tb.Until(`document.querySelector("#stage").innerText === "Nothing changed" && document.querySelector("#why").innerText.includes("already")`)
	choose(file("wrong.pdf", "no PDF at all"))
	tb.Until(`document.querySelector("#differs").matches(":popover-open")`)
	tb.Run(chromedp.Click("#anyway", chromedp.ByQuery))
	tb.Until(`document.querySelector("#stage").innerText === "Not replaced" && document.querySelector("#why").innerText.length > 20 && !document.querySelector("#again").hidden`)
	tb.Accessible("a file that was not replaced")
	tb.Run(chromedp.Click(`form[action$="/versions/restore"] button`, chromedp.ByQuery))
	tb.Arrives(`document.querySelector(".banner")?.innerText.includes("Version restored")`)
	tb.Until(`document.querySelector(".file-versions li[aria-current]").innerText.includes("Version 1")`)
	tb.Run(chromedp.Navigate(d.URL + "/p/" + string(l.Slug)))
	tb.Until(`document.body.innerText.includes("the first text")`)
}
