package web_test

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
	"vitrine/report"
)

// site is a whole server of real parts, with a real clock that a test may set
// forward, and with one Lifetime account. Files are published through the
// services.
type site struct {
	t       testing.TB
	dir     string // of its data
	url     string
	handler http.Handler
	server  *web.Server
	account *vitrine.Account
	blobs   *disk.Blobs
	log     *viewlog.ViewLog
	ahead   atomic.Int64 // ns by which the server's clock is ahead

	owner, member *vitrine.Account // set by newDesk
	notices       []app.Notice     // the server's notices for its owner
}

// siteOptions change a site before it is built.
type siteOptions struct {
	viewLog func(vitrine.ViewLog) vitrine.ViewLog // wraps the view log
	around  func(http.Handler) http.Handler       // wraps the server
	content bool                                  // file bytes have a separate host
	store   string                                // the store's address, if it is not in the site's directory
	now     func() time.Time                      // the server's clock, if it is not the real one
}

func newSite(t testing.TB) *site { return newSiteWith(t, siteOptions{}) }

func newSiteWith(t testing.TB, o siteOptions) *site {
	t.Helper()
	dir := vitrinetest.CopyOf(t, "migrated", migrated)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := sqlstore.Open(cmp.Or(o.store, filepath.Join(dir, "vitrine.db")))
	ok(err)
	log, err := viewlog.Open(filepath.Join(dir, "views.db"))
	ok(err)
	s := &site{t: t, dir: dir, log: log}
	if o.now == nil {
		o.now = time.Now
	}
	now := func() time.Time { return o.now().Add(time.Duration(s.ahead.Load())) }
	listen := func() (*httptest.Server, *url.URL) {
		hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			r *http.Request) {
			s.handler.ServeHTTP(w, r)
		}))
		u, err := url.Parse(hs.URL)
		ok(err)
		return hs, u
	}
	hs, public := listen()
	contentServer, content := hs, public
	if o.content {
		contentServer, content = listen()
	}
	s.url = hs.URL
	signer := signer.New([]byte("a secret of the test"))
	blobs, err := disk.New(dir, s.url+api.StorageRoot, signer, now)
	ok(err)
	s.blobs = blobs
	written := vitrine.ViewLog(log)
	if o.viewLog != nil {
		written = o.viewLog(log)
	}
	views := instance.NewViews(written)
	all := services.New(services.Ports{Store: store, ViewLog: written, Blobs: blobs, Signer: signer, Now: now,
		Views: views, ViewIDs: vitrine.NewViewIDs(), Plans: vitrine.DefaultPlans()})
	all.Accounts.Site = public.Host
	all.Accounts.Address = func(p vitrine.TokenPurpose, t vitrine.TokenText) string {
		return httpx.TokenURL(public.String(), p, t)
	}
	all.Abuse.Threshold = moderation.DefaultAbuseThreshold
	all.Analytics.URL = func(s vitrine.Slug) string { return httpx.LinkURL(public, s) }
	s.server = &web.Server{Services: all, Gallery: true, PublicURL: public, ContentURL: content, Version: "test",
		Receiver: blobs, Ready: func(context.Context) error { return nil },
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))}
	s.server.UpgradeURL = "https://share.example/buy"
	s.handler = &liveHandler{server: s.server}
	if o.around != nil {
		s.handler = o.around(s.handler)
	}
	s.account, _, err = s.server.Accounts.Create(t.Context(), "owner@example.org", vitrine.PlanLifetime)
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

func (s *site) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// publish publishes a file in three steps, and scans a video. change may set
// fields of step 3.
func (s *site) publish(name string, content []byte, change ...func(*publish.CompleteRequest)) *vitrine.Link {
	s.t.Helper()
	ctx := s.t.Context()
	t, ok := filetype.ByExt(name)
	if !ok {
		s.t.Fatalf("no type for %s", name)
	}
	u := s.server.Uploads
	begun, err := u.Create(ctx, s.account, publish.UploadRequest{Name: name, Type: t.MIME, Size: int64(len(content))})
	s.check(err)
	g := vitrine.PutGrant{Key: begun.Path, Size: int64(len(content)), Type: t.MIME,
		Expires: s.server.Now().Add(time.Minute)}
	_, err = s.server.Receiver.Receive(ctx, g, bytes.NewReader(content))
	s.check(err)
	r := publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: t.MIME}
	for _, f := range change {
		f(&r)
	}
	l, err := u.Complete(ctx, s.account, r)
	s.check(err)
	if l.State == vitrine.StateProcessing {
		s.check((&publish.Scans{Store: u.Store, Blobs: u.Blobs, Scanner: u.Scanner, Now: u.Now}).Pending(ctx))
		l, err = s.server.Links.BySlug(ctx, string(l.Slug))
		s.check(err)
	}
	if l.State != vitrine.StateLive {
		s.t.Fatalf("%s is %s: %s, want live", name, l.State, l.Reason)
	}
	return l
}

func viewOnly(r *publish.CompleteRequest) {
	no := false
	r.AllowDownload = &no
}

func titled(title string) func(*publish.CompleteRequest) {
	return func(r *publish.CompleteRequest) { r.LinkName = &title }
}

// setState sets the state of a link directly, where a test has no service for
// it.
func (s *site) setState(l *vitrine.Link, state vitrine.LinkState) {
	s.t.Helper()
	s.check(s.server.Links.Store.Update(s.t.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.State = state
		return tx.PutLink(now)
	}))
}

// reader is the user agent of a person.
const reader = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// reply is an answer with its decompressed body. wire is the number of bytes of
// the body as sent.
type reply struct {
	*http.Response
	body string
	wire int
}

// get requests a path of the site (or a whole URL) like a person's browser.
// headers are "Name: value".
func (s *site) get(address string, headers ...string) reply {
	s.t.Helper()
	return s.do(http.MethodGet, address, "", headers...)
}

func (s *site) do(method, address, body string, headers ...string) reply {
	s.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = s.url + address
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, address, strings.NewReader(body))
	s.check(err)
	req.Header.Set("User-Agent", reader)
	req.Header.Set("Accept-Encoding", "gzip")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	s.check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	s.check(err)
	r := reply{Response: res, wire: len(b)}
	if res.Header.Get("Content-Encoding") == "gzip" && len(b) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(b))
		s.check(err)
		b, err = io.ReadAll(z)
		s.check(err)
	}
	r.body = string(b)
	return r
}

// status checks the status of an answer.
func (s *site) status(r reply, want int) reply {
	s.t.Helper()
	if r.StatusCode != want {
		s.t.Errorf("%s %s: status %d, want %d\n%.300s", r.Request.Method, r.Request.URL, r.StatusCode, want, r.body)
	}
	return r
}

// attr returns an attribute's value in a page, unescaped as far as URLs need
// it.
func (s *site) attr(page, pattern string) string {
	s.t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		s.t.Fatalf("no match for %s in the page:\n%.2000s", pattern, page)
	}
	return strings.ReplaceAll(m[1], "&amp;", "&")
}

func (s *site) beaconOf(page string) string { return s.attr(page, `data-beacon="([^"]+)"`) }

// contentOf returns the URL of the bytes or of the frame on a page.
func (s *site) contentOf(page string) string { return s.attr(page, ` src="([^"]+/c/[^"]+)"`) }

// views returns all views of a link, oldest first.
func (s *site) views(l *vitrine.Link) []report.View {
	s.t.Helper()
	today := report.DayOf(s.server.Now().UnixMilli())
	var all []report.View
	s.check(s.log.Views(context.Background(), l.ID, today-2, today+2, func(o *report.View) error {
		c := *o
		if o.Session != nil {
			session := *o.Session
			session.Pages = append([]report.PageTime(nil), session.Pages...)
			c.Session = &session
		}
		all = append(all, c)
		return nil
	}))
	return all
}

func (s *site) counts(l *vitrine.Link) vitrine.LinkCounts {
	s.t.Helper()
	m, err := s.log.Counts(context.Background(), []vitrine.LinkID{l.ID})
	s.check(err)
	return m[l.ID]
}

// countOpens checks the number of views of a link and returns them.
func (s *site) countOpens(l *vitrine.Link, want int) []report.View {
	s.t.Helper()
	all := s.views(l)
	if len(all) != want {
		s.t.Errorf("%d views of %s, want %d", len(all), l.Name, want)
	}
	return all
}

// liveHandler serves with the current fields of a server, which a test may
// change after the start.
type liveHandler struct {
	server *web.Server

	mu      sync.Mutex
	of      string // the fields from which handler was made
	handler http.Handler
}

func (l *liveHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.now().ServeHTTP(w, r)
}

func (l *liveHandler) now() http.Handler {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := fieldsOf(l.server); l.handler == nil || of != l.of {
		l.of, l.handler = of, l.server.Handler()
	}
	return l.handler
}

// fieldsOf returns a text that changes when a field changes.
func fieldsOf(s *web.Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", s.Uploads.Scanner)
	for _, f := range reflect.ValueOf(s).Elem().Fields() {
		if f.Kind() == reflect.Interface && !f.IsNil() {
			f = f.Elem()
		}
		switch f.Kind() {
		case reflect.Pointer, reflect.Func:
			fmt.Fprintf(&b, " %x", f.Pointer())
		default:
			fmt.Fprintf(&b, " %v", f)
		}
	}
	return b.String()
}
