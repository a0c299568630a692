package webtest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/publish"
)

const Form = "Content-Type: application/x-www-form-urlencoded"

// Report posts the form of a report like a browser at an address.
func (s *Site) Report(l *vitrine.Link, reason, note string, headers ...string) Reply {
	s.T.Helper()
	body := url.Values{"reason": {reason}, "note": {note}}.Encode()
	return s.Do(http.MethodPost, "/p/"+string(l.Slug)+"/report", body,
		append([]string{Form, "Origin: " + s.URL, "Sec-Fetch-Site: same-origin"}, headers...)...)
}

// TrustProxy makes the site trust the client addresses in the tests' headers.
func (s *Site) TrustProxy() {
	s.Server.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func (s *Site) Reports(l *vitrine.Link) []*vitrine.AbuseReport {
	s.T.Helper()
	all, err := vitrine.Read(s.T.Context(), s.Server.Abuse.Store, func(tx vitrine.Tx) ([]*vitrine.AbuseReport, error) {
		return tx.AbuseReports(l.ID, time.Time{})
	})
	s.Check(err)
	return all
}

// Unzipped returns the names and the contents of a ZIP file.
func (s *Site) Unzipped(body string) (names []string, contents map[string]string) {
	s.T.Helper()
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	s.Check(err)
	contents = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		s.Check(err)
		content, err := io.ReadAll(r)
		s.Check(err)
		names, contents[f.Name] = append(names, f.Name), string(content)
	}
	return names, contents
}

// Album creates an album of the member.
func (s *Site) Album(title string, links ...*vitrine.Link) *vitrine.Album {
	s.T.Helper()
	album, err := s.Server.Albums.Create(s.T.Context(), s.Member, title, "")
	s.Check(err)
	s.add(album, links...)
	return album
}

func (s *Site) add(album *vitrine.Album, links ...*vitrine.Link) {
	s.T.Helper()
	var slugs []string
	for _, l := range links {
		slugs = append(slugs, string(l.Slug))
	}
	s.Check(s.Server.Albums.Add(s.T.Context(), s.Member, string(album.Slug), slugs))
}

// In checks which links are on a page, and in which order.
func (s *Site) In(page string, want ...*vitrine.Link) {
	s.T.Helper()
	at := 0
	for _, l := range want {
		i := strings.Index(page[at:], "/p/"+string(l.Slug))
		if i < 0 {
			s.T.Errorf("%s is not on the page, or not after the link before it:\n%s", l.Title, page)
			return
		}
		at += i
	}
	if n := strings.Count(page, `class="cover"`); n != len(want) {
		s.T.Errorf("%d links on the page, want %d", n, len(want))
	}
}

// DocPaths returns the paths of the documentation pages in the sitemap.
func (s *Site) DocPaths() (paths []string) {
	s.T.Helper()
	for _, m := range regexp.MustCompile(`<loc>([^<]+)</loc>`).FindAllStringSubmatch(s.Get("/sitemap.xml").Text, -1) {
		if path := strings.TrimPrefix(m[1], s.URL); strings.HasPrefix(path, "/docs") {
			paths = append(paths, path)
		}
	}
	return paths
}

// Reference returns the pages of the API reference, one after the other.
func (s *Site) Reference() string {
	s.T.Helper()
	var b strings.Builder
	for _, path := range s.DocPaths() {
		if strings.HasPrefix(path, "/docs/api/") {
			b.WriteString(s.Status(s.Get(path), 200).Text)
		}
	}
	return b.String()
}

// Part stores a part of a link.
func (s *Site) Part(l *vitrine.Link, p vitrine.Part, content []byte) {
	s.T.Helper()
	s.Check(s.Server.Blobs.PutPart(s.T.Context(), l.Upload, p, bytes.NewReader(content)))
	s.Check(s.Server.Links.Store.Update(s.T.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.Parts = now.Parts.With(p)
		return tx.PutLink(now)
	}))
}

// FrameOf returns the address of the frame on a case.
func (s *Site) FrameOf(path string, headers ...string) string {
	s.T.Helper()
	return s.Attr(s.Status(s.Get(path, headers...), 200).Text, `<iframe[^>]* src="([^"]+/c/[^"]+)"`)
}

// OnlySite returns the only website of the member.
func (s *Site) OnlySite() *collections.SiteFacts {
	s.T.Helper()
	all, err := s.Server.Sites.List(s.T.Context(), s.Member)
	s.Check(err)
	if len(all) != 1 {
		s.T.Fatalf("%d websites, want 1", len(all))
	}
	return all[0]
}

// NewHosting returns a desk whose websites have their own hosts.
func NewHosting(t testing.TB) *Site { return Hosting(NewDesk(t)) }

// Hosting gives the websites of a desk their own hosts.
func Hosting(h *Site) *Site {
	h.T.Helper()
	h.Server.SitesURL = &url.URL{Scheme: "http", Host: "*.localhost:" + h.Server.PublicURL.Port()}
	h.T.Cleanup(h.Audit)
	return h
}

// Audit checks the invariants at the end of a test.
func (s *Site) Audit() {
	a := &audit.Checker{Store: s.Server.Links.Store, Blobs: s.Server.Blobs, Log: s.Log, Now: s.Server.Now, Deep: true}
	if err := a.Run(context.Background(), func(fault string) { s.T.Errorf("audit: %s", fault) }); err != nil {
		s.T.Error(err)
	}
}

// Packed returns a ZIP of files, each given as "path=content". A file is
// deflated if its path ends with "*", which is removed.
func Packed(t testing.TB, files ...string) []byte {
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

// NewWebsite creates a website of the member.
func (s *Site) NewWebsite(title string) *vitrine.Site {
	s.T.Helper()
	site, err := s.Server.Sites.Create(s.T.Context(), s.Account, title, "")
	s.Check(err)
	return site
}

// Deploy uploads a ZIP in three steps as a version of a website.
func (s *Site) Deploy(site *vitrine.Site, content []byte) (*vitrine.Link, error) {
	s.T.Helper()
	ctx, u := s.T.Context(), s.Server.Uploads
	const name, kind = "site.zip", "application/zip"
	begun, err := u.Create(ctx, s.Account, publish.UploadRequest{Name: name, Type: kind, Size: int64(len(content)),
		Website: string(site.Slug)})
	if err != nil {
		return nil, err
	}
	g := vitrine.PutGrant{Key: begun.Path, Size: int64(len(content)), Type: kind,
		Expires: s.Server.Now().Add(time.Minute)}
	_, err = s.Server.Receiver.Receive(ctx, g, bytes.NewReader(content))
	s.Check(err)
	s.Ahead.Add(int64(time.Second)) // gives the versions an order
	return u.Complete(ctx, s.Account, publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: kind,
		Website: string(site.Slug)})
}

// Deployed deploys valid files.
func (s *Site) Deployed(site *vitrine.Site, files ...string) *vitrine.Link {
	s.T.Helper()
	l, err := s.Deploy(site, Packed(s.T, files...))
	s.Check(err)
	return l
}

// Visit requests a path from a website's host.
func (s *Site) Visit(site *vitrine.Site, path string, headers ...string) Reply {
	s.T.Helper()
	return s.Fetch(http.MethodGet, site, path, headers...)
}

func (s *Site) Fetch(method string, site *vitrine.Site, path string, headers ...string) Reply {
	s.T.Helper()
	address := "http://" + string(site.Slug) + ".localhost:" + s.Server.PublicURL.Port() + path
	req, err := http.NewRequestWithContext(s.T.Context(), method, address, nil)
	s.Check(err)
	req.Header.Set("Accept-Encoding", "identity")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Set(name, value)
	}
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Server.PublicURL.Host)
		}}
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	res, err := client.Do(req)
	s.Check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	s.Check(err)
	r := Reply{Response: res, Wire: len(b), Text: string(b)}
	if res.Header.Get("Content-Encoding") == "gzip" && len(b) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(b))
		s.Check(err)
		b, err = io.ReadAll(z)
		s.Check(err)
		r.Text = string(b)
	}
	return r
}

// Shows checks the first page of a website.
func (s *Site) Shows(site *vitrine.Site, status int, text string) Reply {
	s.T.Helper()
	r := s.Status(s.Visit(site, "/"), status)
	if !strings.Contains(r.Text, text) {
		s.T.Errorf("page = %.300q, want it to contain %q", r.Text, text)
	}
	return r
}

func (s *Site) Refused(err error, code vitrine.Code, reason string) {
	s.T.Helper()
	var e *vitrine.Error
	if vitrine.CodeOf(err) != code {
		s.T.Errorf("error = %v, want %s", err, code)
	} else if e, _ = err.(*vitrine.Error); reason != "" && e.Reason != reason {
		s.T.Errorf("reason = %q of %v, want %q", e.Reason, err, reason)
	}
}

// Version returns the newest version of a website.
func (s *Site) Version(site *vitrine.Site) *vitrine.Link {
	s.T.Helper()
	f, err := s.Server.Sites.BySlug(s.T.Context(), s.Account, string(site.Slug))
	s.Check(err)
	return f.Versions[0]
}
