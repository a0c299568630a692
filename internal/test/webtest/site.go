// Package webtest has what the tests of the packages below internal/web share:
// a server with an account and sample files ([NewSite]), a browser ([NewTab]),
// and one instance with everything that pages show ([Demo]).
package webtest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/services"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
	instance "vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/web"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// Site is a whole server of real parts, with a real clock that a test may set
// forward, and with one Lifetime account. Files are published through the
// services.
type Site struct {
	T       testing.TB
	Dir     string // of its data
	URL     string
	Handler http.Handler
	Server  *web.Server
	Account *vitrine.Account
	Blobs   *disk.Blobs
	Log     *viewlog.ViewLog
	Ahead   atomic.Int64 // ns by which the server's clock is ahead

	Owner, Member *vitrine.Account // set by NewDesk
	Notices       []app.Notice     // the server's notices for its owner
}

// SiteOptions change a site before it is built.
type SiteOptions struct {
	ViewLog func(vitrine.ViewLog) vitrine.ViewLog // wraps the view log
	Around  func(http.Handler) http.Handler       // wraps the server
	Content bool                                  // file bytes have a separate host
	Store   string                                // the store's address, if it is not in the site's directory
	Now     func() time.Time                      // the server's clock, if it is not the real one
}

// SilentLog wraps a view log by one that discards its views, for what a page
// costs by itself.
func SilentLog(l vitrine.ViewLog) vitrine.ViewLog { return silentLog{l} }

type silentLog struct{ vitrine.ViewLog }

func (silentLog) Append(context.Context, vitrine.Batch) (vitrine.Outcome, error) {
	return vitrine.Outcome{}, nil
}

func NewSite(t testing.TB) *Site { return NewSiteWith(t, SiteOptions{}) }

func NewSiteWith(t testing.TB, o SiteOptions) *Site {
	t.Helper()
	dir := vitrinetest.CopyOf(t, "migrated", migrated)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := sqlstore.Open(cmp.Or(o.Store, filepath.Join(dir, "vitrine.db")))
	ok(err)
	log, err := viewlog.Open(filepath.Join(dir, "views.db"))
	ok(err)
	s := &Site{T: t, Dir: dir, Log: log}
	if o.Now == nil {
		o.Now = time.Now
	}
	now := func() time.Time { return o.Now().Add(time.Duration(s.Ahead.Load())) }
	listen := func() (*httptest.Server, *url.URL) {
		hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			r *http.Request) {
			s.Handler.ServeHTTP(w, r)
		}))
		u, err := url.Parse(hs.URL)
		ok(err)
		return hs, u
	}
	hs, public := listen()
	contentServer, content := hs, public
	if o.Content {
		contentServer, content = listen()
	}
	s.URL = hs.URL
	signer := signer.New([]byte("a secret of the test"))
	blobs, err := disk.New(dir, s.URL+api.StorageRoot, signer, now)
	ok(err)
	s.Blobs = blobs
	written := vitrine.ViewLog(log)
	if o.ViewLog != nil {
		written = o.ViewLog(log)
	}
	views := instance.NewViews(written)
	all := services.New(services.Ports{Store: store, ViewLog: written, Blobs: blobs, Signer: signer, Now: now,
		Views: views, ViewIDs: vitrine.NewViewIDs(), Plans: vitrine.DefaultPlans(),
		Outline: viewer.Outline})
	all.Accounts.Site = public.Host
	all.Accounts.Address = func(p vitrine.TokenPurpose, t vitrine.TokenText) string {
		return httpx.TokenURL(public.String(), p, t)
	}
	all.Abuse.Threshold = moderation.DefaultAbuseThreshold
	all.Analytics.URL = func(s vitrine.Slug) string { return httpx.LinkURL(public, s) }
	s.Server = &web.Server{Services: all, Gallery: true, PublicURL: public, ContentURL: content, Version: "test",
		Receiver: blobs, Ready: func(context.Context) error { return nil },
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))}
	s.Server.UpgradeURL, s.Server.SecurityContact = "https://share.example/buy", "mailto:security@share.example"
	s.Handler = &LiveHandler{Server: s.Server}
	if o.Around != nil {
		s.Handler = o.Around(s.Handler)
	}
	s.Account, _, err = s.Server.Accounts.Create(t.Context(), "owner@example.org", vitrine.PlanLifetime)
	ok(err)
	t.Cleanup(func() {
		hs.Close()
		contentServer.Close()
		views.Close()
		log.Close()
		store.Close()
	})
	return s
}

// migrated creates the databases of a new site.
func migrated(dir string) error {
	store, err := sqlstore.Open(filepath.Join(dir, "vitrine.db"))
	if err != nil {
		return err
	}
	log, err := viewlog.Open(filepath.Join(dir, "views.db"))
	if err != nil {
		return errors.Join(err, store.Close())
	}
	return errors.Join(store.Close(), log.Close())
}

func (s *Site) Check(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// Publish publishes a file in three steps, and scans a video. change may set
// fields of step 3.
func (s *Site) Publish(name string, content []byte, change ...func(*publish.CompleteRequest)) *vitrine.Link {
	s.T.Helper()
	ctx := s.T.Context()
	t, ok := filetype.ByExt(name)
	if !ok {
		s.T.Fatalf("no type for %s", name)
	}
	u := s.Server.Uploads
	begun, err := u.Create(ctx, s.Account, publish.UploadRequest{Name: name, Type: t.MIME, Size: int64(len(content))})
	s.Check(err)
	g := vitrine.PutGrant{Key: begun.Path, Size: int64(len(content)), Type: t.MIME,
		Expires: s.Server.Now().Add(time.Minute)}
	_, err = s.Server.Receiver.Receive(ctx, g, bytes.NewReader(content))
	s.Check(err)
	r := publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: t.MIME}
	for _, f := range change {
		f(&r)
	}
	l, err := u.Complete(ctx, s.Account, r)
	s.Check(err)
	if l.State == vitrine.StateProcessing {
		s.Check((&publish.Scans{Store: u.Store, Blobs: u.Blobs, Scanner: u.Scanner, Now: u.Now}).Pending(ctx))
		l, err = s.Server.Links.BySlug(ctx, string(l.Slug))
		s.Check(err)
	}
	if l.State != vitrine.StateLive {
		s.T.Fatalf("%s is %s: %s, want live", name, l.State, l.Reason)
	}
	return l
}

func ViewOnly(r *publish.CompleteRequest) {
	no := false
	r.AllowDownload = &no
}

func Titled(title string) func(*publish.CompleteRequest) {
	return func(r *publish.CompleteRequest) { r.LinkName = &title }
}

// SetState sets the state of a link directly, where a test has no service for
// it.
func (s *Site) SetState(l *vitrine.Link, state vitrine.LinkState) {
	s.T.Helper()
	s.Check(s.Server.Links.Store.Update(s.T.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.State = state
		return tx.PutLink(now)
	}))
}

// Reader is the user agent of a person.
const Reader = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// Reply is an answer with its decompressed body. wire is the number of bytes of
// the body as sent.
type Reply struct {
	*http.Response
	Text string
	Wire int
}

// Get requests a path of the site (or a whole URL) like a person's browser.
// headers are "Name: value".
func (s *Site) Get(address string, headers ...string) Reply {
	s.T.Helper()
	return s.Do(http.MethodGet, address, "", headers...)
}

func (s *Site) Do(method, address, body string, headers ...string) Reply {
	s.T.Helper()
	if strings.HasPrefix(address, "/") {
		address = s.URL + address
	}
	req, err := http.NewRequestWithContext(s.T.Context(), method, address, strings.NewReader(body))
	s.Check(err)
	req.Header.Set("User-Agent", Reader)
	req.Header.Set("Accept-Encoding", "gzip")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	s.Check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	s.Check(err)
	r := Reply{Response: res, Wire: len(b)}
	if res.Header.Get("Content-Encoding") == "gzip" && len(b) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(b))
		s.Check(err)
		b, err = io.ReadAll(z)
		s.Check(err)
	}
	r.Text = string(b)
	return r
}

// Status checks the status of an answer.
func (s *Site) Status(r Reply, want int) Reply {
	s.T.Helper()
	if r.StatusCode != want {
		s.T.Errorf("%s %s: status %d, want %d\n%.300s", r.Request.Method, r.Request.URL, r.StatusCode, want, r.Text)
	}
	return r
}

// Attr returns an attribute's value in a page, unescaped as far as URLs need
// it.
func (s *Site) Attr(page, pattern string) string {
	s.T.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		s.T.Fatalf("no match for %s in the page:\n%.2000s", pattern, page)
	}
	return strings.ReplaceAll(m[1], "&amp;", "&")
}

func (s *Site) BeaconOf(page string) string { return s.Attr(page, `data-beacon="([^"]+)"`) }

// ContentOf returns the URL of the bytes or of the frame on a page.
func (s *Site) ContentOf(page string) string { return s.Attr(page, ` src="([^"]+/c/[^"]+)"`) }

// Views returns all views of a link, oldest first.
func (s *Site) Views(l *vitrine.Link) []report.View {
	s.T.Helper()
	today := report.DayOf(s.Server.Now().UnixMilli())
	var all []report.View
	s.Check(s.Log.Views(context.Background(), l.ID, today-2, today+2, func(v *report.View) error {
		c := *v
		if v.Session != nil {
			session := *v.Session
			session.Pages = append([]report.PageTime(nil), session.Pages...)
			c.Session = &session
		}
		all = append(all, c)
		return nil
	}))
	return all
}

func (s *Site) Counts(l *vitrine.Link) vitrine.LinkCounts {
	s.T.Helper()
	m, err := s.Log.Counts(context.Background(), []vitrine.LinkID{l.ID})
	s.Check(err)
	return m[l.ID]
}

// CountViews checks the number of views of a link and returns them.
func (s *Site) CountViews(l *vitrine.Link, want int) []report.View {
	s.T.Helper()
	all := s.Views(l)
	if len(all) != want {
		s.T.Errorf("%d views of %s, want %d", len(all), l.Name, want)
	}
	return all
}

// LiveHandler serves with the current fields of a server, which a test may
// change after the start.
type LiveHandler struct {
	Server *web.Server

	mu      sync.Mutex
	of      string // the fields from which handler was made
	handler http.Handler
}

func (l *LiveHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.now().ServeHTTP(w, r)
}

func (l *LiveHandler) now() http.Handler {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := fieldsOf(l.Server); l.handler == nil || of != l.of {
		l.of, l.handler = of, l.Server.Handler()
	}
	return l.handler
}

// fieldsOf returns a text that changes when a field changes, also one of the
// services.
func fieldsOf(s *web.Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", s.Uploads.Scanner)
	var add func(reflect.Value)
	add = func(v reflect.Value) {
		for t, f := range v.Fields() {
			if f.Kind() == reflect.Interface && !f.IsNil() {
				f = f.Elem()
			}
			switch {
			case t.Anonymous && f.Kind() == reflect.Pointer:
				add(f.Elem())
			case f.Kind() == reflect.Pointer, f.Kind() == reflect.Func:
				fmt.Fprintf(&b, " %x", f.Pointer())
			default:
				fmt.Fprintf(&b, " %v", f)
			}
		}
	}
	add(reflect.ValueOf(s).Elem())
	return b.String()
}
