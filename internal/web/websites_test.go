package web_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/publish"
)

// newHosting returns a desk whose websites have their own hosts.
func newHosting(t testing.TB) *site { return hosting(newDesk(t)) }

// hosting gives the websites of a desk their own hosts.
func hosting(h *site) *site {
	h.t.Helper()
	h.server.SitesURL = &url.URL{Scheme: "http", Host: "*.localhost:" + h.server.PublicURL.Port()}
	h.t.Cleanup(h.audit)
	return h
}

// audit checks the invariants at the end of a test.
func (s *site) audit() {
	a := &audit.Checker{Store: s.server.Links.Store, Blobs: s.server.Blobs, Log: s.log, Now: s.server.Now, Deep: true}
	if err := a.Run(context.Background(), func(fault string) { s.t.Errorf("audit: %s", fault) }); err != nil {
		s.t.Error(err)
	}
}

// packed returns a ZIP of files, each given as "path=content". A file is
// deflated if its path ends with "*", which is removed.
func packed(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		name, content, _ := strings.Cut(f, "=")
		header := &zip.FileHeader{Name: strings.TrimSuffix(name, "*")}
		if name != header.Name {
			header.Method = zip.Deflate
		}
		w, err := z.CreateHeader(header)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newWebsite creates a website of the member.
func (s *site) newWebsite(title string) *vitrine.Site {
	s.t.Helper()
	site, err := s.server.Sites.Create(s.t.Context(), s.account, title, "")
	s.check(err)
	return site
}

// deploy uploads a ZIP in three steps as a version of a website.
func (s *site) deploy(site *vitrine.Site, content []byte) (*vitrine.Link, error) {
	s.t.Helper()
	ctx, u := s.t.Context(), s.server.Uploads
	const name, kind = "site.zip", "application/zip"
	begun, err := u.Create(ctx, s.account, publish.UploadRequest{Name: name, Type: kind, Size: int64(len(content)),
		Website: string(site.Slug)})
	if err != nil {
		return nil, err
	}
	g := vitrine.PutGrant{Key: begun.Path, Size: int64(len(content)), Type: kind,
		Expires: s.server.Now().Add(time.Minute)}
	_, err = s.server.Receiver.Receive(ctx, g, bytes.NewReader(content))
	s.check(err)
	s.ahead.Add(int64(time.Second)) // gives the versions an order
	return u.Complete(ctx, s.account, publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: kind,
		Website: string(site.Slug)})
}

// deployed deploys valid files.
func (s *site) deployed(site *vitrine.Site, files ...string) *vitrine.Link {
	s.t.Helper()
	l, err := s.deploy(site, packed(s.t, files...))
	s.check(err)
	return l
}

// visit requests a path from a website's host.
func (s *site) visit(site *vitrine.Site, path string, headers ...string) reply {
	s.t.Helper()
	return s.fetch(http.MethodGet, site, path, headers...)
}

func (s *site) fetch(method string, site *vitrine.Site, path string, headers ...string) reply {
	s.t.Helper()
	address := "http://" + string(site.Slug) + ".localhost:" + s.server.PublicURL.Port() + path
	req, err := http.NewRequestWithContext(s.t.Context(), method, address, nil)
	s.check(err)
	req.Header.Set("Accept-Encoding", "identity")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Set(name, value)
	}
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.server.PublicURL.Host)
		}}
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	res, err := client.Do(req)
	s.check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	s.check(err)
	r := reply{Response: res, wire: len(b), body: string(b)}
	if res.Header.Get("Content-Encoding") == "gzip" && len(b) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(b))
		s.check(err)
		b, err = io.ReadAll(z)
		s.check(err)
		r.body = string(b)
	}
	return r
}

// shows checks the first page of a website.
func (s *site) shows(site *vitrine.Site, status int, text string) reply {
	s.t.Helper()
	r := s.status(s.visit(site, "/"), status)
	if !strings.Contains(r.body, text) {
		s.t.Errorf("page = %.300q, want it to contain %q", r.body, text)
	}
	return r
}

func (s *site) refused(err error, code vitrine.Code, reason string) {
	s.t.Helper()
	var e *vitrine.Error
	if vitrine.CodeOf(err) != code {
		s.t.Errorf("error = %v, want %s", err, code)
	} else if e, _ = err.(*vitrine.Error); reason != "" && e.Reason != reason {
		s.t.Errorf("reason = %q of %v, want %q", e.Reason, err, reason)
	}
}

// TestWebsiteServed checks that a website is served by its own host, with the
// compression of its files, and that the host serves nothing else.
func TestWebsiteServed(t *testing.T) {
	h := newHosting(t)
	site := h.newWebsite("Garden")
	long := strings.Repeat("body { color: green } ", 500)
	film := strings.Repeat("0123456789", 1000)
	h.deployed(site, "garden/index.html=<title>Garden</title>", "garden/style.css*="+long,
		"garden/blog/index.html=<p>Blog", "garden/about.html=<p>About",
		"garden/404.html*=<p>Lost", "garden/film.mp4="+film, "garden/packed.mp4*="+film, "garden/app.mjs=export {}",
		"garden/a.wasm=\x00asm\x01\x00\x00\x00",
		"garden/old.html=<meta charset=windows-1252>\xe9", "garden/café.txt=x", "garden/read.me/index.html=<p>dir")

	for path, want := range map[string][3]string{
		"/":               {"200", "text/html; charset=utf-8", "<title>Garden</title>"},
		"/index.html":     {"200", "text/html; charset=utf-8", "<title>Garden</title>"},
		"/style.css":      {"200", "text/css; charset=utf-8", long},
		"/style.css?v=2":  {"200", "text/css; charset=utf-8", long},
		"/blog/":          {"200", "text/html; charset=utf-8", "<p>Blog"},
		"/about":          {"200", "text/html; charset=utf-8", "<p>About"},
		"/app.mjs":        {"200", "text/javascript; charset=utf-8", "export {}"},
		"/a.wasm":         {"200", "application/wasm", "\x00asm\x01\x00\x00\x00"},
		"/old.html":       {"200", "text/html; charset=windows-1252", "<meta charset=windows-1252>\xe9"},
		"/caf%C3%A9.txt":  {"200", "text/plain; charset=utf-8", "x"},
		"/cafe%CC%81.txt": {"200", "text/plain; charset=utf-8", "x"},
		"/film.mp4":       {"200", "video/mp4", film},
		"/packed.mp4":     {"200", "video/mp4", film},
		"/nowhere":        {"404", "text/html; charset=utf-8", "<p>Lost"},
		"/dashboard":      {"404", "text/html; charset=utf-8", "<p>Lost"},
		"/api/v1/status":  {"404", "text/html; charset=utf-8", "<p>Lost"},
		"/assets/x":       {"404", "text/html; charset=utf-8", "<p>Lost"},
		"/../index.html":  {"404", "text/html; charset=utf-8", "<p>Lost"},
		"//evil.example":  {"404", "text/html; charset=utf-8", "<p>Lost"},
	} {
		for _, encoding := range []string{"identity", "gzip"} {
			r := h.visit(site, path, "Accept-Encoding: "+encoding)
			got := [3]string{fmt.Sprint(r.StatusCode), r.Header.Get("Content-Type"), r.body}
			if got != want {
				t.Errorf("%s (%s) = %.200q, want %.200q", path, encoding, got, want)
			}
			if r.Header.Get("X-Content-Type-Options") != "nosniff" || len(r.Cookies()) > 0 ||
				r.Header.Get("Content-Security-Policy") != "" {
				t.Errorf("%s: headers = %v", path, r.Header)
			}
		}
	}
	r := h.status(h.visit(site, "/blog?q=1"), http.StatusTemporaryRedirect)
	if r.Header.Get("Location") != "/blog/?q=1" {
		t.Errorf("a folder redirects to %q, want /blog/?q=1", r.Header.Get("Location"))
	}
	h.status(h.visit(site, "/read.me"), http.StatusTemporaryRedirect)

	// Compressed files are sent compressed, and each encoding has its own ETag.
	gz, plain := h.visit(site, "/style.css", "Accept-Encoding: gzip"), h.visit(site, "/style.css")
	if gz.Header.Get("Content-Encoding") != "gzip" || gz.wire > len(long)/10 || gz.ContentLength != int64(gz.wire) ||
		gz.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("compressed: %d of %d bytes, %v", gz.wire, len(long), gz.Header)
	}
	if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("ETag") == gz.Header.Get("ETag") ||
		plain.Header.Get("ETag") == "" {
		t.Errorf("ETags = %s and %s, want different ones", plain.Header.Get("ETag"), gz.Header.Get("ETag"))
	}
	if got := plain.Header.Get("Cache-Control"); got != "public, max-age=0, must-revalidate" {
		t.Errorf("Cache-Control = %q, want \"public, max-age=0, must-revalidate\"", got)
	}
	h.status(h.visit(site, "/style.css", "If-None-Match: "+plain.Header.Get("ETag")), http.StatusNotModified)
	h.status(h.visit(site, "/style.css", "Accept-Encoding: gzip", "If-None-Match: "+gz.Header.Get("ETag")),
		http.StatusNotModified)
	if r := h.fetch(http.MethodHead, site, "/style.css"); r.StatusCode != 200 || r.ContentLength != int64(len(long)) ||
		r.body != "" {
		t.Errorf("HEAD: status %d, %d bytes", r.StatusCode, r.ContentLength)
	}
	for _, path := range []string{"/film.mp4", "/packed.mp4"} {
		r := h.status(h.visit(site, path, "Range: bytes=9995-", "Accept-Encoding: gzip"), http.StatusPartialContent)
		if r.body != "56789" || r.Header.Get("Content-Range") != "bytes 9995-9999/10000" {
			t.Errorf("%s: body %q, Content-Range %s", path, r.body, r.Header.Get("Content-Range"))
		}
	}
	if r := h.visit(site, "/film.mp4", "Range: bytes=0-1,5-6"); !strings.Contains(r.body, "\r\n\r\n56\r\n") {
		t.Errorf("two ranges: %q", r.body)
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		if r := h.status(h.fetch(method, site, "/"),
			http.StatusMethodNotAllowed); r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow = %q, want GET, HEAD", method, r.Header.Get("Allow"))
		}
	}
	h.status(h.visit(site, "/app.mjs", "Service-Worker: script"), http.StatusForbidden)
	h.status(h.visit(&vitrine.Site{Slug: "unknown"}, "/"), http.StatusNotFound)
	h.status(h.visit(&vitrine.Site{Slug: "a.b"}, "/"), http.StatusNotFound)
	// Its path in the app redirects to its host; other paths of the app show
	// nothing of it.
	r = h.status(h.get("/s/"+string(site.Slug)+"/blog/?q=1"), http.StatusTemporaryRedirect)
	if want := "http://" + string(site.Slug) + ".localhost:" + h.server.PublicURL.Port() +
		"/blog/?q=1"; r.Header.Get("Location") != want {
		t.Errorf("redirected to %q, want %q", r.Header.Get("Location"), want)
	}
}

// TestWebsiteSandboxed checks that without separate hosts all answers of
// websites are sandboxed.
func TestWebsiteSandboxed(t *testing.T) {
	h := newHosting(t)
	h.server.SitesURL = nil
	site := h.newWebsite("Garden")
	h.deployed(site, "index.html=<p>Hello", "app.js=1", "blog/index.html=<p>Blog")
	base := "/s/" + string(site.Slug)
	for path, status := range map[string]int{"/": 200, "/app.js": 200, "/blog/": 200, "/nowhere": 404} {
		r := h.status(h.get(base+path), status)
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "sandbox ") || status == 200 &&
			!strings.HasSuffix(policy, "; form-action 'none'") || strings.Contains(policy, "same-origin") ||
			r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: headers = %v", path, r.Header)
		}
	}
	if r := h.status(h.get(base), http.StatusTemporaryRedirect); r.Header.Get("Location") != base+"/" {
		t.Errorf("redirected to %q", r.Header.Get("Location"))
	}
	if r := h.status(h.get(base+"/blog"), http.StatusTemporaryRedirect); r.Header.Get("Location") != base+"/blog/" {
		t.Errorf("redirected to %q", r.Header.Get("Location"))
	}
	h.setState(h.version(site), vitrine.StateDisabled)
	if r := h.status(h.get(base+"/"), http.StatusGone); r.Header.Get("Clear-Site-Data") != "" ||
		!strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "sandbox ") {
		t.Errorf("headers of a disabled website = %v", r.Header) // the storage is also the app's
	}
	h.setState(h.version(site), vitrine.StateLive)
}

// TestWebsiteOnContentHost checks that on an instance with two hosts the
// content host serves the websites and the other does not.
func TestWebsiteOnContentHost(t *testing.T) {
	h := newDeskWith(t, siteOptions{content: true})
	h.server.Sites = &collections.Sites{Store: h.server.Links.Store, Links: h.server.Links,
		Plans: h.server.Uploads.Plans, Now: h.server.Now}
	site := h.newWebsite("Garden")
	h.deployed(site, "index.html=<p>Hello")
	h.status(h.get("/s/"+string(site.Slug)+"/"), http.StatusNotFound)
	h.status(h.get(h.server.ContentURL.String()+"/s/"+string(site.Slug)+"/"), http.StatusOK)
}

// version returns the newest version of a website.
func (s *site) version(site *vitrine.Site) *vitrine.Link {
	s.t.Helper()
	f, err := s.server.Sites.BySlug(s.t.Context(), s.account, string(site.Slug))
	s.check(err)
	return f.Versions[0]
}
