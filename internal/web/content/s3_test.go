package content_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestBucket runs the three steps and what follows over HTTP, with the bytes in
// a bucket.
func TestBucket(t *testing.T) {
	d, b := webtest.NewBucketSite(t)
	key, err := d.Server.Keys.CreateFor(t.Context(), d.Member.Email, auth.KeyRequest{Name: "test",
		Scope: vitrine.ScopeFull})
	d.Check(err)
	c, err := client.New(d.URL, string(key.Text))
	d.Check(err)
	pdf := webtest.Samples["report.pdf"]
	up, err := c.Upload(t.Context(), client.File{Name: "report.pdf", Size: int64(len(pdf)),
		Content: bytes.NewReader(pdf)}, client.Options{})
	d.Check(err)
	l, err := d.Server.Links.BySlug(t.Context(), up.Slug)
	d.Check(err)

	page := d.Status(d.Get("/p/"+up.Slug), 200)
	frame := d.Status(d.Get(d.ContentOf(page.Text)), 200)
	if csp := frame.Header.Get("Content-Security-Policy"); strings.Contains(csp, b.Origin()) {
		t.Errorf("the viewer's policy allows the bucket: %s", csp)
	}
	file := d.ContentAddress(l, "file")
	if r := d.Status(d.Get(file), 200); r.Text != string(pdf) {
		t.Errorf("%d bytes, want %d", len(r.Text), len(pdf))
	}
	half := len(pdf) / 2
	if r := d.Status(d.Get(file, "Range: bytes="+strconv.Itoa(half)+"-"+strconv.Itoa(half+99)),
		206); r.Text != string(pdf[half:half+100]) {
		t.Errorf("range: %d bytes, want 100", len(r.Text))
	}
	if r := d.Status(d.Get(file, "Range: bytes=-10"), 206); r.Text != string(pdf[len(pdf)-10:]) {
		t.Errorf("last bytes: %d, want 10", len(r.Text))
	}
	d.Status(d.Get(file, "Range: bytes="+strconv.Itoa(len(pdf))+"-"), 416)
	if r := d.Status(d.Get("/p/"+up.Slug+"/download"), 200); r.Text != string(pdf) ||
		!strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("download: %d bytes, %s", len(r.Text), r.Header.Get("Content-Disposition"))
	}

	// Pages of signed-in users may send bytes to the bucket, and to no other
	// host.
	csp := d.Status(d.Get("/dashboard", d.SignIn(d.Member)), 200).Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "connect-src 'self' "+b.Origin()+";") || strings.Count(csp, b.Origin()) != 1 {
		t.Errorf("policy of the dashboard = %s", csp)
	}
	// A larger file, for which the client asks first (Expect: 100-continue).
	text := strings.Repeat("All work and no play.\n", 20_000)
	large, err := c.Upload(t.Context(), client.File{Name: "work.txt", Size: int64(len(text)),
		Content: strings.NewReader(text)}, client.Options{})
	d.Check(err)
	if r := d.Status(d.Get("/p/"+large.Slug+"/download"), 200); r.Text != text {
		t.Errorf("%d bytes, want %d", len(r.Text), len(text))
	}
	// A refused file leaves nothing behind.
	_, err = c.Upload(t.Context(), client.File{Name: "report.pdf", Size: 5, Content: strings.NewReader("hello")},
		client.Options{})
	if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != "content_mismatch" {
		t.Errorf("file with other content: %v, want content_mismatch", err)
	}
	n := 0
	d.Check(b.Each(t.Context(), func(vitrine.UploadID, vitrine.BlobInfo) error { n++; return nil }))
	if n != 2 {
		t.Errorf("%d files in the bucket, want 2", n)
	}
}

// TestBucketOldAddress checks that a signed URL from the time when this process
// stored files itself tells clients to begin again.
func TestBucketOldAddress(t *testing.T) {
	d, _ := webtest.NewBucketSite(t)
	g := vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: 5, Type: "text/plain", Expires: time.Now().Add(time.Minute)}
	old := "/storage/" + string(g.Key) + "?" + d.Server.Signer.SignPut(g).Encode()
	r := d.Status(d.Do(http.MethodPut, old, "hello", "Content-Type: text/plain"), 403)
	if !strings.Contains(r.Text, `"url_expired"`) || !strings.Contains(r.Text, "Repeat step 1") ||
		r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s %v, want url_expired", r.Text, r.Header)
	}
	d.Status(d.Do(http.MethodOptions, old, ""), 204)
	if r := d.Status(d.Do(http.MethodPost, old, ""), 405); r.Header.Get("Allow") == "" {
		t.Error("no Allow header")
	}
}

// TestBucketDownload checks that a download redirects to an attachment without
// a type, at a URL that is valid for a minute, and that the link's state is
// checked on each download.
func TestBucketDownload(t *testing.T) {
	d, b := webtest.NewBucketSite(t)
	d.Server.RedirectDownloads = true
	html := "<!DOCTYPE html><title>Hello</title><script>alert(1)</script>"
	l := d.Sent("héllo;\".html", html)
	address := "/p/" + string(l.Slug) + "/download"
	page := d.Status(d.Get("/p/"+string(l.Slug)), 200)
	download := d.Attr(page.Text, `href="(/p/[^"]+/download[^"]*)"`)
	r := d.Status(d.Get(download), 302)
	to := r.Header.Get("Location")
	u, err := url.Parse(to)
	d.Check(err)
	if !strings.HasPrefix(to, b.Origin()+"/") || !slices.Contains([]string{"59", "60"},
		u.Query().Get("X-Amz-Expires")) || r.Header.Get("Cache-Control") != "private, no-store" ||
		r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("redirect to %s\n%v", to, r.Header)
	}
	got := d.Status(d.Get(to), 200)
	if got.Text != html || got.Header.Get("Content-Type") != "application/octet-stream" ||
		got.Header.Get("Content-Disposition") != `attachment; filename="h_llo__.html"; filename*=UTF-8''h%C3%A9llo%3B_.html` {
		t.Errorf("body %q, headers %v", got.Text, got.Header)
	}
	// The URL works for no other type, not for the page, and for no other file.
	for _, bad := range []string{strings.Replace(to, "application%2Foctet-stream", "text%2Fhtml", 1),
		strings.Replace(to, "attachment", "inline", 1),
		regexp.MustCompile(`[a-z2-7]{26}`).ReplaceAllString(to, string(vitrine.NewUploadID()))} {
		if bad == to {
			t.Fatalf("no change in %s", to)
		}
		d.Status(d.Get(bad), 403)
	}
	if n := d.Counts(l).Downloads; n != 1 {
		t.Errorf("%d downloads, want 1", n)
	}
	if r := d.Status(d.Do(http.MethodHead, address, ""), 200); r.ContentLength != int64(len(html)) {
		t.Errorf("HEAD: %d bytes", r.ContentLength)
	}
	// Viewers get their bytes from this server, and a disabled link issues no
	// more URLs.
	d.Status(d.Get(d.ContentAddress(l, "frame")), 200)
	d.SetState(l, vitrine.StateDisabled)
	if r := d.Get(address); r.StatusCode == 302 || r.Header.Get("Location") != "" {
		t.Errorf("a disabled link: status %d, Location %s, want no redirect", r.StatusCode, r.Header.Get("Location"))
	}
}
