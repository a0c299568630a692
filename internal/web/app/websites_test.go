package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/test/webtest"
)

// TestWebsiteServed checks that a website is served by its own host, with the
// compression of its files, and that the host serves nothing else.
func TestWebsiteServed(t *testing.T) {
	h := webtest.NewHosting(t)
	site := h.NewWebsite("Garden")
	long := strings.Repeat("body { color: green } ", 500)
	film := strings.Repeat("0123456789", 1000)
	h.Deployed(site, "garden/index.html=<title>Garden</title>", "garden/style.css*="+long,
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
			r := h.Visit(site, path, "Accept-Encoding: "+encoding)
			got := [3]string{fmt.Sprint(r.StatusCode), r.Header.Get("Content-Type"), r.Text}
			if got != want {
				t.Errorf("%s (%s) = %.200q, want %.200q", path, encoding, got, want)
			}
			if r.Header.Get("X-Content-Type-Options") != "nosniff" || len(r.Cookies()) > 0 ||
				r.Header.Get("Content-Security-Policy") != "" {
				t.Errorf("%s: headers = %v", path, r.Header)
			}
		}
	}
	r := h.Status(h.Visit(site, "/blog?q=1"), http.StatusTemporaryRedirect)
	if r.Header.Get("Location") != "/blog/?q=1" {
		t.Errorf("a folder redirects to %q, want /blog/?q=1", r.Header.Get("Location"))
	}
	h.Status(h.Visit(site, "/read.me"), http.StatusTemporaryRedirect)

	// Compressed files are sent compressed, and each encoding has its own ETag.
	gz, plain := h.Visit(site, "/style.css", "Accept-Encoding: gzip"), h.Visit(site, "/style.css")
	if gz.Header.Get("Content-Encoding") != "gzip" || gz.Wire > len(long)/10 || gz.ContentLength != int64(gz.Wire) ||
		gz.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("compressed: %d of %d bytes, %v", gz.Wire, len(long), gz.Header)
	}
	if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("ETag") == gz.Header.Get("ETag") ||
		plain.Header.Get("ETag") == "" {
		t.Errorf("ETags = %s and %s, want different ones", plain.Header.Get("ETag"), gz.Header.Get("ETag"))
	}
	if got := plain.Header.Get("Cache-Control"); got != "public, max-age=0, must-revalidate" {
		t.Errorf("Cache-Control = %q, want \"public, max-age=0, must-revalidate\"", got)
	}
	h.Status(h.Visit(site, "/style.css", "If-None-Match: "+plain.Header.Get("ETag")), http.StatusNotModified)
	h.Status(h.Visit(site, "/style.css", "Accept-Encoding: gzip", "If-None-Match: "+gz.Header.Get("ETag")),
		http.StatusNotModified)
	if r := h.Fetch(http.MethodHead, site, "/style.css"); r.StatusCode != 200 || r.ContentLength != int64(len(long)) ||
		r.Text != "" {
		t.Errorf("HEAD: status %d, %d bytes", r.StatusCode, r.ContentLength)
	}
	for _, path := range []string{"/film.mp4", "/packed.mp4"} {
		r := h.Status(h.Visit(site, path, "Range: bytes=9995-", "Accept-Encoding: gzip"), http.StatusPartialContent)
		if r.Text != "56789" || r.Header.Get("Content-Range") != "bytes 9995-9999/10000" {
			t.Errorf("%s: body %q, Content-Range %s", path, r.Text, r.Header.Get("Content-Range"))
		}
	}
	if r := h.Visit(site, "/film.mp4", "Range: bytes=0-1,5-6"); !strings.Contains(r.Text, "\r\n\r\n56\r\n") {
		t.Errorf("two ranges: %q", r.Text)
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		if r := h.Status(h.Fetch(method, site, "/"),
			http.StatusMethodNotAllowed); r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow = %q, want GET, HEAD", method, r.Header.Get("Allow"))
		}
	}
	h.Status(h.Visit(site, "/app.mjs", "Service-Worker: script"), http.StatusForbidden)
	h.Status(h.Visit(&vitrine.Site{Slug: "unknown"}, "/"), http.StatusNotFound)
	h.Status(h.Visit(&vitrine.Site{Slug: "a.b"}, "/"), http.StatusNotFound)
	// Its path in the app redirects to its host; other paths of the app show
	// nothing of it.
	r = h.Status(h.Get("/s/"+string(site.Slug)+"/blog/?q=1"), http.StatusTemporaryRedirect)
	if want := "http://" + string(site.Slug) + ".localhost:" + h.Server.PublicURL.Port() +
		"/blog/?q=1"; r.Header.Get("Location") != want {
		t.Errorf("redirected to %q, want %q", r.Header.Get("Location"), want)
	}
}

// TestWebsiteSandboxed checks that without separate hosts all answers of
// websites are sandboxed.
func TestWebsiteSandboxed(t *testing.T) {
	h := webtest.NewHosting(t)
	h.Server.SitesURL = nil
	site := h.NewWebsite("Garden")
	h.Deployed(site, "index.html=<p>Hello", "app.js=1", "blog/index.html=<p>Blog")
	base := "/s/" + string(site.Slug)
	for path, status := range map[string]int{"/": 200, "/app.js": 200, "/blog/": 200, "/nowhere": 404} {
		r := h.Status(h.Get(base+path), status)
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "sandbox ") || status == 200 &&
			!strings.HasSuffix(policy, "; form-action 'none'") || strings.Contains(policy, "same-origin") ||
			r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: headers = %v", path, r.Header)
		}
	}
	if r := h.Status(h.Get(base), http.StatusTemporaryRedirect); r.Header.Get("Location") != base+"/" {
		t.Errorf("redirected to %q", r.Header.Get("Location"))
	}
	if r := h.Status(h.Get(base+"/blog"), http.StatusTemporaryRedirect); r.Header.Get("Location") != base+"/blog/" {
		t.Errorf("redirected to %q", r.Header.Get("Location"))
	}
	h.SetState(h.Version(site), vitrine.StateDisabled)
	if r := h.Status(h.Get(base+"/"), http.StatusGone); r.Header.Get("Clear-Site-Data") != "" ||
		!strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "sandbox ") {
		t.Errorf("headers of a disabled website = %v", r.Header) // the storage is also the app's
	}
	h.SetState(h.Version(site), vitrine.StateLive)
}

// TestWebsiteOnContentHost checks that on an instance with two hosts the
// content host serves the websites and the other does not.
func TestWebsiteOnContentHost(t *testing.T) {
	h := webtest.NewDeskWith(t, webtest.SiteOptions{Content: true})
	h.Server.Sites = &collections.Sites{Store: h.Server.Links.Store, Links: h.Server.Links,
		Plans: h.Server.Uploads.Plans, Now: h.Server.Now}
	site := h.NewWebsite("Garden")
	h.Deployed(site, "index.html=<p>Hello")
	h.Status(h.Get("/s/"+string(site.Slug)+"/"), http.StatusNotFound)
	h.Status(h.Get(h.Server.ContentURL.String()+"/s/"+string(site.Slug)+"/"), http.StatusOK)
}
