package web_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/clamav"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/vitrinetest"
)

// scanned is a server with a real clamd.
type scanned struct {
	*fixture
	key   string
	clamd *vitrinetest.ClamdDaemon
	scans *publish.Scans
}

func newScanned(t *testing.T, settings ...string) *scanned {
	f := newFixture(t)
	d := vitrinetest.Clamd(t, settings...)
	scanner, err := clamav.New(clamav.Options{Addresses: []string{"unix:" + d.Socket},
		MaxSignatureAge: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scanner.Close() })
	f.server.Uploads.Scanner = scanner
	return &scanned{f, f.account(vitrine.PlanPro), d,
		&publish.Scans{Store: f.server.Uploads.Store, Blobs: f.blobs, Scanner: scanner, Now: f.clock.Now,
			Concurrency: 4, Failed: func(_ *vitrine.Link, err error) { t.Log(err) }}}
}

// complete uploads a file in three steps and returns the answer of the last
// one.
func (s *scanned) complete(name, mime, content string) answer {
	s.t.Helper()
	file := fields{"name": name, "type": mime, "size": len(content)}
	path := s.stored(s.key, file, content)
	return s.call(s.key, "POST", "/uploads/complete", file.with(fields{"path": path, "size": nil}))
}

func (s *scanned) pending() {
	s.t.Helper()
	if err := s.scans.Pending(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// status returns a link's entry in the list.
func (s *scanned) status(slug string) map[string]any {
	s.t.Helper()
	for _, l := range s.call(s.key, "GET", "/links?limit=100", nil).want(200, "").json()["links"].([]any) {
		if l := l.(map[string]any); l["slug"] == slug {
			return l
		}
	}
	s.t.Fatalf("link %s is not in the list", slug)
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
		file := fields{"name": r.name, "type": r.mime, "size": len(r.content)}
		path := s.stored(s.key, file, string(r.content))
		complete := file.with(fields{"path": path, "size": nil})
		for range 2 {
			a := s.call(s.key, "POST", "/uploads/complete", complete).want(400, "malware")
			if a.text("reason") != "malware" || !strings.Contains(a.text("error"), "UNOFFICIAL") &&
				!strings.Contains(a.text("error"), "Test") {
				t.Errorf("%s: answer = %s, want malware", r.name, a.Body)
			}
		}
		if s.blobExists(path) {
			t.Errorf("%s: the bytes still exist", r.name)
		}
	}
	s.complete("clean.txt", "text/plain", "nothing but words").want(200, "")
	s.audit()
}

// TestEICARWithoutScanner checks that the EICAR test file is refused without a
// scanner, too, and that the documentation describes the scan of this instance.
func TestEICARWithoutScanner(t *testing.T) {
	f := newFixture(t)
	s := &scanned{fixture: f, key: f.account(vitrine.PlanPro)}
	eicar := vitrinetest.EICAR()
	for _, r := range []struct {
		name, mime string
		content    []byte
	}{
		{"eicar.txt", "text/plain", eicar},
		{"nested.zip", "application/zip", zipOf(t, "b.zip", zipOf(t, "a.txt", eicar))},
	} {
		file := fields{"name": r.name, "type": r.mime, "size": len(r.content)}
		path := s.stored(s.key, file, string(r.content))
		complete := file.with(fields{"path": path, "size": nil})
		for range 2 {
			a := s.call(s.key, "POST", "/uploads/complete", complete).want(400, "malware")
			if a.text("reason") != "malware" || !strings.Contains(a.text("error"),
				"The safety scan found malware in this file: EICAR-Test-File.") {
				t.Errorf("%s: answer = %s, want malware", r.name, a.Body)
			}
		}
		if s.blobExists(path) {
			t.Errorf("%s: the bytes still exist", r.name)
		}
	}
	page := func() string {
		r, err := http.Get(s.url + "/docs/file-types")
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
	f.server.Uploads.Scanner = scanner
	if got := page(); strings.Contains(got, "only the EICAR test file is recognized as malware") ||
		!strings.Contains(got, "Then ClamAV scans") {
		t.Errorf("documentation with a scanner: %s", got)
	}
	s.audit()
}

// TestVideoIsScannedLater checks that a video is scanned after its link was
// created, and that it is not public before the scan or if it is malware.
func TestVideoIsScannedLater(t *testing.T) {
	s := newScanned(t)
	clip, err := os.ReadFile("testdata/clip.webm")
	if err != nil {
		t.Fatal(err)
	}
	good := s.complete("clip.webm", "video/webm", string(clip)).want(200, "")
	bad := s.complete("bad.webm", "video/webm", string(clip)+vitrinetest.ClamdMarker).want(200, "")
	for _, a := range []answer{good, bad} {
		if a.json()["processing"] != true || s.status(a.text("slug"))["status"] != "processing" ||
			s.openPage(a.text("slug")) != 404 {
			t.Errorf("complete of a video: %s", a.Body)
		}
	}
	s.pending()
	if status := s.openPage(good.text("slug")); status != 200 || s.status(good.text("slug"))["status"] != "live" {
		t.Errorf("page of a clean video: status %d, want 200", status)
	}
	l := s.status(bad.text("slug"))
	if status := s.openPage(bad.text("slug")); status != 410 || l["status"] != "disabled" || l["reason"] != "malware" ||
		l["detail"] == nil {
		t.Errorf("malware: status %d, link %v", status, l)
	}
	s.audit()
}

// surfaces returns all URLs that show something of a link.
func (s *scanned) surfaces(slug string) map[string]string {
	base := s.url + "/p/" + slug
	l, err := s.server.Links.BySlug(s.t.Context(), slug)
	if err != nil {
		s.t.Fatal(err)
	}
	content := s.url + "/c/" + s.server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1}, s.clock.Now().Add(time.Hour))
	return map[string]string{"page": base, "embed": base + "/embed", "picture": base + "/picture",
		"download": base + "/download", "qr": base + "/qr.svg",
		"report": base + "/report", "oembed": s.url + "/oembed?url=" + base, "file": content + "/file"}
}

// shown checks the status of each URL that shows something of a link, and that
// errors reveal nothing of it.
func (s *scanned) shown(slug string, status int) {
	s.t.Helper()
	for name, address := range s.surfaces(slug) {
		want := status
		if name == "oembed" && status == 410 {
			want = 404
		}
		req, _ := http.NewRequest("GET", address, nil)
		req.Header.Set("User-Agent", desktop)
		a := s.do(req)
		if a.Status != want {
			s.t.Errorf("%s: want status %d, got %d", name, want, a.Status)
		}
		if status != 200 && (bytes.Contains(a.Body, []byte("A secret title")) ||
			bytes.Contains(a.Body, []byte("nothing but words"))) {
			s.t.Errorf("%s reveals a link that is not public:\n%s", name, a.Body)
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
	file := fields{"name": "words.txt", "type": "text/plain", "size": len(text),
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"}
	path := s.stored(s.key, file, text)
	complete := file.with(fields{"path": path, "size": nil, "linkName": "A secret title"})
	a := s.call(s.key, "POST", "/uploads/complete", complete).want(200, "")
	slug := a.text("slug")
	if a.json()["review"] != true || a.text("reason") != "scan_unavailable" {
		t.Errorf("complete = %s", a.Body)
	}
	if again := s.call(s.key, "POST", "/uploads/complete", complete).want(200, ""); !bytes.Equal(again.Body, a.Body) {
		t.Errorf("second complete = %s", again.Body)
	}
	existing := s.call(s.key, "POST", "/uploads", file).want(200, "").json()["existing"]
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
	s.clock.Advance(time.Minute)
	if err := s.scans.Rescan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l := s.status(slug); l["status"] != "review" || l["reason"] != "scan_late" {
		t.Errorf("list entry after the scanner is back = %v", l)
	}
	s.shown(slug, 404)
	by := vitrine.Decision{By: vitrine.Operator}
	if _, err := s.server.Links.Clear(t.Context(), slug, by); err != nil {
		t.Fatal(err)
	}
	s.shown(slug, 200)
	if _, err := s.server.Links.Disable(t.Context(), slug, by); err != nil {
		t.Fatal(err)
	}
	s.shown(slug, 410)
	s.audit()
}

// TestNewSignatures checks that new signatures find a public link and send it
// to review (contract, Link states).
func TestNewSignatures(t *testing.T) {
	s := newScanned(t)
	s.clamd.Database(t, "daily.cud", vitrinetest.ClamdDaily(t, 7,
		vitrinetest.ClamdSignature("Old.Thing", "a thing of old")))
	s.clamd.Reload(t)
	slug := s.complete("words.txt", "text/plain", "nothing but words").want(200, "").text("slug")
	other := s.complete("other.txt", "text/plain", "other text").want(200, "").text("slug")
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
	s.audit()
}

// TestOverTheScannersLimits checks that a file beyond the scanner's limits is
// not clean, even if clamd says so.
func TestOverTheScannersLimits(t *testing.T) {
	s := newScanned(t, "StreamMaxLength 64K")
	a := s.complete("long.txt", "text/plain", strings.Repeat("words ", 20_000)).want(200, "")
	if a.json()["review"] != true || a.text("reason") != "scan_limit" {
		t.Errorf("complete = %s, want scan_limit", a.Body)
	}
	careless := newScanned(t, "AlertExceedsMax no")
	a = careless.complete("words.txt", "text/plain", "nothing but words").want(200, "")
	if a.json()["review"] != true || a.text("reason") != "scan_unavailable" {
		t.Errorf("complete with a clamd that does not report its limits = %s, want scan_unavailable", a.Body)
	}
}

// TestSuspensionAtOnce checks that a suspension applies from the next request
// on: to every operation with a key, to signed URLs, pages and bytes. So does a
// downgrade (promise 9).
func TestSuspensionAtOnce(t *testing.T) {
	f := newFixture(t)
	s := &scanned{fixture: f, key: f.account(vitrine.PlanPro)}
	slug := s.published(s.key, noteFile, note)
	path, url := s.begun(s.key, noteFile)
	s.shown(slug, 200)
	s.setPlan(s.key, vitrine.PlanFree)
	s.call(s.key, "GET", "/analytics", nil).want(403, "pro_required")
	s.call(s.key, "GET", "/links/"+slug+"/analytics", nil).want(403, "pro_required")
	s.call(s.key, "POST", "/uploads", noteFile.with(fields{"slug": "mine"})).want(403, "pro_required")
	s.ban(s.key)
	s.shown(slug, 410)
	s.put(url, "text/plain", strings.NewReader(note)).want(403, "banned")
	s.call(s.key, "POST", "/uploads", noteFile).want(403, "banned")
	s.call(s.key, "POST", "/uploads/complete", noteFile.with(fields{"path": path, "size": nil})).want(403, "banned")
	s.call(s.key, "GET", "/links", nil).want(403, "banned")
	s.call(s.key, "GET", "/analytics", nil).want(403, "banned")
	by := vitrine.Decision{By: vitrine.Operator}
	if _, err := s.server.Accounts.SetBanned(t.Context(), s.emails[s.key], false, by); err != nil {
		t.Fatal(err)
	}
	s.shown(slug, 200)
	s.put(url, "text/plain", strings.NewReader(note)).want(200, "")
	s.audit()
}

// TestScanWords checks that the limits page describes the scan of this server,
// and that it and the upload page link to the details.
func TestScanWords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	const (
		inspected = "Every file is inspected. No malware scanner is set up on this server."
		scanned   = "Every file is inspected, and ClamAV scans it for malware."
	)
	contains := func(want, not string) {
		t.Helper()
		page := d.status(d.get("/docs/limits", cookie), 200).body
		if !strings.Contains(page, want) || strings.Contains(page, not) ||
			!strings.Contains(page, `href="/docs/file-types#scan"`) {
			t.Errorf("the limits lack %q", want)
		}
		if page = d.status(d.get("/dashboard", cookie), 200).body; !strings.Contains(page, "/docs/file-types#scan") {
			t.Error("the upload page has no link about the scan")
		}
		if !strings.Contains(d.status(d.get("/docs/file-types"), 200).body, `id="scan"`) {
			t.Error("the page about file types has no section about the scan")
		}
	}
	contains(inspected, "ClamAV")
	scanner, err := clamav.New(clamav.Options{Addresses: []string{"unix:" + filepath.Join(t.TempDir(), "clamd.ctl")}})
	d.check(err)
	t.Cleanup(func() { _ = scanner.Close() })
	d.server.Uploads.Scanner = scanner
	contains(scanned, "No malware scanner")
}
