package api_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/clamav"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// scanned is a server with a real clamd.
type scanned struct {
	*webtest.Fixture
	key   string
	clamd *vitrinetest.ClamdDaemon
	scans *publish.Scans
}

func newScanned(t *testing.T, settings ...string) *scanned {
	f := webtest.NewFixture(t)
	d := vitrinetest.Clamd(t, settings...)
	scanner, err := clamav.New(clamav.Options{Addresses: []string{"unix:" + d.Socket},
		MaxSignatureAge: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scanner.Close() })
	f.Server.Uploads.Scanner = scanner
	return &scanned{f, f.Account(vitrine.PlanPro), d,
		&publish.Scans{Store: f.Server.Uploads.Store, Blobs: f.Blobs, Scanner: scanner, Now: f.Clock.Now,
			Concurrency: 4, Failed: func(_ *vitrine.Link, err error) { t.Log(err) }}}
}

// complete uploads a file in three steps and returns the answer of the last
// one.
func (s *scanned) complete(name, mime, content string) webtest.Answer {
	s.T.Helper()
	file := webtest.Fields{"name": name, "type": mime, "size": len(content)}
	path := s.Stored(s.key, file, content)
	return s.Call(s.key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": path, "size": nil}))
}

func (s *scanned) pending() {
	s.T.Helper()
	if err := s.scans.Pending(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
}

// versionStatus returns the status of the current version of a link.
func (s *scanned) versionStatus(slug string) any {
	s.T.Helper()
	of := s.Call(s.key, "GET", "/links/"+slug+"/versions", nil).Want(200, "").JSON()["versions"].([]any)
	return of[0].(map[string]any)["status"]
}

// status returns a link's entry in the list.
func (s *scanned) status(slug string) map[string]any {
	s.T.Helper()
	for _, l := range s.Call(s.key, "GET", "/links?limit=100", nil).Want(200, "").JSON()["links"].([]any) {
		if l := l.(map[string]any); l["slug"] == slug {
			return l
		}
	}
	s.T.Fatalf("link %s is not in the list", slug)
	return nil
}

func zipOf(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMalwareIsRefused checks that malware is refused in the last step, plain
// or archived, that its bytes are deleted, and that every retry gets the same
// answer (contract, Errors).
func TestMalwareIsRefused(t *testing.T) {
	s := newScanned(t)
	eicar := vitrinetest.EICAR()
	for _, r := range []struct {
		name, mime string
		content    []byte
	}{
		{"eicar.txt", "text/plain", eicar},
		{"eicar.zip", "application/zip", zipOf(t, "a.txt", eicar)},
		{"nested.zip", "application/zip", zipOf(t, "b.zip", zipOf(t, "a.txt", eicar))},
		{"marked.md", "text/markdown", []byte("# Hello\n\n" + vitrinetest.ClamdMarker + "\n")},
	} {
		file := webtest.Fields{"name": r.name, "type": r.mime, "size": len(r.content)}
		path := s.Stored(s.key, file, string(r.content))
		complete := file.With(webtest.Fields{"path": path, "size": nil})
		for range 2 {
			a := s.Call(s.key, "POST", "/uploads/complete", complete).Want(400, "malware")
			if a.Text("reason") != "malware" || !strings.Contains(a.Text("error"), "UNOFFICIAL") &&
				!strings.Contains(a.Text("error"), "Test") {
				t.Errorf("%s: answer = %s, want malware", r.name, a.Body)
			}
		}
		if s.BlobExists(path) {
			t.Errorf("%s: the bytes still exist", r.name)
		}
	}
	s.complete("clean.txt", "text/plain", "nothing but words").Want(200, "")
	s.Audit()
}

// TestEICARWithoutScanner checks that the EICAR test file is refused without a
// scanner, too, and that the documentation describes the scan of this instance.
func TestEICARWithoutScanner(t *testing.T) {
	f := webtest.NewFixture(t)
	s := &scanned{Fixture: f, key: f.Account(vitrine.PlanPro)}
	eicar := vitrinetest.EICAR()
	for _, r := range []struct {
		name, mime string
		content    []byte
	}{
		{"eicar.txt", "text/plain", eicar},
		{"nested.zip", "application/zip", zipOf(t, "b.zip", zipOf(t, "a.txt", eicar))},
	} {
		file := webtest.Fields{"name": r.name, "type": r.mime, "size": len(r.content)}
		path := s.Stored(s.key, file, string(r.content))
		complete := file.With(webtest.Fields{"path": path, "size": nil})
		for range 2 {
			a := s.Call(s.key, "POST", "/uploads/complete", complete).Want(400, "malware")
			if a.Text("reason") != "malware" || !strings.Contains(a.Text("error"),
				"The safety scan found malware in this file: EICAR-Test-File.") {
				t.Errorf("%s: answer = %s, want malware", r.name, a.Body)
			}
		}
		if s.BlobExists(path) {
			t.Errorf("%s: the bytes still exist", r.name)
		}
	}
	page := func() string {
		r, err := http.Get(s.URL + "/docs/file-types")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(b)), " ")
	}
	if got := page(); !strings.Contains(got, "only the EICAR test file is recognized as malware") ||
		strings.Contains(got, "Then ClamAV scans") {
		t.Errorf("documentation without a scanner: %s", got)
	}
	scanner, err := clamav.New(clamav.Options{Addresses: []string{"unix:/nowhere"}})
	if err != nil {
		t.Fatal(err)
	}
	defer scanner.Close()
	f.Server.Uploads.Scanner = scanner
	if got := page(); strings.Contains(got, "only the EICAR test file is recognized as malware") ||
		!strings.Contains(got, "Then ClamAV scans") {
		t.Errorf("documentation with a scanner: %s", got)
	}
	s.Audit()
}

// TestVideoIsScannedLater checks that a video is scanned after its link was
// created, and that it is not public before the scan or if it is malware.
func TestVideoIsScannedLater(t *testing.T) {
	s := newScanned(t)
	clip := webtest.MustRead("testdata/clip.webm")
	good := s.complete("clip.webm", "video/webm", string(clip)).Want(200, "")
	bad := s.complete("bad.webm", "video/webm", string(clip)+vitrinetest.ClamdMarker).Want(200, "")
	for _, a := range []webtest.Answer{good, bad} {
		if a.JSON()["processing"] != true || s.status(a.Text("slug"))["status"] != "processing" ||
			s.OpenPage(a.Text("slug")) != 404 || s.versionStatus(a.Text("slug")) != "processing" {
			t.Errorf("complete of a video: %s", a.Body)
		}
	}
	s.pending()
	if status := s.OpenPage(good.Text("slug")); status != 200 || s.status(good.Text("slug"))["status"] != "live" ||
		s.versionStatus(good.Text("slug")) != "live" {
		t.Errorf("page of a clean video: status %d, want 200", status)
	}
	l := s.status(bad.Text("slug"))
	if status := s.OpenPage(bad.Text("slug")); status != 410 || l["status"] != "disabled" || l["reason"] != "malware" ||
		l["detail"] == nil || s.versionStatus(bad.Text("slug")) != "disabled" {
		t.Errorf("malware: status %d, link %v", status, l)
	}
	s.Audit()
}

// surfaces returns all URLs that show something of a link.
func (s *scanned) surfaces(slug string) map[string]string {
	base := s.URL + "/p/" + slug
	l, err := s.Server.Links.BySlug(s.T.Context(), slug)
	if err != nil {
		s.T.Fatal(err)
	}
	content := s.URL + "/c/" + s.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1},
		s.Clock.Now().Add(time.Hour))
	return map[string]string{"page": base, "embed": base + "/embed", "picture": base + "/picture",
		"download": base + "/download", "qr": base + "/qr.svg",
		"report": base + "/report", "oembed": s.URL + "/oembed?url=" + base, "file": content + "/file"}
}

// shown checks the status of each URL that shows something of a link, and that
// errors reveal nothing of it.
func (s *scanned) shown(slug string, status int) {
	s.T.Helper()
	for name, address := range s.surfaces(slug) {
		want := status
		if name == "oembed" && status == 410 {
			want = 404
		}
		req, _ := http.NewRequest("GET", address, nil)
		req.Header.Set("User-Agent", webtest.Desktop)
		a := s.Do(req)
		if a.Status != want {
			s.T.Errorf("%s: want status %d, got %d", name, want, a.Status)
		}
		if status != 200 && (bytes.Contains(a.Body, []byte("A secret title")) ||
			bytes.Contains(a.Body, []byte("nothing but words"))) {
			s.T.Errorf("%s reveals a link that is not public:\n%s", name, a.Body)
		}
	}
}

// TestScannerDown checks that without the scanner nothing is published and
// nothing is lost: a link waits in review, all answers say so, and only a
// moderator's approval publishes it (promises 5, 6).
func TestScannerDown(t *testing.T) {
	s := newScanned(t)
	s.clamd.Kill(t)
	const text = "nothing but words"
	file := webtest.Fields{"name": "words.txt", "type": "text/plain", "size": len(text),
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"}
	path := s.Stored(s.key, file, text)
	complete := file.With(webtest.Fields{"path": path, "size": nil, "linkName": "A secret title"})
	a := s.Call(s.key, "POST", "/uploads/complete", complete).Want(200, "")
	slug := a.Text("slug")
	if a.JSON()["review"] != true || a.Text("reason") != "scan_unavailable" {
		t.Errorf("complete = %s", a.Body)
	}
	if again := s.Call(s.key, "POST", "/uploads/complete", complete).Want(200, ""); !bytes.Equal(again.Body, a.Body) {
		t.Errorf("second complete = %s", again.Body)
	}
	existing := s.Call(s.key, "POST", "/uploads", file).Want(200, "").JSON()["existing"]
	if b, _ := json.Marshal(existing); !bytes.Contains(b, []byte(`"review":true`)) {
		t.Errorf("existing = %s", b)
	}
	if l := s.status(slug); l["status"] != "review" || l["reason"] != "scan_unavailable" {
		t.Errorf("list entry = %v", l)
	}
	s.shown(slug, 404)
	if err := s.scans.Rescan(t.Context()); err == nil {
		t.Error("Rescan returns no error without a scanner")
	}
	s.clamd.Start(t)
	s.Clock.Advance(time.Minute)
	if err := s.scans.Rescan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l := s.status(slug); l["status"] != "review" || l["reason"] != "scan_late" {
		t.Errorf("list entry after the scanner is back = %v", l)
	}
	s.shown(slug, 404)
	by := vitrine.Decision{By: vitrine.Administrator}
	if _, err := s.Server.Links.Clear(t.Context(), slug, by); err != nil {
		t.Fatal(err)
	}
	s.shown(slug, 200)
	if _, err := s.Server.Links.Disable(t.Context(), slug, by); err != nil {
		t.Fatal(err)
	}
	s.shown(slug, 410)
	s.Audit()
}

// TestNewSignatures checks that new signatures find a public link and send it
// to review (contract, Link states).
func TestNewSignatures(t *testing.T) {
	s := newScanned(t)
	s.clamd.Database(t, "daily.cud", vitrinetest.ClamdDaily(t, 7,
		vitrinetest.ClamdSignature("Old.Thing", "a thing of old")))
	s.clamd.Reload(t)
	slug := s.complete("words.txt", "text/plain", "nothing but words").Want(200, "").Text("slug")
	other := s.complete("other.txt", "text/plain", "other text").Want(200, "").Text("slug")
	rescan := func() {
		t.Helper()
		if err := s.scans.Rescan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	rescan()
	s.shown(slug, 200)
	s.clamd.Database(t, "daily.cud", vitrinetest.ClamdDaily(t, 8, vitrinetest.ClamdSignature("New.Thing", "but words")))
	s.clamd.Reload(t)
	rescan()
	s.shown(slug, 404)
	if l := s.status(slug); l["status"] != "review" || l["reason"] != "malware" ||
		!strings.Contains(l["detail"].(string), "New.Thing") {
		t.Errorf("list entry = %v", l)
	}
	s.shown(other, 200)
	s.Audit()
}

// TestOverTheScannersLimits checks that a file beyond the scanner's limits is
// not clean, even if clamd says so.
func TestOverTheScannersLimits(t *testing.T) {
	s := newScanned(t, "StreamMaxLength 64K")
	a := s.complete("long.txt", "text/plain", strings.Repeat("words ", 20_000)).Want(200, "")
	if a.JSON()["review"] != true || a.Text("reason") != "scan_limit" {
		t.Errorf("complete = %s, want scan_limit", a.Body)
	}
	careless := newScanned(t, "AlertExceedsMax no")
	a = careless.complete("words.txt", "text/plain", "nothing but words").Want(200, "")
	if a.JSON()["review"] != true || a.Text("reason") != "scan_unavailable" {
		t.Errorf("complete with a clamd that does not report its limits = %s, want scan_unavailable", a.Body)
	}
}

// TestSuspensionAtOnce checks that a suspension applies from the next request
// on: to every operation with a key, to signed URLs, pages and bytes. So does a
// downgrade (promise 9).
func TestSuspensionAtOnce(t *testing.T) {
	f := webtest.NewFixture(t)
	s := &scanned{Fixture: f, key: f.Account(vitrine.PlanPro)}
	slug := s.Published(s.key, webtest.NoteFile, webtest.Note)
	path, url := s.Begun(s.key, webtest.NoteFile)
	s.shown(slug, 200)
	s.SetPlan(s.key, vitrine.PlanFree)
	s.Call(s.key, "GET", "/analytics", nil).Want(403, "pro_required")
	s.Call(s.key, "GET", "/links/"+slug+"/analytics", nil).Want(403, "pro_required")
	s.Call(s.key, "POST", "/uploads", webtest.NoteFile.With(webtest.Fields{"slug": "mine"})).Want(403, "pro_required")
	s.Ban(s.key)
	s.shown(slug, 410)
	s.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(403, "banned")
	s.Call(s.key, "POST", "/uploads", webtest.NoteFile).Want(403, "banned")
	s.Call(s.key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path,
		"size": nil})).Want(403, "banned")
	s.Call(s.key, "GET", "/links", nil).Want(403, "banned")
	s.Call(s.key, "GET", "/analytics", nil).Want(403, "banned")
	by := vitrine.Decision{By: vitrine.Administrator}
	if _, err := s.Server.Accounts.SetBanned(t.Context(), s.Emails[s.key], false, by); err != nil {
		t.Fatal(err)
	}
	s.shown(slug, 200)
	s.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	s.Audit()
}

// TestScanWords checks that the limits page describes the scan of this server,
// and that it and the upload page link to the details.
func TestScanWords(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	const (
		inspected = "Every file is inspected. No malware scanner is set up on this server."
		scanned   = "Every file is inspected, and ClamAV scans it for malware."
	)
	contains := func(want, not string) {
		t.Helper()
		page := d.Status(d.Get("/docs/limits", cookie), 200).Text
		if !strings.Contains(page, want) || strings.Contains(page, not) ||
			!strings.Contains(page, `href="/docs/file-types#scan"`) {
			t.Errorf("the limits lack %q", want)
		}
		if page = d.Status(d.Get("/dashboard", cookie), 200).Text; !strings.Contains(page, "/docs/file-types#scan") {
			t.Error("the upload page has no link about the scan")
		}
		if !strings.Contains(d.Status(d.Get("/docs/file-types"), 200).Text, `id="scan"`) {
			t.Error("the page about file types has no section about the scan")
		}
	}
	contains(inspected, "ClamAV")
	scanner, err := clamav.New(clamav.Options{Addresses: []string{"unix:" + filepath.Join(t.TempDir(), "clamd.ctl")}})
	d.Check(err)
	t.Cleanup(func() { _ = scanner.Close() })
	d.Server.Uploads.Scanner = scanner
	contains(scanned, "No malware scanner")
}
