package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
	"golang.org/x/text/unicode/norm"
)

// SiteHosts serves websites with hosts of their own, and passes requests for
// other hosts on. Nothing of the app is ever at a website's origin.
func (s *Handler) SiteHosts(next http.Handler) http.Handler {
	site := s.Server.Metered("website", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		label, _ := s.siteLabel(r.Host)
		w.Header().Del("Permissions-Policy")         // it may ask for anything, in its own name
		w.Header().Set("Origin-Agent-Cluster", "?1") // no document.domain between websites
		s.site(w, r, siteRequest{slug: vitrine.Slug(label), path: strings.TrimPrefix(r.URL.Path, "/"), own: true})
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.siteLabel(r.Host); ok {
			site.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// siteLabel returns the part of a host that names a website. Ports do not
// matter, because a proxy may change them.
func (s *Handler) siteLabel(host string) (string, bool) {
	if s.Server.SitesURL == nil {
		return "", false
	}
	u := url.URL{Host: host}
	return strings.CutSuffix(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."),
		strings.TrimPrefix(s.Server.SitesURL.Hostname(), "*"))
}

func (s *Handler) SiteFolder(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, r.URL.EscapedPath()+"/", http.StatusTemporaryRedirect)
	return nil
}

// SiteBelowContent serves a website on the content host, inside a sandbox.
// Where websites have hosts of their own it leads there.
func (s *Handler) SiteBelowContent(w http.ResponseWriter, r *http.Request) {
	slug, rest := vitrine.Slug(strings.ToLower(r.PathValue("slug"))), r.PathValue("path")
	if _, err := vitrine.ParseSlug(string(slug)); s.Server.SitesURL != nil && err == nil {
		to, _ := url.Parse(s.Server.SiteURL(slug))
		to.Path, to.RawQuery = "/"+rest, r.URL.RawQuery
		http.Redirect(w, r, to.String(), http.StatusTemporaryRedirect)
		return
	}
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.SitePage, "sandbox", viewer.HTMLSandbox)
	h.Set("Access-Control-Allow-Origin", "*") // its own pages' origin is opaque, and their modules are read by CORS
	s.site(w, r, siteRequest{slug: slug, path: rest})
}

// siteRequest asks for a file of a website.
type siteRequest struct {
	slug vitrine.Slug
	path string // below the root, without a slash before it
	own  bool   // the host is the website's own
}

func (s *Handler) site(w http.ResponseWriter, r *http.Request, q siteRequest) {
	if err := s.sendSite(w, r, q); err != nil {
		s.siteFailure(w, r, q, err)
	}
}

// sendSite sends a file of the current version. A page load is counted, and
// durable, before the page is sent.
func (s *Handler) sendSite(w http.ResponseWriter, r *http.Request, q siteRequest) error {
	switch {
	case s.Sites == nil:
		return httpx.ErrNoPage
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return httpx.MethodNotAllowed(w, "GET, HEAD")
	case r.Header.Get("Service-Worker") != "":
		// An installed service worker would still answer after the website is
		// disabled.
		return &vitrine.Error{Code: vitrine.CodeCrossOrigin, Message: "Websites here have no service workers."}
	}
	slug, err := vitrine.ParseSlug(string(q.slug))
	if err != nil {
		return vitrine.ErrNoSite
	}
	version, owner, err := s.Sites.Public(r.Context(), slug)
	if err != nil {
		return err
	}
	site, blob, err := s.OpenSite(r.Context(), version)
	if err != nil {
		return err
	}
	defer blob.Close()
	found := findInSite(site, q.path)
	if found.folder {
		to := url.URL{Path: r.URL.Path + "/", RawQuery: r.URL.RawQuery}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, to.String(), http.StatusTemporaryRedirect)
		return nil
	}
	if found.path == "" {
		return errNoSitePage
	}
	file := site.Files[found.path]
	page := isPage(file) && found.status == http.StatusOK
	if page && httpx.Speculative(r) {
		// The browser asks again when the visitor navigates; a prefetched page
		// would be counted without a reader.
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "This page is not served to prefetch requests.", http.StatusServiceUnavailable)
		return nil
	}
	w.Header().Set("Cache-Control", "public, max-age=0, must-revalidate")
	if page && isLoad(r) {
		if err := s.countLoad(r, q, version, owner, found.path); err != nil {
			return err
		}
	}
	shown := func(ctx context.Context) error { return s.Sites.StillPublic(ctx, version.ID) }
	return s.Server.StopWhenNotPublic(w, r, shown, func() error {
		return sendSiteFile(w, r, siteFile{version, blob, file}, found.status)
	})
}

var (
	errNoSitePage = vitrine.Errorf(vitrine.CodeNotFound, "This website has no page at this address.")
)

// manifests caches the contents of recently requested website ZIPs.
type manifests struct {
	mu      sync.Mutex
	sites   *lru.Cache[vitrine.UploadID, *inspect.Site]
	bytes   int // about the size of all of them
	reading singleflight.Group
}

// maxManifests and maxManifestBytes bound the cache.
const (
	maxManifests     = 4096
	maxManifestBytes = 64 << 20
)

// weight returns about how much memory a manifest takes.
func weight(site *inspect.Site) int {
	const each = 128 // a SiteFile and its entry in the map
	n := each * (1 + len(site.Files) + len(site.Refused))
	for path := range site.Files {
		n += len(path)
	}
	for _, r := range site.Refused {
		n += len(r.Path)
	}
	return n
}

var siteManifests = newManifests()

func newManifests() *manifests {
	c, err := lru.New[vitrine.UploadID, *inspect.Site](maxManifests)
	if err != nil {
		panic(err) // of the size alone
	}
	return &manifests{sites: c}
}

func (m *manifests) find(id vitrine.UploadID) (*inspect.Site, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sites.Get(id)
}

// keep adds a manifest and drops the least recently used ones.
func (m *manifests) keep(id vitrine.UploadID, site *inspect.Site) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sites.Contains(id) {
		return
	}
	n := weight(site)
	for m.sites.Len() > 0 && (m.bytes+n > maxManifestBytes || m.sites.Len() == maxManifests) {
		if _, old, ok := m.sites.RemoveOldest(); ok {
			m.bytes -= weight(old)
		}
	}
	m.sites.Add(id, site)
	m.bytes += n
}

// OpenSite opens a version's bytes and reads its contents, which are always
// those that inspection decided on.
func (s *Handler) OpenSite(ctx context.Context, version *vitrine.Link) (*inspect.Site, vitrine.Blob, error) {
	blob, err := s.Viewers.Open(ctx, func(ctx context.Context) (vitrine.Blob, error) {
		return access.OpenWhole(ctx, s.Blobs, version)
	})
	if err != nil {
		return nil, nil, err
	}
	if site, ok := siteManifests.find(version.Upload); ok {
		return site, blob, nil
	}
	v, err, _ := siteManifests.reading.Do(string(version.Upload), func() (any, error) {
		again, err := s.Viewers.Open(context.WithoutCancel(ctx), func(ctx context.Context) (vitrine.Blob, error) {
			return s.Blobs.Open(ctx, version.Upload)
		})
		if err != nil {
			return nil, err
		}
		defer again.Close()
		site, err := inspect.ReadSite(again, again.Size())
		if err == nil {
			siteManifests.keep(version.Upload, site)
		}
		return site, err
	})
	if err != nil {
		return nil, nil, vitrine.Unavailable(errors.Join(err, blob.Close()))
	}
	return v.(*inspect.Site), blob, nil
}

// inSite is the result of looking up a path in a website.
type inSite struct {
	path   string // of the file; "" for none
	status int
	folder bool // the path is that of a folder, and lacks its slash
}

// findInSite looks a path up: a folder means its index.html, a name without
// extension may mean a page, and an unknown path means 404.html.
func findInSite(site *inspect.Site, p string) inSite {
	p = norm.NFC.String(p)
	has := func(p string) bool { _, ok := site.Files[p]; return ok }
	switch {
	case p == "" || strings.HasSuffix(p, "/"):
		if has(p + "index.html") {
			return inSite{path: p + "index.html", status: http.StatusOK}
		}
	case has(p):
		return inSite{path: p, status: http.StatusOK}
	case has(p + "/index.html"):
		return inSite{folder: true}
	case has(p + ".html"):
		return inSite{path: p + ".html", status: http.StatusOK}
	}
	if has("404.html") {
		return inSite{path: "404.html", status: http.StatusNotFound}
	}
	return inSite{}
}

// maxRanged is the largest packed file for which ranges are sent: it must be
// unpacked from its beginning. Only one range is sent at a time.
const maxRanged = 32 << 20

// siteFile is a file of a version, and the version's bytes.
type siteFile struct {
	version *vitrine.Link
	blob    vitrine.Blob
	inspect.SiteFile
}

// tag returns a tag that distinguishes the file from every other one of any
// version. It does not depend on what the ZIP's author claims.
func (f siteFile) tag(suffix string) string {
	return fmt.Sprintf(`"%.16s-%x%s"`, cmp.Or(f.version.SHA256, string(f.version.Slug)), f.Offset, suffix)
}

// sendSiteFile sends a file. A packed file is sent as gzip if the reader
// accepts it.
func sendSiteFile(w http.ResponseWriter, r *http.Request, f siteFile, status int) error {
	h := w.Header()
	packed := io.NewSectionReader(f.blob, f.Offset, f.Packed)
	h.Set("Content-Type", siteFileType(f.SiteFile, packed))
	tag := f.tag("")
	r = r.Clone(r.Context())
	var body io.ReadSeeker = packed
	if f.Deflated {
		h.Set("Vary", "Accept-Encoding")
		media := strings.HasPrefix(f.Type, "video/") || strings.HasPrefix(f.Type, "audio/")
		if httpx.AcceptsGzip(r) && r.Header.Get("Range") == "" && !media {
			z := gzipOf(packed, f.SiteFile)
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.FormatInt(z.Size(), 10))
			tag, body = f.tag("-gz"), z
		} else {
			unpacked := &unpackedFile{packed: packed, size: f.Size}
			defer unpacked.Close()
			body = unpacked
			if f.Size > maxRanged || strings.Contains(r.Header.Get("Range"), ",") {
				r.Header.Del("Range")
			}
		}
	}
	if status != http.StatusOK {
		for _, name := range []string{"Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Range",
			"If-Unmodified-Since"} {
			r.Header.Del(name)
		}
		h.Set("Cache-Control", "no-store")
		w = &withStatus{w, status}
	} else {
		h.Set("ETag", tag)
	}
	http.ServeContent(w, r, "", time.Time{}, body)
	return nil
}

// siteFileType returns the Content-Type of a file. A text has its own encoding.
func siteFileType(f inspect.SiteFile, packed *io.SectionReader) string {
	media, _, _ := strings.Cut(f.Type, ";")
	if !strings.HasPrefix(media, "text/") {
		return cmp.Or(f.Type, "application/octet-stream")
	}
	var in io.Reader = io.NewSectionReader(packed, 0, packed.Size())
	if f.Deflated {
		unpacked := &unpackedFile{packed: packed, size: f.Size}
		defer unpacked.Close()
		in = unpacked
	}
	head, _ := io.ReadAll(io.LimitReader(in, viewer.HTMLHead))
	_, label := text.PageCharset(head)
	return media + "; charset=" + label
}

// withStatus replaces the status 200.
type withStatus struct {
	http.ResponseWriter
	status int
}

func (w *withStatus) WriteHeader(status int) {
	if status == http.StatusOK {
		status = w.status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *withStatus) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// gonePage explains why there is nothing at a website's address.
type gonePage struct {
	Styles                          string // origin of the styles
	Title, Heading, Advice, Request string
	Home                            string // address of the first page of a website that is published
	Report                          string // address of the form on which it is reported
}

// siteFailure answers for a website that is not shown, or a page that does not
// exist. On a website's own host it makes browsers delete the website's data.
func (s *Handler) siteFailure(w http.ResponseWriter, r *http.Request, q siteRequest, err error) {
	e, status := s.Server.Known(w, r, err)
	h := w.Header()
	for _, name := range []string{"Content-Encoding", "Content-Length", "ETag", "Vary"} {
		h.Del(name)
	}
	httpx.RetryAfter(w, e)
	gone := e.Code == vitrine.CodeDisabled || e.Code == vitrine.CodeNotAvailable || e.Code == vitrine.CodeNotFound &&
		err != error(errNoSitePage)
	if q.own && gone {
		h.Set("Clear-Site-Data", `"cache", "storage"`)
	}
	p := gonePage{Styles: httpx.Origin(s.Server.ContentURL), Title: cmp.Or(httpx.Headings[e.Code],
		"This is not allowed"), Advice: siteAdvice(e), Request: h.Get("X-Request-Id")}
	p.Heading = p.Title
	if err == error(errNoSitePage) {
		p.Home = strings.TrimSuffix(r.URL.Path, q.path)
		if s.Abuse != nil {
			p.Report = httpx.Origin(s.Server.PublicURL) + httpx.SiteReportRoot + string(q.slug)
		}
	}
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	s.Server.SetPolicy(w, r, httpx.SiteFailure)
	if err := ui.Render(w, r, status, "website_gone.html", p); err != nil {
		s.Log.Error("error page", "request", p.Request, "error", err)
		http.Error(w, p.Heading, status)
	}
}

// siteAdvice returns what happened and what to do.
func siteAdvice(e *vitrine.Error) string {
	switch e.Code {
	case vitrine.CodeNotFound:
		return e.Message + " Check the address for mistakes."
	case vitrine.CodeDisabled:
		return e.Message
	}
	return httpx.AdviceOn(e)
}
