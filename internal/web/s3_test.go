package web_test

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
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/s3"
	"vitrine/internal/filetype"
	"vitrine/internal/test/vitrinetest"
)

// newBucketSite returns a site whose files are in a bucket.
func newBucketSite(t *testing.T) (*site, *s3.Blobs) {
	t.Helper()
	return newBucketSiteOn(t, vitrinetest.S3(t))
}

func newBucketSiteOn(t *testing.T, server *vitrinetest.S3Server) (*site, *s3.Blobs) {
	t.Helper()
	d := newDesk(t)
	b, err := s3.Open(t.Context(), server.Address(server.Bucket(t), ""), d.server.Now)
	d.check(err)
	d.check(b.Cors(t.Context(), d.url))
	s := d.server
	s.Blobs, s.Receiver, s.StorageOrigin = b, nil, b.Origin()
	s.Uploads.Blobs, s.Links.Blobs, s.Captions.Blobs, s.Previews.Blobs = b, b, b, b
	d.handler = &liveHandler{server: s}
	return d, b
}

// TestBucket runs the three steps and what follows over HTTP, with the bytes in
// a bucket.
func TestBucket(t *testing.T) {
	d, b := newBucketSite(t)
	key, err := d.server.Keys.Create(t.Context(), d.member.Email, auth.KeyRequest{Name: "test", Scope: vitrine.ScopeFull})
	d.check(err)
	c, err := client.New(d.url, string(key.Text))
	d.check(err)
	pdf := samples["report.pdf"]
	up, err := c.Upload(t.Context(), client.File{Name: "report.pdf", Size: int64(len(pdf)),
		Content: bytes.NewReader(pdf)}, client.Options{})
	d.check(err)
	l, err := d.server.Links.BySlug(t.Context(), up.Slug)
	d.check(err)

	page := d.status(d.get("/p/"+up.Slug), 200)
	frame := d.status(d.get(d.contentOf(page.body)), 200)
	if csp := frame.Header.Get("Content-Security-Policy"); strings.Contains(csp, b.Origin()) {
		t.Errorf("the viewer's policy allows the bucket: %s", csp)
	}
	file := d.contentAddress(l, "file")
	if r := d.status(d.get(file), 200); r.body != string(pdf) {
		t.Errorf("%d bytes, want %d", len(r.body), len(pdf))
	}
	half := len(pdf) / 2
	if r := d.status(d.get(file, "Range: bytes="+strconv.Itoa(half)+"-"+strconv.Itoa(half+99)),
		206); r.body != string(pdf[half:half+100]) {
		t.Errorf("range: %d bytes, want 100", len(r.body))
	}
	if r := d.status(d.get(file, "Range: bytes=-10"), 206); r.body != string(pdf[len(pdf)-10:]) {
		t.Errorf("last bytes: %d, want 10", len(r.body))
	}
	d.status(d.get(file, "Range: bytes="+strconv.Itoa(len(pdf))+"-"), 416)
	if r := d.status(d.get("/p/"+up.Slug+"/download"), 200); r.body != string(pdf) ||
		!strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("download: %d bytes, %s", len(r.body), r.Header.Get("Content-Disposition"))
	}

	// Pages of signed-in users may send bytes to the bucket, and to no other
	// host.
	csp := d.status(d.get("/dashboard", d.signIn(d.member)), 200).Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "connect-src 'self' "+b.Origin()+";") || strings.Count(csp, b.Origin()) != 1 {
		t.Errorf("policy of the dashboard = %s", csp)
	}
	// A larger file, for which the client asks first (Expect: 100-continue).
	text := strings.Repeat("All work and no play.\n", 20_000)
	large, err := c.Upload(t.Context(), client.File{Name: "work.txt", Size: int64(len(text)),
		Content: strings.NewReader(text)}, client.Options{})
	d.check(err)
	if r := d.status(d.get("/p/"+large.Slug+"/download"), 200); r.body != text {
		t.Errorf("%d bytes, want %d", len(r.body), len(text))
	}
	// A refused file leaves nothing behind.
	_, err = c.Upload(t.Context(), client.File{Name: "report.pdf", Size: 5, Content: strings.NewReader("hello")},
		client.Options{})
	if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != "content_mismatch" {
		t.Errorf("file with other content: %v, want content_mismatch", err)
	}
	n := 0
	d.check(b.Each(t.Context(), func(vitrine.UploadID, vitrine.BlobInfo) error { n++; return nil }))
	if n != 2 {
		t.Errorf("%d files in the bucket, want 2", n)
	}
}

// TestBucketOldAddress checks that a signed URL from the time when this process
// stored files itself tells clients to begin again.
func TestBucketOldAddress(t *testing.T) {
	d, _ := newBucketSite(t)
	g := vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: 5, Type: "text/plain", Expires: time.Now().Add(time.Minute)}
	old := "/storage/" + string(g.Key) + "?" + d.server.Signer.SignPut(g).Encode()
	r := d.status(d.do(http.MethodPut, old, "hello", "Content-Type: text/plain"), 403)
	if !strings.Contains(r.body, `"url_expired"`) || !strings.Contains(r.body, "Repeat step 1") ||
		r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s %v, want url_expired", r.body, r.Header)
	}
	d.status(d.do(http.MethodOptions, old, ""), 204)
	if r := d.status(d.do(http.MethodPost, old, ""), 405); r.Header.Get("Allow") == "" {
		t.Error("no Allow header")
	}
}

// TestBucketDownload checks that a download redirects to an attachment without
// a type, at a URL that is valid for a minute, and that the link's state is
// checked on each download.
func TestBucketDownload(t *testing.T) {
	d, b := newBucketSite(t)
	d.server.RedirectDownloads = true
	html := "<!DOCTYPE html><title>Hello</title><script>alert(1)</script>"
	l := d.sent("héllo;\".html", html)
	address := "/p/" + string(l.Slug) + "/download"
	page := d.status(d.get("/p/"+string(l.Slug)), 200)
	download := d.attr(page.body, `href="(/p/[^"]+/download[^"]*)"`)
	r := d.status(d.get(download), 302)
	to := r.Header.Get("Location")
	u, err := url.Parse(to)
	d.check(err)
	if !strings.HasPrefix(to, b.Origin()+"/") || !slices.Contains([]string{"59", "60"},
		u.Query().Get("X-Amz-Expires")) || r.Header.Get("Cache-Control") != "private, no-store" ||
		r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("redirect to %s\n%v", to, r.Header)
	}
	got := d.status(d.get(to), 200)
	if got.body != html || got.Header.Get("Content-Type") != "application/octet-stream" ||
		got.Header.Get("Content-Disposition") != `attachment; filename="h_llo__.html"; filename*=UTF-8''h%C3%A9llo%3B_.html` {
		t.Errorf("body %q, headers %v", got.body, got.Header)
	}
	// The URL works for no other type, not for the page, and for no other file.
	for _, bad := range []string{strings.Replace(to, "application%2Foctet-stream", "text%2Fhtml", 1),
		strings.Replace(to, "attachment", "inline", 1),
		regexp.MustCompile(`[a-z2-7]{26}`).ReplaceAllString(to, string(vitrine.NewUploadID()))} {
		if bad == to {
			t.Fatalf("no change in %s", to)
		}
		d.status(d.get(bad), 403)
	}
	if n := d.counts(l).Downloads; n != 1 {
		t.Errorf("%d downloads, want 1", n)
	}
	if r := d.status(d.do(http.MethodHead, address, ""), 200); r.ContentLength != int64(len(html)) {
		t.Errorf("HEAD: %d bytes", r.ContentLength)
	}
	// Viewers get their bytes from this server, and a disabled link issues no
	// more URLs.
	d.status(d.get(d.contentAddress(l, "frame")), 200)
	d.setState(l, vitrine.StateDisabled)
	if r := d.get(address); r.StatusCode == 302 || r.Header.Get("Location") != "" {
		t.Errorf("a disabled link: status %d, Location %s, want no redirect", r.StatusCode, r.Header.Get("Location"))
	}
}

// sent publishes a file with a signed URL.
func (s *site) sent(name, content string) *vitrine.Link {
	s.t.Helper()
	t, _ := filetype.ByExt(name)
	u, ctx := s.server.Uploads, s.t.Context()
	begun, err := u.Create(ctx, s.account, publish.UploadRequest{Name: name, Type: t.MIME, Size: int64(len(content))})
	s.check(err)
	s.status(s.do(http.MethodPut, begun.SignedURL, content, "Content-Type: "+t.MIME), 200)
	l, err := u.Complete(ctx, s.account, publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: t.MIME})
	s.check(err)
	return l
}
